"""Prices: every one of them bounds (P), and the best ones reach the LP value."""

from __future__ import annotations

import numpy as np
import pytest

from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.evaluate import evaluate
from dmlopt.engine.lagrangian import lagrangian, price_scale
from dmlopt.packing import Packing
from dmlopt.table import PlanTable
from tests.engine.linear import relaxation
from tests.engine.toys import box_packing, brute_force, listed, random_packing, tight_packing

FEASIBLE_SEEDS = range(60)


def toy(seed: int) -> Packing:
    return [
        tight_packing(seed),
        random_packing(seed),
        random_packing(seed, classes=True),
        random_packing(seed, classes=True, supply=True),
    ][seed % 4]


@pytest.mark.parametrize("seed", range(100))
def test_every_price_gives_a_bound(seed: int) -> None:
    packing = toy(seed)
    optimum = brute_force(packing)
    rng = np.random.default_rng(seed)
    for scale in (0.0, 0.1, 1.0, 10.0, 1e3, 1e6):
        prices = rng.uniform(0, scale, packing.row_count) * rng.integers(0, 2, packing.row_count)
        bound = evaluate(packing, prices).bound
        if optimum is not None:
            assert bound >= optimum - 1e-9 * max(1.0, abs(bound))


@pytest.mark.parametrize("seed", range(60))
def test_the_maximiser_attains_the_bound(seed: int) -> None:
    packing = toy(seed)
    prices = np.random.default_rng(seed).uniform(0, 3, packing.row_count)
    point = evaluate(packing, prices)
    if np.isfinite(point.bound):
        lagrangian_value = point.picks.value(packing) + float((packing.capacity - point.use) @ prices)
        assert point.bound == pytest.approx(lagrangian_value, abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_subgradients_stay_below_the_bound(seed: int) -> None:
    packing = toy(seed)
    rng = np.random.default_rng(seed)
    here = evaluate(packing, rng.uniform(0, 3, packing.row_count))
    if not np.isfinite(here.bound):
        return
    slope = here.subgradient(packing.capacity)
    for _ in range(5):
        prices = rng.uniform(0, 6, packing.row_count)
        assert evaluate(packing, prices).bound >= here.bound + slope @ (prices - here.prices) - 1e-9


@pytest.mark.parametrize("seed", range(120))
def test_the_best_prices_reach_the_linear_relaxation(seed: int) -> None:
    packing = toy(seed)
    value = relaxation(packing)
    found = lagrangian(packing)
    if value is None:
        return
    assert not found.runaway
    assert found.point.bound >= value - 1e-9 * max(1.0, abs(value))
    assert found.point.bound == pytest.approx(value, rel=1e-6, abs=1e-6)
    assert found.floor <= found.point.bound + 1e-6 * max(1.0, abs(value))


@pytest.mark.parametrize("seed", range(60))
def test_a_start_far_away_does_not_mislead(seed: int) -> None:
    packing = toy(seed)
    value = relaxation(packing)
    if value is not None:
        found = lagrangian(packing, start=np.full(packing.row_count, 1e9))
        assert found.point.bound == pytest.approx(value, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(120))
def test_the_column_lp_equals_the_linear_relaxation(seed: int) -> None:
    packing = toy(seed)
    value = relaxation(packing)
    table = packing.planner
    assert isinstance(table, PlanTable)
    lp = ColumnLP(packing, *price_scale(packing))
    lp.add(table.agent_of, np.arange(table.plan_count))
    point = lp.solve(60.0)
    if value is None:
        assert point is None or point.elastic > 1e-9
        return
    assert point is not None
    while point.elastic > 1e-9 and lp.raise_elastic_cost():
        point = lp.solve(60.0)
        assert point is not None
    assert point.value == pytest.approx(value, rel=1e-7, abs=1e-7)
    assert (point.prices >= 0).all()
    assert evaluate(packing, point.prices).bound == pytest.approx(value, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("supply", [False, True])
def test_planners_that_list_nothing_reach_the_same_value(seed: int, supply: bool) -> None:
    packing = box_packing(seed, supply)
    value = relaxation(listed(packing))
    if value is not None:
        assert lagrangian(packing).point.bound == pytest.approx(value, rel=1e-6, abs=1e-6)


def test_an_infeasible_relaxation_shows_as_runaway_prices() -> None:
    seeds = [seed for seed in range(0, 400, 4) if relaxation(tight_packing(seed)) is None]
    assert len(seeds) >= 5
    for seed in seeds:
        found = lagrangian(tight_packing(seed))
        assert found.runaway or found.point.bound == -np.inf or found.point.bound < -1e3, seed
