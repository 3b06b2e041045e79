"""Rounding gives points of (P) or nothing, whatever it starts from; filling room never loses value."""

from __future__ import annotations

import numpy as np
import pytest

from dmlopt.backends.program import SolverLimits
from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.core_problem import near_best, solve_core
from dmlopt.engine.lagrangian import price_scale
from dmlopt.engine.rounding import fill_room, round_point, round_prices
from dmlopt.packing import Packing
from dmlopt.table import PlanTable
from tests.engine.toys import box_packing, brute_force, listed, random_packing, tight_packing

SEEDS = range(100)


def toy(seed: int) -> Packing:
    """Pure toys: no plan supplies capacity."""
    return [tight_packing(seed), random_packing(seed), random_packing(seed, classes=True)][seed % 3]


def table_of(packing: Packing) -> PlanTable:
    assert isinstance(packing.planner, PlanTable)
    return packing.planner


@pytest.mark.parametrize("seed", SEEDS)
def test_rounded_lp_points_are_feasible(seed: int) -> None:
    packing = toy(seed)
    lp = ColumnLP(packing, *price_scale(packing))
    lp.add(table_of(packing).agent_of, np.arange(table_of(packing).plan_count))
    point = lp.solve(60.0)
    assert point is not None
    if point.elastic > 1e-9:  # the LP buys capacity: its point is none of (P)
        return
    picks = round_point(packing, point.prices, point.agents, point.ids, point.weights)
    optimum = brute_force(packing)
    if optimum is None:
        assert picks is None
    elif picks is not None:
        assert picks.fits(packing)
        assert picks.value(packing) <= optimum + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_points_rounded_from_any_prices_are_feasible(seed: int) -> None:
    packing = toy(seed)
    rng = np.random.default_rng(seed)
    optimum = brute_force(packing)
    for _ in range(5):
        picks = round_prices(packing, rng.uniform(0, 4, packing.row_count))
        if optimum is None:
            assert picks is None
        elif picks is not None:
            assert picks.fits(packing)
            assert picks.value(packing) <= optimum + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_filling_room_stays_feasible_and_loses_nothing(seed: int) -> None:
    packing = toy(seed)
    prices = np.random.default_rng(seed).uniform(0, 4, packing.row_count)
    picks = round_prices(packing, prices)
    if picks is None:
        return
    for limit in (0, 1, 300):
        filled = fill_room(packing, table_of(packing), prices, picks, limit)
        assert filled.fits(packing)
        assert filled.value(packing) >= picks.value(packing)
        assert (table_of(packing).agent_of[filled.ids] == filled.agents).all()


def test_filling_room_does_fill() -> None:
    seeds = range(0, 90, 3)
    gains = []
    for seed in seeds:
        packing = tight_packing(seed)
        prices = np.full(packing.row_count, 10.0)
        picks = round_prices(packing, prices)
        if picks is not None:
            filled = fill_room(packing, table_of(packing), prices, picks)
            gains.append(filled.value(packing) - picks.value(packing))
    assert sum(gain > 0 for gain in gains) >= 3


@pytest.mark.parametrize("seed", range(40))
def test_points_of_planners_that_list_nothing_are_feasible(seed: int) -> None:
    packing = box_packing(seed)
    optimum = brute_force(listed(packing))
    picks = round_prices(packing, np.random.default_rng(seed).uniform(0, 4, packing.row_count))
    if picks is not None:
        assert picks.fits(packing)
        assert optimum is not None
        assert picks.value(packing) <= optimum + 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_a_core_problem_over_all_plans_is_the_problem_itself(seed: int) -> None:
    packing = toy(seed)
    table = table_of(packing)
    agents, ids = near_best(table, np.zeros(packing.row_count), table.plan_count)
    assert sorted(ids.tolist()) == list(range(table.plan_count))
    picks = solve_core(packing, agents, ids, SolverLimits(gap=0.0))
    optimum = brute_force(packing)
    assert (picks is None) == (optimum is None)
    if picks is not None:
        assert picks.fits(packing)
        assert picks.value(packing) == pytest.approx(optimum)
