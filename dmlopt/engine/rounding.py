"""From a fractional point or from prices to an integer point of (P). Needs usage >= 0 (`packing.pure`).

Agents that the LP has decided keep their plans; the few fractional ones are planned again into what room is left, with the
least need of everybody behind them reserved. Where that fails, prices are raised until the best plans fit. What room is
left then goes to the agents that gain most from it.
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray, Packing, Picks
from dmlopt.table import PlanTable

RAISES = (1.0, 1.01, 1.02, 1.05, 1.1, 1.2, 1.4, 1.7, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4)


def round_point(
    packing: Packing, prices: FloatArray, agents: IntArray, ids: IntArray, weights: FloatArray
) -> Picks | None:
    """Round an LP point: whole counts stay, the fractional rest is planned again into the room that is left."""
    whole = np.floor(weights + 1e-6).astype(np.int64)
    kept = whole > 0
    picks = Picks(agents[kept], ids[kept], whole[kept])
    taken = np.zeros(packing.agent_count, dtype=np.int64)
    np.add.at(taken, picks.agents, picks.counts)
    left = packing.capacity - picks.use(packing)
    heaviest = np.zeros(packing.agent_count)
    np.maximum.at(heaviest, agents, weights - whole)
    waiting = np.flatnonzero((taken < packing.lo) | (heaviest > 1e-6))
    waiting = waiting[np.argsort(-heaviest[waiting], kind="stable")]
    least = packing.planner.least_use() if isinstance(packing.planner, PlanTable) else None
    missing = np.maximum(packing.lo - taken, 0)
    reserve = np.zeros(packing.row_count, dtype=np.int64)
    if least is not None:
        reserve = missing[waiting] @ least[waiting]
    more_agents: list[int] = []
    more_ids: list[int] = []
    for agent in waiting.tolist():
        places = int(min(packing.hi[agent] - taken[agent], max(missing[agent], np.ceil(heaviest[agent]))))
        for place in range(places):
            must = place < missing[agent]
            if must and least is not None:
                reserve = reserve - least[agent]
            plan = packing.planner.best(agent, prices, room=left - reserve, floor=-np.inf if must else 0.0)
            if plan is None:
                if must:
                    return None
                break
            left = left.copy()
            left[plan.rows] -= plan.amounts
            more_agents.append(agent)
            more_ids.append(plan.id)
    return Picks(
        np.concatenate([picks.agents, np.array(more_agents, dtype=np.int64)]),
        np.concatenate([picks.ids, np.array(more_ids, dtype=np.int64)]),
        np.concatenate([picks.counts, np.ones(len(more_ids), dtype=np.int64)]),
    )


def round_prices(packing: Packing, prices: FloatArray) -> Picks | None:
    """The best plans at prices raised just enough for them to fit; None when no factor does."""
    for factor in RAISES:
        batch = packing.planner.best_all(prices * factor)
        counts = np.where(batch.reduced > 0, packing.hi, packing.lo)
        used = (batch.ids >= 0) & (counts > 0)
        picks = Picks(batch.agents[used], batch.ids[used], counts[used])
        if picks.fits(packing):
            return picks
    return None


def fill_room(
    packing: Packing, table: PlanTable, prices: FloatArray, picks: Picks, limit: int = 300
) -> Picks:
    """Trade single picks up while something fits: each time the trade with the most value per priced use."""
    agents, ids, counts = picks.agents.copy(), picks.ids.copy(), picks.counts
    slot_of = np.full(packing.agent_count, -1, dtype=np.int64)
    single = (packing.hi[agents] == 1) & (counts == 1)
    slot_of[agents[single]] = np.flatnonzero(single)
    candidates = np.flatnonzero(slot_of[table.agent_of] >= 0)
    owner = slot_of[table.agent_of[candidates]]
    left = packing.capacity - picks.use(packing)
    for _ in range(limit):
        present = ids[owner]
        gain = table.value[candidates] - table.value[present]
        more = table.plan_usage[candidates] - table.plan_usage[present]
        good = (gain > 0) & (more <= left).all(axis=1)
        if not good.any():
            break
        cost = np.maximum(more @ prices, 0.0) + 1e-9 * (np.abs(gain).max() + 1.0)
        score = np.where(good, gain / cost, -np.inf)
        at = int(np.argmax(score))
        ids[owner[at]] = candidates[at]
        left = left - more[at]
    return Picks(agents, ids, counts)
