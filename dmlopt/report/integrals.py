"""Primal integrals of many rows, each over its time limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dmlopt.batch.row import NOT_APPLICABLE
from dmlopt.report.measured import Measured, instance_of
from dmlopt.report.traces import primal_integral

Horizons = Mapping[tuple[str, str], float]


def longest_runs(rows: Iterable[Measured]) -> Horizons:
    """The seconds of the longest run on every instance: what runs without a time limit are measured over."""
    found: dict[tuple[str, str], float] = {}
    for each in rows:
        instance = instance_of(each.row)
        found[instance] = max(found.get(instance, 0.0), each.seconds)
    return found


def integral_of(measured: Measured, longest: Horizons) -> float | None:
    """Normalised by the time limit, without one by the longest run on the instance; None where the method does not apply."""
    if measured.outcome == NOT_APPLICABLE:
        return None
    limit = measured.row.time_limit
    return primal_integral(measured, longest[instance_of(measured.row)] if limit is None else limit)
