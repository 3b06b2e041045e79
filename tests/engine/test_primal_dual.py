"""Posted prices: worked numbers, a plain second implementation, and what an online method may never do."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from dmlopt.control import Clock
from dmlopt.engine.certificate import recompute
from dmlopt.engine.price_tree import price_tree
from dmlopt.engine.prices import ExponentialPrices, PowerPrices
from dmlopt.engine.primal_dual import Posted, primal_dual
from dmlopt.errors import InputError
from dmlopt.packing import Packing
from tests.engine.slots import SlotPlanner, Slots, large_slots, plain, random_slots, slot_packing
from tests.engine.toys import box_packing, table_packing


def exponential(packing: Packing, low: float, high: float) -> ExponentialPrices:
    rows = packing.row_count
    return ExponentialPrices(packing.capacity, np.full(rows, math.log(low)), np.full(rows, math.log(high)))


def unit_jobs(values: list[float], capacity: int) -> Packing:
    """One slot, two rows (a worker and a server), every job takes one of each."""
    count = len(values)
    data = Slots(
        1,
        np.zeros(count, dtype=np.int64),
        np.ones(count, dtype=np.int64),
        np.ones((count, 2), dtype=np.int64),
        np.array(values),
        np.zeros(count, dtype=np.int64),
        np.zeros(count),
    )
    return slot_packing(data, [capacity, capacity])


# ---------------------------------------------------------------- price functions


def test_exponential_prices_are_log_linear() -> None:
    price = ExponentialPrices(np.array([4]), np.log([0.5]), np.log([8.0]))
    assert [price.at(np.array([g]))[0] for g in range(5)] == pytest.approx([0.5, 1, 2, 4, 8], rel=1e-15)
    price = ExponentialPrices(np.array([10]), np.log([0.01]), np.log([100.0]))
    expected = {0: 0.01, 1: 0.0251188643150958, 5: 1.0, 9: 39.810717055349734, 10: 100.0}
    assert {g: price.at(np.array([g]))[0] for g in expected} == pytest.approx(expected, rel=1e-14)


def test_prices_survive_tiny_constants_full_rows_and_rows_without_price_or_capacity() -> None:
    none = -np.inf
    price = ExponentialPrices(
        np.array([10, 10, 10, 0]),
        np.array([-1166.0, 0.0, none, 0.0]),
        np.array([2.0, 1.0, 1.0, 3.0]),
    )
    at = price.at(np.array([0, 25, 5, 0]))
    assert at[0] == 0.0  # exp(-1166): below the smallest float64, no error
    assert at[1] == math.e  # more than full counts as full
    assert at[2] == 0.0
    assert at[3] == math.exp(3.0)  # no capacity is as good as full
    assert price.at(np.array([10]), np.array([0]))[0] == pytest.approx(math.exp(2.0))
    assert price.competitive_exponent() == 1168.0


def test_power_prices_start_at_zero() -> None:
    price = PowerPrices(np.array([3, 3]), np.array([0.5, 0.0]), np.log([2002.0, 5.0]))
    assert price.at(np.zeros(2, dtype=np.int64)).tolist() == [0.0, 0.0]
    # One resource of capacity 3, two units taken: the second job's two units cost 2 * 0.5 * (2002^(2/3) - 1) = 157.85.
    assert 2 * price.at(np.array([2, 0]))[0] == pytest.approx(157.85, abs=5e-3)


# ---------------------------------------------------------------- worked numbers


def test_small_demands_have_a_closed_form() -> None:
    # Prices 0.0025 * 40000^(g/100) on both rows. Jobs of value 1 pay while 2p(g) < 1: at g = 50 both prices are exactly
    # 0.5, payoff exactly 0, rejected. Jobs of value 100 pay while 2p(g) < 100: 2p(93) = 95.25, 2p(94) = 105.90.
    packing = unit_jobs([1.0] * 100 + [100.0] * 100, 100)
    found = primal_dual(packing, exponential(packing, 0.0025, 100.0))
    taken = found.ids >= 0
    assert taken[:100].sum() == 50
    assert taken[100:].sum() == 44
    assert found.picks.value(packing) == pytest.approx(4450.0)
    assert found.first_dual == pytest.approx(0.5)
    assert found.last_dual(packing) == pytest.approx(14092.917582896, rel=1e-12)
    reversed_order = np.arange(199, -1, -1)
    again = primal_dual(packing, exponential(packing, 0.0025, 100.0), reversed_order)
    assert again.picks.value(packing) == pytest.approx(9400.0)


def test_coarse_demands_break_the_ratio() -> None:
    packing = unit_jobs([1.0, 100.0], 1)
    found = primal_dual(packing, exponential(packing, 0.25, 100.0))
    assert (found.ids >= 0).tolist() == [True, False]
    assert found.payoffs.tolist() == pytest.approx([0.5, 0.0])
    assert found.payments.tolist() == pytest.approx([0.5, 0.0])
    bound, certificate = found.certificate(packing)
    assert bound >= 100.0
    assert recompute(certificate, plain(packing)).value == pytest.approx(bound)


def test_cheapest_slots_of_the_soft_deadline_auction() -> None:
    # Two of five slots at these prices, value 10, one lost per slot after slot 2: slots 0 and 2, payoff 8.5.
    one = np.array([1])
    data = Slots(5, np.array([0]), np.array([2]), np.array([[1]]), np.array([10.0]), 2 * one, 1.0 * one)
    plan = SlotPlanner(data).best(0, np.array([1, 3, 0.5, 2, 0.25]))
    assert plan is not None
    assert plan.detail == (0, 2)


# ---------------------------------------------------------------- against a plain second implementation


def straightforward(
    packing: Packing, low: float, high: float, order: list[int]
) -> tuple[list[object], float]:
    """The same algorithm with plain loops over every plan."""
    planner = packing.planner
    assert isinstance(planner, SlotPlanner)
    data = planner.data
    used = [0] * packing.row_count
    chosen: list[object] = []
    value = 0.0
    for agent in order:
        prices = [
            low * (high / low) ** (min(g, c) / c)
            for g, c in zip(used, packing.capacity.tolist(), strict=True)
        ]
        best, best_payoff = None, -math.inf
        for slots in sorted(data.every(agent), key=lambda s: (s[-1], s)):
            needs = {
                t * data.resources + r: int(data.demand[agent, r])
                for t in slots
                for r in range(data.resources)
                if data.demand[agent, r]
            }
            if any(used[row] + amount > packing.capacity[row] for row, amount in needs.items()):
                continue
            payoff = data.value(agent, slots[-1]) - sum(prices[row] * n for row, n in needs.items())
            if payoff > best_payoff + 1e-9 * max(1.0, float(data.worth[agent])):
                best, best_payoff = (slots, needs), payoff
        if best is None or best_payoff <= 1e-9 * max(1.0, abs(data.value(agent, best[0][-1]))):
            chosen.append(None)
            continue
        for row, amount in best[1].items():
            used[row] += amount
        value += data.value(agent, best[0][-1])
        chosen.append(best[0])
    return chosen, value


@pytest.mark.parametrize("seed", range(60))
def test_matches_plain_loops_and_keeps_what_it_promises(seed: int) -> None:
    packing = random_slots(seed, agents=6)
    order = np.random.default_rng(seed).permutation(6)
    found = primal_dual(packing, exponential(packing, 0.05, 30.0), order)
    chosen, value = straightforward(packing, 0.05, 30.0, order.tolist())
    assert [None if id < 0 else packing.planner.plan(id).detail for id in found.ids.tolist()] == chosen
    assert found.picks.value(packing) == pytest.approx(value)
    assert found.picks.fits(packing)
    assert (found.use == found.picks.use(packing)).all()
    bound, certificate = found.certificate(packing)
    proved = recompute(certificate, plain(packing)).value
    assert proved == pytest.approx(bound, rel=1e-6)
    exact = price_tree(packing)
    assert exact.value is not None
    assert found.picks.value(packing) <= exact.value + 1e-9 <= proved + 2e-9


@pytest.mark.parametrize("seed", range(10))
def test_later_agents_change_no_earlier_decision(seed: int) -> None:
    first = large_slots(seed, agents=30, horizon=30)
    planner = first.planner
    assert isinstance(planner, SlotPlanner)
    data = planner.data
    worth = data.worth.copy()
    worth[20:] *= 7.0
    other = Slots(data.horizon, data.arrival, data.need, data.demand, worth, data.deadline, data.penalty)
    price = exponential(first, 0.01, 10.0)
    before = primal_dual(first, price)
    after = primal_dual(slot_packing(other, first.capacity.reshape(30, -1)), price)
    assert details(before, first, 20) == details(after, slot_packing(other, 1, planner=planner), 20)


def details(found: Posted, packing: Packing, count: int) -> list[bool]:
    return [bool(id >= 0) for id in found.ids[:count]] + found.payments[:count].tolist()


# ---------------------------------------------------------------- limits and refusals


def test_a_clock_that_is_over_decides_nothing() -> None:
    packing = large_slots(1, agents=10, horizon=20)
    found = primal_dual(packing, exponential(packing, 0.01, 10.0), clock=Clock(0.0))
    assert found.decided == 0
    assert len(found.seconds) == 0
    assert len(found.picks.ids) == 0
    assert found.certificate(packing)[1] is not None


def test_every_decision_is_timed() -> None:
    packing = large_slots(1, agents=10, horizon=20)
    asked: list[float] = []
    best = packing.planner.best

    def slow(*arguments: Any, **named: Any) -> Any:
        asked.append(0.02 if len(asked) == 4 else 0.0)
        time.sleep(asked[-1])
        return best(*arguments, **named)

    packing.planner.best = slow  # type: ignore[method-assign]
    found = primal_dual(packing, exponential(packing, 0.01, 10.0))
    assert len(found.seconds) == found.decided == 10
    assert (found.seconds > 0).all()
    assert found.seconds[4] >= 0.02


def test_agents_that_must_run_take_what_fits() -> None:
    packing = table_packing([[(1.0, [2]), (1.1, [4])], [(1.0, [3])], [(-2.0, [2])]], [5])
    found = primal_dual(packing, exponential(packing, 0.1, 10.0))
    assert found.unserved == (2,)
    assert not found.picks.fits(packing)


def test_supply_is_refused() -> None:
    packing = box_packing(1, supply=True)
    with pytest.raises(InputError):
        primal_dual(packing, exponential(packing, 0.1, 1.0))
