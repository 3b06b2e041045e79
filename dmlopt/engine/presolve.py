"""Reductions of (P) that a certificate repeats from the data, in integers. Only listed plan sets (PlanTable) can be reduced.

* `merge`: agents with exactly the same plans become one class with added counts. Without it a search proves the
  same thing again for every permutation of equal jobs.
* `drop_unfit`: a plan that exceeds what the others' least use leaves is in no feasible point.
* `round_capacity`: total use is a known amount plus multiples of g (the gcd of usages, or of usage differences where an
  agent must run), so the capacity may be rounded down to the next such amount.
* `decided`: agents whose count and plan are fixed; they become an offset and used capacity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dmlopt.packing import BoolArray, FloatArray, IntArray, Packing, Picks
from dmlopt.table import PlanTable


@dataclass(frozen=True)
class Classes:
    """Which agents were merged: `members[k]` are the agents of class k, with their own counts (lo, hi)."""

    members: tuple[IntArray, ...]
    lo: IntArray
    hi: IntArray

    def listed(self) -> list[list[int]]:
        """The classes of more than one agent, as plain lists."""
        return [group.tolist() for group in self.members if len(group) > 1]

    def expand(self, picks: Picks, table: PlanTable, merged: PlanTable) -> Picks:
        """Hand the plans of each class to its members: everyone's lo first, then up to hi."""
        if len(self.members) == len(self.lo):
            return picks
        agents: list[int] = []
        ids: list[int] = []
        by_class: dict[int, list[int]] = {}
        for group, id, count in zip(
            picks.agents.tolist(), picks.ids.tolist(), picks.counts.tolist(), strict=True
        ):
            by_class.setdefault(group, []).extend([id] * count)
        for group, plans in by_class.items():
            members = self.members[group]
            places = np.concatenate(
                [np.repeat(members, self.lo[members]), np.repeat(members, (self.hi - self.lo)[members])]
            )
            for member, id in zip(places.tolist(), plans, strict=False):
                agents.append(member)
                ids.append(int(table.start[member] + id - merged.start[group]))
        return Picks(
            np.array(agents, dtype=np.int64), np.array(ids, dtype=np.int64), np.ones(len(ids), dtype=np.int64)
        )

    def gather(self, picks: Picks, table: PlanTable, merged: PlanTable) -> Picks:
        """The reverse of `expand`: picks of members become picks of their classes."""
        group_of = np.empty(len(self.lo), dtype=np.int64)
        for group, members in enumerate(self.members):
            group_of[members] = group
        groups = group_of[picks.agents]
        ids = picks.ids - table.start[picks.agents] + merged.start[groups]
        return Picks(groups, ids, picks.counts)


def merge(packing: Packing, table: PlanTable, labels: IntArray) -> tuple[Packing, PlanTable, Classes]:
    """(P) with agents of equal label merged into classes.

    A label is the smallest agent of its class, so classes keep the order of their first members.
    """
    first, group = np.unique(labels, return_inverse=True)
    order = np.argsort(group, kind="stable")
    members = tuple(np.split(order, np.cumsum(np.bincount(group))[:-1]))
    classes = Classes(members, packing.lo, packing.hi)
    if len(first) == packing.agent_count:
        return packing, table, classes
    merged = table.for_agents(first)
    lo = np.bincount(group, weights=packing.lo).astype(np.int64)
    hi = np.bincount(group, weights=packing.hi).astype(np.int64)
    return replace(packing, planner=merged, lo=lo, hi=hi), merged, classes


def least_total(table: PlanTable, lo: IntArray, hi: IntArray) -> IntArray:
    """Least use of every row that any choice of all agents makes, per agent (agents x rows)."""
    each = table.least_use()
    counts = np.where(each >= 0, lo[:, None], hi[:, None])
    total: IntArray = each * counts
    return total


def fitting_plans(table: PlanTable, capacity: IntArray, lo: IntArray, hi: IntArray) -> BoolArray:
    """Plans that fit beside the least use of everything else."""
    each = table.least_use()
    own = each * np.where(each >= 0, np.maximum(lo - 1, 0)[:, None], np.maximum(hi - 1, 0)[:, None])
    least = least_total(table, lo, hi)
    left = capacity - (least.sum(axis=0) - least + own)
    fits = np.ones(table.plan_count, dtype=bool)
    for row in range(table.row_count):
        fits &= table.plan_usage[:, row] <= left[table.agent_of, row]
    return fits


def drop_unfit(packing: Packing, table: PlanTable) -> tuple[Packing, PlanTable]:
    """(P) without the plans that cannot fit."""
    fits = fitting_plans(table, packing.capacity, packing.lo, packing.hi)
    if fits.all():
        return packing, table
    smaller = table.take(fits)
    return replace(packing, planner=smaller), smaller


def rounded_capacity(table: PlanTable, capacity: IntArray, lo: IntArray, hi: IntArray) -> IntArray:
    """Capacities rounded down to amounts that total use can reach."""
    filled = table.sizes > 0
    must = (lo == hi) & filled
    base = np.zeros((table.agent_count, table.row_count), dtype=np.int64)
    base[must] = table.plan_usage[table.start[:-1][must]]
    known = lo[must] @ base[must] if must.any() else np.zeros(table.row_count, dtype=np.int64)
    rounded = capacity.copy()
    for row in range(table.row_count):
        steps = table.plan_usage[:, row] - base[table.agent_of, row]
        step = int(np.gcd.reduce(steps)) if len(steps) else 0
        slack = int(capacity[row]) - int(known[row])
        if step > 1:
            rounded[row] = int(known[row]) + (slack // step) * step
        elif step == 0 and slack >= 0:
            rounded[row] = known[row]
    return rounded


def steepness(packing: Packing) -> FloatArray:
    """How much bound(p) can change per unit of each price: capacity plus the most that all agents can use or supply.

    Where plans are not listed, each is taken to fit the whole capacity on its own.
    """
    slope = np.abs(packing.capacity).astype(np.float64)
    table = packing.planner
    if not isinstance(table, PlanTable):
        slope *= 1.0 + float(packing.hi.sum())
    elif table.plan_count:
        filled = table.sizes > 0
        most = np.maximum.reduceat(np.abs(table.plan_usage), table.start[:-1][filled], axis=0)
        slope += packing.hi[filled].astype(np.float64) @ most.astype(np.float64)
    return slope


def decided(table: PlanTable, lo: IntArray, hi: IntArray) -> BoolArray:
    """Agents with nothing left to choose: one plan and a fixed count."""
    return np.asarray((lo == hi) & (table.sizes == 1), dtype=np.bool_)


def dominated(table: PlanTable, rows: IntArray, keepers: IntArray) -> BoolArray:
    """Which plans `rows` have a plan among `keepers` (same agent) with no more use of any row and no less value."""
    if not len(rows) or not len(keepers):
        return np.zeros(len(rows), dtype=bool)
    less = (table.plan_usage[keepers][None, :, :] <= table.plan_usage[rows][:, None, :]).all(axis=2)
    better = table.value[keepers][None, :] >= table.value[rows][:, None]
    return np.asarray((less & better).any(axis=1), dtype=np.bool_)
