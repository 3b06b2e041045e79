"""Points (size, seconds) per group of rows with their fit: the data of the scaling table and figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dmlopt.report.fits import Fit, loglog_fit
from dmlopt.report.measured import Measured
from dmlopt.report.selection import groups, value_of
from dmlopt.report.settings import is_number


@dataclass(frozen=True)
class Series:
    """One group: its key, its points in the order of sizes, its fit (None if it has fewer than two sizes)."""

    key: tuple[Any, ...]
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]
    fit: Fit | None


@dataclass(frozen=True)
class Growth:
    """All groups, and how many rows were left out because they failed, were stopped by a limit or have no size."""

    axis: str | None
    groups: tuple[Series, ...]
    failed: int
    stopped: int
    sizeless: int


def growth(rows: Sequence[Measured], by: Sequence[str], axis: str | None) -> Growth:
    """Seconds against an axis. Runs that a limit stopped are no points: their time is the limit's, not the method's."""
    failed = [each for each in rows if not each.ok]
    stopped = [each for each in rows if each.ok and each.row.limit != "none"]
    rest = [each for each in rows if each.ok and each.row.limit == "none" and each.seconds > 0]
    usable = [each for each in rest if axis is not None and _positive(value_of(each, axis))]
    points: dict[tuple[Any, ...], list[Measured]] = groups(usable, by)
    series = []
    for key in groups(rows, by):
        pairs = sorted((float(value_of(each, str(axis))), each.seconds) for each in points.get(key, []))
        sizes, seconds = tuple(x for x, _ in pairs), tuple(y for _, y in pairs)
        series.append(Series(key, sizes, seconds, loglog_fit(sizes, seconds)))
    return Growth(axis, tuple(series), len(failed), len(stopped), len(rest) - len(usable))


def _positive(value: Any) -> bool:
    return is_number(value) and value > 0
