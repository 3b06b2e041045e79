"""Numbers at the edge of 64 bits, and two names for one agent: each once made a certificate prove too much."""

from __future__ import annotations

import math

import pytest

from tests.engine.forgery import ANY_BOUND, assert_sound, verdict, written
from tests.engine.toys import table_packing


def leaf(*prices: int) -> dict[str, object]:
    return {"node": "leaf", "prices": list(prices), "bound": ANY_BOUND}


@pytest.mark.parametrize("extra", [0, 1, 512, 1024, 4096, 2**20, 2**58])
def test_a_saturated_cost_is_never_dearer_than_the_true_one(extra: int) -> None:
    # The cost 2^61 + extra is cut off to 2^61, but the value must still count: bound = price - cost + value = 8.
    packing = table_packing([[(8.0, [1]), (7.0, [1])]], [1])
    price = 2**61 + extra
    assert_sound(written([leaf(price)]), packing, 8.0)
    split = {"node": "split", "agent": 0, "cell": "0", "count": 0, "cut": [[0]], "children": [1, 2]}
    assert_sound(written([split, leaf(price), leaf(price)]), packing, 8.0)
    fix = {"node": "fix", "prices": [price], "cutoff": 0, "bound": ANY_BOUND, "child": 1}
    assert_sound(written([fix, leaf(price)]), packing, 8.0)


@pytest.mark.parametrize("value", [1e7, 1e10, 1e300, math.inf])
@pytest.mark.parametrize("bits", [20, 30, 40, 56])
def test_the_value_of_a_decided_agent_may_not_overflow(value: float, bits: int) -> None:
    packing = table_packing([[(value, [1])], [(1.0, [1]), (2.0, [2])]], [3])
    proved = verdict(written([leaf(0)], bits), packing)
    assert proved is None or proved.value >= value + 2.0


@pytest.mark.parametrize("other", ["00", "٠"])
def test_an_agent_has_one_name(other: str) -> None:
    # Plans 0 and 1 are equal: listed under two names, each would be dropped because the other is listed.
    packing = table_packing([[(5.0, [1]), (5.0, [1]), (0.0, [0])]], [3])
    keep = {"node": "keep", "plans": {"0": [0, 2], other: [1, 2]}, "child": 1}
    assert_sound(written([keep, leaf(0)]), packing, 5.0)


def test_supply_of_a_huge_class_may_not_wrap() -> None:
    # 2^34 suppliers of 2^30 units: 2^64 wraps to 0, and the plan that needs 5 units would count as unfit.
    packing = table_packing([[(0.0, [-(2**30)])], [(7.0, [5])]], [0], [(0, 2**34), (0, 1)])
    assert_sound(written([leaf(0)]), packing, 7.0)


def test_rounding_a_huge_class_may_not_wrap() -> None:
    # 2^34 equal agents, all must run; one of them may take 2^30 units (value 7), the others 1 unit each.
    many, large = 2**34, 2**30
    packing = table_packing([[(7.0, [large]), (0.0, [1])]], [many + large + 5], [(many, many)])
    split = {"node": "split", "agent": 0, "cell": "0", "count": 0, "cut": [[0]], "children": [2, 3]}
    ray = {"node": "ray", "prices": [1]}
    assert_sound(written([{"node": "round", "child": 1}, split, leaf(0), ray]), packing, 7.0)


def test_a_value_that_is_no_number_is_refused() -> None:
    packing = table_packing([[(math.nan, [1]), (3.0, [1])], [(1.0, [1]), (2.0, [2])]], [3])
    assert verdict(written([leaf(0)]), packing) is None
