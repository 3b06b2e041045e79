"""One integer program, four ways to state it: what building costs beside solving."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dmlopt
from dmlopt.backends.catalogue import backend
from dmlopt.backends.program import Program, SolverLimits
from dmlopt.backends.pulp_arrays import to_program
from dmlopt.control import Clock
from dmlopt.engine.plan_program import plan_program
from dmlopt.table import PlanTable
from formulations.optimus.reference import plain_packing, reference_program

GAP = 1e-4
LIMIT = 60.0
Timing = tuple[float, float, float | None]


def limits() -> SolverLimits:
    return SolverLimits(Clock(LIMIT), GAP)


def arrays(problem: Any) -> Program:
    packing = plain_packing(problem)
    assert isinstance(packing.planner, PlanTable)
    return plan_program(packing, packing.planner)


def with_arrays(problem: Any) -> Timing:
    began = time.perf_counter()
    program = arrays(problem)
    built = time.perf_counter()
    found = backend("highs").solve(program, limits())
    return built - began, time.perf_counter() - built, found.objective


def with_pulp(problem: Any) -> Timing:
    began = time.perf_counter()
    program = to_program(reference_program(problem), Clock())
    built = time.perf_counter()
    found = backend("cbc").solve(program, limits())
    return built - began, time.perf_counter() - built, found.objective


def with_cvxpy(problem: Any) -> Timing:
    import cvxpy

    began = time.perf_counter()
    program = arrays(problem)
    x = cvxpy.Variable(program.column_count, boolean=True)
    upper = np.isfinite(program.row_upper)
    lower = np.isfinite(program.row_lower)
    rows = [
        program.matrix.tocsr()[upper] @ x <= program.row_upper[upper],
        program.matrix.tocsr()[lower] @ x >= program.row_lower[lower],
    ]
    model = cvxpy.Problem(cvxpy.Minimize(program.cost @ x), rows)
    model.get_problem_data(cvxpy.HIGHS)
    built = time.perf_counter()
    model.solve(solver=cvxpy.HIGHS, time_limit=LIMIT, mip_rel_gap=GAP)
    return built - began, time.perf_counter() - built, float(model.value)


def with_cp_sat(problem: Any) -> Timing:
    from ortools.sat.python import cp_model

    began = time.perf_counter()
    program = arrays(problem)
    scale = 2.0**40 / np.abs(program.cost).max()
    model = cp_model.CpModel()
    x = [model.new_bool_var(f"x{column}") for column in range(program.column_count)]
    matrix = program.matrix.tocsr()
    for row in range(program.row_count):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        terms = cp_model.LinearExpr.weighted_sum(
            [x[column] for column in matrix.indices[entries]],
            matrix.data[entries].astype(np.int64).tolist(),
        )
        low = program.row_lower[row]
        model.add_linear_constraint(
            terms, int(low) if np.isfinite(low) else -(2**50), int(program.row_upper[row])
        )
    model.minimize(
        cp_model.LinearExpr.weighted_sum(x, np.rint(program.cost * scale).astype(np.int64).tolist())
    )
    built = time.perf_counter()
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = LIMIT
    solver.parameters.relative_gap_limit = GAP
    solver.parameters.num_workers = 1
    solver.solve(model)
    return built - began, time.perf_counter() - built, solver.objective_value / scale


def test_building_against_solving(benchmark: Any) -> None:
    problem = dmlopt.generate("optimus", cluster="gpu-8x8-a100", jobs=200, seed=1, p_max=10, w_max=10)
    optimum = dmlopt.solve(problem, "exact").objective
    ways: dict[str, Callable[[Any], Timing]] = {
        "arrays, HiGHS": with_arrays,
        "PuLP, CBC": with_pulp,
        "CVXPY, HiGHS": with_cvxpy,
        "CP-SAT": with_cp_sat,
    }
    columns = benchmark.pedantic(lambda: arrays(problem), rounds=3, iterations=1).column_count
    print(f"\n{problem.job_count} jobs, {columns} columns, gap {GAP:g}")
    print(f"  {'way':14} {'build s':>9} {'solve s':>9} {'above optimum':>14}")
    for name, run in ways.items():
        build, solve, value = run(problem)
        above = "-" if value is None else f"{value / optimum - 1:.1e}"
        print(f"  {name:14} {build:9.3f} {solve:9.3f} {above:>14}")
        assert value is None or value >= optimum * (1 - 1e-6)
