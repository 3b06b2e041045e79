"""Column generation over a planner that lists nothing: the LP over all plans, bounds that hold in every round, limits."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from dmlopt.control import Clock
from dmlopt.engine.certificate import recompute
from dmlopt.engine.column_generation import ColumnGeneration
from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.evaluate import evaluate
from dmlopt.engine.lagrangian import lagrangian, price_scale
from dmlopt.engine.presolve import steepness
from dmlopt.engine.proof import Proof
from dmlopt.engine.root_lp import RootLP, solve_root
from dmlopt.engine.subgradient import subgradient
from dmlopt.packing import Packing
from tests.engine.linear import relaxation
from tests.engine.slots import (
    PlainSlots,
    SlotPlanner,
    Slots,
    large_slots,
    listed_slots,
    plain,
    random_slots,
    slot_packing,
)
from tests.engine.test_limits import CountingClock
from tests.engine.toys import random_packing


def certificate(packing: Packing, root: RootLP) -> dict[str, Any]:
    proof = Proof()
    root.prove(proof)
    return proof.certificate(packing.planner, steepness(packing))


# ---------------------------------------------------------------- the toy itself


@pytest.mark.parametrize("seed", range(40))
def test_the_slot_planner_and_its_plain_twin_match_enumeration(seed: int) -> None:
    packing = random_slots(seed)
    planner = packing.planner
    assert isinstance(planner, SlotPlanner)
    data, rng = planner.data, np.random.default_rng(seed)
    prices = rng.integers(0, 40, packing.row_count) / 8.0
    room = rng.integers(0, 6, packing.row_count)
    batch = planner.best_all(prices, room=room)
    for agent in range(data.agents):
        part = None
        for cut in (["finish", int(rng.integers(1, 4))], ["slot", int(rng.integers(0, 5))]):
            expected, fitting = [], []
            for slots in data.every(agent, part):
                plan = planner.plan(planner.id_of(agent, slots))
                payoff = plan.value - float(plan.amounts @ prices[plan.rows])
                expected.append(payoff)
                if (plan.amounts <= room[plan.rows]).all():
                    fitting.append(payoff)
            best = planner.best(agent, prices, within=part)
            assert (best is None) == (not expected)
            scaled = PlainSlots(data).scaled_best(agent, (prices * 2**30).astype(np.int64), 30, part)
            if best is not None:
                assert best.value - best.amounts @ prices[best.rows] == pytest.approx(max(expected))
                assert scaled == round(max(expected) * 2**30)
            if part is None and fitting:
                assert batch.reduced[agent] == pytest.approx(max(fitting))
            part = data.halves(agent, part, cut)[int(rng.integers(2))]


# ---------------------------------------------------------------- the LP and its bounds


@pytest.mark.parametrize("must", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_generated_columns_reach_the_lp_over_all_plans(seed: int, must: bool) -> None:
    packing = random_slots(seed, must=must)
    full = relaxation(listed_slots(packing))
    root = solve_root(packing)
    proved = recompute(certificate(packing, root), plain(packing))
    if full is None:
        assert root.node.kind in ("ray", "empty")
        assert proved.infeasible
        return
    assert root.node.kind == "leaf"
    assert root.node.bound == pytest.approx(full, rel=1e-8, abs=1e-8)
    assert root.node.point is not None
    assert root.node.point.value == pytest.approx(full, rel=1e-8, abs=1e-8)
    assert proved.value == pytest.approx(full, rel=1e-6, abs=1e-6)
    assert proved.value >= full - 1e-9 * max(1.0, abs(full))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("smoothing", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("steps", [0, 5])
def test_every_round_bounds_the_lp_from_both_sides(seed: int, smoothing: float, steps: int) -> None:
    packing = random_slots(seed, agents=6, horizon=6)
    full = relaxation(listed_slots(packing))
    assert full is not None
    rounds: list[tuple[float, float]] = []
    lp = ColumnLP(packing, *price_scale(packing))
    work = ColumnGeneration(
        packing, lp, smoothing=smoothing, steps=steps, tell=lambda value, bound: rounds.append((value, bound))
    )
    known = evaluate(packing, np.zeros(packing.row_count))
    found = work.run({}, known, lambda bound: False)
    values, bounds = zip(*rounds, strict=True)
    assert found.complete
    assert all(value <= full + 1e-7 for value in values)
    assert all(bound >= full - 1e-7 for bound in bounds)
    assert list(values) == sorted(values) or np.all(np.diff(values) > -1e-7)
    assert np.all(np.diff(bounds) <= 0)
    assert found.best.bound == pytest.approx(full, rel=1e-8)
    assert work.cost.rounds == len(rounds)


def test_a_gap_stops_early_with_a_bound_that_holds() -> None:
    packing = large_slots(3, agents=40, horizon=40, classes=2, kinds=3)
    exact = solve_root(packing, gap=1e-6)
    early = solve_root(packing, gap=1e-2)
    assert early.node.point is not None
    assert exact.node.point is not None
    assert early.cost.rounds < exact.cost.rounds
    assert early.node.bound >= exact.node.point.value * (1 - 1e-9)
    assert early.node.bound - early.node.point.value <= 1e-2 * early.node.bound
    proved = recompute(certificate(packing, early), plain(packing)).value
    assert proved == pytest.approx(early.node.bound, rel=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_subgradient_steps_stay_above_the_best_bound(seed: int) -> None:
    packing = large_slots(seed, agents=15, horizon=20, kinds=2)
    best = solve_root(packing).node.bound
    quick = subgradient(packing)
    assert quick.bound >= best * (1 - 1e-9)
    assert quick.bound <= best * 1.05
    assert evaluate(packing, quick.prices).bound == quick.bound


@pytest.mark.parametrize("seed", range(10))
def test_tables_too(seed: int) -> None:
    packing = random_packing(seed)
    full, root = relaxation(packing), solve_root(packing)
    if full is None:
        assert root.node.kind in ("ray", "empty")
    else:
        assert root.node.bound == pytest.approx(full, abs=1e-7)


class _Generous(SlotPlanner):
    """Also offers, for every agent, the best plan at doubled prices."""

    asked = 0

    def several(self, prices: Any, within: Mapping[int, Any] | None = None) -> tuple[Any, Any]:
        self.asked += 1
        batch = self.best_all(2.0 * prices, within=within)
        good = batch.ids >= 0
        return batch.agents[good], batch.ids[good]


def test_a_planner_may_offer_several_columns() -> None:
    packing = random_slots(5, agents=8, horizon=7)
    assert isinstance(packing.planner, SlotPlanner)
    planner = _Generous(packing.planner.data)
    generous = slot_packing(planner.data, packing.capacity.reshape(7, -1), planner=planner)
    assert solve_root(generous).node.bound == pytest.approx(solve_root(packing).node.bound, rel=1e-8)
    assert planner.asked > 0


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("asks", [0, 1, 2, 5, 10, 30, 100])
@pytest.mark.parametrize("interrupts", [False, True])
def test_whenever_it_is_stopped_the_bound_holds(asks: int, interrupts: bool) -> None:
    for seed in (1, 2):
        packing = random_slots(seed, must=seed == 2)
        full = relaxation(listed_slots(packing))
        root = solve_root(packing, CountingClock(asks, interrupts))
        proved = recompute(certificate(packing, root), plain(packing))
        if full is not None:
            assert not proved.infeasible
            assert proved.value >= full - 1e-9


@pytest.mark.parametrize("seconds", [0.0, 0.2, 1.0])
def test_a_time_limit_is_kept(seconds: float) -> None:
    packing = large_slots(1)
    began = time.perf_counter()
    root = solve_root(packing, Clock(seconds), gap=1e-9)
    assert time.perf_counter() - began < seconds + 2.0
    assert root.node.kind == "leaf"
    assert np.isfinite(root.node.bound)


def test_must_run_agents_that_cannot_all_run_are_proven_infeasible() -> None:
    # Three agents need two of three slots each, one at a time: 6 slots of work, 3 slots.
    three = np.zeros(3, dtype=np.int64)
    data = Slots(3, three, three + 2, np.ones((3, 1), dtype=np.int64), three + 10.0, three, three * 1.0)
    packing = slot_packing(data, [1], must=True)
    root = solve_root(packing)
    assert root.node.kind == "ray"
    assert recompute(certificate(packing, root), plain(packing)).infeasible
    assert solve_root(slot_packing(data, [2], must=True)).node.kind == "leaf"


def test_cutting_planes_agree_where_there_are_few_rows() -> None:
    packing = random_slots(11, agents=6)
    assert lagrangian(packing).point.bound == pytest.approx(solve_root(packing).node.bound, rel=1e-6)
