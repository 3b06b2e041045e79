"""(P) made smaller before a tree search: merged classes, dropped plans, decided agents taken out, rounded capacities.

`Reduced` is (P) over what is left, with the way back to the packing one started from. Every step is told to a `Proof`, so
that a certificate can repeat it. Planners that do not list their plans pass through unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dmlopt.engine import presolve
from dmlopt.engine.certificate import MOST_BITS
from dmlopt.engine.proof import Proof
from dmlopt.packing import BoolArray, FloatArray, IntArray, Packing, Picks, Planner
from dmlopt.table import PlanTable

MARGIN = 1e-9
"""Plans this close to the fixing threshold (relative to the largest value) are kept: the check, in integers, must drop
no fewer."""
LISTED_PLANS = 60_000
"""Capacities are rounded only if at most this many plans are left, because the certificate then lists them all."""


@dataclass(frozen=True)
class Reduced:
    """What is left of (P).

    `agents[i]` and `rows[l]` name agent i and plan l of `packing` in the merged packing; `settled` are the picks of decided
    agents there. `classes`, `whole` and `merged` lead from the merged packing back to the original one; `fitting` has the
    plans of the merged one that can fit.
    """

    packing: Packing
    agents: IntArray
    rows: IntArray | None
    settled: Picks
    merged: Packing
    whole: Packing
    fitting: Planner
    classes: presolve.Classes | None
    kept: frozenset[int] = frozenset()  # agents whose plans the proof lists

    def to_merged(self, picks: Picks) -> Picks:
        """Picks of what is left, together with the decided ones, in the merged packing."""
        if self.rows is None:
            return picks
        return Picks(
            np.concatenate([self.settled.agents, self.agents[picks.agents]]),
            np.concatenate([self.settled.ids, self.rows[picks.ids]]),
            np.concatenate([self.settled.counts, picks.counts]),
        )

    def from_merged(self, picks: Picks) -> Picks | None:
        """Picks of the merged packing in terms of what is left; None when they use a plan that was dropped."""
        if self.rows is None:
            return picks
        agent_at = np.full(self.merged.agent_count, -1, dtype=np.int64)
        agent_at[self.agents] = np.arange(len(self.agents))
        inside = agent_at[picks.agents] >= 0
        place = np.searchsorted(self.rows, picks.ids[inside])
        place = np.minimum(place, max(len(self.rows) - 1, 0))
        if not len(self.rows) or (self.rows[place] != picks.ids[inside]).any():
            return None if inside.any() else Picks(*(np.empty(0, dtype=np.int64),) * 3)
        return Picks(agent_at[picks.agents[inside]], place, picks.counts[inside])

    def to_whole(self, picks: Picks) -> Picks:
        """Merged picks handed to the original agents."""
        if self.classes is None:
            return picks
        return self.classes.expand(picks, _table(self.whole), _table(self.merged))

    def from_whole(self, picks: Picks) -> Picks:
        """Picks of the original packing in the merged one."""
        if self.classes is None:
            return picks
        return self.classes.gather(picks, _table(self.whole), _table(self.merged))


def _table(packing: Packing) -> PlanTable:
    assert isinstance(packing.planner, PlanTable)
    return packing.planner


def begin(packing: Packing) -> Reduced:
    """Merge identical agents and drop plans that cannot fit (listed plan sets only)."""
    nothing = Picks(*(np.empty(0, dtype=np.int64),) * 3)
    everyone = np.arange(packing.agent_count)
    table = packing.planner
    if not isinstance(table, PlanTable):
        return Reduced(packing, everyone, None, nothing, packing, packing, table, None)
    merged, small, classes = presolve.merge(packing, table, table.classes())
    fits = presolve.fitting_plans(small, merged.capacity, merged.lo, merged.hi)
    start = Reduced(
        merged,
        np.arange(merged.agent_count),
        np.arange(small.plan_count),
        nothing,
        merged,
        packing,
        small if fits.all() else small.take(fits),
        classes,
    )
    return _taken(start, fits)


def _taken(reduced: Reduced, alive: BoolArray) -> Reduced:
    """Only the plans of `alive` (rows of the present table) are left; agents decided by that are taken out."""
    packing, table = reduced.packing, _table(reduced.packing)
    assert reduced.rows is not None
    smaller = table.take(alive)
    rows = reduced.rows[alive]
    done = presolve.decided(smaller, packing.lo, packing.hi)
    first = smaller.start[:-1][done]
    counts = packing.lo[done]
    left = np.flatnonzero(~done)
    core = smaller.for_agents(left)
    remaining = np.isin(smaller.agent_of, left)
    use = counts @ smaller.plan_usage[first] if done.any() else np.zeros(packing.row_count, dtype=np.int64)
    settled = Picks(
        np.concatenate([reduced.settled.agents, reduced.agents[done]]),
        np.concatenate([reduced.settled.ids, rows[first]]),
        np.concatenate([reduced.settled.counts, counts]),
    )
    return replace(
        reduced,
        packing=replace(
            packing,
            planner=core,
            capacity=packing.capacity - use,
            lo=packing.lo[left],
            hi=packing.hi[left],
            offset=packing.offset + float(smaller.value[first] @ counts),
        ),
        agents=reduced.agents[left],
        rows=rows[remaining],
        settled=settled,
    )


def fix(reduced: Reduced, proof: Proof, prices: FloatArray, bound: float, cutoff: float) -> Reduced:
    """Drop the plans that are in no point of value above the cutoff, by the bound at these prices."""
    if reduced.rows is None:
        return reduced
    packing, table = reduced.packing, _table(reduced.packing)
    if not table.plan_count:
        return reduced
    scores = table.reduced(prices)
    best, _ = table.segment_max(scores)
    base = np.where(packing.lo == 0, np.maximum(best, 0.0), best)
    slack = max(bound - cutoff, 0.0)
    resolution = 2.0**-MOST_BITS + 2.0**-55 * table.magnitude(prices)  # of prices once they are integers
    margin = MARGIN * max(1.0, float(np.abs(table.value).max())) + 1e-12 * abs(bound)
    margin += resolution * float(presolve.steepness(packing).sum())
    alive = scores >= (base - slack - margin)[table.agent_of]
    if alive.all():
        return reduced
    proof.fix(prices, bound, cutoff)
    return _taken(reduced, alive)


def keep_and_round(reduced: Reduced, proof: Proof) -> Reduced:
    """Drop plans dominated by another of the same agent, list what is left, and round capacities."""
    if reduced.rows is None:
        return reduced
    if _table(reduced.packing).plan_count > LISTED_PLANS:
        return reduced
    table = _table(reduced.packing)
    alive = np.ones(table.plan_count, dtype=bool)
    for agent in range(table.agent_count):
        alive[_dominated_rows(table, agent)] = False
    lists = {
        int(name): table.key[rows[alive[rows]]].tolist()
        for name, rows in zip(
            reduced.agents, (table.rows_of(a) for a in range(table.agent_count)), strict=True
        )
    }
    merged = _table(reduced.merged)
    lists.update(
        {
            int(a): [int(merged.key[id])]
            for a, id in zip(reduced.settled.agents, reduced.settled.ids, strict=True)
        }
    )
    smaller = _taken(reduced, alive)
    proof.keep(lists)
    small = _table(smaller.packing)
    capacity = presolve.rounded_capacity(
        small, smaller.packing.capacity, smaller.packing.lo, smaller.packing.hi
    )
    if (capacity != smaller.packing.capacity).any():
        proof.round()
    return replace(
        smaller, packing=replace(smaller.packing, capacity=capacity), kept=frozenset(smaller.agents.tolist())
    )


def list_split_plans(reduced: Reduced, proof: Proof) -> None:
    """Where the plans of all agents were too many to list, list those of the agents that were split."""
    if reduced.rows is None or reduced.kept:
        return
    table = _table(reduced.packing)
    local = {int(name): agent for agent, name in enumerate(reduced.agents)}
    split = proof.split_agents()
    if split:
        proof.keep({name: table.key[table.rows_of(local[name])].tolist() for name in split})


def _dominated_rows(table: PlanTable, agent: int) -> IntArray:
    """Rows of this agent dominated by another of its rows; of equal rows the first stays."""
    rows = table.rows_of(agent)
    use, value = table.plan_usage[rows], table.value[rows]
    less = (use[:, None, :] <= use[None, :, :]).all(axis=2) & (value[:, None] >= value[None, :])
    equal = less & less.T
    earlier = np.arange(len(rows))[:, None] < np.arange(len(rows))[None, :]
    beaten = (less & (~equal | earlier)).any(axis=0)
    return rows[beaten]
