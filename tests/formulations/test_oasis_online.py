"""The registered methods `primal-dual` and `lp` on OASiS: worked numbers, and what they may never do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oasis_examples import ONE, groups, job, w4a, w4b
from oasis_full_lp import full_column_lp
from oasis_random import random_prices, random_problem

import dmlopt
from dmlopt.engine.evaluate import evaluate
from dmlopt.result import Result
from formulations.oasis import FORMULATION
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import quantities
from formulations.oasis.reference import brute_force, every_schedule


def unit_jobs(capacity: int, values: list[float]) -> OasisProblem:
    """W6, W7: one slot, one worker server, one ps host; every job is one worker and one ps."""
    jobs = tuple(job(1, 1, 1, 1, 1.0, 0.0, (2 * value, 0.0, 0.0), B=1.0) for value in values)
    return OasisProblem(ONE, 1, 1.0, groups((capacity,)), groups((capacity,)), jobs)


def posted(problem: OasisProblem) -> Result:
    """The online method's answer, checked from the outside."""
    result = dmlopt.solve(problem, "primal-dual")
    assert result.kind == "online"
    assert dmlopt.check(problem, result).ok
    return result


# ---------------------------------------------------------------- worked numbers


def test_w4a() -> None:
    """Value, D_0, D_end and the bound that the final prices prove."""
    result = posted(w4a())
    assert result.objective == pytest.approx(44.3713796978, abs=1e-9)
    assert result.bound == pytest.approx(605.3977896234, abs=1e-9)
    statistics = result.statistics
    assert statistics["first_dual"] == pytest.approx(0.449655249, abs=1e-9)
    assert statistics["last_dual"] == pytest.approx(639.9524302027, abs=1e-9)
    assert statistics["alpha"] == pytest.approx(8.158883083, abs=1e-9)
    assert statistics["payoffs"] == pytest.approx(4.6658977660 + 11.0825713796 + 24.9156896408, abs=1e-9)
    assert statistics["payoffs"] + statistics["payments"] == pytest.approx(44.3713796978, abs=1e-9)
    assert 0 < statistics["decision_seconds_median"] <= statistics["decision_seconds_max"]
    assert [max(each) for each in result.solution.jobs] == [2, 2, 3]


def test_w4b() -> None:
    """D_0 counts rows that exist. In slot 1 there is only A, whose ps (2 cores) does not fit host 2 (1 core): no row there,
    so D_0 is L2 x 1 below the sum over all (slot, place, resource). The pooled view has every row.
    """
    result = posted(w4b())
    assert result.objective == pytest.approx(7.5, abs=1e-12)
    assert result.solution.jobs[2] is None
    everything, low = 3.143907473e-04, 8.733076314231e-06
    assert result.statistics["first_dual"] == pytest.approx(everything - low, abs=1e-13)
    assert posted(w4b("pooled")).statistics["first_dual"] == pytest.approx(everything, abs=1e-13)


def test_w6_small_demands() -> None:
    """50 of f = 1 and 44 of f = 100; the other way round 94 of f = 100."""
    result = posted(unit_jobs(100, [1.0] * 100 + [100.0] * 100))
    assert result.objective == pytest.approx(4450, abs=1e-9)
    assert result.statistics["first_dual"] == pytest.approx(0.5, abs=1e-12)
    assert result.statistics["last_dual"] == pytest.approx(14092.917582896, abs=1e-8)
    assert posted(unit_jobs(100, [100.0] * 100 + [1.0] * 100)).objective == pytest.approx(9400, abs=1e-9)


def test_w7_is_a_counterexample_to_two_alpha() -> None:
    """A job that fills a server: 1 against 100, though 2 alpha is 11.98. The theorem needs small demands."""
    problem = unit_jobs(1, [1.0, 100.0])
    result, best = posted(problem), dmlopt.solve(problem, "exact")
    assert result.objective == pytest.approx(1.0)
    assert best.status == "optimal"
    assert best.objective == pytest.approx(100.0)
    ratio = 2 * result.statistics["alpha"]
    assert ratio == pytest.approx(11.982929094, abs=1e-9)
    assert best.objective is not None
    assert result.objective is not None
    assert best.objective > ratio * result.objective
    assert result.bound is not None
    assert result.bound >= 100.0  # what the prices prove holds all the same


# ---------------------------------------------------------------- never


COARSE = [random_problem(seed, jobs=8, horizon=4) for seed in range(80)]


def test_coarse_jobs_are_among_the_random_ones() -> None:
    """One worker often takes more than half of a server, in both views and both ways to count work."""
    found = set()
    for problem in COARSE:
        for each, derived in zip(problem.jobs, quantities(problem), strict=True):
            shares = [
                need / room
                for group in problem.worker_servers
                for need, room in zip(each.worker, group.capacity, strict=True)
                if room
            ]
            if derived.schedulable and max(shares) > 0.5:
                found.add((problem.view, problem.work))
    assert len(found) == 4


@pytest.mark.parametrize("seed", range(len(COARSE)))
def test_no_capacity_is_exceeded(seed: int) -> None:
    """Use never falls, so that what fits at the end fitted after every job; the checker states (1)-(13) by itself."""
    problem = COARSE[seed]
    result = posted(problem)
    verdict = FORMULATION.check(problem, result.solution)
    assert verdict.feasible, verdict
    assert result.bound is not None
    assert result.objective is not None
    assert result.objective <= result.bound + 1e-9


@pytest.mark.parametrize("seed", range(len(COARSE)))
def test_later_jobs_change_nothing_earlier(seed: int) -> None:
    """Later jobs changed, or left out: with the constants as they were, earlier decisions stay."""
    problem = COARSE[seed]
    order = FORMULATION.arrival_order(problem)
    before = posted(problem).solution
    for position in (0, 3, 6):
        known = order[: position + 1]
        changed = FORMULATION.with_later_changed(problem, position, seed)
        assert changed.prices == problem.prices
        after = posted(changed).solution
        for i in known:
            assert FORMULATION.decision(after, i) == FORMULATION.decision(before, i)
        fewer = replace(problem, jobs=tuple(problem.jobs[i] for i in known))
        assert fewer.prices == problem.prices
        alone = posted(fewer).solution
        for at, i in enumerate(known):
            assert FORMULATION.decision(alone, at) == FORMULATION.decision(before, i)


# ---------------------------------------------------------------- the LP, and bounds at any prices


TINY = [
    seed
    for seed in range(60)
    if all(len(list(every_schedule(random_problem(seed, jobs=3, horizon=3), i))) <= 150 for i in range(3))
]


def test_tiny_problems_are_of_all_kinds() -> None:
    kinds = {(each.view, each.work) for each in (random_problem(seed, jobs=3, horizon=3) for seed in TINY)}
    assert len(kinds) == 4


@pytest.mark.parametrize("seed", TINY)
def test_columns_reach_the_lp_over_every_schedule(seed: int) -> None:
    """The columns that are generated give the LP over all of them; every round's bound holds, as does any prices'."""
    problem = random_problem(seed, jobs=3, horizon=3)
    whole, optimum = full_column_lp(problem), brute_force(problem)[0]
    result = dmlopt.solve(problem, "lp", tolerance=1e-9)
    assert result.bound == pytest.approx(whole, rel=1e-7, abs=1e-7)
    bounds = [point.bound for point in result.trace if point.bound is not None]
    assert bounds
    assert min(bounds) >= whole - 1e-7 * max(1.0, whole)
    assert min(bounds) >= optimum - 1e-9 * max(1.0, optimum)
    packing = FORMULATION.packing(problem)
    random = np.random.default_rng(seed)
    for _ in range(20):
        assert evaluate(packing, random_prices(random, packing.row_count)).bound >= whole - 1e-7


@pytest.mark.parametrize("problem", [w4a(), w4b(), w4b("pooled")], ids=["w4a", "w4b", "w4b-pooled"])
def test_every_round_bounds_the_worked_optimum(problem: OasisProblem) -> None:
    result, optimum = dmlopt.solve(problem, "lp", tolerance=1e-9), brute_force(problem)[0]
    bounds = [point.bound for point in result.trace if point.bound is not None]
    assert bounds
    assert min(bounds) >= optimum - 1e-9
