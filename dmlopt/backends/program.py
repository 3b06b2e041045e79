"""The border of all backends: a linear or mixed-integer program as arrays, and what a solver answers to it.

    min  cost.x + offset   s.t.  row_lower <= A x <= row_upper,  lower <= x <= upper,  x_j integer where integral[j]

Duals follow one convention everywhere: row_dual = d(objective) / d(right-hand side). In a minimisation a binding "<=" row
has a dual <= 0; the engine's price of a capacity is its negative.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.sparse import csc_array

from dmlopt.control import Clock
from dmlopt.packing import BoolArray, FloatArray
from dmlopt.result import Limit


@dataclass(frozen=True)
class Program:
    """A (mixed-integer) linear program to be minimised, as arrays."""

    cost: FloatArray
    matrix: csc_array
    row_lower: FloatArray
    row_upper: FloatArray
    lower: FloatArray
    upper: FloatArray
    integral: BoolArray
    offset: float = 0.0
    column_names: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()

    @property
    def column_count(self) -> int:
        """Number of variables."""
        return len(self.cost)

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return len(self.row_lower)


class ProgramStatus(enum.StrEnum):
    """What a solver says about a program. All of it is a claim."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ProgramTrace:
    """Incumbent and bound of the program at a moment of the solve; infinite where there is none."""

    seconds: float
    incumbent: float
    bound: float


@dataclass
class ProgramResult:
    """A solver's answer: point, value, bound, duals (LP only, None otherwise)."""

    status: ProgramStatus
    limit: Limit = Limit.NONE
    objective: float | None = None
    bound: float | None = None
    x: FloatArray | None = None
    row_dual: FloatArray | None = None
    trace: list[ProgramTrace] = field(default_factory=list)
    nodes: int = 0
    finished: bool = False  # used between a process and its parent: no incumbent on the way, but the answer


@dataclass(frozen=True)
class SolverLimits:
    """Limits and parameters that every backend understands. `gap` is relative."""

    clock: Clock = field(default_factory=Clock)
    gap: float = 1e-9
    threads: int = 1
    seed: int = 0


class Capability(enum.StrEnum):
    """What a backend can do; declared, not discovered by failure."""

    LP = "lp"
    INTEGER = "integer"  # every column integral
    MIP = "mip"  # integral and continuous columns together
    DUALS = "duals"
    WARM_START = "warm-start"
    TRACE = "trace"
    BOUND = "bound"


class Backend(Protocol):
    """One solver library. `solve` never raises for infeasible, unbounded or limits; BackendError for a failure."""

    name: str
    capabilities: frozenset[Capability]

    def solve(self, program: Program, limits: SolverLimits, start: FloatArray | None = None) -> ProgramResult:
        """Solve within the limits; `start` is a feasible point to begin from, where the backend can use one."""
        ...


def is_pure_lp(program: Program) -> bool:
    """True when no variable is integral."""
    return not bool(np.any(program.integral))


def needed(program: Program) -> Capability:
    """The capability that this program asks for."""
    if is_pure_lp(program):
        return Capability.LP
    return Capability.INTEGER if bool(np.all(program.integral)) else Capability.MIP
