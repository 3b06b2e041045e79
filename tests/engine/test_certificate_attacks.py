"""Certificates built by hand to prove too much: each attack aims at one rule of the checker."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dmlopt.engine.certificate import CertificateError, recompute, scaled_prices
from dmlopt.packing import Packing
from tests.engine.forgery import ANY_BOUND, Forged, assert_sound, optimum_of, verdict, written
from tests.engine.toys import BoxPlanner, box_packing, brute_force, listed, table_packing

BITS = 30
UNIT = 1 << BITS


def leaf(*prices: float) -> Forged:
    return {"node": "leaf", "prices": scaled_prices(prices, BITS), "bound": ANY_BOUND}


def ray(*prices: float) -> Forged:
    return {"node": "ray", "prices": scaled_prices(prices, BITS)}


def fix(cutoff: float, *prices: float) -> Forged:
    prices_written = scaled_prices(prices, BITS)
    return {
        "node": "fix",
        "prices": prices_written,
        "cutoff": round(cutoff * UNIT),
        "bound": ANY_BOUND,
        "child": 1,
    }


def split(agent: Any, cell: str, count: int, *cut: list[int]) -> Forged:
    return {
        "node": "split",
        "agent": agent,
        "cell": cell,
        "count": count,
        "cut": list(cut),
        "children": [1, 2],
    }


def knapsack() -> Packing:
    """Optimum 7: agents 0 and 1 take their dear plans (3 + 4); the LP bound is higher."""
    return table_packing([[(3.0, [2]), (0.0, [0])], [(4.0, [2]), (1.0, [1])], [(5.0, [3]), (0.0, [0])]], [4])


# -------------------------------------------------------------------- fix and keep


@pytest.mark.parametrize("price", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 100.0])
@pytest.mark.parametrize("cutoff", [-100.0, 0.0, 6.0, 7.0, 8.0, 11.0, 12.0, 1000.0])
def test_a_cutoff_is_part_of_the_bound(price: float, cutoff: float) -> None:
    packing = knapsack()
    proved = assert_sound(written([fix(cutoff, price), leaf(price)]), packing, 7.0)
    if proved is not None:
        assert proved.value >= cutoff


def test_fixing_everything_away_leaves_the_cutoff_not_infeasibility() -> None:
    # Cutoff above every value: each agent loses plans, and none that is left may turn into "infeasible".
    packing = table_packing([[(3.0, [2]), (0.0, [0])], [(4.0, [3]), (1.0, [1])]], [3])
    for end in (leaf(0.0), {"node": "empty"}, ray(1.0)):
        proved = assert_sound(written([fix(1000.0, 1.0), end]), packing, 4.0)
        assert proved is None or proved.value >= 1000.0


def test_two_fixes_count_both_cutoffs() -> None:
    first, second = fix(20.0, 1.0), {**fix(-50.0, 0.0), "child": 2}
    proved = recompute(written([first, second, leaf(1.0)]), knapsack())
    assert proved.value >= 20.0


def test_a_kept_list_needs_a_listed_dominator() -> None:
    # Plan 2 is dominated by 1, and 1 by 0. Listing only 2, or only 1, must not drop the better ones.
    packing = table_packing([[(5.0, [1]), (4.0, [1]), (3.0, [2])], [(0.0, [0])]], [2])
    for keys in ([2], [1], [1, 2], []):
        keep = {"node": "keep", "plans": {"0": keys}, "child": 1}
        assert verdict(written([keep, leaf(0.0)]), packing) is None
    proved = recompute(written([{"node": "keep", "plans": {"0": [0]}, "child": 1}, leaf(0.0)]), packing)
    assert proved.value == 5.0


def test_equal_plans_cannot_drop_each_other_one_after_the_other() -> None:
    packing = table_packing([[(5.0, [1]), (5.0, [1]), (0.0, [0])]], [3])
    first = {"node": "keep", "plans": {"0": [0, 2]}, "child": 1}
    second = {"node": "keep", "plans": {"0": [1, 2]}, "child": 2}
    assert_sound(written([first, second, leaf(0.0)]), packing, 5.0)


def test_reductions_below_a_split_are_refused() -> None:
    for below in (fix(0.0, 1.0), {"node": "keep", "plans": {}, "child": 3}, {"node": "round", "child": 3}):
        nodes = [split(0, "", 0), leaf(1.0), {**below, "child": 3}, leaf(1.0)]
        with pytest.raises(CertificateError, match="below a split"):
            recompute(written(nodes), knapsack())


# -------------------------------------------------------------------- splits


@pytest.mark.parametrize("keys", [[], [0], [1], [0, 1], [0, 0, 0], [2, 3, 99], [-5]])
@pytest.mark.parametrize("path", ["0", "1"])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_halves_hold_every_plan_whatever_the_cut_lists(keys: list[int], path: str, count: int) -> None:
    packing = knapsack()
    for price in (0.0, 1.0, 2.0):
        for one, other in (
            (leaf(price), leaf(price)),
            (leaf(price), {"node": "empty"}),
            (ray(price), leaf(price)),
        ):
            assert_sound(written([split(0, path, count, keys), one, other]), packing, 7.0)


def test_an_agent_split_twice_keeps_both_limits() -> None:
    # At most 0 and then at least 1 of everything: truly empty. The two open sides bound the rest.
    packing = knapsack()
    inner = {**split(0, "", 0), "children": [3, 4]}
    nodes = [split(0, "", 0), inner, leaf(1.0), {"node": "empty"}, {"node": "empty"}]
    proved = assert_sound(written(nodes), packing, 7.0)
    assert proved is not None
    assert verdict(written([split(0, "", 0), {"node": "empty"}, {"node": "empty"}]), packing) is None


def test_a_cell_cannot_be_cut_again_in_another_way() -> None:
    nodes = [
        split(0, "0", 0, [0]),
        {**split(0, "0", 0, [1]), "children": [3, 4]},
        leaf(1.0),
        leaf(1.0),
        leaf(1.0),
    ]
    with pytest.raises(CertificateError, match="cut already"):
        recompute(written(nodes), knapsack())


def test_a_very_deep_tree_is_walked() -> None:
    packing = knapsack()
    depth = 3000
    nodes: list[Forged] = []
    for level in range(depth):
        at = 2 * level
        nodes.append({**split(0, "", 5), "children": [at + 1, at + 2]})
        nodes.append(leaf(1.5))
    nodes.append(leaf(1.5))
    proved = assert_sound(written(nodes), packing, 7.0)
    assert proved is not None
    assert proved.leaves == depth + 1


def test_a_very_deep_cell_is_walked_or_refused() -> None:
    depth = 3000
    nodes = [split(0, "0" * depth, 0, *[[0]] * depth), leaf(1.0), leaf(1.0)]
    assert_sound(written(nodes), knapsack(), 7.0)


# -------------------------------------------------------------------- rays, empty nodes, rounding


@pytest.mark.parametrize("price", [0.0, 1e-9, 1e-3, 1.0, 1e6])
def test_no_ray_proves_a_feasible_problem_infeasible(price: float) -> None:
    for packing in (knapsack(), table_packing([[(1.0, [3])]] * 2, [6]), table_packing([], [0])):
        with pytest.raises(CertificateError):
            recompute(written([ray(price)]), packing)
        with pytest.raises(CertificateError):
            recompute(written([{"node": "round", "child": 1}, ray(price)]), packing)


def test_a_ray_scaled_to_zero_proves_nothing() -> None:
    packing = table_packing([[(1.0, [3, 1]), (1.0, [1, 3])]] * 4, [7, 7])
    assert recompute(written([ray(1.0, 1.0)]), packing).infeasible
    for prices in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
        assert verdict(written([ray(*prices)]), packing) is None


def test_rounding_twice_and_in_any_order_keeps_every_point() -> None:
    # Must-run usages 3 or 5 (steps of 2 from 3), an optional one of 4: totals are 3 + even numbers.
    packing = table_packing([[(0.0, [3]), (6.0, [5])], [(4.0, [4])]], [8], [(1, 1), (0, 1)])
    optimum = optimum_of(packing)
    rounding = [{"node": "round", "child": 1}, {"node": "round", "child": 2}]
    keep = {"node": "keep", "plans": {"0": [0, 1], "1": [2]}, "child": 3}
    for price in np.linspace(0.0, 4.0, 17):
        assert_sound(written([*rounding, keep, leaf(price)]), packing, optimum)
        assert_sound(
            written([{**keep, "child": 1}, {**rounding[0], "child": 2}, leaf(price)]), packing, optimum
        )


@pytest.mark.parametrize(
    ("plans", "capacity", "counts"),
    [
        (
            [[(5.0, [1])], [(1.0, [0])]],
            [-1],
            [(0, 1), (0, 1)],
        ),  # negative capacity: nothing fits, not even nothing
        ([[(5.0, [-3])], [(1.0, [1])]], [-2], [(0, 1), (0, 1)]),  # negative capacity, but there is a supplier
        ([[(5.0, [1])], [(1.0, [0])]], [3], [(0, 0), (0, 1)]),  # an agent that may take nothing
        ([[], [(1.0, [1])]], [3], [(0, 1), (1, 1)]),  # an optional agent without plans
        ([[], [(1.0, [1])]], [3], [(1, 1), (1, 1)]),  # a must-run agent without plans
        ([[(-0.0, [0])], [(0.0, [0])]], [0], [(1, 1), (1, 1)]),  # signed zeros
        ([[(0.1, [1])], [(0.2, [1])], [(0.3, [1])]], [2], [(1, 1), (0, 1), (0, 1)]),  # no binary fractions
        ([[(1e-300, [1]), (0.0, [0])]], [1], [(3, 3)]),  # underflows when scaled: rounded up, never down
        ([[(-1e-300, [1]), (-1.0, [0])]], [1], [(1, 1)]),
    ],
)
def test_odd_problems_are_never_bounded_too_low(plans: Any, capacity: Any, counts: Any) -> None:
    packing = table_packing(plans, capacity, counts)
    optimum = optimum_of(packing)
    for price in (0.0, 0.5, 1.0, 7.0):
        for end in (leaf(price), ray(price), {"node": "empty"}):
            for chain in ([], [{"node": "round", "child": 1}], [fix(0.25, price)]):
                assert_sound(written([*chain, end]), packing, optimum)


# -------------------------------------------------------------------- large numbers


@pytest.mark.parametrize("bits", [20, 30, 40, 56])
@pytest.mark.parametrize("value", [1e4, 1e7, 1e12, 1e15, 1e18, 1e300, math.inf, -1e300])
def test_values_too_large_for_the_bits_are_refused(value: float, bits: int) -> None:
    packing = table_packing([[(value, [1]), (1.0, [1])], [(2.0, [1]), (1.0, [0])]], [3])
    proved = verdict(written([{"node": "leaf", "prices": [0], "bound": 1e308}], bits), packing)
    # Far below zero a value is cut off instead of refused: that proves less, never more.
    if value * 2.0**bits >= 2.0**62:
        assert proved is None
    else:
        assert proved is not None
        assert proved.value >= max(value, 1.0) + 2.0


@pytest.mark.parametrize("usage", [2**31, 2**40, 2**52, 2**61, 2**62])
@pytest.mark.parametrize("price", [1, 2**20, 2**40, 2**61])
def test_costs_that_overflow_only_weaken_the_bound(usage: int, price: int) -> None:
    packing = table_packing([[(9.0, [usage]), (1.0, [usage // 2])], [(2.0, [1]), (1.0, [0])]], [usage + 1])
    for kind in ("leaf", "ray"):
        end = {"node": kind, "prices": [price], "bound": ANY_BOUND}
        proved = verdict(written([end]), packing)
        if proved is not None:
            assert not proved.infeasible
            assert proved.value >= 11.0
        halves = [split(0, "0", 0, [0]), end, end]
        proved = verdict(written(halves), packing)
        assert proved is None or (not proved.infeasible and proved.value >= 11.0)


def test_supplies_that_overflow_are_refused() -> None:
    packing = table_packing([[(0.0, [-(2**50)])], [(7.0, [5]), (6.0, [2**40])]], [0], [(0, 1)] * 2)
    with pytest.raises(CertificateError, match="overflow"):
        recompute(written([{"node": "leaf", "prices": [2**40], "bound": ANY_BOUND}]), packing)


# -------------------------------------------------------------------- planners that list nothing


@pytest.mark.parametrize("seed", range(25))
def test_box_planners_prove_nothing_false(seed: int) -> None:
    packing = box_packing(seed, supply=bool(seed % 2))
    planner = packing.planner
    assert isinstance(planner, BoxPlanner)
    optimum = brute_force(listed(packing))
    rng = np.random.default_rng(seed)
    for _ in range(10):
        ends = []
        for _ in range(2):
            prices = rng.uniform(0, 6, packing.row_count) * rng.integers(0, 2, packing.row_count)
            ends.append([leaf(*prices), ray(*prices), {"node": "empty"}][int(rng.integers(3))])
        cut = [int(rng.integers(planner.worth.shape[1])), int(rng.integers(-1, 4))]
        agent = int(rng.integers(packing.agent_count))
        assert_sound(written([split(agent, "0", int(rng.integers(2)), cut), *ends]), packing, optimum)
        assert_sound(written([ends[0]]), packing, optimum)


def test_planners_that_list_nothing_cannot_be_reduced_or_merged() -> None:
    packing = box_packing(3)
    zero = leaf(*[0.0] * packing.row_count)
    with pytest.raises(CertificateError, match="listed plan sets"):
        recompute(written([{"node": "round", "child": 1}, zero]), packing)
    with pytest.raises(CertificateError, match="classes"):
        recompute(written([zero], classes=[[0, 1]]), packing)
