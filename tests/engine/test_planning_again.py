"""Points found by planning under room: feasible, at most the optimum, repeatable; and the exact method on top."""

from __future__ import annotations

import time

import numpy as np
import pytest

from dmlopt.backends.program import SolverLimits
from dmlopt.control import Clock
from dmlopt.engine.assignment import Assignment
from dmlopt.engine.certificate import recompute
from dmlopt.engine.diving import dive, fill_up, greedy_orders
from dmlopt.engine.incumbents import plan_again
from dmlopt.engine.price_tree import SearchLimits, price_tree
from dmlopt.engine.restricted_master import restricted_master
from dmlopt.engine.root_lp import solve_root
from dmlopt.engine.ruin_recreate import ruin_recreate
from dmlopt.errors import InputError
from dmlopt.packing import Packing
from dmlopt.result import Limit
from tests.engine.slots import large_slots, listed_slots, plain, random_slots
from tests.engine.toys import box_packing, brute_force, random_packing, value_of


def consistent(found: Assignment) -> None:
    """Room and value, kept incrementally, agree with the plans."""
    packing = found.packing
    use = np.zeros(packing.row_count, dtype=np.int64)
    for plan in found.plans:
        if plan is not None:
            use[plan.rows] += plan.amounts
    assert (found.room == packing.capacity - use).all()
    assert (found.room >= 0).all()
    held = sum(plan.value for plan in found.plans if plan is not None)
    assert found.value == pytest.approx(packing.offset + held)


@pytest.mark.parametrize("must", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_points_are_feasible_and_at_most_the_optimum(seed: int, must: bool) -> None:
    packing = random_slots(seed, must=must)
    optimum = brute_force(listed_slots(packing))
    root = solve_root(packing)
    if root.node.kind != "leaf":
        assert optimum is None
        return
    clock, prices = Clock(), root.node.prices
    improved = plan_again(packing, prices, root.node.point, clock, tries=50)
    master = restricted_master(packing, root.lp, SolverLimits())
    tried = [
        greedy_orders(packing, prices, root.node.point, clock),
        dive(packing, prices, clock),
        improved.assignment,
    ]
    for assignment in tried:
        consistent(assignment)
    for picks in (*(each.picks() for each in tried), master):
        value = value_of(picks, packing)
        assert value is None or (optimum is not None and value <= optimum + 1e-9)
        assert must or value is not None


@pytest.mark.parametrize("seed", range(20))
def test_tables_too(seed: int) -> None:
    packing = random_packing(seed, classes=True)
    optimum = brute_force(packing)
    found = plan_again(packing, np.zeros(packing.row_count), None, Clock(), tries=30).assignment
    consistent(found)
    value = value_of(found.picks(), packing)
    assert value is None or (optimum is not None and value <= optimum + 1e-9)


@pytest.mark.parametrize("must", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_exact_matches_brute_force(seed: int, must: bool) -> None:
    packing = random_slots(100 + seed, agents=5, must=must)
    optimum = brute_force(listed_slots(packing))
    found = price_tree(packing)
    proved = recompute(found.certificate, plain(packing))
    assert found.limit is Limit.NONE
    if optimum is None:
        assert found.infeasible
        assert proved.infeasible
        return
    assert value_of(found.picks, packing) == pytest.approx(optimum, abs=1e-9)
    assert proved.value == pytest.approx(optimum, abs=1e-7)
    assert proved.value >= optimum - 1e-12


def test_ruin_and_recreate_is_repeatable_and_never_worse() -> None:
    packing = large_slots(2, agents=40, horizon=40)
    prices = solve_root(packing, gap=1e-2).node.prices
    first = greedy_orders(packing, prices, None, Clock())
    before = first.value
    runs = [ruin_recreate(first, prices, Clock(), seed=7, tries=200) for _ in range(2)]
    assert first.value == before
    assert runs[0].assignment.value == runs[1].assignment.value >= before
    assert runs[0].tries == 200
    other = ruin_recreate(first, prices, Clock(), seed=8, tries=200, groups=np.arange(400) // 10)
    consistent(other.assignment)


def test_enough_and_the_clock_end_it() -> None:
    packing = large_slots(2, agents=20, horizon=20)
    first = Assignment(packing)
    assert ruin_recreate(first, np.zeros(200), Clock(0.0)).tries == 0
    assert ruin_recreate(first, np.zeros(200), Clock(), enough=lambda value: True).tries == 0
    fill_up(first, np.zeros(200), Clock())
    assert first.value > 0


@pytest.mark.parametrize("seconds", [0.0, 0.5, 2.0])
def test_exact_keeps_its_time_limit_with_a_certified_gap(seconds: float) -> None:
    packing = large_slots(1, agents=60, horizon=60)
    began = time.perf_counter()
    found = price_tree(packing, SearchLimits(clock=Clock(seconds)))
    assert time.perf_counter() - began < seconds + 2.0
    proved = recompute(found.certificate, plain(packing)).value
    assert found.limit is Limit.TIME
    value = value_of(found.picks, packing)
    assert value is None or value <= proved


def test_exact_closes_many_rows_that_are_easy() -> None:
    packing = large_slots(3, agents=12, horizon=30, classes=2, kinds=4, load=0.35)
    found = price_tree(packing, SearchLimits(clock=Clock(60.0), gap=1e-6))
    assert packing.row_count >= 200
    assert found.value is not None
    assert recompute(found.certificate, plain(packing)).value <= found.value * (1 + 1e-6)


def test_supply_is_refused() -> None:
    packing: Packing = box_packing(1, supply=True)
    with pytest.raises(InputError):
        Assignment(packing)
