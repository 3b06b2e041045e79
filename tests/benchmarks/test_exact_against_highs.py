"""The exact method, all included (tables, presolve, search, independent check of the certificate), against HiGHS.

HiGHS gets the same pruned plans as arrays, so only its own solve counts, and a looser gap than ours.
"""

from __future__ import annotations

from typing import Any

import pytest

import dmlopt
from dmlopt.backends.highs import BACKEND
from dmlopt.backends.program import ProgramResult, SolverLimits
from dmlopt.control import Clock
from dmlopt.engine.plan_program import plan_program
from dmlopt.table import PlanTable
from formulations.optimus.planner import packing
from tests.benchmarks.ratios import print_ratio, timed


# The CPU cluster is the easy case: two resources, few plans, and a relaxation that is nearly integral.
@pytest.mark.parametrize(
    ("cluster", "jobs", "highs_gap", "repeats"),
    [
        ("gpu-8x8-a100", 2_000, 1e-5, 3),
        ("optimus-testbed", 2_000, 1e-5, 3),
        ("cpu-7x16", 2_000, 1e-5, 3),
        ("gpu-8x8-a100", 10_000, 1e-4, 1),
    ],
)
def test_exact_against_highs(benchmark: Any, cluster: str, jobs: int, highs_gap: float, repeats: int) -> None:
    problem = dmlopt.generate("optimus", cluster=cluster, jobs=jobs, seed=1)
    plans = packing(problem)
    assert isinstance(plans.planner, PlanTable)
    program = plan_program(plans, plans.planner)

    result = benchmark.pedantic(lambda: dmlopt.solve(problem, "exact"), rounds=5, iterations=1)
    limits = SolverLimits(Clock(600.0), highs_gap)
    rival = timed(lambda: BACKEND.solve_here(program, limits, None, lambda _: None), repeats)

    found: ProgramResult = rival.answer
    assert result.status == "optimal"
    assert found.objective is None or found.objective >= result.bound * (1 - 1e-9)
    print_ratio(
        f"{cluster}, {jobs} jobs, {program.column_count} plans, "
        f"{problem.resource_count} resources, ours to gap {result.gap:.1e}",
        benchmark.stats.stats.median,
        f"HiGHS at {highs_gap:g}",
        rival.seconds,
        f"HiGHS {found.status}{'' if found.limit == 'none' else ', limit ' + found.limit}",
    )
