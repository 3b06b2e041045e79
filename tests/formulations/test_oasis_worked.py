"""The worked numbers of the OASiS notes. Derivations: W1 is the price formula, W3 and W5 tables of COST_t by
hand, W4 enumeration.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oasis_examples import W3_PS, W3_WORKER, groups, job, w3, w4a, w4b, w5
from oasis_full_lp import full_column_lp

import dmlopt
from dmlopt.packing import FloatArray
from formulations.oasis import FORMULATION
from formulations.oasis.constants import alpha
from formulations.oasis.online import admitted_from, arrival_order, row_constants
from formulations.oasis.planner import OasisPlanner
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import quantities
from formulations.oasis.reference import brute_force, every_schedule
from formulations.oasis.schedule import work_tables
from formulations.oasis.utility import Sigmoid


def row_prices(planner: OasisPlanner, workers: list[list[float]], ps: list[list[float]]) -> FloatArray:
    """Prices by slot and place, for one resource."""
    spread = np.zeros(planner.rows.at.shape)
    split = planner.rows.worker_places
    spread[:, :split, 0], spread[:, split:, 0] = workers, ps
    return spread[planner.rows.at >= 0]


def price(low: float, high: float, used: float, capacity: float) -> float:
    """p = L (U/L)^(g/c), by logarithms."""
    return math.exp(math.log(low) + used / capacity * (math.log(high) - math.log(low)))


def test_w1_price() -> None:
    assert [price(0.5, 8, g, 4) for g in range(5)] == pytest.approx([0.5, 1, 2, 4, 8], rel=1e-12)
    expected = {0: 0.01, 1: 0.0251188643150958, 2.5: 0.1, 5: 1, 7.5: 10, 9: 39.810717055349734, 10: 100}
    for used, known in expected.items():
        assert price(0.01, 100, used, 10) == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize(
    ("decay", "known"),
    [
        (0.0, [50.0] * 6),
        (0.5, [92.414182, 88.079708, 62.245933, 50, 37.754067, 7.585818]),
        (5.0, [100.000000, 100.000000, 99.330715, 50, 0.669285, 0.000000]),
    ],
)
def test_w2_utility(decay: float, known: list[float]) -> None:
    utility = Sigmoid(100.0, decay, 5.0)
    assert [utility.value(d) for d in (0, 1, 4, 5, 6, 10)] == pytest.approx(known, abs=5e-7)


def test_utility_without_overflow() -> None:
    """exp(6 x 195) overflows; f is 0 in floating point, its logarithm is not lost (trap 9)."""
    utility = Sigmoid(50.0, 6.0, 0.0)
    assert utility.value(195) == 0.0
    assert utility.log_value(195) == pytest.approx(-1166.088, abs=1e-3)


W3 = [
    (1.0, 1, 21.423912339, {1: ({0: 2, 1: 1}, {0: 2})}),
    (0.3, 2, 14.633275504, {1: ({0: 1}, {0: 1}), 2: ({1: 2}, {1: 1})}),
    (0.1, 3, 13.8, {3: ({0: 2, 1: 1}, {0: 2})}),
    (0.0, 3, 13.8, {3: ({0: 2, 1: 1}, {0: 2})}),
]


@pytest.mark.parametrize(("decay", "finish", "payoff", "plan"), W3)
def test_w3_best_schedule(decay: float, finish: int, payoff: float, plan: object) -> None:
    planner = OasisPlanner(w3(decay))
    prices = row_prices(planner, W3_WORKER, W3_PS)
    found = planner.best(0, prices)
    assert found is not None
    assert found.detail == plan
    assert max(found.detail) == finish
    assert found.value - found.amounts @ prices[found.rows] == pytest.approx(payoff, abs=1e-9)
    assert planner.best_all(prices).reduced[0] == pytest.approx(payoff, abs=1e-9)


def test_w3_costs() -> None:
    """COST_t(y) of y = 1, 2, 3, and C_t[3] = 5.0, 2.6, 1.2."""
    planner = OasisPlanner(w3(1.0))
    prices = row_prices(planner, W3_WORKER, W3_PS)
    made = planner.task(0, prices)
    assert made is not None
    known = [[0, 1.5, 2.5, 5.0], [0, 0.6, 1.1, 6.1], [0, 0.5, 0.7, 1.2]]
    assert made[0].cost == pytest.approx(np.array(known), abs=1e-12)
    done = work_tables(made[0], 3)
    assert [table[3] for table in done[1:]] == pytest.approx([5.0, 2.6, 1.2], abs=1e-12)
    # The hull may use slots in fractions: two workers in slot 2 (1.1), and half of slot 1's two for 2.5.
    values = [planner.problem.jobs[0].utility.value(d) for d in range(3)]
    assert values - planner.profile(0, prices) == pytest.approx([5.0, 2.35, 1.2], abs=1e-12)


def test_w3_with_room() -> None:
    """h1 fully used in slot 1: finish 2, cost 3.6."""
    planner = OasisPlanner(w3(1.0))
    prices, room = row_prices(planner, W3_WORKER, W3_PS), planner.rows.row_capacity()
    room[planner.rows.at[0, 0, 0]] = 0
    found = planner.best(0, prices, room=room)
    assert found is not None
    assert {t: workers for t, (workers, _) in found.detail.items()} == {1: {1: 1}, 2: {1: 2}}
    assert found.value - found.amounts @ prices[found.rows] == pytest.approx(18.331757359, abs=1e-9)
    assert planner.best_all(prices, room=room).reduced[0] == pytest.approx(18.331757359, abs=1e-9)


def test_w3_number_of_schedules() -> None:
    assert len(list(every_schedule(w3(1.0), 0))) == 220


def test_w4a_quantities_and_constants() -> None:
    problem = w4a()
    derived = quantities(problem)
    assert [each.worker_slots for each in derived] == [4, 4, 4]
    assert [each.least_slots for each in derived] == [2, 1, 1]
    constants = problem.prices
    assert constants.worker_low is not None
    low, high = row_constants(problem)
    assert np.exp(high) == pytest.approx(49.10068950189542, rel=1e-12)
    assert np.exp(low) == pytest.approx(0.01405172653288403, rel=1e-12)
    assert alpha(constants) == pytest.approx(8.158883083, abs=1e-9)
    start = float(np.exp(low) @ FORMULATION.packing(problem).capacity)
    assert start == pytest.approx(0.449655249, abs=1e-9)


def test_w4b_quantities_and_constants() -> None:
    problem = w4b()
    assert [each.worker_slots for each in quantities(problem)] == [4, 2, 3]
    assert [each.least_slots for each in quantities(problem)] == [2, 1, 1]
    prices = problem.prices
    assert prices.worker_high is not None
    assert prices.ps_high is not None
    assert prices.worker_low is not None
    assert prices.ps_low is not None
    assert np.exp(prices.worker_high) == pytest.approx([9.8201379004, 19.6402758008], abs=1e-10)
    assert prices.ps_high[0] is None
    assert math.exp(prices.ps_high[1] or 0) == pytest.approx(9.8201379004, abs=1e-10)
    assert math.exp(prices.worker_low[0] or 0) == pytest.approx(5.822050876154e-06, rel=1e-12)
    assert math.exp(prices.ps_low[1] or 0) == pytest.approx(8.733076314231e-06, rel=1e-12)
    assert alpha(prices) == pytest.approx(15.03144032, abs=1e-8)


def online(problem: OasisProblem, order: list[int] | None = None) -> tuple[float, list[float], FloatArray]:
    """Algorithm 1 in a few lines: value, payoffs, final use."""
    planner = OasisPlanner(problem)
    low, high = row_constants(problem)
    capacity = planner.rows.row_capacity()
    used = np.zeros(planner.row_count, dtype=np.int64)
    value, payoffs = 0.0, []
    for i in order or arrival_order(problem):
        prices = np.exp(low + used / capacity * (high - low))
        plan = planner.best(i, prices, room=capacity - used)
        payoffs.append(-math.inf if plan is None else plan.value - float(plan.amounts @ prices[plan.rows]))
        if plan is not None and payoffs[-1] > admitted_from(plan.value):
            value += plan.value
            used[plan.rows] += plan.amounts
    return value, payoffs, used


def test_w4a_online() -> None:
    value, payoffs, used = online(w4a())
    assert value == pytest.approx(44.3713796978, abs=1e-9)
    assert payoffs == pytest.approx([4.6658977660, 11.0825713796, 24.9156896408], abs=1e-9)
    assert used.tolist() == [4, 2, 4, 2, 4, 2, 0, 0]


FORCED = {
    "ABC": 44.3713796978,
    "ACB": 44.3713796978,
    "BAC": 47.1176015864,
    "CAB": 63.6023495288,
    "BCA": 70.9722058933,
    "CBA": 70.9722058933,
}


@pytest.mark.parametrize("order", sorted(FORCED))
def test_w4a_forced_orders(order: str) -> None:
    value, _, _ = online(w4a(), ["ABC".index(each) for each in order])
    assert value == pytest.approx(FORCED[order], abs=1e-9)


def test_w4a_ties() -> None:
    """With f_A = 5 always, every slot pair is as good for A; the earliest-finish rule gives this value."""
    value, _, _ = online(w4a((10.0, 0.0, 0.0)))
    assert value == pytest.approx(44.6211715726, abs=1e-9)


def test_w4b_online() -> None:
    value, payoffs, _ = online(w4b())
    assert value == pytest.approx(7.5, abs=1e-12)
    assert payoffs[2] == -math.inf


def test_w4b_online_dual_is_infeasible() -> None:
    """C at the final prices with empty-cluster room has payoff 9.835348157, although it was rejected."""
    problem = w4b()
    planner = OasisPlanner(problem)
    low, high = row_constants(problem)
    _, _, used = online(problem)
    prices = np.exp(low + used / planner.rows.row_capacity() * (high - low))
    assert planner.best_all(prices).reduced[2] == pytest.approx(9.835348157, abs=1e-8)


OPTIMA = [
    # problem, OPT, column LP, compact LP
    (w4a(), 70.9722058933, 70.9722058933, None),
    (w4b(), 16.2245933120, 17.5, 24.718174389),
    (w4b("pooled"), 17.5, 17.806148328, None),
    (w4b("pooled", pool_rooms=True), 17.5, 17.806148328, None),
]


@pytest.mark.parametrize(("problem", "optimum", "column", "compact"), OPTIMA)
def test_w4_optimum_and_bounds(
    problem: OasisProblem, optimum: float, column: float, compact: float | None
) -> None:
    assert brute_force(problem)[0] == pytest.approx(optimum, abs=1e-9)
    for method in ("exact", "mip-highs", "mip-cbc", "cp-sat"):
        result = dmlopt.solve(problem, method, time_limit=30)
        assert result.objective == pytest.approx(optimum, abs=1e-9)
        assert result.status == ("optimal" if method == "exact" else "optimal-claimed")
    assert full_column_lp(problem) == pytest.approx(column, abs=1e-8)
    assert dmlopt.solve(problem, "lp", tolerance=1e-10).bound == pytest.approx(column, abs=1e-8)
    assert dmlopt.solve(problem, "lagrangian").bound == pytest.approx(column, abs=1e-5)
    relaxed = dmlopt.solve(problem, "lp-compact")
    assert relaxed.claimed_bound is not None
    assert relaxed.claimed_bound >= column - 1e-6
    if compact is not None:
        assert relaxed.claimed_bound == pytest.approx(compact, abs=1e-6)


def test_w4b_optimal_schedules() -> None:
    """B in slot 2 on both servers, C in slots 3 (one worker) and 4 (two), A rejected."""
    value, found = brute_force(w4b())
    assert value == pytest.approx(16.2245933120, abs=1e-9)
    assert found.jobs[0] is None
    assert found.jobs[1] is not None
    assert list(found.jobs[1]) == [2]
    assert found.jobs[2] is not None
    assert sorted(found.jobs[2]) == [3, 4]
    assert [len(list(every_schedule(w4b(), i))) for i in range(3)] == [70, 54, 4]


@pytest.mark.parametrize(("work", "payoff", "slots"), [("slots", 4.6, 2), ("chunks", 3.175406688, 3)])
def test_w5_chunks_against_slots(work: str, payoff: float, slots: int) -> None:
    planner = OasisPlanner(w5(work))
    prices = np.full(planner.row_count, 0.1)
    found = planner.best(0, prices)
    assert found is not None
    assert list(found.detail) == list(range(1, slots + 1))
    assert found.value - found.amounts @ prices[found.rows] == pytest.approx(payoff, abs=1e-9)
    assert planner.best_all(prices).reduced[0] == pytest.approx(payoff, abs=1e-9)


def test_w6_small_demands() -> None:
    """100 jobs of f = 1, then 100 of f = 100: 50 and 44 are admitted; at g = 50 the payoff is exactly 0 (trap 7)."""
    from dmlopt.cluster import ResourceKind

    cheap = job(1, 1, 1, 1, 1.0, 0.0, (2.0, 0.0, 0.0), B=1.0)
    dear = job(1, 1, 1, 1, 1.0, 0.0, (200.0, 0.0, 0.0), B=1.0)

    def value(jobs: list[object]) -> float:
        kinds = (ResourceKind("r", "unit"),)
        problem = OasisProblem(kinds, 1, 1.0, groups((100,)), groups((100,)), tuple(jobs))  # type: ignore[arg-type]
        assert alpha(problem.prices) == pytest.approx(10.596634733, abs=1e-9)
        return online(problem)[0]

    assert value([cheap] * 100 + [dear] * 100) == pytest.approx(4450)
    assert value([dear] * 100 + [cheap] * 100) == pytest.approx(9400)


def test_w8_paper_constants() -> None:
    """f at Dmin instead of Dmin - 1: U = 25; the online value stays."""
    problem = w4a().with_prices("paper")
    assert problem.prices.worker_high is not None
    assert math.exp(problem.prices.worker_high[0] or 0) == pytest.approx(25, rel=1e-12)
    assert alpha(problem.prices) == pytest.approx(7.483885831, abs=1e-9)
    assert online(problem)[0] == pytest.approx(44.3713796978, abs=1e-9)


@pytest.mark.parametrize(
    ("E", "N", "M", "tau", "slot", "work"),
    [(3, 1, 1, 0.1, 0.3, 1), (1, 3, 10, 0.1, 1.0, 3), (1, 10, 3, 0.1, 1.0, 3), (1, 1, 7, 0.1, 0.7, 1)],
)
def test_w9_numbers_are_decimals(E: int, N: int, M: int, tau: float, slot: float, work: int) -> None:
    """ceil(3 x 0.1 / 0.3) is 1 and ceil(0.1 x 3 x 10) is 3, whatever floating point says."""
    only = job(1, E, N, M, tau, 0.0, (1.0, 0.0, 0.0))
    problem = OasisProblem(w3(1.0).resources, 9, slot, groups((9,)), groups((9,)), (only,))
    assert quantities(problem)[0].worker_slots == work


def test_w9_chunks_per_slot() -> None:
    """A chunk of 0.1 s in slots of 0.3 s: floor(0.3 / 0.1) is 3, one worker trains three chunks."""
    only = job(1, 1, 3, 1, 0.1, 0.0, (1.0, 0.0, 0.0))
    problem = OasisProblem(w3(1.0).resources, 9, 0.3, groups((9,)), groups((9,)), (only,), work="chunks")
    assert quantities(problem)[0].gain.tolist() == [0, 3, 6, 9]


def test_floor_and_normalisation() -> None:
    """A floor raises L only; shares of the cluster do not depend on units, raw amounts do."""
    problem = w4b()
    floored = problem.with_prices(floor=0.3)
    for low, high in zip(problem.prices.worker_low or (), floored.prices.worker_low or (), strict=True):
        assert low is not None
        assert high is not None
        assert high > low
    assert floored.prices.worker_high == problem.prices.worker_high
    # Median over A, B, C of f(Dmin - 1) / (W sum w): 2.5 / 12, 6.2245933 / 6, 19.6402758 / 9.
    known = math.log(0.3 * sorted([2.5 / 12, 6.224593312018546 / 6, 19.64027580075817 / 9])[1])
    assert (floored.prices.worker_low or ())[0] == pytest.approx(known, abs=1e-12)
    ratios = []
    for factor, normalise in itertools.product((1, 1000), (False, True)):
        scaled = _in_units(problem, factor).with_prices(normalise=normalise)
        ratios.append(alpha(scaled.prices))
    assert ratios[1] == pytest.approx(ratios[3], rel=1e-12)
    assert ratios[0] != pytest.approx(ratios[2], rel=1e-3)


def _in_units(problem: OasisProblem, factor: int) -> OasisProblem:
    """The same problem with the second resource counted in smaller units."""
    from dataclasses import replace

    def change(amounts: tuple[int, ...]) -> tuple[int, ...]:
        return (amounts[0], amounts[1] * factor)

    return replace(
        problem,
        worker_servers=tuple(replace(g, capacity=change(g.capacity)) for g in problem.worker_servers),
        ps_hosts=tuple(replace(g, capacity=change(g.capacity)) for g in problem.ps_hosts),
        jobs=tuple(replace(j, worker=change(j.worker), ps=change(j.ps)) for j in problem.jobs),
    )
