"""Who beats whom: wins, ties and losses between methods, problem by problem."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dmlopt.batch.row import NOT_APPLICABLE
from dmlopt.report.measured import Measured

TOLERANCE = 1e-6  # relative: objectives that differ by less are a tie


@dataclass(frozen=True)
class Score:
    """Of the problems that both ran on: the first is better, equally good, worse; on `neither` has it found a solution."""

    wins: int = 0
    ties: int = 0
    losses: int = 0
    neither: int = 0


def better(left: float | None, right: float | None, sense: str, tolerance: float = TOLERANCE) -> int:
    """1 if the left objective is better by more than the relative tolerance, -1 if worse, 0 if equal; any beats none."""
    if left is None or right is None:
        return (left is not None) - (right is not None)
    if abs(left - right) <= tolerance * max(abs(left), abs(right)):
        return 0
    return 1 if (left < right) == (sense == "min") else -1


def win_tie_loss(rows: Iterable[Measured], tolerance: float = TOLERANCE) -> dict[tuple[str, str], Score]:
    """The score of every ordered pair of methods, on checked objectives; score (b, a) mirrors score (a, b).

    A method that does not apply to a problem does not compete on it.
    """
    units: dict[tuple[str, ...], dict[str, Measured]] = {}
    for each in rows:
        if each.outcome == NOT_APPLICABLE:
            continue
        units.setdefault(each.unit, {})[each.row.method] = each
    methods = sorted({name for own in units.values() for name in own})
    counts = {(a, b): [0, 0, 0, 0] for a in methods for b in methods if a != b}
    for own in units.values():
        for a, first in own.items():
            for b, second in own.items():
                if a == b:
                    continue
                if first.objective is None and second.objective is None:
                    counts[a, b][3] += 1
                else:
                    result = better(first.objective, second.objective, first.row.sense, tolerance)
                    counts[a, b][1 - result] += 1
    return {pair: Score(*each) for pair, each in counts.items()}
