"""Reductions: nothing they drop or round away is in a best point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dmlopt.engine import presolve, reduction
from dmlopt.engine.evaluate import evaluate
from dmlopt.engine.price_tree import price_tree
from dmlopt.engine.proof import Proof
from dmlopt.packing import Packing, Picks
from dmlopt.table import PlanTable
from tests.engine.toys import brute_force, random_packing, table_packing, tight_packing


def toy(seed: int) -> Packing:
    return [
        tight_packing(seed),
        random_packing(seed, classes=True),
        random_packing(seed, classes=True, supply=True),
    ][seed % 3]


def table_of(packing: Packing) -> PlanTable:
    assert isinstance(packing.planner, PlanTable)
    return packing.planner


def repeated_packing(seed: int) -> Packing:
    """Agents of few kinds in mixed order, with different counts."""
    rng = np.random.default_rng(seed)
    kinds = [
        [(float(rng.integers(-5, 9)), rng.integers(0, 5, 2).tolist()) for _ in range(int(rng.integers(1, 4)))]
        for _ in range(int(rng.integers(1, 4)))
    ]
    agents = [kinds[int(rng.integers(len(kinds)))] for _ in range(int(rng.integers(2, 6)))]
    counts = [(lo, lo + int(rng.integers(0, 3))) for lo in rng.integers(0, 2, len(agents)).tolist()]
    return table_packing(agents, rng.integers(0, 14, 2).tolist(), counts)


@pytest.mark.parametrize("seed", range(80))
def test_merging_keeps_the_optimum(seed: int) -> None:
    packing = repeated_packing(seed)
    merged, _, classes = presolve.merge(packing, table_of(packing), table_of(packing).classes())
    assert brute_force(merged) == brute_force(packing)
    assert sorted(agent for group in classes.members for agent in group.tolist()) == list(
        range(packing.agent_count)
    )


def random_picks(rng: np.random.Generator, packing: Packing) -> Picks:
    """Any point within the agents' counts; capacities do not matter here."""
    agents, ids = [], []
    for agent in range(packing.agent_count):
        rows = table_of(packing).rows_of(agent)
        for _ in range(int(rng.integers(packing.lo[agent], packing.hi[agent] + 1))):
            agents.append(agent)
            ids.append(int(rng.choice(rows)))
    ones = np.ones(len(ids), dtype=np.int64)
    return Picks(np.array(agents, dtype=np.int64), np.array(ids, dtype=np.int64), ones)


@pytest.mark.parametrize("seed", range(80))
def test_gathering_and_expanding_come_back_to_an_equal_point(seed: int) -> None:
    packing = replace(repeated_packing(seed), capacity=np.full(2, 10**6))
    table = table_of(packing)
    merged, small, classes = presolve.merge(packing, table, table.classes())
    picks = random_picks(np.random.default_rng(seed), packing)
    gathered = classes.gather(picks, table, small)
    assert gathered.fits(merged)
    again = classes.expand(gathered, table, small)
    assert again.fits(packing)
    for point, where in ((gathered, merged), (again, packing)):
        assert point.value(where) == picks.value(packing)
        assert (point.use(where) == picks.use(packing)).all()
    assert (table.agent_of[again.ids] == again.agents).all()
    back = classes.gather(again, table, small)
    assert sorted(zip(back.agents, back.ids, strict=True)) == sorted(
        zip(gathered.agents, gathered.ids, strict=True)
    )


def test_agents_of_different_identity_are_not_merged() -> None:
    packing = table_packing([[(1.0, [1])], [(1.0, [1])], [(1.0, [1])]], [3])
    table = table_of(packing)
    named = PlanTable(table.start, table.value, table.plan_usage, identity=np.array([7, 8, 7]))
    assert named.classes().tolist() == [0, 1, 0]


@pytest.mark.parametrize("seed", range(150))
def test_dropping_what_cannot_fit_keeps_the_optimum(seed: int) -> None:
    packing = toy(seed)
    smaller, _ = presolve.drop_unfit(packing, table_of(packing))
    assert brute_force(smaller) == brute_force(packing)


@pytest.mark.parametrize("seed", range(150))
def test_rounding_capacities_keeps_the_optimum(seed: int) -> None:
    packing = toy(seed)
    rounded = presolve.rounded_capacity(table_of(packing), packing.capacity, packing.lo, packing.hi)
    assert (rounded <= packing.capacity).all()
    assert brute_force(replace(packing, capacity=rounded)) == brute_force(packing)


def test_rounding_does_round() -> None:
    # Both must run: 3 or 5, and 2 or 6. Totals 5, 7, 9, 11: a capacity of 8 is worth 7. Optional: multiples of 4.
    must = table_packing([[(0.0, [3]), (1.0, [5])], [(0.0, [2]), (1.0, [6])]], [8])
    may = table_packing([[(1.0, [4])], [(1.0, [8])]], [11], [(0, 1), (0, 2)])
    for packing, capacity in ((must, 7), (may, 8)):
        rounded = presolve.rounded_capacity(table_of(packing), packing.capacity, packing.lo, packing.hi)
        assert rounded.tolist() == [capacity]


@pytest.mark.parametrize("seed", range(100))
def test_dominated_plans_have_a_better_keeper(seed: int) -> None:
    table = table_of(toy(seed))
    rng = np.random.default_rng(seed)
    rows = table.rows_of(0)
    keepers = rows[rng.random(len(rows)) < 0.6]
    for row, covered in zip(rows, presolve.dominated(table, rows, keepers), strict=True):
        better = any(
            table.value[k] >= table.value[row] and (table.plan_usage[k] <= table.plan_usage[row]).all()
            for k in keepers
        )
        assert covered == better


@pytest.mark.parametrize("seed", range(100))
def test_fixing_keeps_every_point_above_the_cutoff(seed: int) -> None:
    packing = toy(seed)
    optimum = brute_force(packing)
    if optimum is None:
        return
    prices = np.random.default_rng(seed).uniform(0, 3, packing.row_count)
    reduced = reduction.begin(packing)
    bound = evaluate(reduced.packing, prices).bound
    for cutoff in (optimum - 3.0, optimum - 0.5):
        left = reduction.fix(reduced, Proof(), prices, bound, cutoff)
        assert brute_force(left.packing) == pytest.approx(optimum)


@pytest.mark.parametrize("seed", range(100))
def test_keeping_and_rounding_keep_the_optimum_and_lead_back(seed: int) -> None:
    packing = toy(seed)
    optimum = brute_force(packing)
    reduced = reduction.keep_and_round(reduction.begin(packing), Proof())
    if optimum is None:
        assert brute_force(reduced.packing) is None
        return
    assert brute_force(reduced.packing) == pytest.approx(optimum)
    best = price_tree(reduced.packing).picks
    assert best is not None
    merged = reduced.to_merged(best)
    assert merged.fits(reduced.merged)
    whole = reduced.to_whole(merged)
    assert whole.fits(packing)
    assert whole.value(packing) == pytest.approx(optimum)
    back = reduced.from_merged(merged)
    assert back is not None
    assert back.value(reduced.packing) == pytest.approx(optimum)
