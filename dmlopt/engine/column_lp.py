"""The column LP of (P): one HiGHS model that is kept through a whole search.

Columns are plans, rows are capacities, agents' counts, and counts of cells where a class of several agents was split. From
node to node only bounds change. Every capacity row has an elastic column that buys capacity at a high price: so the LP is
always feasible and its duals are capped. Whether bought capacity means infeasibility is decided by a second set of costs, in
which plans are free and only bought capacity counts.

Its duals become prices that the planner re-evaluates: the LP's tolerances never enter a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, vstack

from dmlopt.backends.highs import KeptLinearProgram
from dmlopt.engine.cells import Cell
from dmlopt.packing import BoolArray, FloatArray, IntArray, Packing, Part

ELASTIC_COST = 1e2
"""First cost of the whole capacity of a row, in typical total values: raised only where plans are dearer than that."""
LARGEST_ELASTIC_COST = 1e9
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class ColumnPoint:
    """An optimal point of the column LP: its value, prices per row, and the plans used with their weights."""

    value: float
    prices: FloatArray
    agents: IntArray
    ids: IntArray
    weights: FloatArray
    elastic: float  # bought capacity, as a share of capacity summed over rows


class ColumnLP:
    """The kept model. `value_scale` and `row_scale` make all numbers in it about 1."""

    def __init__(self, packing: Packing, value_scale: float, price_scale: FloatArray) -> None:
        self.packing = packing
        self.value_scale = value_scale
        self.price_scale = price_scale
        self.row_scale = value_scale / price_scale
        rows = packing.row_count
        capacity = packing.capacity / self.row_scale
        self._lp = KeptLinearProgram(
            np.concatenate([np.full(rows, -np.inf), packing.lo.astype(np.float64)]),
            np.concatenate([capacity, packing.hi.astype(np.float64)]),
        )
        elastic = csc_array(
            (-np.ones(rows), (np.arange(rows), np.arange(rows))), shape=(rows + packing.agent_count, rows)
        )
        self.elastic_cost = ELASTIC_COST
        self._lp.add_columns(np.full(rows, ELASTIC_COST), elastic, np.zeros(rows), np.full(rows, np.inf))
        self.agents = np.empty(0, dtype=np.int64)
        self.ids = np.empty(0, dtype=np.int64)
        self._cost = np.empty(0)
        self._shortage_only = False
        self._known: set[int] = set()
        self._columns_of: dict[int, list[int]] = {}
        self._blocked: dict[int, IntArray] = {}  # agent -> positions with upper bound 0
        self._cell_rows: dict[
            tuple[int, int], tuple[int, Cell]
        ] = {}  # (agent, id of part) -> row; holds the part alive
        self._limited: dict[int, list[int]] = {}  # agent -> rows whose bounds a node has set
        self._applied: dict[int, Cell] = {}
        self._agent_limits = dict(enumerate(zip(packing.lo.tolist(), packing.hi.tolist(), strict=True)))
        self._membership: dict[int, tuple[Part, BoolArray]] = {}  # by id of part; holds the part alive

    def known(self, id: int) -> bool:
        """Whether a plan is a column already."""
        return id in self._known

    def add(self, agents: IntArray, ids: IntArray) -> int:
        """Add plans as columns; known ones are passed over. Returns how many were new."""
        fresh: dict[int, int] = {}
        for agent, id in zip(agents.tolist(), ids.tolist(), strict=True):
            if id not in self._known:
                fresh.setdefault(id, agent)
        if not fresh:
            return 0
        new_ids = np.fromiter(fresh, dtype=np.int64, count=len(fresh))
        owners = np.fromiter(fresh.values(), dtype=np.int64, count=len(fresh))
        usage = csc_array(
            self.packing.planner.usage(new_ids).T.astype(np.float64).multiply((1.0 / self.row_scale)[:, None])
        )
        count = len(new_ids)
        membership = csc_array(
            (np.ones(count), (owners, np.arange(count))), shape=(self.packing.agent_count, count)
        )
        blocks = [usage, membership]
        if self._cell_rows:
            blocks.append(self._cell_memberships(owners, new_ids))
        cost = -self.packing.planner.values(new_ids) / self.value_scale
        self._cost = np.concatenate([self._cost, cost])
        cost = np.zeros(count) if self._shortage_only else cost
        self._lp.add_columns(cost, csc_array(vstack(blocks)), np.zeros(count), np.full(count, np.inf))
        for offset, (id, agent) in enumerate(zip(new_ids.tolist(), owners.tolist(), strict=True)):
            self._columns_of.setdefault(agent, []).append(len(self.ids) + offset)
            self._known.add(id)
        self.ids = np.concatenate([self.ids, new_ids])
        self.agents = np.concatenate([self.agents, owners])
        self._applied = {
            agent: cell for agent, cell in self._applied.items() if agent not in set(owners.tolist())
        }
        return count

    def _cell_memberships(self, owners: IntArray, ids: IntArray) -> csc_array:
        rows: list[int] = []
        columns: list[int] = []
        for place, ((agent, _), (_, cell)) in enumerate(self._cell_rows.items()):
            own = np.flatnonzero(owners == agent)
            inside = own[self.packing.planner.contains(agent, cell.part, ids[own])]
            rows.extend([place] * len(inside))
            columns.extend(inside.tolist())
        return csc_array((np.ones(len(rows)), (rows, columns)), shape=(len(self._cell_rows), len(ids)))

    # ---------------------------------------------------------------- the limits of one node

    def apply(self, cells: Mapping[int, Cell]) -> None:
        """Set the bounds of this node; only agents whose cells differ from the last node are touched."""
        freed: list[IntArray] = []
        blocked: list[IntArray] = []
        for agent in [a for a in self._applied if a not in cells]:
            self._restrict(agent, None, freed, blocked)
            del self._applied[agent]
        for agent, cell in cells.items():
            if self._applied.get(agent) is not cell:
                self._restrict(agent, cell, freed, blocked)
                self._applied[agent] = cell
        if freed or blocked:
            free, stop = (np.concatenate([*each, _NONE]) for each in (freed, blocked))
            upper = np.concatenate([np.full(len(free), np.inf), np.zeros(len(stop))])
            columns = np.concatenate([free, stop]) + self.packing.row_count
            self._lp.set_column_bounds(columns, np.zeros(len(columns)), upper)

    def _restrict(
        self, agent: int, cell: Cell | None, freed: list[IntArray], blocked: list[IntArray]
    ) -> None:
        old = self._blocked.pop(agent, _NONE)
        for row in self._limited.pop(agent, []):
            self._lp.set_row_bounds(row, -np.inf, np.inf)
        lo, hi = int(self.packing.lo[agent]), int(self.packing.hi[agent])
        new = _NONE
        if cell is not None:
            columns = np.array(self._columns_of.get(agent, []), dtype=np.int64)
            new = columns[~self._allowed(agent, cell, self.ids[columns])]
            if hi > 1:
                self._limit_rows(agent, cell)
            lo, hi = cell.lo, cell.hi
        if self._agent_limits.get(agent) != (lo, hi):
            self._lp.set_row_bounds(self.packing.row_count + agent, float(lo), float(hi))
            self._agent_limits[agent] = (lo, hi)
        if len(old):
            freed.append(np.setdiff1d(old, new, assume_unique=True))
        if len(new):
            blocked.append(np.setdiff1d(new, old, assume_unique=True))
            self._blocked[agent] = new

    def _allowed(self, agent: int, cell: Cell, ids: IntArray) -> BoolArray:
        """Which plans may be used at all: those in a leaf cell that may hold one."""
        allowed = np.zeros(len(ids), dtype=bool)
        for _, leaf in cell.leaves():
            allowed |= self._inside(agent, leaf.part, ids)
        return allowed

    def _inside(self, agent: int, part: Part, ids: IntArray) -> BoolArray:
        """Membership of an agent's columns in a part, remembered while the columns stay the same."""
        known = self._membership.get(id(part))
        if known is None or len(known[1]) != len(ids):
            known = (part, self.packing.planner.contains(agent, part, ids))
            self._membership[id(part)] = known
        return known[1]

    def _limit_rows(self, agent: int, cell: Cell) -> None:
        """Rows for the count limits inside a class of several agents."""
        for half in cell.halves or ():
            if half.lo > 0 or half.hi < cell.hi:
                row = self._row_of(agent, half)
                self._lp.set_row_bounds(row, float(half.lo), float(min(half.hi, cell.hi)))
                self._limited.setdefault(agent, []).append(row)
            self._limit_rows(agent, half)

    def _row_of(self, agent: int, cell: Cell) -> int:
        key = (agent, id(cell.part))
        if key not in self._cell_rows:
            columns = np.array(self._columns_of.get(agent, []), dtype=np.int64)
            inside = columns[self.packing.planner.contains(agent, cell.part, self.ids[columns])]
            row = self._lp.add_row(inside + self.packing.row_count, np.ones(len(inside)), -np.inf, np.inf)
            self._cell_rows[key] = (row, cell)
        return self._cell_rows[key][0]

    # ---------------------------------------------------------------- solving

    def raise_elastic_cost(self) -> bool:
        """Make bought capacity ten times dearer; False when it is as dear as the arithmetic allows."""
        if self.elastic_cost >= LARGEST_ELASTIC_COST:
            return False
        self.elastic_cost *= 10.0
        self._set_all_costs()
        return True

    def look_for_shortage(self, on: bool) -> None:
        """Switch to the LP whose plans cost nothing and that buys as little capacity as it can, or back."""
        self._shortage_only = on
        self._set_all_costs()

    def _set_all_costs(self) -> None:
        rows = self.packing.row_count
        cost = np.concatenate([np.full(rows, self.elastic_cost), self._cost])
        if self._shortage_only:
            cost[:rows], cost[rows:] = 1.0, 0.0
        self._lp.set_costs(np.arange(len(cost), dtype=np.int64), cost)

    def solve(self, seconds: float) -> ColumnPoint | None:
        """The LP at the present bounds; None when the solver did not come back with an optimum."""
        answer = self._lp.solve(seconds)
        if answer.x is None or answer.row_dual is None or answer.objective is None:
            return None
        rows = self.packing.row_count
        prices = np.maximum(-answer.row_dual[:rows], 0.0) * self.value_scale / self.row_scale
        used = np.flatnonzero(answer.x[rows:] > 1e-9)
        return ColumnPoint(
            self.packing.offset - answer.objective * self.value_scale,
            prices,
            self.agents[used],
            self.ids[used],
            answer.x[rows:][used],
            float(answer.x[:rows].sum()),
        )
