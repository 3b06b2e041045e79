"""Tiny random instances: brute force, the exact method, the compact program and all bounds agree or lie in order."""

from __future__ import annotations

import numpy as np
import pytest
from oasis_random import random_problem

import dmlopt
from dmlopt.backends.pulp_arrays import to_program
from dmlopt.control import Clock
from formulations.oasis import FORMULATION
from formulations.oasis.methods import program_rows
from formulations.oasis.picks import picks_of, schedules_of
from formulations.oasis.quantities import quantities
from formulations.oasis.reference import (
    brute_force,
    chunk_ratio,
    every_schedule,
    reference_program,
    served_ratio,
)

SMALL = [
    seed
    for seed in range(120)
    if all(len(list(every_schedule(random_problem(seed, jobs=3, horizon=3), i))) <= 150 for i in range(3))
]


@pytest.mark.parametrize("seed", SMALL)
def test_everything_agrees(seed: int) -> None:
    problem = random_problem(seed, jobs=3, horizon=3)
    optimum, solution = brute_force(problem)
    assert FORMULATION.check(problem, solution).objective == pytest.approx(optimum, abs=1e-9)
    exact = dmlopt.solve(problem, "exact", time_limit=60)
    assert exact.status == "optimal"
    assert exact.objective == pytest.approx(optimum, rel=1e-8, abs=1e-8)
    column = dmlopt.solve(problem, "lp", tolerance=1e-9).bound
    compact = dmlopt.solve(problem, "lp-compact")
    assert column is not None
    assert compact.bound is not None
    assert compact.claimed_bound is not None
    assert optimum <= column + 1e-7 <= compact.bound + 2e-7
    assert column <= compact.claimed_bound + 1e-6
    assert dmlopt.check(problem, exact).ok


@pytest.mark.parametrize("seed", SMALL[::3])
@pytest.mark.parametrize("method", ["mip-highs", "mip-cbc", "cp-sat"])
def test_compact_program_is_exact(seed: int, method: str) -> None:
    problem = random_problem(seed, jobs=3, horizon=3)
    result = dmlopt.solve(problem, method, time_limit=60)
    assert result.status == "optimal-claimed"
    assert result.objective == pytest.approx(brute_force(problem)[0], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", SMALL[::5])
def test_capacity_rows_are_the_rows_of_the_packing(seed: int) -> None:
    """Each row of the packing that the compact program states has the same capacity there."""
    problem = random_problem(seed, jobs=3, horizon=3)
    packing = FORMULATION.packing(problem)
    program = to_program(reference_program(problem), Clock())
    upper = dict(zip(program.row_names, program.row_upper.tolist(), strict=True))
    names = program_rows(problem)
    assert len(names) == len(set(names)) == packing.row_count
    for name, capacity in zip(names, packing.capacity.tolist(), strict=True):
        assert upper[name] == capacity
    plain = FORMULATION.plain_packing(problem)
    assert plain.row_names == packing.row_names
    assert (plain.capacity == packing.capacity).all()


@pytest.mark.parametrize("seed", SMALL[::3])
def test_picks_and_schedules(seed: int) -> None:
    """A solution becomes picks of equal value that fit, and back; surplus is left out."""
    problem = random_problem(seed, jobs=3, horizon=3)
    value, solution = brute_force(problem)
    packing = FORMULATION.packing(problem)
    picks = picks_of(problem, packing, solution)
    assert picks is not None
    assert picks.fits(packing)
    assert picks.value(packing) == pytest.approx(value, abs=1e-9)
    again = schedules_of(problem, packing, picks)
    assert FORMULATION.check(problem, again).objective == pytest.approx(value, abs=1e-9)
    started = dmlopt.solve(problem, "exact", start=solution, time_limit=60)
    assert started.objective == pytest.approx(value, rel=1e-8, abs=1e-8)


def test_later_jobs_change_without_the_constants() -> None:
    problem = dmlopt.generate("oasis", scale="toy", cluster="toy", jobs=8, horizon=10, servers=2, seed=4)
    order = FORMULATION.arrival_order(problem)
    assert [problem.jobs[i].arrival for i in order] == sorted(job.arrival for job in problem.jobs)
    changed = FORMULATION.with_later_changed(problem, 3, seed=1)
    assert changed.prices == problem.prices
    kept = set(order[:4])
    for i, (before, after) in enumerate(zip(problem.jobs, changed.jobs, strict=True)):
        assert (before == after) == (i in kept)
        assert before.arrival == after.arrival
    low, high = FORMULATION.price_constants(problem)
    assert len(low) == len(high) == FORMULATION.packing(problem).row_count
    assert (np.isneginf(low) == np.isneginf(high)).all()


@pytest.mark.parametrize("work", ["slots", "chunks"])
def test_ratios_of_long_decimals(work: str) -> None:
    """Rows (6) and chunks with small coefficients have the same integer points as with the long decimals."""
    problem = dmlopt.generate("oasis", jobs=30, seed=1, work=work, servers=2000, view="pooled")
    for job, each in zip(problem.jobs, quantities(problem), strict=True):
        b, big_b = served_ratio(job)
        chunks, by = chunk_ratio(job, each.chunk_slots)
        for y in range(1, each.width + 1):
            assert -(-y * b // big_b) == each.ps_count[y]
            if work == "chunks":
                assert y * chunks // by == each.gain[y]
