"""Time, nodes, interruption: whenever a search ends, it has its best point so far and a certificate that holds."""

from __future__ import annotations

import time

import numpy as np
import pytest

from dmlopt.control import Clock
from dmlopt.engine.certificate import recompute
from dmlopt.engine.price_tree import SearchLimits, SearchResult, price_tree
from dmlopt.packing import Packing
from dmlopt.result import Limit
from tests.engine.toys import (
    box_packing,
    brute_force,
    listed,
    random_packing,
    table_packing,
    tight_packing,
    value_of,
)


class CountingClock(Clock):
    """A clock that is over after it has been asked so many times."""

    def __init__(self, asks: int, interrupts: bool = False) -> None:
        super().__init__()
        self.left = asks
        self.interrupts = interrupts

    def remaining(self) -> float:
        self.left -= 1
        if self.left < 0 and not self.interrupts:
            return 0.0
        over = self.interrupted  # an interrupt shows from the next question on
        self.interrupted = self.left < 0
        return 0.0 if over else float("inf")


def assert_holds(packing: Packing, optimum: float | None, found: SearchResult) -> None:
    proved = recompute(found.certificate, packing)
    if optimum is None:
        assert found.picks is None
        return
    assert not proved.infeasible
    assert not found.infeasible
    assert proved.value >= optimum - 1e-12
    assert found.bound >= optimum - 1e-9
    value = value_of(found.picks, packing)
    assert found.value == value
    assert value is None or value <= optimum + 1e-9


def toys(seed: int) -> tuple[Packing, float | None]:
    kind = seed % 4
    if kind == 3:
        packing = box_packing(seed)
        return packing, brute_force(listed(packing))
    packing = [tight_packing(seed), random_packing(seed, True), random_packing(seed, True, True)][kind]
    return packing, brute_force(packing)


@pytest.mark.parametrize("seed", range(40))
def test_a_clock_that_is_over_at_any_moment(seed: int) -> None:
    packing, optimum = toys(seed)
    for asks in (0, 1, 2, 3, 4, 6, 9, 13, 20, 40, 80):
        found = price_tree(packing, SearchLimits(clock=CountingClock(asks)))
        assert_holds(packing, optimum, found)
        assert found.limit in (Limit.NONE, Limit.TIME)


@pytest.mark.parametrize("seed", range(20))
def test_an_interrupt_at_any_moment(seed: int) -> None:
    packing, optimum = toys(seed)
    for asks in (0, 1, 3, 6, 12, 30):
        found = price_tree(packing, SearchLimits(clock=CountingClock(asks, interrupts=True)))
        assert_holds(packing, optimum, found)
        assert found.limit in (Limit.NONE, Limit.INTERRUPTED)


@pytest.mark.parametrize("seed", range(40))
def test_any_node_limit(seed: int) -> None:
    packing, optimum = toys(seed)
    bounds = []
    for nodes in (0, 1, 2, 3, 5, 100_000):
        found = price_tree(packing, SearchLimits(nodes=nodes))
        assert_holds(packing, optimum, found)
        bounds.append(found.bound)
    assert found.limit is Limit.NONE
    assert bounds[0] >= bounds[-1] - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_any_gap(seed: int) -> None:
    packing, optimum = toys(seed)
    for gap in (0.0, 1e-9, 1e-3, 0.3, 10.0):
        found = price_tree(packing, SearchLimits(gap=gap))
        assert_holds(packing, optimum, found)
        if optimum is not None:
            proved = recompute(found.certificate, packing).value
            assert found.value is not None
            assert proved - found.value <= gap * max(abs(found.value), 1e-9) + 1e-6


def hard_packing(agents: int = 60) -> Packing:
    """A problem whose tree is too large for a second."""
    rng = np.random.default_rng(1)
    plans = [
        [(float(-rng.integers(1000, 2000)), [1, 1, 1])]
        + [(float(-rng.integers(10, 1000)), rng.integers(20, 90, 3).tolist()) for _ in range(12)]
        for _ in range(agents)
    ]
    return table_packing(plans, [1501, 1499, 1511])


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.1, 0.5])
def test_a_time_limit_is_kept(seconds: float) -> None:
    packing = hard_packing()
    began = time.perf_counter()
    found = price_tree(packing, SearchLimits(clock=Clock(seconds)))
    assert time.perf_counter() - began < seconds + 2.0
    proved = recompute(found.certificate, packing)
    assert found.limit in (Limit.TIME, Limit.NONE)
    if found.picks is not None:
        assert found.picks.fits(packing)
        assert found.value <= proved.value + 1e-9


def test_an_incumbent_found_before_the_limit_is_returned() -> None:
    packing = hard_packing(20)
    start = price_tree(packing, SearchLimits(nodes=1)).picks
    assert start is not None
    for asks in (0, 1, 5, 20):
        found = price_tree(packing, SearchLimits(clock=CountingClock(asks), start=start))
        assert found.value is not None
        assert found.value >= start.value(packing)


def test_an_expired_clock_proves_no_infeasibility() -> None:
    packing = table_packing([[(1.0, [2, 0]), (2.0, [0, 2])]] * 3, [3, 3])
    found = price_tree(packing, SearchLimits(clock=Clock(0.0)))
    assert not found.infeasible
    assert not recompute(found.certificate, packing).infeasible
