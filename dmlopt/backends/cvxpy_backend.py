"""Programs stated in CVXPY, solved by HiGHS or Clarabel: what a user of that modelling layer gets.

CVXPY has no way to stop a solver or to watch it: integer programs run in a process of their own, which can be ended.
Clarabel is an interior-point solver for cones; here it takes linear programs only.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import cvxpy
import numpy as np
from scipy.sparse import csr_array

from dmlopt.backends.own_process import LocalBackend, Report
from dmlopt.backends.program import (
    Capability,
    Program,
    ProgramResult,
    ProgramStatus,
    SolverLimits,
    is_pure_lp,
)
from dmlopt.control import Clock
from dmlopt.errors import BackendError
from dmlopt.packing import BoolArray, FloatArray
from dmlopt.result import Limit


class Stated:
    """A program in CVXPY's terms."""

    def __init__(self, program: Program) -> None:
        kinds: dict[str, Any] = {"bounds": [program.lower, program.upper]}
        if program.integral.all():
            kinds["integer"] = True
        elif program.integral.any():
            kinds["integer"] = [(int(column),) for column in np.flatnonzero(program.integral)]
        self.x = cvxpy.Variable(program.column_count, **kinds)
        self.row_count = program.row_count
        low, high = program.row_lower, program.row_upper
        equal = low == high
        self.parts: list[tuple[BoolArray, float, Any]] = []
        matrix = csr_array(program.matrix)
        sides: list[tuple[BoolArray, float, Any]] = [
            (equal, -1.0, lambda rows: matrix[rows] @ self.x == high[rows]),
            (~equal & np.isfinite(high), -1.0, lambda rows: matrix[rows] @ self.x <= high[rows]),
            (~equal & np.isfinite(low), 1.0, lambda rows: matrix[rows] @ self.x >= low[rows]),
        ]
        for chosen, sign, build in sides:
            if chosen.any():
                self.parts.append((chosen, sign, build(np.flatnonzero(chosen))))
        constraints = [constraint for _, _, constraint in self.parts]
        self.problem = cvxpy.Problem(cvxpy.Minimize(program.cost @ self.x), constraints)

    def row_dual(self) -> FloatArray:
        """CVXPY's multipliers as derivatives of the objective by the right-hand side."""
        dual = np.zeros(self.row_count)
        for chosen, sign, constraint in self.parts:
            dual[chosen] += sign * np.asarray(constraint.dual_value).reshape(-1)
        return dual


class CvxpyBackend(LocalBackend):
    """CVXPY over one of its solvers."""

    def __init__(self, name: str, solver: str, capabilities: frozenset[Capability]) -> None:
        self.name = name
        self.solver = solver
        self.capabilities = capabilities

    def apart(self, program: Program) -> bool:
        """Integer programs and large ones: nothing else ends CVXPY before its solver comes back."""
        return super().apart(program) or not is_pure_lp(program)

    def solve_here(
        self, program: Program, limits: SolverLimits, start: FloatArray | None, report: Report
    ) -> ProgramResult:
        """Solve in this process, under the solver's own time limit."""
        if program.column_count == 0:
            met = not ((program.row_lower > 0).any() or (program.row_upper < 0).any())
            return _trivial(program) if met else ProgramResult(ProgramStatus.INFEASIBLE)
        stated = Stated(program)
        limits.clock.check()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # CVXPY warns of inaccurate solutions; the status says it too
                stated.problem.solve(solver=self.solver, **self._options(program, limits))
        except cvxpy.error.SolverError as error:
            if limits.clock.expired():
                return ProgramResult(ProgramStatus.UNKNOWN, _limit(limits.clock))
            raise BackendError(f"{self.name}: {error}") from error
        return self._result(stated, program, limits.clock)

    def _options(self, program: Program, limits: SolverLimits) -> dict[str, Any]:
        seconds = limits.clock.remaining()
        options: dict[str, Any] = {}
        if math.isfinite(seconds):
            options["time_limit"] = max(0.001, seconds)
        if self.solver == cvxpy.CLARABEL:
            return {**options, "max_threads": limits.threads}
        options.update(threads=limits.threads, random_seed=limits.seed % 2**31)
        if not is_pure_lp(program):
            options.update(mip_rel_gap=limits.gap, mip_abs_gap=0.0)
            if not program.integral.all():
                options["presolve"] = "off"  # the fault of HiGHS 1.14 on mixed programs, see highs.py
        return options

    def _result(self, stated: Stated, program: Program, clock: Clock) -> ProgramResult:
        status = {
            cvxpy.OPTIMAL: ProgramStatus.OPTIMAL,
            cvxpy.OPTIMAL_INACCURATE: ProgramStatus.FEASIBLE,
            cvxpy.INFEASIBLE: ProgramStatus.INFEASIBLE,
            cvxpy.UNBOUNDED: ProgramStatus.UNBOUNDED,
        }.get(stated.problem.status, ProgramStatus.UNKNOWN)
        result = ProgramResult(status)
        value = stated.x.value
        if status is ProgramStatus.UNKNOWN:
            result.limit = _limit(clock)
        if status is ProgramStatus.OPTIMAL and value is not None:
            result.x = np.asarray(value, dtype=np.float64)
            result.objective = float(program.cost @ result.x) + program.offset
            result.bound = result.objective
            if is_pure_lp(program):
                result.row_dual = stated.row_dual()
            else:
                information = stated.problem.solver_stats.extra_stats
                result.bound = float(information.mip_dual_bound) + program.offset
                result.nodes = int(information.mip_node_count)
        elif status is ProgramStatus.FEASIBLE:
            result.status = ProgramStatus.UNKNOWN  # inaccurate: neither a point nor a bound to rely on
        return result


def _trivial(program: Program) -> ProgramResult:
    return ProgramResult(ProgramStatus.OPTIMAL, objective=program.offset, bound=program.offset, x=np.empty(0))


def _limit(clock: Clock) -> Limit:
    if clock.interrupted:
        return Limit.INTERRUPTED
    return Limit.NONE if math.isinf(clock.remaining()) else Limit.TIME  # solvers may stop a moment early


HIGHS = CvxpyBackend(
    "cvxpy-highs",
    cvxpy.HIGHS,
    frozenset({Capability.LP, Capability.INTEGER, Capability.MIP, Capability.DUALS, Capability.BOUND}),
)
CLARABEL = CvxpyBackend(
    "cvxpy-clarabel", cvxpy.CLARABEL, frozenset({Capability.LP, Capability.DUALS, Capability.BOUND})
)
