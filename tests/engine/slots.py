"""A planner that generates its plans: every agent needs some slots of a horizon, any slots, the last one decides its value.

Agent i needs `need[i]` of the slots arrival[i], ..., T - 1 and uses demand[i, r] of resource r in each of them. Its value is
worth[i] minus penalty[i] for every slot that its last one lies after deadline[i]. Rows are (slot, resource), slot first.
At prices the slots of a plan that is done by slot t are the cheapest ones up to t. A part is (first, last, forced,
forbidden): the last slot lies in first .. last, the forced slots are used, the forbidden ones are not.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dmlopt.errors import InputError
from dmlopt.packing import Packing, Plan, PlanBatch
from dmlopt.table import PlanTable

Part = tuple[int, int, frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class Slots:
    """The data of all agents."""

    horizon: int
    arrival: Any
    need: Any
    demand: Any  # agents x resources
    worth: Any
    deadline: Any
    penalty: Any

    @property
    def agents(self) -> int:
        return len(self.arrival)

    @property
    def resources(self) -> int:
        return int(self.demand.shape[1])

    def value(self, agent: int, last: int) -> float:
        late = max(0, last - int(self.deadline[agent]))
        return float(self.worth[agent]) - float(self.penalty[agent]) * late

    def part(self, part: Part | None) -> Part:
        return (0, self.horizon - 1, frozenset(), frozenset()) if part is None else part

    def halves(self, agent: int, part: Part | None, cut: Any) -> tuple[Part, Part]:
        first, last, forced, forbidden = self.part(part)
        if not isinstance(cut, list) or len(cut) != 2 or cut[0] not in ("finish", "slot"):
            raise InputError("expected ['finish', slot] or ['slot', slot]")
        kind, at = cut
        if type(at) is not int or not 0 <= at < self.horizon:
            raise InputError("expected a slot")
        if kind == "finish":
            return (first, min(last, at), forced, forbidden), (max(first, at + 1), last, forced, forbidden)
        return (first, last, forced | {at}, forbidden), (first, last, forced, forbidden | {at})

    def every(self, agent: int, part: Part | None = None) -> Iterator[tuple[int, ...]]:
        """All plans, by trying everything."""
        first, last, forced, forbidden = self.part(part)
        free = range(int(self.arrival[agent]), self.horizon)
        for slots in itertools.combinations(free, int(self.need[agent])):
            if first <= slots[-1] <= last and forced <= set(slots) and not forbidden & set(slots):
                yield slots


class SlotPlanner:
    """Best plans by the cheapest slots; a plan gets its id when it is first met."""

    def __init__(self, data: Slots) -> None:
        self.data = data
        self._ids: dict[tuple[int, tuple[int, ...]], int] = {}
        self._agent: list[int] = []
        self._slots: list[tuple[int, ...]] = []
        self._value: list[float] = []
        self._rows: list[Any] = []
        self._amounts: list[Any] = []
        self._used = [np.flatnonzero(row) for row in data.demand]

    @property
    def agent_count(self) -> int:
        return self.data.agents

    @property
    def row_count(self) -> int:
        return self.data.horizon * self.data.resources

    def id_of(self, agent: int, slots: tuple[int, ...]) -> int:
        name = (agent, slots)
        if name not in self._ids:
            self._ids[name] = len(self._agent)
            used = self._used[agent]
            rows = (np.array(slots, dtype=np.int64)[:, None] * self.data.resources + used).ravel()
            self._agent.append(agent)
            self._slots.append(slots)
            self._value.append(self.data.value(agent, slots[-1]))
            self._rows.append(rows)
            self._amounts.append(np.tile(self.data.demand[agent][used], len(slots)))
        return self._ids[name]

    def plan(self, id: int) -> Plan:
        return Plan(id, self._agent[id], self._value[id], self._rows[id], self._amounts[id], self._slots[id])

    def _costs(self, prices: Any, agents: Any, room: Any) -> Any:
        data = self.data
        by_slot = np.asarray(prices).reshape(data.horizon, data.resources)
        costs = data.demand[agents] @ by_slot.T
        early = np.arange(data.horizon)[None, :] < data.arrival[agents][:, None]
        costs = np.where(early, np.inf, costs)
        if room is not None:
            left = np.asarray(room).reshape(data.horizon, data.resources)
            for place, agent in enumerate(agents):
                used = self._used[agent]
                costs[place, (left[:, used] < data.demand[agent][used]).any(axis=1)] = np.inf
        return costs

    def _cheapest(self, agent: int, costs: Any) -> tuple[float, tuple[int, ...]] | None:
        """Best payoff and slots: of equal payoffs the earliest finish, of equal slots the earlier."""
        data, need = self.data, int(self.data.need[agent])
        worth, deadline = float(data.worth[agent]), int(data.deadline[agent])
        penalty = float(data.penalty[agent])
        heap: list[tuple[float, int]] = []
        total, best, at = 0.0, -np.inf, -1
        tie = 1e-9 * max(1.0, abs(worth))
        for slot, cost in enumerate(costs.tolist()):
            if cost == np.inf:
                continue
            if len(heap) < need:
                heapq.heappush(heap, (-cost, -slot))
                total += cost
                if len(heap) < need:
                    continue
            elif cost < -heap[0][0]:
                total += cost + heapq.heapreplace(heap, (-cost, -slot))[0]
            else:
                continue
            payoff = worth - penalty * max(0, slot - deadline) - total
            if payoff > best + tie:
                best, at = payoff, slot
        if at < 0:
            return None
        order = np.argsort(costs[: at + 1], kind="stable")[:need]
        return self._scored(agent, tuple(sorted(order.tolist())), costs)

    def _scored(self, agent: int, slots: tuple[int, ...], costs: Any) -> tuple[float, tuple[int, ...]]:
        return self.data.value(agent, slots[-1]) - float(costs[list(slots)].sum()), slots

    def _inside(self, agent: int, costs: Any, part: Part) -> tuple[float, tuple[int, ...]] | None:
        first, last, forced, forbidden = part
        need, found = int(self.data.need[agent]), None
        order = [s for s in np.argsort(costs, kind="stable").tolist() if s not in forbidden]
        order = sorted((s for s in order if costs[s] < np.inf), key=lambda s: s not in forced)
        for finish in range(first, last + 1):
            before = [slot for slot in order if slot < finish][: need - 1]
            slots = tuple(sorted([*before, finish]))
            if finish in order and len(slots) == need and forced <= set(slots):
                scored = self._scored(agent, slots, costs)
                if found is None or scored[0] > found[0]:
                    found = scored
        return found

    def best(
        self, agent: int, prices: Any, room: Any = None, within: Any = None, floor: float = -np.inf
    ) -> Plan | None:
        costs = self._costs(prices, np.array([agent]), room)[0]
        found = self._cheapest(agent, costs) if within is None else self._inside(agent, costs, within)
        return None if found is None or found[0] <= floor else self.plan(self.id_of(agent, found[1]))

    def best_all(
        self,
        prices: Any,
        agents: Any = None,
        room: Any = None,
        within: Mapping[int, Any] | None = None,
        floor: Any = None,
    ) -> PlanBatch:
        chosen = np.arange(self.agent_count) if agents is None else np.asarray(agents)
        costs = self._costs(prices, chosen, room)
        ids, payoffs = [], []
        for place, agent in enumerate(chosen.tolist()):
            part = (within or {}).get(agent)
            own = costs[place]
            found = self._cheapest(agent, own) if part is None else self._inside(agent, own, part)
            low = -np.inf if floor is None else floor[place]
            good = found is not None and found[0] > low
            ids.append(self.id_of(agent, found[1]) if found is not None and good else -1)
            payoffs.append(found[0] if found is not None and good else -np.inf)
        values = [self._value[id] if id >= 0 else 0.0 for id in ids]
        return PlanBatch(chosen, np.array(ids, dtype=np.int64), np.array(values), np.array(payoffs))

    def values(self, ids: Any) -> Any:
        return np.array([self._value[id] for id in ids], dtype=np.float64)

    def usage(self, ids: Any) -> csr_array:
        rows = [self._rows[id] for id in ids]
        indptr = np.concatenate([[0], np.cumsum([len(each) for each in rows])]).astype(np.int64)
        none = np.empty(0, dtype=np.int64)
        data = np.concatenate([none, *(self._amounts[id] for id in ids)])
        return csr_array((data, np.concatenate([none, *rows]), indptr), shape=(len(rows), self.row_count))

    def total_usage(self, ids: Any, counts: Any) -> Any:
        total = np.zeros(self.row_count, dtype=np.int64)
        for id, count in zip(ids, counts, strict=True):
            total[self._rows[id]] += self._amounts[id] * count
        return total

    def contains(self, agent: int, part: Any, ids: Any) -> Any:
        first, last, forced, forbidden = self.data.part(part)
        plans = [set(self._slots[id]) for id in ids]
        return np.array(
            [first <= max(p) <= last and forced <= p and not forbidden & p for p in plans], dtype=bool
        )

    def cut(self, agent: int, part: Any, ids: Any, weights: Any) -> Any:
        last = np.array([self._slots[id][-1] for id in ids])
        if last.min() < last.max():
            middle = int(np.floor(last @ weights / weights.sum()))
            return ["finish", min(max(middle, int(last.min())), int(last.max()) - 1)]
        sets = [set(self._slots[id]) for id in ids]
        torn = sorted(set.union(*sets) - set.intersection(*sets))
        if not torn:
            return None
        share = [sum(w for s, w in zip(sets, weights, strict=True) if slot in s) for slot in torn]
        middle = 0.5 * float(np.sum(weights))
        return ["slot", torn[int(np.argmin([abs(each - middle) for each in share]))]]

    def halves(self, agent: int, part: Any, cut: Any) -> tuple[Any, Any]:
        return self.data.halves(agent, part, cut)

    def magnitude(self, prices: Any) -> float:
        data = self.data
        high = np.abs(data.demand).astype(float) @ np.asarray(prices).reshape(data.horizon, -1).T
        return float(np.abs(data.worth).max() + (data.penalty * data.horizon).max() + high.sum(axis=1).max())


class PlainSlots:
    """The same plans for certificates: Python integers, and slots sorted anew for every finish."""

    def __init__(self, data: Slots) -> None:
        self.data = data

    @property
    def agent_count(self) -> int:
        return self.data.agents

    @property
    def row_count(self) -> int:
        return self.data.horizon * self.data.resources

    def scaled_best(
        self, agent: int, prices: Any, bits: int, within: Any = None, valued: bool = True
    ) -> int | None:
        data, best = self.data, None
        first, last, forced, forbidden = data.part(within)
        demand = data.demand[agent].tolist()
        by_slot = np.asarray(prices).reshape(data.horizon, data.resources).tolist()
        cost = [sum(d * p for d, p in zip(demand, slot, strict=True)) for slot in by_slot]
        start, need = int(data.arrival[agent]), int(data.need[agent])
        for finish in range(max(first, start), last + 1):
            earlier = forced - {finish}
            free = [cost[s] for s in range(start, finish) if s not in forbidden and s not in earlier]
            missing = need - 1 - len(earlier)
            out = {finish, *forced} & forbidden or any(not start <= s < finish for s in earlier)
            if out or not 0 <= missing <= len(free):
                continue
            total = cost[finish] + sum(cost[s] for s in earlier) + sum(sorted(free)[:missing])
            worth = int(np.ceil(np.ldexp(data.value(agent, finish), bits))) if valued else 0
            best = worth - total if best is None else max(best, worth - total)
        return best

    def scaled_best_all(self, prices: Any, bits: int, agents: Any = None, valued: bool = True) -> Any:
        chosen = range(self.agent_count) if agents is None else agents
        best = [self.scaled_best(int(a), prices, bits, None, valued) for a in chosen]
        cut_off = [0 if b is None else max(b, -(2**62)) for b in best]
        return np.array(cut_off, dtype=np.int64), np.array([b is not None for b in best])

    def halves(self, agent: int, part: Any, cut: Any) -> tuple[Any, Any]:
        return self.data.halves(agent, part, cut)

    def headroom(self, prices: Any) -> float:
        return float(np.maximum(self.data.worth, 0.0).max(initial=0.0))


def slot_packing(data: Slots, capacity: Any, must: bool | Any = False, planner: Any = None) -> Packing:
    """(P) over these agents; capacity per resource (in every slot) or per (slot, resource)."""
    room = np.broadcast_to(np.asarray(capacity, dtype=np.int64), (data.horizon, data.resources)).ravel()
    names = tuple(f"slot {t}, resource {r}" for t in range(data.horizon) for r in range(data.resources))
    lo = np.broadcast_to(np.asarray(must, dtype=np.int64), (data.agents,)).copy()
    hi = np.ones(data.agents, dtype=np.int64)
    return Packing(planner or SlotPlanner(data), room.copy(), lo, hi, names)


def plain(packing: Packing) -> Packing:
    """The same (P) for checking certificates."""
    assert isinstance(packing.planner, SlotPlanner)
    planner: Any = PlainSlots(packing.planner.data)
    return Packing(planner, packing.capacity, packing.lo, packing.hi, packing.row_names)


def listed_slots(packing: Packing) -> Packing:
    """The same (P) with every plan listed."""
    planner = packing.planner
    assert isinstance(planner, SlotPlanner)
    data, start, values, usage = planner.data, [0], [], []
    for agent in range(data.agents):
        for slots in data.every(agent):
            use = np.zeros((data.horizon, data.resources), dtype=np.int64)
            use[list(slots)] = data.demand[agent]
            usage.append(use.ravel())
            values.append(data.value(agent, slots[-1]))
        start.append(len(values))
    table = PlanTable(
        np.array(start), np.array(values), np.array(usage, dtype=np.int64).reshape(-1, planner.row_count)
    )
    return Packing(table, packing.capacity, packing.lo, packing.hi, packing.row_names)


def random_slots(seed: int, agents: int = 4, horizon: int = 5, must: bool = False) -> Packing:
    """A tiny random case, crowded enough that not everybody gets the best slots."""
    rng = np.random.default_rng(seed)
    resources = int(rng.integers(1, 3))
    data = Slots(
        horizon,
        rng.integers(0, 3, agents),
        rng.integers(1, 4, agents),
        rng.integers(0, 4, (agents, resources)),
        rng.integers(5, 30, agents).astype(float),
        rng.integers(0, horizon, agents),
        rng.integers(0, 6, agents) * 0.75,
    )
    return slot_packing(data, rng.integers(2, 8, resources), must)


def large_slots(
    seed: int, agents: int = 100, horizon: int = 100, classes: int = 2, kinds: int = 5, load: float = 2.0
) -> Packing:
    """A case of the size that matters: each agent uses all kinds of resource of one class of servers."""
    rng = np.random.default_rng(seed)
    resources = classes * kinds
    demand = np.zeros((agents, resources), dtype=np.int64)
    for agent in range(agents):
        own = int(rng.integers(classes)) * kinds
        demand[agent, own : own + kinds] = rng.integers(1, 20, kinds)
    arrival = rng.integers(0, horizon // 2, agents)
    need = np.minimum(rng.integers(5, horizon // 2, agents), horizon - arrival)
    worth = need * demand.sum(axis=1) * rng.uniform(0.5, 2.0, agents)
    deadline = np.minimum(arrival + need + rng.integers(0, horizon // 4, agents), horizon)
    data = Slots(horizon, arrival, need, demand, worth, deadline, worth / horizon * rng.uniform(0, 4, agents))
    total = (need[:, None] * demand).sum(axis=0) / horizon
    return slot_packing(data, np.maximum(total / load, 20).astype(np.int64))
