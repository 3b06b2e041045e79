"""The planner against enumeration of every schedule: fast kernel, dynamic program, integer planner, boxes, rooms."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from oasis_random import random_box, random_prices, random_problem, random_room

import dmlopt
from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.box import Box
from formulations.oasis.plain import PlainSchedules
from formulations.oasis.planner import OasisPlanner
from formulations.oasis.problem import OasisProblem
from formulations.oasis.reference import every_schedule, use_of
from formulations.oasis.solution import JobSchedule

SEEDS = range(400)


def tasks_in(schedule: JobSchedule, slot: int, place: int | None, split: int) -> int:
    """Workers in a slot (place None), or tasks on a place."""
    workers, ps = schedule.get(slot, ({}, {}))
    if place is None:
        return sum(workers.values())
    return workers.get(place, 0) if place < split else ps.get(place - split, 0)


def in_box(schedule: JobSchedule, claim: int, box: Box, split: int) -> bool:
    limits = [(t, None, each) for t, each in box.workers.items()]
    limits += [(t, p, each) for (t, p), each in box.tasks.items()]
    return box.first <= claim <= box.last and all(
        low <= tasks_in(schedule, t, p, split) <= high for t, p, (low, high) in limits
    )


def row_use(planner: OasisPlanner, agent: int, schedule: JobSchedule) -> IntArray:
    use = np.zeros(planner.row_count, dtype=np.int64)
    split = planner.rows.worker_places
    for (t, side, place, r), amount in use_of(planner.problem.jobs[agent], schedule).items():
        row = planner.rows.at[t - 1, place + side * split, r]
        assert row >= 0
        use[row] += amount
    return use


def plans(planner: OasisPlanner, agent: int, box: Box | None) -> list[tuple[float, IntArray]]:
    """(value, use) of every plan of the box: schedules with the completion slots that they may claim."""
    problem = planner.problem
    job = problem.jobs[agent]
    found = []
    for schedule in every_schedule(problem, agent, surplus=True):
        use = row_use(planner, agent, schedule)
        for claim in range(max(schedule), problem.horizon + 1):
            if box is None or in_box(schedule, claim, box, planner.rows.worker_places):
                found.append((job.utility.value(claim - job.arrival), use))
    return found


def payoff(value: float, use: IntArray, prices: FloatArray) -> float:
    return value - float(use @ prices)


def close(first: float, second: float) -> bool:
    return first == second or abs(first - second) <= 1e-9 * max(1.0, abs(first))


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_enumeration(seed: int) -> None:
    """Fast kernel, dynamic program and enumeration agree on random prices, rooms and boxes."""
    problem = random_problem(seed)
    planner, plain = OasisPlanner(problem), OasisPlanner(problem, compiled=False)
    integer = PlainSchedules(problem)
    random = np.random.default_rng([seed, 7])
    for _ in range(6):
        prices = random_prices(random, planner.row_count)
        room, box = random_room(random, planner), random_box(random, planner, 0)
        every = plans(planner, 0, box)
        fitting = [payoff(v, use, prices) for v, use in every if room is None or (use <= room).all()]
        best = max(fitting, default=-np.inf)
        within = {0: box}
        fast = planner.best_all(prices, room=room, within=within)
        slow = plain.best_all(prices, room=room, within=within)
        assert close(fast.reduced[0], best)
        assert close(slow.reduced[0], best)
        if best > -np.inf:
            check_plan(planner, int(fast.ids[0]), prices, best, room, box)
            check_plan(plain, int(slow.ids[0]), prices, best, room, box)
        check_integers(integer, prices, box, every)
        check_ties(planner, plain, prices, room, box)


def check_ties(
    planner: OasisPlanner,
    plain: OasisPlanner,
    prices: FloatArray,
    room: IntArray | None,
    box: Box | None,
) -> None:
    """`best` is the same schedule, compiled or not."""
    first, second = (each.best(0, prices, room, box) for each in (planner, plain))
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.detail == second.detail
        assert first.value == second.value


def check_plan(
    planner: OasisPlanner, id: int, prices: FloatArray, best: float, room: IntArray | None, box: Box | None
) -> None:
    plan = planner.plan(id)
    use = row_use(planner, 0, plan.detail)
    assert (planner.usage(np.array([id])).toarray()[0] == use).all()
    assert (planner.total_usage(np.array([id, id]), np.array([1, 2])) == 3 * use).all()
    assert close(payoff(plan.value, use, prices), best)
    assert room is None or (use <= room).all()
    assert planner.contains(0, box, np.array([id]))[0]
    assert plan.detail in list(every_schedule(planner.problem, 0, surplus=True))


def check_integers(
    integer: PlainSchedules, prices: FloatArray, box: Box | None, every: list[tuple[float, IntArray]]
) -> None:
    bits = 40
    scaled = np.array([round(price * 2**bits) for price in prices.tolist()], dtype=np.int64)
    exact = [
        math.ceil(Fraction(value) * 2**bits) - sum(int(n) * int(p) for n, p in zip(use, scaled, strict=True))
        for value, use in every
    ]
    assert integer.scaled_best(0, scaled, bits, box) == max(exact, default=None)
    worthless = [-sum(int(n) * int(p) for n, p in zip(use, scaled, strict=True)) for _, use in every]
    assert integer.scaled_best(0, scaled, bits, box, valued=False) == max(worthless, default=None)


@pytest.mark.parametrize("seed", range(150))
def test_halves_hold_every_plan(seed: int) -> None:
    """Of a cut, each plan lies in exactly one half; the cut that a planner proposes separates the plans."""
    problem = random_problem(seed)
    planner = OasisPlanner(problem)
    random = np.random.default_rng([seed, 8])
    ids = []
    for _ in range(8):
        batch = planner.best_all(random_prices(random, planner.row_count))
        ids += [int(batch.ids[0])] if batch.ids[0] >= 0 else []
    chosen = np.unique(np.array(ids, dtype=np.int64))
    weights = np.full(len(chosen), 1.0 / max(len(chosen), 1))
    cut = planner.cut(0, None, chosen, weights)
    assert (cut is None) == (len(chosen) < 2)
    if cut is None:
        return
    first, second = planner.halves(0, None, cut)
    assert PlainSchedules(problem).halves(0, None, cut) == (first, second)
    inside = planner.contains(0, first, chosen)
    assert inside.any()
    assert not inside.all()
    assert (planner.contains(0, second, chosen) == ~inside).all()
    whole = len(plans(planner, 0, None))
    assert len(plans(planner, 0, first)) + len(plans(planner, 0, second)) == whole


@pytest.mark.parametrize("seed", range(60))
def test_slots_are_at_least_as_good_as_chunks(seed: int) -> None:
    slots, chunks = (OasisPlanner(random_problem(seed, work=work)) for work in ("slots", "chunks"))
    random = np.random.default_rng([seed, 9])
    spread = random.uniform(0, 1, slots.rows.at.shape)
    found = [each.best_all(spread[each.rows.at >= 0]).reduced[0] for each in (slots, chunks)]
    assert found[0] >= found[1] - 1e-9


@pytest.mark.parametrize("seed", range(100))
def test_profile_bounds_every_plan(seed: int) -> None:
    problem = random_problem(seed)
    planner = OasisPlanner(problem)
    random = np.random.default_rng([seed, 10])
    prices = random_prices(random, planner.row_count)
    profile = planner.profile(0, prices)
    job = problem.jobs[0]
    for schedule in every_schedule(problem, 0):
        finish = max(schedule)
        reached = payoff(job.utility.value(finish - job.arrival), row_use(planner, 0, schedule), prices)
        assert reached <= profile[finish - 1] + 1e-9


def test_floor() -> None:
    """A plan must be strictly above the floor."""
    planner = next(p for p in map(planner_of, range(20)) if p.derived[0].schedulable)
    prices = np.zeros(planner.row_count)
    best = float(planner.best_all(prices).reduced[0])
    for floor, found in ((best - 0.01, True), (best, False), (best + 1, False)):
        assert (planner.best(0, prices, floor=floor) is not None) == found
        assert (planner.best_all(prices, floor=np.array([floor])).ids[0] >= 0) == found


def planner_of(seed: int) -> OasisPlanner:
    return OasisPlanner(random_problem(seed))


@pytest.mark.parametrize(
    "cut",
    [
        None,
        [],
        {},
        {"completion": 0},
        {"completion": 1.0},
        {"completion": True},
        {"slot": 1},
        {"slot": 99, "workers": 1},
        {"slot": 1, "workers": -1},
        {"slot": 1, "place": 99, "tasks": 1},
        {"completion": 1, "slot": 1},
    ],
)
def test_malformed_cuts_are_refused(cut: object) -> None:
    problem: OasisProblem = random_problem(2)
    for planner in (OasisPlanner(problem), PlainSchedules(problem)):
        with pytest.raises(InputError):
            planner.halves(0, None, cut)


@pytest.mark.parametrize("seed", range(60))
def test_larger_jobs(seed: int) -> None:
    """Beyond enumeration: fast kernel, dynamic program and integer planner agree on jobs of real size."""
    random = np.random.default_rng([seed, 11])
    problem = dmlopt.generate(
        "oasis",
        jobs=4,
        seed=seed,
        horizon=int(random.integers(5, 40)),
        servers=int(random.integers(1, 6)),
        scale=str(random.choice(["toy", "paper"])),
        cluster=str(random.choice(["toy", "ec2-mixed"])),
        view=str(random.choice(["pooled", "per-server"])),
        work=str(random.choice(["slots", "chunks"])),
        tau_max=0.002,
    )
    fast, slow = OasisPlanner(problem), OasisPlanner(problem, compiled=False)
    integer = PlainSchedules(problem)
    for _ in range(3):
        prices = random_prices(random, fast.row_count) * 10 ** random.uniform(-4, 1)
        room = random_room(random, fast)
        within = {agent: random_box(random, fast, agent) for agent in range(4)}
        first = fast.best_all(prices, room=room, within=within).reduced
        second = slow.best_all(prices, room=room, within=within).reduced
        assert all(map(close, first.tolist(), second.tolist()))
        if room is None:
            scaled = np.round(prices * 2**40).astype(np.int64)
            for agent, payoff in enumerate(first.tolist()):
                exact = integer.scaled_best(agent, scaled, 40, within[agent])
                assert (exact is None) == (payoff == -np.inf)
                assert exact is None or exact / 2**40 == pytest.approx(payoff, rel=1e-6, abs=1e-6)
