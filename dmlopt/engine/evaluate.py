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

    Agents split in more than one open cell are counted in `bound` but not in `picks`.
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
    cells = cells or {}
    simple = {agent: cell for agent, cell in cells.items() if cell.only is not None or cell.hi == 0}
    lo, hi = packing.lo, packing.hi
    if cells:
        lo, hi = lo.copy(), hi.copy()
        for agent, cell in simple.items():
            lo[agent], hi[agent] = cell.lo, cell.hi
    batch = packing.planner.best_all(
        prices, within={agent: cell.only.part for agent, cell in simple.items() if cell.only is not None}
    )
    reduced = batch.reduced
    present = batch.ids >= 0
    counts = np.where(reduced > 0, hi, lo)
    usable = present & (counts > 0)
    total = packing.offset + float(packing.capacity @ prices)
    extra_agents, extra_ids = list(simple), [int(batch.ids[agent]) for agent in simple]
    for agent, cell in cells.items():
        if agent in simple:
            continue
        usable[agent], present[agent] = False, True
        found = _leaf_plans(packing, prices, agent, cell)
        function = payoff(cell, lambda path, _: found[path][0] if path in found else None)  # noqa: B023
        total += -np.inf if function is None else function.best()
        extra_agents.extend([agent] * len(found))
        extra_ids.extend(id for _, id in found.values())
    if (lo[~present] > 0).any() or (lo > hi).any():
        total = -np.inf
    total += float(reduced[usable] @ counts[usable])
    picks = Picks(batch.agents[usable], batch.ids[usable], counts[usable])
    known = np.array(extra_ids, dtype=np.int64) >= 0
    extra = (np.array(extra_agents, dtype=np.int64)[known], np.array(extra_ids, dtype=np.int64)[known])
    return DualPoint(prices, total, picks, picks.use(packing), reduced, extra)


def _leaf_plans(packing: Packing, prices: FloatArray, agent: int, cell: Cell) -> dict[str, tuple[float, int]]:
    """Best plan of every leaf cell of one agent: path -> (reduced value, id)."""
    found: dict[str, tuple[float, int]] = {}
    for path, leaf in cell.leaves():
        plan = packing.planner.best(agent, prices, within=leaf.part)
        if plan is not None:
            found[path] = (plan.value - float(plan.amounts @ prices[plan.rows]), plan.id)
    return found
