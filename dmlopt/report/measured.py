"""The rows of an experiment measured against each other: marks, gaps and ratios, by the rules of `dmlopt.compare`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dmlopt.batch.row import BROKEN, DONE, FAILED_CHECK, NOT_APPLICABLE, CellRow
from dmlopt.compare import FAILED, CompareRow, best_known, judged, mark_of
from dmlopt.result import Status, relative_gap


@dataclass(frozen=True)
class Measured:
    """A row and where it stands among all rows of its instance.

    `outcome` and `mark` know what only the other rows show: a value that beats a certified bound, a claimed bound that a
    checked solution refutes. `gap` is the distance to the instance's tightest certified bound (of a row without a solution:
    of its bound to the best objective), `own_gap` to the row's own. `best_value` and `best_bound` are those of the instance.
    """

    row: CellRow
    outcome: str
    mark: str
    message: str
    gap: float | None
    own_gap: float | None
    best_value: float | None
    best_bound: float | None

    @property
    def ok(self) -> bool:
        """True when the method ran and everything it delivered held."""
        return self.outcome == DONE

    @property
    def objective(self) -> float | None:
        """The checked objective of a row that holds."""
        return self.row.objective if self.ok else None

    @property
    def seconds(self) -> float:
        """Seconds of the whole run; for a run that was ended from outside, what its process took."""
        return self.row.seconds.get("total", self.row.wall_seconds)

    @property
    def ratio_to_best(self) -> float | None:
        """How many times worse than the best checked objective of the instance: 1 is best."""
        return ratio(self.objective, self.best_value)

    @property
    def ratio_to_bound(self) -> float | None:
        """How many times worse than the tightest certified bound of the instance: 1 is proven optimal."""
        return ratio(self.objective, self.best_bound)

    @property
    def unit(self) -> tuple[str, ...]:
        """What methods are compared on: one instance with one seed and one time limit."""
        limit = "" if self.row.time_limit is None else repr(float(self.row.time_limit))
        return (self.row.experiment, *instance_of(self.row), f"{self.row.seed:012d}", limit)


def ratio(value: float | None, best: float | None) -> float | None:
    """The worse over the better of two numbers of the same sign, at least 1; None where no ratio makes sense.

    For positive values that are minimised it is value / best, for positive ones that are maximised best / value; for
    negative ones the other way round. Numbers of different sign, and zero beside another number, have no ratio.
    """
    if value is None or best is None:
        return None
    if value == best:
        return 1.0
    if value * best <= 0:
        return None
    small, large = sorted((abs(value), abs(best)))
    return large / small


def instance_of(row: CellRow) -> tuple[str, str]:
    """What two rows on the same instance have in common: its content, or without a hash its sweep and name."""
    return row.formulation, row.instance_hash or f"{row.sweep}/{row.instance}"


def newest(rows: Iterable[CellRow]) -> list[CellRow]:
    """One row per cell, the one finished last (a store may hold a cell by several versions); sorted, not in given order."""
    latest: dict[tuple[object, ...], CellRow] = {}
    for row in sorted(rows, key=lambda each: (each.finished, each.key)):
        cell = (
            row.experiment,
            *instance_of(row),
            row.sweep,
            row.instance,
            row.method,
            row.seed,
            row.time_limit,
            row.asked_gap,
            row.threads,
        )
        latest[cell] = row
    return sorted(latest.values(), key=_order)


def _order(row: CellRow) -> tuple[object, ...]:
    limit = -1.0 if row.time_limit is None else row.time_limit
    return (row.experiment, row.formulation, row.sweep, row.instance, row.method, row.seed, limit, row.key)


def as_compare_row(row: CellRow) -> CompareRow:
    """A stored row in the form of `dmlopt.compare`, so that its tables and figures serve it too; not yet judged."""
    spent = row.seconds
    done = row.outcome == DONE
    return CompareRow(
        instance=row.instance,
        method=row.method,
        kind=row.kind,
        objective=row.objective if done else None,
        bound=row.bound if done else None,
        claimed_bound=row.claimed_bound if done else None,
        own_gap=relative_gap(row.objective, row.bound) if done else None,
        build_seconds=spent.get("build"),
        solve_seconds=spent.get("solve"),
        check_seconds=spent.get("check"),
        seconds=None if row.outcome == NOT_APPLICABLE else spent.get("total", row.wall_seconds),
        status=row.status if done else str(Status.ERROR),
        limit=row.limit,
        verified=row.verified and done,
        mark=_mark(row),
        message=row.reason,
    )


def _mark(row: CellRow) -> str:
    if row.outcome == NOT_APPLICABLE:
        return NOT_APPLICABLE
    if row.outcome == FAILED_CHECK:
        return FAILED_CHECK
    if row.outcome in BROKEN:
        return FAILED
    return mark_of(row.status, row.verified, row.bound is not None)


def measure(rows: Iterable[CellRow]) -> list[Measured]:
    """The newest row of every cell, measured against all rows of its instance.

    Measure before selecting: a heuristic's gap needs the bound of a method that is perhaps not shown.
    """
    groups: dict[tuple[str, str], list[CellRow]] = {}
    for row in newest(rows):
        groups.setdefault(instance_of(row), []).append(row)
    found = [each for own in groups.values() for each in _measure_instance(own)]
    return sorted(found, key=lambda each: _order(each.row))


def _measure_instance(rows: Sequence[CellRow]) -> list[Measured]:
    sense = rows[0].sense
    found = judged([as_compare_row(row) for row in rows], sense)
    value, bound = best_known(found, sense)
    return [_measured(row, each, value, bound) for row, each in zip(rows, found, strict=True)]


def _measured(row: CellRow, found: CompareRow, value: float | None, bound: float | None) -> Measured:
    refuted = (
        row.outcome == DONE and found.mark == FAILED_CHECK
    )  # the words for it are the same in both modules
    outcome = FAILED_CHECK if refuted else row.outcome
    own = found.own_gap if outcome == DONE else None
    return Measured(row, outcome, found.mark, found.message, found.gap, own, value, bound)


def compare_rows(measured: Iterable[Measured]) -> list[CompareRow]:
    """Measured rows in the form of `dmlopt.compare`."""
    return [
        replace(as_compare_row(each.row), gap=each.gap, mark=each.mark, message=each.message)
        for each in measured
    ]
