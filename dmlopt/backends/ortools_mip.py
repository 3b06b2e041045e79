"""SCIP, GLOP and PDLP, the solvers that OR-Tools ships. (Its HiGHS is never used: it crashes after `import pulp`.)

Arrays become a model in one call (`fill_model_from_sparse_data`). GLOP and PDLP solve that model directly. SCIP gets it
through the older `pywraplp`, because only there a solve can be interrupted.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from ortools.linear_solver import linear_solver_pb2, pywraplp
from ortools.linear_solver.python import model_builder_helper
from scipy.sparse import csr_matrix

from dmlopt.backends.own_process import LocalBackend, Report
from dmlopt.backends.program import (
    Capability,
    Program,
    ProgramResult,
    ProgramStatus,
    SolverLimits,
    is_pure_lp,
)
from dmlopt.backends.watched import run_watched
from dmlopt.control import Clock
from dmlopt.errors import BackendError
from dmlopt.packing import FloatArray
from dmlopt.result import Limit

_PDLP_PARAMETERS = """
termination_criteria { simple_optimality_criteria {
  eps_optimal_absolute: 1e-9 eps_optimal_relative: 1e-9 } }
num_threads: %d
"""


def _limit(clock: Clock) -> Limit:
    if clock.interrupted:
        return Limit.INTERRUPTED
    return Limit.NONE if math.isinf(clock.remaining()) else Limit.TIME  # solvers may stop a moment early


def _model(program: Program) -> Any:
    """The program as an OR-Tools model, handed over as arrays."""
    model: Any = model_builder_helper.ModelBuilderHelper()
    matrix = csr_matrix(program.matrix, dtype=np.float64)
    model.fill_model_from_sparse_data(
        program.lower, program.upper, program.cost, program.row_lower, program.row_upper, matrix
    )
    model.set_objective_offset(program.offset)
    for column in np.flatnonzero(program.integral).tolist():
        model.set_var_integrality(column, True)
    return model


def _milliseconds(clock: Clock) -> int:
    return max(1, int(min(clock.remaining(), 1e6) * 1000))


class ScipBackend(LocalBackend):
    """SCIP for one-shot programs. Threads are ignored: this build of SCIP has one."""

    name = "scip"
    capabilities = frozenset(
        {Capability.LP, Capability.INTEGER, Capability.MIP, Capability.BOUND, Capability.WARM_START}
    )

    def solve_here(
        self, program: Program, limits: SolverLimits, start: FloatArray | None, report: Report
    ) -> ProgramResult:
        """Solve with SCIP in this process."""
        solver = pywraplp.Solver.CreateSolver("SCIP")
        if solver is None:
            raise BackendError("scip: this build of OR-Tools has no SCIP")
        refusal = solver.LoadModelFromProto(_proto(program))
        if refusal:
            raise BackendError(f"scip: refused the program ({refusal})")
        if start is not None:
            solver.SetHint(solver.variables(), start.tolist())
        seed = limits.seed % 2**31
        solver.SetSolverSpecificParametersAsString(
            f"limits/gap = {limits.gap!r}\nrandomization/randomseedshift = {seed}\n"
        )
        if math.isfinite(limits.clock.remaining()):
            solver.SetTimeLimit(_milliseconds(limits.clock))
        run_watched(solver.Solve, solver.InterruptSolve, limits.clock)
        return self._result(solver, program, limits.clock)

    def _result(self, solver: Any, program: Program, clock: Clock) -> ProgramResult:
        answer = linear_solver_pb2.MPSolutionResponse()
        solver.FillSolutionResponseProto(answer)
        status = {
            linear_solver_pb2.MPSOLVER_OPTIMAL: ProgramStatus.OPTIMAL,
            linear_solver_pb2.MPSOLVER_FEASIBLE: ProgramStatus.FEASIBLE,
            linear_solver_pb2.MPSOLVER_INFEASIBLE: ProgramStatus.INFEASIBLE,
            linear_solver_pb2.MPSOLVER_UNBOUNDED: ProgramStatus.UNBOUNDED,
        }.get(answer.status, ProgramStatus.UNKNOWN)
        result = ProgramResult(status)
        if status in (ProgramStatus.FEASIBLE, ProgramStatus.UNKNOWN):
            result.limit = _limit(clock)
        if status in (ProgramStatus.OPTIMAL, ProgramStatus.FEASIBLE):
            result.x = np.array(answer.variable_value)
            result.objective = float(program.cost @ result.x) + program.offset
            bound = result.objective if is_pure_lp(program) else answer.best_objective_bound
            known = status is ProgramStatus.OPTIMAL or not is_pure_lp(program)
            result.bound = float(bound) if known and abs(bound) < 1e19 else None  # SCIP's infinity is 1e20
            result.nodes = 0 if is_pure_lp(program) else max(0, int(solver.nodes()))
        return result


def _proto(program: Program) -> Any:
    """The model as a message: written and parsed by C++, no Python object per column."""
    proto = linear_solver_pb2.MPModelProto()
    with tempfile.TemporaryDirectory(prefix="dmlopt-scip-") as folder:
        path = Path(folder) / "model.pb"
        if not _model(program).write_model_to_proto_file(str(path)):
            raise BackendError("scip: the program could not be handed over")
        proto.ParseFromString(path.read_bytes())
    return proto


class LinearBackend(LocalBackend):
    """GLOP (simplex) or PDLP (first-order) for one-shot linear programs."""

    capabilities = frozenset({Capability.LP, Capability.DUALS, Capability.BOUND})

    def __init__(self, name: str) -> None:
        self.name = name

    def solve_here(
        self, program: Program, limits: SolverLimits, start: FloatArray | None, report: Report
    ) -> ProgramResult:
        """Solve in this process; PDLP looks at its time limit only, GLOP can also be interrupted."""
        model = _model(program)
        if self.name == "pdlp":
            return self._solve(model, program, limits, _PDLP_PARAMETERS % limits.threads)
        seed = f"random_seed: {limits.seed % 2**31}"
        found = self._solve(model, program, limits, seed)
        if found.status is ProgramStatus.INFEASIBLE:
            # GLOP's preprocessing calls a program infeasible that is infeasible or unbounded; the simplex knows which.
            return self._solve(model, program, limits, seed + " use_preprocessing: false")
        return found

    def _solve(self, model: Any, program: Program, limits: SolverLimits, parameters: str) -> ProgramResult:
        solver: Any = model_builder_helper.ModelSolverHelper(self.name)
        if not solver.solver_is_supported():
            raise BackendError(f"{self.name}: this build of OR-Tools does not have it")
        solver.set_solver_specific_parameters(parameters)
        if math.isfinite(limits.clock.remaining()):
            solver.set_time_limit_in_seconds(max(0.001, limits.clock.remaining()))
        run_watched(lambda: solver.solve(model), solver.interrupt_solve, limits.clock)
        return self._result(solver, program, limits.clock)

    def _result(self, solver: Any, program: Program, clock: Clock) -> ProgramResult:
        native = solver.status()
        known = model_builder_helper.SolveStatus
        if native == known.OPTIMAL:
            x = np.array(solver.variable_values())
            value = float(program.cost @ x) + program.offset
            dual = np.array(solver.dual_values())
            return ProgramResult(ProgramStatus.OPTIMAL, objective=value, bound=value, x=x, row_dual=dual)
        if native == known.INFEASIBLE:
            return ProgramResult(ProgramStatus.INFEASIBLE)
        if native == known.UNBOUNDED:
            return ProgramResult(ProgramStatus.UNBOUNDED)
        if native in (known.MODEL_INVALID, known.INVALID_SOLVER_PARAMETERS):
            raise BackendError(f"{self.name}: refused the program ({solver.status_string()})")
        return ProgramResult(ProgramStatus.UNKNOWN, _limit(clock))


SCIP = ScipBackend()
GLOP = LinearBackend("glop")
PDLP = LinearBackend("pdlp")
