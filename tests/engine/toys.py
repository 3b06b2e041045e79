"""Small problems (P) with answers found by trying everything, and a planner that does not list its plans."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dmlopt.packing import Packing, Picks, Plan, PlanBatch
from dmlopt.table import PlanTable


def table_packing(
    plans: list[list[tuple[float, list[int]]]],
    capacity: list[int],
    counts: list[tuple[int, int]] | None = None,
    **more: Any,
) -> Packing:
    """(P) from lists: per agent its plans (value, usage), per agent (lo, hi), default (1, 1)."""
    counts = counts or [(1, 1)] * len(plans)
    flat = [plan for agent in plans for plan in agent]
    usage = np.array([use for _, use in flat], dtype=np.int64).reshape(len(flat), len(capacity))
    table = PlanTable(
        np.cumsum([0] + [len(agent) for agent in plans]), np.array([value for value, _ in flat]), usage
    )
    return Packing(
        table,
        np.array(capacity, dtype=np.int64),
        np.array([lo for lo, _ in counts], dtype=np.int64),
        np.array([hi for _, hi in counts], dtype=np.int64),
        tuple(f"row{m}" for m in range(len(capacity))),
        pure=bool((usage >= 0).all()) if usage.size else True,
        **more,
    )


def random_packing(seed: int, classes: bool = False, supply: bool = False) -> Packing:
    """A tiny random (P); with classes of several agents, with plans that supply capacity."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 4))
    agents = int(rng.integers(1, 5))
    plans, counts = [], []
    for agent in range(agents):
        supplies = supply and agent == 0
        low, high = (-5, 1) if supplies else (0, 6)
        plans.append(
            [
                (float(rng.integers(-20, 20)), rng.integers(low, high, rows).tolist())
                for _ in range(int(rng.integers(1, 5)))
            ]
        )
        lo = int(rng.integers(0, 2))
        hi = lo + int(rng.integers(0, 4)) if classes else 1
        counts.append((lo, max(hi, 1)))
    if rng.random() < 0.3:  # identical agents
        plans.append(plans[-1])
        counts.append(counts[-1])
    capacity = rng.integers(0, 3 if supply else 16, rows).tolist()
    return table_packing(plans, capacity, counts)


def tight_packing(seed: int) -> Packing:
    """Agents that must run and trade one row against another, capacities just about enough: trees, rays, rounding."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 4))
    step = int(rng.integers(1, 4))
    plans = []
    for _ in range(int(rng.integers(3, 7))):
        uses = rng.integers(0, 6, (int(rng.integers(2, 6)), rows)) * step
        plans.append([(float(use.sum() // 2 + rng.integers(-4, 5)), use.tolist()) for use in uses])
    least = np.array([np.min([use for _, use in agent], axis=0) for agent in plans]).sum(axis=0)
    middle = np.array([np.mean([use for _, use in agent], axis=0) for agent in plans]).sum(axis=0)
    capacity = (least + rng.uniform(0.1, 0.8, rows) * (middle - least)).astype(int)
    return table_packing(plans, capacity.tolist())


def brute_force(packing: Packing) -> float | None:
    """The optimum by trying every multiset of plans of every agent; None when nothing is feasible."""
    table = packing.planner
    assert isinstance(table, PlanTable)
    states: dict[tuple[int, ...], float] = {(0,) * packing.row_count: packing.offset}
    for agent in range(packing.agent_count):
        rows = table.rows_of(agent)
        choices: dict[tuple[int, ...], float] = {}
        for count in range(int(packing.lo[agent]), int(packing.hi[agent]) + 1):
            for bundle in itertools.combinations_with_replacement(rows.tolist(), count):
                use = (
                    tuple(table.plan_usage[list(bundle)].sum(axis=0).tolist())
                    if bundle
                    else (0,) * packing.row_count
                )
                value = float(table.value[list(bundle)].sum()) if bundle else 0.0
                choices[use] = max(choices.get(use, -np.inf), value)
        combined: dict[tuple[int, ...], float] = {}
        for (used, value), (more, gain) in itertools.product(states.items(), choices.items()):
            total = tuple(a + b for a, b in zip(used, more, strict=True))
            combined[total] = max(combined.get(total, -np.inf), value + gain)
        states = combined
    fits = [v for use, v in states.items() if all(u <= c for u, c in zip(use, packing.capacity, strict=True))]
    return max(fits, default=None)


Box = tuple[tuple[int, int], ...]


class BoxPlanner:
    """A plan takes x_k in {0, ..., top} of each item k with sum_k weight_k x_k <= size; plans are never listed.

    value = sum of worth, usage = sum of need over the items taken. Plans get ids when they are first met. A part is a box
    of limits per item, a cut is (item, limit): x_item <= limit or x_item >= limit + 1. It is its own plain planner.
    """

    def __init__(self, worth: Any, need: Any, weight: Any, size: Any, top: int = 2, base: Any = None) -> None:
        self.worth = np.asarray(worth, dtype=np.float64)  # agents x items
        self.need = np.asarray(need, dtype=np.int64)  # agents x items x rows
        self.weight = np.asarray(weight, dtype=np.int64)  # agents x items
        self.size = np.asarray(size, dtype=np.int64)
        self.top = top
        self.base = np.zeros(len(self.worth)) if base is None else np.asarray(base, dtype=np.float64)
        self._plans: list[tuple[int, tuple[int, ...]]] = []
        self._ids: dict[tuple[int, tuple[int, ...]], int] = {}

    @property
    def agent_count(self) -> int:
        return len(self.worth)

    @property
    def row_count(self) -> int:
        return int(self.need.shape[2])

    def every(self, agent: int, box: Box | None = None) -> list[tuple[int, ...]]:
        box = box or ((0, self.top),) * self.worth.shape[1]
        ranges = [range(lo, hi + 1) for lo, hi in box]
        return [x for x in itertools.product(*ranges) if self.weight[agent] @ x <= self.size[agent]]

    def _id(self, agent: int, x: tuple[int, ...]) -> int:
        if (agent, x) not in self._ids:
            self._ids[agent, x] = len(self._plans)
            self._plans.append((agent, x))
        return self._ids[agent, x]

    def plan(self, id: int) -> Plan:
        agent, x = self._plans[id]
        use = self._use(agent, x)
        rows = np.flatnonzero(use)
        return Plan(id, agent, self._value(agent, x), rows, use[rows], x)

    def _value(self, agent: int, x: tuple[int, ...]) -> float:
        return float(self.base[agent] + self.worth[agent] @ x)

    def _use(self, agent: int, x: tuple[int, ...]) -> Any:
        return self.need[agent].T @ np.array(x)

    def best(
        self, agent: int, prices: Any, room: Any = None, within: Any = None, floor: float = -np.inf
    ) -> Any:
        found, best = None, floor
        for x in self.every(agent, within):
            use = self._use(agent, x)
            if room is not None and (use > room).any():
                continue
            reward = self._value(agent, x) - float(use @ prices)
            if reward > best:
                found, best = x, reward
        return None if found is None else self.plan(self._id(agent, found))

    def best_all(
        self,
        prices: Any,
        agents: Any = None,
        room: Any = None,
        within: Mapping[int, Any] | None = None,
        floor: Any = None,
    ) -> PlanBatch:
        chosen = np.arange(self.agent_count) if agents is None else agents
        plans = [
            self.best(
                int(a), prices, room, (within or {}).get(int(a)), -np.inf if floor is None else floor[i]
            )
            for i, a in enumerate(chosen)
        ]
        return PlanBatch(
            chosen,
            np.array([-1 if p is None else p.id for p in plans], dtype=np.int64),
            np.array([0.0 if p is None else p.value for p in plans]),
            np.array([-np.inf if p is None else p.value - float(p.amounts @ prices[p.rows]) for p in plans]),
        )

    def values(self, ids: Any) -> Any:
        return np.array([self._value(*self._plans[i]) for i in ids], dtype=np.float64)

    def usage(self, ids: Any) -> csr_array:
        rows = [self._use(*self._plans[i]) for i in ids]
        return csr_array(np.array(rows, dtype=np.int64).reshape(len(rows), self.row_count))

    def total_usage(self, ids: Any, counts: Any) -> Any:
        return np.asarray(self.usage(ids).T @ counts, dtype=np.int64)

    def contains(self, agent: int, part: Any, ids: Any) -> Any:
        if part is None:
            return np.ones(len(ids), dtype=bool)
        return np.array(
            [all(lo <= v <= hi for v, (lo, hi) in zip(self._plans[i][1], part, strict=True)) for i in ids],
            dtype=bool,
        )

    def cut(self, agent: int, part: Any, ids: Any, weights: Any) -> Any:
        points = np.array([self._plans[i][1] for i in ids])
        spread = points.max(axis=0) - points.min(axis=0)
        if not spread.any():
            return None
        item = int(np.argmax(spread))
        return [item, int(np.floor((points[:, item].min() + points[:, item].max()) / 2))]

    def halves(self, agent: int, part: Any, cut: Any) -> tuple[Any, Any]:
        item, limit = cut
        box = list(part or ((0, self.top),) * self.worth.shape[1])
        lo, hi = box[item]
        return (
            (*box[:item], (lo, min(hi, limit)), *box[item + 1 :]),
            (*box[:item], (max(lo, limit + 1), hi), *box[item + 1 :]),
        )

    def magnitude(self, prices: Any) -> float:
        return float(
            np.abs(self.base).max()
            + np.abs(self.worth).sum() * self.top
            + np.abs(self.need).sum() * self.top * (np.abs(prices).max(initial=0.0))
        )

    headroom = magnitude

    def scaled_best(
        self, agent: int, prices: Any, bits: int, within: Any = None, valued: bool = True
    ) -> int | None:
        scores = [
            (int(np.ceil(np.ldexp(self._value(agent, x), bits))) if valued else 0)
            - sum(int(u) * int(p) for u, p in zip(self._use(agent, x), prices, strict=True))
            for x in self.every(agent, within)
        ]
        return max(scores, default=None)

    def scaled_best_all(self, prices: Any, bits: int, agents: Any = None, valued: bool = True) -> Any:
        chosen = range(self.agent_count) if agents is None else agents
        best = [self.scaled_best(int(a), prices, bits, None, valued) for a in chosen]
        return np.array([b or 0 for b in best], dtype=np.int64), np.array([b is not None for b in best])


def box_packing(seed: int, supply: bool = False) -> Packing:
    """A tiny (P) over a BoxPlanner; with classes of several agents, and one that supplies capacity if asked."""
    rng = np.random.default_rng(seed)
    agents, items, rows = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 3))
    need = rng.integers(0, 5, (agents, items, rows))
    worth = rng.integers(-3, 15, (agents, items)).astype(float)
    if supply:
        need[0], worth[0] = -need[0], -np.abs(worth[0])
    planner = BoxPlanner(worth, need, rng.integers(1, 4, (agents, items)), rng.integers(2, 8, agents))
    lo = rng.integers(0, 2, agents)
    return Packing(
        planner,
        rng.integers(0, 12, rows),
        lo,
        np.maximum(lo + rng.integers(0, 2, agents), 1),
        tuple(f"row{m}" for m in range(rows)),
        pure=not supply,
    )


def listed(packing: Packing) -> Packing:
    """The same (P) with every plan of a BoxPlanner listed."""
    planner = packing.planner
    assert isinstance(planner, BoxPlanner)
    plans = [
        [(planner._value(agent, x), planner._use(agent, x).tolist()) for x in planner.every(agent)]
        for agent in range(planner.agent_count)
    ]
    counts = list(zip(packing.lo.tolist(), packing.hi.tolist(), strict=True))
    return table_packing(plans, packing.capacity.tolist(), counts)


def value_of(picks: Picks | None, packing: Packing) -> float | None:
    """Value of a point after checking that it is one."""
    if picks is None:
        return None
    assert picks.fits(packing)
    return picks.value(packing)
