"""CP-SAT for integer programs. It computes in integers, so real numbers are scaled first.

- A row whose numbers are all integers is handed over as it is: exact.
- Any other row is multiplied by a power of two (as large as 2^50 divided by the row's largest activity) and rounded to
  integers. Its sides are moved outwards by the most that rounding can change over the bounds of the columns, so no feasible
  point is lost. A point that CP-SAT then finds may break the true row by that much: it is looked at again here, and
  dropped if it does by more than 1e-6.
- A cost that is an integer everywhere is exact. Any other cost is scaled and rounded in the same way, and the most that
  rounding can change is subtracted from CP-SAT's bound. So the bound holds for the true cost, as far as CP-SAT is right:
  a claim, like every solver's. "Optimal" means optimal for the rounded cost: the true objective of the point can be above
  the true optimum by twice that amount, about 1e-15 times the number of columns times the sum of |cost|.

CP-SAT needs finite bounds; columns without get them from the rows, if those give any.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from ortools.sat.python import cp_model
from scipy.sparse import csr_array

from dmlopt.backends.own_process import LocalBackend, Report
from dmlopt.backends.program import (
    Capability,
    Program,
    ProgramResult,
    ProgramStatus,
    ProgramTrace,
    SolverLimits,
)
from dmlopt.backends.watched import run_watched
from dmlopt.control import Clock
from dmlopt.errors import BackendError
from dmlopt.packing import FloatArray, IntArray
from dmlopt.result import Limit

LARGEST = 2.0**50
"""Scaled activities stay below this; CP-SAT itself refuses sums beyond 2^63."""
TOLERANCE = 1e-6
ROUNDS = 10  # of deriving column bounds from rows


@dataclass(frozen=True)
class _Scaled:
    """numbers ~ whole / scale; over the box, numbers.x - whole.x / scale lies in [low, high]."""

    whole: IntArray
    scale: float
    low: float
    high: float


def _scaled(numbers: FloatArray, lower: FloatArray, upper: FloatArray) -> _Scaled:
    activity = float(np.abs(numbers) @ np.maximum(np.abs(lower), np.abs(upper)))
    if activity >= LARGEST * 2**10:
        raise BackendError("cp-sat: the numbers of the program are too large for 64-bit integers")
    if (numbers == np.rint(numbers)).all():
        return _Scaled(numbers.astype(np.int64), 1.0, 0.0, 0.0)
    scale = 2.0 ** math.floor(math.log2(LARGEST / max(activity, np.abs(numbers).max())))
    whole = np.rint(numbers * scale)
    error = numbers - whole / scale
    ends = error * lower, error * upper
    return _Scaled(
        whole.astype(np.int64), scale, float(np.minimum(*ends).sum()), float(np.maximum(*ends).sum())
    )


def _box(program: Program, matrix: csr_array) -> tuple[FloatArray, FloatArray]:
    """Integer bounds of the columns; missing ones are derived from the rows."""
    lower, upper = np.ceil(program.lower - TOLERANCE), np.floor(program.upper + TOLERANCE)
    for _ in range(ROUNDS):
        if np.isfinite(lower).all() and np.isfinite(upper).all():
            return lower, upper
        for row in range(program.row_count):
            span = slice(matrix.indptr[row], matrix.indptr[row + 1])
            _tighten(
                matrix.indices[span].astype(np.int64), matrix.data[span], program.row_upper[row], lower, upper
            )
            _tighten(
                matrix.indices[span].astype(np.int64),
                -matrix.data[span],
                -program.row_lower[row],
                lower,
                upper,
            )
    open_ended = np.flatnonzero(~np.isfinite(lower) | ~np.isfinite(upper))
    if len(open_ended):
        raise BackendError(f"cp-sat: column {open_ended[0]} has no finite bounds, and the rows give none")
    return lower, upper


def _tighten(columns: IntArray, a: FloatArray, side: float, lower: FloatArray, upper: FloatArray) -> None:
    """Bounds that a.x <= side implies for columns that have none."""
    least = np.where(a > 0, a * lower[columns], a * upper[columns])
    for at, column in enumerate(columns.tolist()):
        rest = side - float(np.delete(least, at).sum())
        if a[at] == 0 or not math.isfinite(rest):
            continue
        if a[at] > 0 and not math.isfinite(upper[column]):
            upper[column] = math.floor(rest / a[at] + TOLERANCE)
        elif a[at] < 0 and not math.isfinite(lower[column]):
            lower[column] = math.ceil(rest / a[at] - TOLERANCE)


class _Stated:
    """A program in CP-SAT's integers."""

    def __init__(self, program: Program, clock: Clock) -> None:
        matrix = csr_array(program.matrix)
        lower, upper = _box(program, matrix)
        self.empty = bool((lower > upper).any())
        self.model = cp_model.CpModel()
        if self.empty:
            return
        if max(np.abs(lower).max(), np.abs(upper).max()) >= LARGEST:
            raise BackendError("cp-sat: the bounds of the columns are too large for 64-bit integers")
        ends = zip(lower.astype(np.int64).tolist(), upper.astype(np.int64).tolist(), strict=True)
        self.columns = [self.model.new_int_var(low, high, "") for low, high in ends]
        for row in range(program.row_count):
            if row % 100 == 0:
                clock.check()
            span = slice(matrix.indptr[row], matrix.indptr[row + 1])
            used = matrix.indices[span].astype(np.int64)
            self._add_row(
                used, matrix.data[span], program.row_lower[row], program.row_upper[row], lower, upper
            )
        self.cost = _scaled(program.cost, lower, upper)
        self.model.minimize(self._sum(np.arange(program.column_count), self.cost.whole))

    def _sum(self, used: IntArray, weights: IntArray) -> Any:
        return cp_model.LinearExpr.weighted_sum([self.columns[j] for j in used.tolist()], weights.tolist())

    def _add_row(
        self,
        used: IntArray,
        numbers: FloatArray,
        low: float,
        high: float,
        lower: FloatArray,
        upper: FloatArray,
    ) -> None:
        if not len(used):
            if low > TOLERANCE or high < -TOLERANCE:
                self.empty = True
            return
        row = _scaled(numbers, lower[used], upper[used])
        least = np.where(row.whole > 0, lower[used], upper[used]) @ row.whole
        most = np.where(row.whole > 0, upper[used], lower[used]) @ row.whole
        # numbers.x <= high implies whole.x <= (high - low error) scale; the same below.
        above = (high - row.low) * row.scale
        below = (low - row.high) * row.scale
        top = int(most) if above >= most else math.floor(above + TOLERANCE)
        bottom = int(least) if below <= least else math.ceil(below - TOLERANCE)
        if top < bottom:
            self.empty = True
            return
        self.model.add_linear_constraint(self._sum(used, row.whole), bottom, top)

    def true_bound(self, bound: float, program: Program) -> float:
        """A bound on the true objective from one on the rounded objective."""
        return bound / self.cost.scale + self.cost.low + program.offset


class _Watch(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
    """Incumbents and bounds as CP-SAT finds them."""

    def __init__(self, stated: _Stated, program: Program, report: Report) -> None:
        super().__init__()
        self.stated, self.program, self.report = stated, program, report
        self.started = time.perf_counter()
        self.trace: list[ProgramTrace] = []
        self.best = math.inf
        self.bound = -math.inf

    def on_solution_callback(self) -> None:
        x = np.array([self.value(column) for column in self.stated.columns], dtype=np.float64)
        if not _fits(x, self.program):
            return
        self.best = min(self.best, float(self.program.cost @ x) + self.program.offset)
        self.on_bound(self.best_objective_bound)
        self.report(
            ProgramResult(
                ProgramStatus.FEASIBLE, objective=self.best, bound=self.bound, x=x, trace=list(self.trace)
            )
        )

    def on_bound(self, bound: float) -> None:
        """A new bound on the rounded objective."""
        self.bound = max(self.bound, self.stated.true_bound(bound, self.program))
        self.trace.append(ProgramTrace(time.perf_counter() - self.started, self.best, self.bound))


def _fits(x: FloatArray, program: Program) -> bool:
    use = program.matrix @ x
    slack = TOLERANCE * np.maximum(1.0, np.abs(use))
    return bool((use <= program.row_upper + slack).all() and (use >= program.row_lower - slack).all())


class CpSatBackend(LocalBackend):
    """CP-SAT for one-shot integer programs."""

    name = "cp-sat"
    capabilities = frozenset({Capability.INTEGER, Capability.BOUND, Capability.TRACE, Capability.WARM_START})

    def solve_here(
        self, program: Program, limits: SolverLimits, start: FloatArray | None, report: Report
    ) -> ProgramResult:
        """Solve in this process."""
        stated = _Stated(program, limits.clock)
        if stated.empty:
            return ProgramResult(ProgramStatus.INFEASIBLE)
        if start is not None:
            for column, value in zip(stated.columns, np.rint(start).astype(np.int64).tolist(), strict=True):
                stated.model.add_hint(column, value)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = limits.threads
        solver.parameters.random_seed = limits.seed % 2**31
        solver.parameters.relative_gap_limit = limits.gap
        if math.isfinite(limits.clock.remaining()):
            solver.parameters.max_time_in_seconds = max(0.001, limits.clock.remaining())
        watch = _Watch(stated, program, report)
        solver.best_bound_callback = watch.on_bound
        native = run_watched(lambda: solver.solve(stated.model, watch), solver.stop_search, limits.clock)
        return _result(solver, native, stated, watch, program, limits.clock)


def _result(
    solver: Any, native: Any, stated: _Stated, watch: _Watch, program: Program, clock: Clock
) -> ProgramResult:
    if native == cp_model.INFEASIBLE:
        return ProgramResult(ProgramStatus.INFEASIBLE)
    if native == cp_model.MODEL_INVALID:
        raise BackendError(f"cp-sat: refused the program ({stated.model.validate()})")
    result = ProgramResult(ProgramStatus.UNKNOWN, trace=watch.trace, nodes=int(solver.num_branches))
    if native != cp_model.OPTIMAL:
        # CP-SAT may come back a moment before the limit; nothing else but an interrupt stops it early.
        over = Limit.NONE if math.isinf(clock.remaining()) else Limit.TIME
        result.limit = Limit.INTERRUPTED if clock.interrupted else over
    result.bound = watch.bound if math.isfinite(watch.bound) else None
    if native in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        result.bound = stated.true_bound(float(solver.best_objective_bound), program)
        x = np.array(solver.values(stated.columns), dtype=np.float64)
        if _fits(x, program):
            result.x = x
            result.objective = float(program.cost @ x) + program.offset
            proved = native == cp_model.OPTIMAL
            result.status = ProgramStatus.OPTIMAL if proved else ProgramStatus.FEASIBLE
    return result


BACKEND = CpSatBackend()
