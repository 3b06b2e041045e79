"""The dual function of (P): what prices prove, in floating point. Certificates recompute it in integers.

    bound(p) = c.p + sum_i max { total reduced value of n plans of agent i, lo_i <= n <= hi_i }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dmlopt.engine.cells import Cell, payoff
from dmlopt.packing import FloatArray, IntArray, Packing, Picks


@dataclass(frozen=True)
class DualPoint:
    """bound(p) with a maximiser: the plans that attain it, and what they use of every row.

    `bound` is -inf when some agent cannot meet its counts at all. `extra` (agents, ids) are the best plans
    of all parts of split agents: useful as columns, not part of the maximiser.
    """

    prices: FloatArray
    bound: float
    picks: Picks
    use: IntArray
    best: FloatArray
    extra: tuple[IntArray, IntArray]

    def subgradient(self, capacity: IntArray) -> FloatArray:
        """A subgradient of bound(p): capacity minus use."""
        return (capacity - self.use).astype(np.float64)


def evaluate(packing: Packing, prices: FloatArray, cells: Mapping[int, Cell] | None = None) -> DualPoint:
    """bound(p), with the count limits of split agents where given."""
    batch = packing.planner.best_all(prices)
    reduced = batch.reduced
    counts = np.where(reduced > 0, packing.hi, packing.lo)
    plain = np.ones(packing.agent_count, dtype=bool)
    total = packing.offset + float(packing.capacity @ prices)
    agents: list[int] = []
    ids: list[int] = []
    numbers: list[int] = []
    extra_agents: list[int] = []
    extra_ids: list[int] = []
    for agent, cell in (cells or {}).items():
        plain[agent] = False
        found: dict[str, tuple[float, int]] = {}
        for path, leaf in cell.leaves():
            plan = packing.planner.best(agent, prices, within=leaf.part)
            if plan is not None:
                reward = plan.value - float(plan.amounts @ prices[plan.rows])
                found[path] = (reward, plan.id)
                extra_agents.append(agent)
                extra_ids.append(plan.id)
        function = payoff(cell, lambda path, _: found[path][0] if path in found else None)  # noqa: B023
        if function is None:
            total = -np.inf
            continue
        total += function.best()
        if cell.hi == 1 and found:  # the common case: one plan, the best that its limits leave
            reward, chosen = max(found.values())
            if reward > 0 or cell.lo > 0:
                agents.append(agent)
                ids.append(chosen)
                numbers.append(1)
    missing = plain & (batch.ids < 0)
    if (packing.lo[missing] > 0).any():
        total = -np.inf
    usable = plain & (batch.ids >= 0) & (counts > 0)
    total += float(reduced[usable] @ counts[usable])
    picks = Picks(
        np.concatenate([np.flatnonzero(usable), np.asarray(agents, dtype=np.int64)]),
        np.concatenate([batch.ids[usable], np.asarray(ids, dtype=np.int64)]),
        np.concatenate([counts[usable], np.asarray(numbers, dtype=np.int64)]),
    )
    extra = (np.array(extra_agents, dtype=np.int64), np.array(extra_ids, dtype=np.int64))
    return DualPoint(prices, total, picks, picks.use(packing), reduced, extra)
