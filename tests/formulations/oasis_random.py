"""Random tiny OASiS problems, prices, rooms and boxes: small enough to enumerate every schedule."""

from __future__ import annotations

import numpy as np

from dmlopt.cluster import ResourceKind
from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.box import Box, whole_box
from formulations.oasis.planner import OasisPlanner
from formulations.oasis.problem import Job, OasisProblem, ServerGroup
from formulations.oasis.utility import Sigmoid, TableUtility, Utility


def random_utility(random: np.random.Generator, horizon: int) -> Utility:
    if random.random() < 0.2:
        values = np.sort(random.uniform(0.1, 20, horizon))[::-1]
        return TableUtility(tuple(np.round(values, 3).tolist()))
    decay = random.choice([0.0, 0.3, 1.0, 4.0])
    return Sigmoid(round(random.uniform(1, 30), 3), float(decay), float(random.integers(0, 4)))


def random_job(random: np.random.Generator, horizon: int, kinds: int) -> Job:
    demand = random.integers(0, 3, (2, kinds))
    demand[:, random.integers(kinds)] += 1
    return Job(
        arrival=int(random.integers(1, horizon + 1)) if random.random() < 0.5 else 1,
        epochs=int(random.integers(1, 3)),
        chunks=int(random.integers(1, 4)),
        minibatches=int(random.integers(1, 3)),
        minibatch_seconds=float(random.choice([0.1, 0.25, 0.4, 0.7])),
        gradient_bytes=float(random.choice([0.0, 0.00625, 0.0125])),
        worker_bits_per_second=float(random.choice([1.0, 2.0])),
        ps_bits_per_second=float(random.choice([1.0, 2.0, 3.0, 5.0])),
        worker=tuple(demand[0].tolist()),
        ps=tuple(demand[1].tolist()),
        utility=random_utility(random, horizon),
    )


def random_groups(random: np.random.Generator, kinds: int, largest: int) -> tuple[ServerGroup, ...]:
    count = int(random.integers(1, 3))
    return tuple(
        ServerGroup(
            str(random.choice(["a", "b"])),
            tuple(random.integers(0 if kinds > 1 else 1, largest + 1, kinds).tolist()),
            int(random.integers(1, 3)) if count == 1 else 1,
        )
        for _ in range(count)
    )


def random_problem(seed: int, jobs: int = 1, horizon: int = 4, work: str | None = None) -> OasisProblem:
    """A tiny problem in a random view and work mode; often some job is hopeless."""
    random = np.random.default_rng(seed)
    kinds = int(random.integers(1, 3))
    slots = int(random.integers(1, horizon + 1))
    view = str(random.choice(["per-server", "pooled"]))
    return OasisProblem(
        tuple(ResourceKind(f"r{r}", "unit") for r in range(kinds)),
        slots,
        1.0,
        random_groups(random, kinds, 5),
        random_groups(random, kinds, 4),
        tuple(random_job(random, slots, kinds) for _ in range(jobs)),
        view=view,
        pool_rooms=view == "pooled" and bool(random.random() < 0.5),
        work=work or str(random.choice(["slots", "chunks"])),
    )


def random_prices(random: np.random.Generator, rows: int) -> FloatArray:
    """Generic prices, prices with many ties, or many zeros."""
    kind = random.integers(3)
    if kind == 0:
        return random.uniform(0, 3, rows)
    if kind == 1:
        return random.choice([0.1, 0.5, 2.0], rows)
    return random.uniform(0, 8, rows) * (random.random(rows) < 0.4)


def random_room(random: np.random.Generator, planner: OasisPlanner) -> IntArray | None:
    if random.random() < 0.4:
        return None
    capacity = planner.rows.row_capacity()
    return np.where(random.random(len(capacity)) < 0.5, capacity, random.integers(0, capacity + 1))


def random_box(random: np.random.Generator, planner: OasisPlanner, agent: int) -> Box | None:
    """The box after up to four random cuts."""
    if random.random() < 0.3:
        return None
    problem = planner.problem
    slots = (problem.jobs[agent].arrival, problem.horizon)
    box = whole_box(*slots)
    for _ in range(random.integers(1, 5)):
        slot = int(random.integers(slots[0], slots[1] + 1))
        place = int(random.integers(planner.rows.place_count))
        cuts = (
            {"completion": slot},
            {"slot": slot, "workers": int(random.integers(0, 3))},
            {"slot": slot, "place": place, "tasks": int(random.integers(0, 2))},
        )
        box = planner.halves(agent, box, cuts[random.integers(3)])[random.integers(2)]
    return box
