"""HiGHS through highspy: one-shot programs with an incumbent/bound trace, and a kept LP whose columns and bounds change."""

from __future__ import annotations

import math
import time
from typing import Any

import highspy
import numpy as np
from scipy.sparse import csc_array

from dmlopt.backends.own_process import LocalBackend, Report
from dmlopt.backends.program import (
    Capability,
    Program,
    ProgramResult,
    ProgramStatus,
    ProgramTrace,
    SolverLimits,
    is_pure_lp,
)
from dmlopt.control import Clock
from dmlopt.errors import BackendError
from dmlopt.packing import FloatArray, IntArray
from dmlopt.result import Limit

_STATUS = {
    highspy.HighsModelStatus.kOptimal: ProgramStatus.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: ProgramStatus.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: ProgramStatus.UNBOUNDED,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: ProgramStatus.UNKNOWN,
}
_LIMIT = {
    highspy.HighsModelStatus.kTimeLimit: Limit.TIME,
    highspy.HighsModelStatus.kIterationLimit: Limit.NODES,
    highspy.HighsModelStatus.kSolutionLimit: Limit.NODES,
    highspy.HighsModelStatus.kInterrupt: Limit.INTERRUPTED,
}


def quiet_solver() -> Any:
    """A HiGHS object that prints nothing."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    return solver


def load(solver: Any, program: Program) -> None:
    """Hand the arrays over."""
    lp = highspy.HighsLp()
    lp.num_col_ = program.column_count
    lp.num_row_ = program.row_count
    lp.col_cost_ = program.cost
    lp.col_lower_ = program.lower
    lp.col_upper_ = program.upper
    lp.row_lower_ = program.row_lower
    lp.row_upper_ = program.row_upper
    lp.offset_ = program.offset
    matrix = csc_array(program.matrix)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data.astype(np.float64)
    if program.integral.any():
        kinds = {False: highspy.HighsVarType.kContinuous, True: highspy.HighsVarType.kInteger}
        lp.integrality_ = [kinds[flag] for flag in program.integral.tolist()]
    if solver.passModel(lp) == highspy.HighsStatus.kError:
        raise BackendError("highs: refused the program")


class _Watch:
    """Callbacks of one run: record incumbents and bounds, stop when the clock says so."""

    def __init__(self, solver: Any, clock: Clock, report: Report) -> None:
        self.clock = clock
        self.report = report
        self.started = time.perf_counter()
        self.trace: list[ProgramTrace] = []
        solver.cbMipInterrupt += self.stop
        solver.cbMipImprovingSolution += self.improve
        solver.cbMipLogging += self.record

    def stop(self, event: Any) -> None:
        if self.clock.expired():
            event.interrupt()

    def improve(self, event: Any) -> None:
        self.record(event)
        out = event.data_out
        x = np.array(out.mip_solution, dtype=np.float64)
        bound = float(out.mip_dual_bound)
        self.report(
            ProgramResult(
                ProgramStatus.FEASIBLE,
                objective=float(out.mip_primal_bound),
                bound=bound if math.isfinite(bound) else None,
                x=x if len(x) else None,
                trace=list(self.trace),
            )
        )

    def record(self, event: Any) -> None:
        out = event.data_out
        point = ProgramTrace(
            time.perf_counter() - self.started, float(out.mip_primal_bound), float(out.mip_dual_bound)
        )
        last = self.trace[-1] if self.trace else None
        if last is None or (last.incumbent, last.bound) != (point.incumbent, point.bound):
            self.trace.append(point)


class HighsBackend(LocalBackend):
    """HiGHS for one-shot LPs and MIPs; large ones in a process of their own, see own_process.py."""

    name = "highs"
    capabilities = frozenset(Capability)

    def solve_here(
        self, program: Program, limits: SolverLimits, start: FloatArray | None, report: Report
    ) -> ProgramResult:
        """Solve in this process, within the limits as far as HiGHS looks at them."""
        solver = quiet_solver()
        solver.setOptionValue("threads", limits.threads)
        solver.setOptionValue("random_seed", limits.seed % (2**31))
        solver.setOptionValue("mip_rel_gap", limits.gap)
        solver.setOptionValue("mip_abs_gap", 0.0)
        if program.integral.any() and not program.integral.all():
            # HiGHS 1.14 has a presolve fault on mixed programs: min 2x + 3z, x + z >= 4.5, z integer gives 15, not 9.
            solver.setOptionValue("presolve", "off")
        load(solver, program)
        remaining = limits.clock.remaining()
        if math.isfinite(remaining):
            solver.setOptionValue("time_limit", max(remaining, 0.001))
        if start is not None:
            solver.setSolution(len(start), np.arange(len(start), dtype=np.int32), start)
        pure = is_pure_lp(program)
        watch = None if pure else _Watch(solver, limits.clock, report)
        solver.run()
        highspy.Highs.resetGlobalScheduler(True)  # the thread count may differ in the next run
        return _result(solver, pure, watch, limits.clock)


def _result(solver: Any, pure: bool, watch: _Watch | None, clock: Clock) -> ProgramResult:
    native = solver.getModelStatus()
    info = solver.getInfo()
    status = _STATUS.get(native, ProgramStatus.UNKNOWN)
    limit = _LIMIT.get(native, Limit.NONE)
    if limit is Limit.INTERRUPTED and not clock.interrupted:
        limit = Limit.TIME
    result = ProgramResult(status, limit, trace=watch.trace if watch else [])
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible and status in (
        ProgramStatus.OPTIMAL,
        ProgramStatus.UNKNOWN,
    ):
        solution = solver.getSolution()
        result.x = np.asarray(solution.col_value, dtype=np.float64)
        result.objective = float(info.objective_function_value)
        if status is ProgramStatus.UNKNOWN:
            result.status = ProgramStatus.FEASIBLE
        if pure and status is ProgramStatus.OPTIMAL:
            result.row_dual = np.asarray(solution.row_dual, dtype=np.float64)
            result.bound = result.objective
    if not pure:
        result.nodes = int(info.mip_node_count)
        bound = float(info.mip_dual_bound)
        result.bound = bound if math.isfinite(bound) else None
    return result


class KeptLinearProgram:
    """One LP kept in the solver: columns and rows are added, bounds change, the basis carries over.

    Tolerances are tight because its duals become prices; the prices are re-evaluated by the planner all the same.
    """

    def __init__(self, row_lower: FloatArray, row_upper: FloatArray) -> None:
        self._solver = quiet_solver()
        for option, value in (
            ("threads", 1),
            ("presolve", "off"),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
        ):
            self._solver.setOptionValue(option, value)
        empty = np.empty(0, dtype=np.int32)
        rows = len(row_lower)
        self._solver.addRows(
            rows, row_lower, row_upper, 0, np.zeros(rows, dtype=np.int32), empty, np.empty(0)
        )
        self.row_count = rows
        self.column_count = 0

    def add_columns(self, cost: FloatArray, matrix: csc_array, lower: FloatArray, upper: FloatArray) -> None:
        """Append columns; `matrix` has one column each over the present rows."""
        matrix = csc_array(matrix)
        self._solver.addCols(
            len(cost),
            np.asarray(cost, dtype=np.float64),
            np.asarray(lower, dtype=np.float64),
            np.asarray(upper, dtype=np.float64),
            matrix.nnz,
            matrix.indptr[:-1].astype(np.int32),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float64),
        )
        self.column_count += len(cost)
        self._primal_first(True)

    def add_row(self, columns: IntArray, weights: FloatArray, lower: float, upper: float) -> int:
        """Append one row over present columns; returns its index."""
        self._solver.addRows(
            1,
            np.array([lower]),
            np.array([upper]),
            len(columns),
            np.zeros(1, dtype=np.int32),
            columns.astype(np.int32),
            weights.astype(np.float64),
        )
        self.row_count += 1
        return self.row_count - 1

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        """Change bounds of some columns."""
        if len(columns):
            self._solver.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)
            self._primal_first(False)

    def set_row_bounds(self, row: int, lower: float, upper: float) -> None:
        """Change the bounds of one row."""
        self._solver.changeRowBounds(row, lower, upper)
        self._primal_first(False)

    def set_costs(self, columns: IntArray, cost: FloatArray) -> None:
        """Change the cost of some columns."""
        self._solver.changeColsCost(len(columns), columns.astype(np.int32), cost)
        self._primal_first(True)

    def _primal_first(self, primal: bool) -> None:
        # After new columns the old basis stays primal feasible, after new bounds it stays dual feasible.
        self._solver.setOptionValue("simplex_strategy", 4 if primal else 1)

    def basis(self) -> Any:
        """The present basis, to come back to."""
        return self._solver.getBasis()

    def restore(self, basis: Any) -> None:
        """Start the next solve from this basis."""
        self._solver.setBasis(basis)

    def solve(self, seconds: float = math.inf) -> ProgramResult:
        """Solve from the present basis."""
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + min(max(seconds, 0.001), 1e9))
        self._solver.run()
        native = self._solver.getModelStatus()
        status = _STATUS.get(native, ProgramStatus.UNKNOWN)
        result = ProgramResult(status, _LIMIT.get(native, Limit.NONE))
        if status is ProgramStatus.OPTIMAL:
            solution = self._solver.getSolution()
            result.x = np.asarray(solution.col_value, dtype=np.float64)
            result.row_dual = np.asarray(solution.row_dual, dtype=np.float64)
            result.objective = result.bound = float(self._solver.getInfo().objective_function_value)
        return result


BACKEND = HighsBackend()
