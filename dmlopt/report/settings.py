"""What a reader may choose about an analysis, with its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dmlopt.report.measured import Measured
from dmlopt.report.profiles import PROOF
from dmlopt.report.selection import axis_names, value_of
from dmlopt.report.traces import BEST
from dmlopt.report.wins import TOLERANCE


@dataclass(frozen=True)
class Settings:
    """`by`: the columns to group by (empty: by method). `target`, `against`: the gap to reach and the bound it is taken to.

    `measure`: what a profile compares. `claims`: whether a solver's word counts as a proof. `size`: the axis of scaling fits
    (None: the first numeric axis that varies, `jobs` before others). `tolerance`: relative, below it objectives tie.
    """

    by: tuple[str, ...] = ()
    target: float = 0.01
    against: str = BEST
    measure: str = PROOF
    claims: bool = True
    size: str | None = None
    tolerance: float = TOLERANCE

    def columns(self, rows: Sequence[Measured]) -> tuple[str, ...]:
        """The columns to group by; formulations are kept apart, for their methods have only names in common."""
        if self.by:
            return self.by
        several = len({each.row.formulation for each in rows}) > 1
        return ("formulation", "method") if several else ("method",)

    def size_axis(self, rows: Sequence[Measured]) -> str | None:
        """The axis that scaling is measured along; None when no numeric axis takes two values."""
        if self.size is not None:
            return self.size
        varying = [name for name in axis_names(rows) if name != "repetition" and _varies(name, rows)]
        return "jobs" if "jobs" in varying else varying[0] if varying else None


def _varies(name: str, rows: Sequence[Measured]) -> bool:
    found = {value_of(each, name) for each in rows if is_number(value_of(each, name))}
    return len(found) > 1


def is_number(value: object) -> bool:
    """A real number, not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)
