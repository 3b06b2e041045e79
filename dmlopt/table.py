"""PlanTable: plan sets small enough to list, as flat arrays. Best plans are a vectorised maximum per agent.

Plans of one agent lie next to each other; agent i owns rows start[i] .. start[i+1]-1. A plan's id is its row. Its `key` is
its name in the formulation's complete plan set: tables with fewer plans (pruned, fixed) keep the keys, so that a
certificate written with one table can be checked with another. A Part is a sorted array of rows; a Cut is the list of
keys of its first half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dmlopt.errors import InputError
from dmlopt.packing import BoolArray, Cut, FloatArray, IntArray, Part, Plan, PlanBatch

SATURATED = 2**61
"""Scaled costs beyond this count as half of it: the comparison is in floating point, half is safe."""


def _scaled(value: FloatArray, bits: int) -> IntArray:
    return np.ceil(np.ldexp(np.maximum(value, np.ldexp(-SATURATED / 2, -bits)), bits)).astype(np.int64)


class PlanTable:
    """A Planner and PlainPlanner over listed plans.

    value[l], usage[l, m], key[l] describe plan l; `detail(key)` gives the formulation's own description of a plan.
    `identity` labels the agents: those with different labels never count as identical, even if pruning left them
    the same plans.
    """

    def __init__(
        self,
        start: IntArray,
        value: FloatArray,
        usage: IntArray,
        key: IntArray | None = None,
        detail: Callable[[int], Any] | None = None,
        identity: IntArray | None = None,
    ) -> None:
        self.start = np.asarray(start, dtype=np.int64)
        self.value = np.asarray(value, dtype=np.float64)
        # Columns are contiguous: prices times usage runs over one row of (P) at a time.
        self.plan_usage = np.asfortranarray(usage, dtype=np.int64)
        self.key = (
            np.arange(len(self.value), dtype=np.int64) if key is None else np.asarray(key, dtype=np.int64)
        )
        self.detail = detail
        self.identity = identity
        if self.plan_usage.shape[0] != len(self.value) or self.start[-1] != len(self.value):
            raise ValueError("start, value and usage describe different numbers of plans")

    @property
    def agent_count(self) -> int:
        """Number of agents."""
        return len(self.start) - 1

    @property
    def row_count(self) -> int:
        """Number of capacity rows."""
        return int(self.plan_usage.shape[1])

    @property
    def plan_count(self) -> int:
        """Number of plans of all agents together."""
        return len(self.value)

    @cached_property
    def sizes(self) -> IntArray:
        """Number of plans of each agent."""
        return np.diff(self.start)

    @cached_property
    def agent_of(self) -> IntArray:
        """The agent of each plan."""
        return np.repeat(np.arange(self.agent_count, dtype=np.int64), self.sizes)

    @cached_property
    def _float_usage(self) -> FloatArray:
        return np.asfortranarray(self.plan_usage, dtype=np.float64)

    # ---------------------------------------------------------------- evaluation in floating point (Planner)

    def reduced(self, prices: FloatArray) -> FloatArray:
        """Reduced value v - p.a of every plan."""
        return self.value - self._priced(prices)

    def _priced(self, prices: FloatArray) -> FloatArray:
        """p.a of every plan, row by row: a matrix product this thin only wakes up threads that then wait for each other."""
        cost = np.zeros(self.plan_count)
        for row in np.flatnonzero(prices):
            cost += self._float_usage[:, row] * prices[row]
        return cost

    def segment_max(self, scores: FloatArray) -> tuple[FloatArray, IntArray]:
        """Largest score of each agent and the first row that has it (-inf and -1 for agents without a finite score)."""
        best = np.full(self.agent_count, -np.inf)
        rows = np.full(self.agent_count, -1, dtype=np.int64)
        filled = self.sizes > 0
        if filled.any():
            best[filled] = np.maximum.reduceat(scores, self.start[:-1][filled])
        hits = np.flatnonzero(scores == best[self.agent_of])
        rows[self.agent_of[hits][::-1]] = hits[::-1]
        rows[best == -np.inf] = -1
        return best, rows

    def best_all(
        self,
        prices: FloatArray,
        agents: IntArray | None = None,
        room: IntArray | None = None,
        within: Mapping[int, Part] | None = None,
        floor: FloatArray | None = None,
    ) -> PlanBatch:
        """Best plan of every agent (or of `agents`): the whole table at once, then the split agents are overridden."""
        scores = self.reduced(prices)
        if room is not None:
            scores[~self.fitting(room)] = -np.inf
        best, rows = self.segment_max(scores)
        for agent, part in (within or {}).items():
            if part is None:
                continue
            best[agent], rows[agent] = -np.inf, -1
            if len(part):
                at = int(np.argmax(scores[part]))
                best[agent] = scores[part[at]]
                rows[agent] = part[at] if best[agent] > -np.inf else -1
        chosen = np.arange(self.agent_count, dtype=np.int64) if agents is None else agents
        best, rows = best[chosen], rows[chosen]
        if floor is not None:
            low = best <= floor
            best[low], rows[low] = -np.inf, -1
        values = np.where(rows >= 0, self.value[rows] if self.plan_count else 0.0, 0.0)
        return PlanBatch(chosen, rows, values, best)

    def best(
        self,
        agent: int,
        prices: FloatArray,
        room: IntArray | None = None,
        within: Part = None,
        floor: float = -np.inf,
    ) -> Plan | None:
        """Best plan of one agent; among equals the first in table order."""
        rows = self.rows_of(agent) if within is None else within
        if room is not None:
            rows = rows[(self.plan_usage[rows] <= room).all(axis=1)]
        if not len(rows):
            return None
        scores = self.value[rows] - self._float_usage[rows] @ prices
        at = int(np.argmax(scores))
        return self.plan(int(rows[at])) if scores[at] > floor else None

    def rows_of(self, agent: int) -> IntArray:
        """All plan rows of one agent."""
        return np.arange(self.start[agent], self.start[agent + 1], dtype=np.int64)

    def fitting(self, room: IntArray) -> BoolArray:
        """Which plans fit into `room` on their own."""
        fits = np.ones(self.plan_count, dtype=bool)
        for row in range(self.row_count):
            fits &= self.plan_usage[:, row] <= room[row]
        return fits

    def plan(self, id: int) -> Plan:
        """The plan in a row of the table."""
        amounts = self.plan_usage[id]
        rows = np.flatnonzero(amounts)
        detail = self.detail(int(self.key[id])) if self.detail else None
        return Plan(id, int(self.agent_of[id]), float(self.value[id]), rows, amounts[rows], detail)

    def values(self, ids: IntArray) -> FloatArray:
        """Values by row."""
        return self.value[ids]

    def usage(self, ids: IntArray) -> csr_array:
        """Usage by row, sparse."""
        return csr_array(self.plan_usage[ids])

    def total_usage(self, ids: IntArray, counts: IntArray) -> IntArray:
        """What these numbers of plans use together, per row."""
        total: IntArray = counts @ self.plan_usage[ids]
        return total

    # ---------------------------------------------------------------- parts

    def contains(self, agent: int, part: Part, ids: IntArray) -> BoolArray:
        """Which of these rows lie in the part."""
        if part is None:
            return np.ones(len(ids), dtype=bool)
        return np.isin(ids, part)

    def cut(self, agent: int, part: Part, ids: IntArray, weights: FloatArray) -> Cut | None:
        """Cut at the weighted mean value of the fractional plans: the plans above it are the first half."""
        if len(ids) < 2:
            return None
        rows = self.rows_of(agent) if part is None else part
        mean = float(self.value[ids] @ weights / weights.sum())
        high = self.value[rows] > mean
        inside = self.value[ids] > mean
        if not inside.any() or inside.all():  # equal values: separate by position instead
            middle = np.sort(ids)[len(ids) // 2]
            high = rows < middle
        return [int(k) for k in self.key[rows[high]]]

    def halves(self, agent: int, part: Part, cut: Cut) -> tuple[Part, Part]:
        """First half: the plans whose keys are listed. Second half: all others of the part."""
        rows = self.rows_of(agent) if part is None else part
        if not isinstance(cut, list) or not all(isinstance(k, int) for k in cut):
            raise InputError(f"cut of agent {agent}: expected a list of plan keys")
        # Keys that are not here belong to plans that this table has dropped; they change nothing.
        listed = np.isin(self.key[rows], np.asarray(cut, dtype=np.int64))
        return rows[listed], rows[~listed]

    # ---------------------------------------------------------------- evaluation in integers (PlainPlanner)

    def magnitude(self, prices: FloatArray) -> float:
        """max |v| + max |a|.|p|."""
        if not self.plan_count:
            return 0.0
        cost = np.abs(self._float_usage) @ np.abs(prices)
        return float(np.abs(self.value).max() + cost.max())

    def headroom(self, prices: FloatArray) -> float:
        """The largest value + the largest priced supply of a plan. What is bad needs no room: it is cut off."""
        if not self.plan_count:
            return 0.0
        supply = -np.minimum(self._float_usage, 0.0) @ prices if (self.plan_usage < 0).any() else np.zeros(1)
        return float(np.maximum(self.value, 0.0).max() + supply.max())

    def scaled_value(self, bits: int) -> IntArray:
        """Values times 2^bits, rounded up; what is below -2^60 counts as -2^60, which only weakens bounds."""
        return _scaled(self.value, bits)

    def scaled_reduced(self, prices: IntArray, bits: int, valued: bool = True) -> IntArray:
        """Scaled reduced value of every plan, exactly; costs beyond 2^61 count as 2^60, which only weakens bounds."""
        worth = self.scaled_value(bits) if valued else np.zeros(self.plan_count, dtype=np.int64)
        scores = worth.copy()
        for row in np.flatnonzero(prices):
            scores -= (
                self.plan_usage[:, row] * prices[row]
            )  # wraps where it overflows; those plans are replaced below
        dear = self._priced(prices.astype(np.float64)) > SATURATED
        scores[dear] = worth[dear] - SATURATED // 2
        return scores

    def scaled_best_all(
        self, prices: IntArray, bits: int, agents: IntArray | None = None, valued: bool = True
    ) -> tuple[IntArray, BoolArray]:
        """Best scaled reduced value per agent, and whether the agent has a plan at all."""
        best = np.zeros(self.agent_count, dtype=np.int64)
        filled = self.sizes > 0
        if filled.any():
            scores = self.scaled_reduced(prices, bits, valued)
            best[filled] = np.maximum.reduceat(scores, self.start[:-1][filled])
        if agents is None:
            return best, filled
        return best[agents], filled[agents]

    def scaled_best(
        self, agent: int, prices: IntArray, bits: int, within: Part = None, valued: bool = True
    ) -> int | None:
        """Best scaled reduced value of one agent inside a part; None when the part is empty."""
        rows = self.rows_of(agent) if within is None else within
        if not len(rows):
            return None
        worth = np.zeros(len(rows), dtype=np.int64)
        if valued:
            worth = _scaled(self.value[rows], bits)
        scores = worth - self.plan_usage[rows] @ prices
        dear = self._float_usage[rows] @ prices.astype(np.float64) > SATURATED
        scores[dear] = worth[dear] - SATURATED // 2
        return int(scores.max())

    # ---------------------------------------------------------------- smaller tables, same keys

    def take(self, mask: BoolArray) -> PlanTable:
        """The table with only the plans of `mask`."""
        counts = np.bincount(self.agent_of[mask], minlength=self.agent_count)
        start = np.concatenate([[0], np.cumsum(counts)])
        return PlanTable(
            start, self.value[mask], self.plan_usage[mask], self.key[mask], self.detail, self.identity
        )

    def for_agents(self, agents: IntArray) -> PlanTable:
        """The table of some agents only, in that order."""
        sizes = self.sizes[agents]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.repeat(self.start[:-1][agents] - start[:-1], sizes) + np.arange(start[-1])
        identity = None if self.identity is None else self.identity[agents]
        return PlanTable(
            start, self.value[rows], self.plan_usage[rows], self.key[rows], self.detail, identity
        )

    def unvalued(self) -> PlanTable:
        """The same plans with value zero: what infeasibility proofs look at."""
        return PlanTable(self.start, np.zeros(self.plan_count), self.plan_usage, self.key)

    def least_use(self) -> IntArray:
        """Least usage of one plan, per agent and row (0 for agents without plans)."""
        least = np.zeros((self.agent_count, self.row_count), dtype=np.int64)
        filled = self.sizes > 0
        if filled.any():
            least[filled] = np.minimum.reduceat(self.plan_usage, self.start[:-1][filled], axis=0)
        return least

    def classes(self) -> IntArray:
        """A label per agent; equal labels mean exactly the same values and usages in the same order."""
        labels = np.arange(self.agent_count, dtype=np.int64)
        if not self.plan_count:
            return labels
        filled = self.sizes > 0
        total = np.zeros(self.agent_count)
        total[filled] = np.add.reduceat(self.value, self.start[:-1][filled])
        _, group, size = np.unique(total, return_inverse=True, return_counts=True)
        seen: dict[bytes, int] = {}
        for agent in np.flatnonzero(
            (size[group] > 1) & filled
        ):  # only agents whose totals agree can be equal
            rows = slice(self.start[agent], self.start[agent + 1])
            name = b"" if self.identity is None else self.identity[agent].tobytes()
            content = name + self.value[rows].tobytes() + self.plan_usage[rows].tobytes()
            labels[agent] = seen.setdefault(content, int(agent))
        return labels
