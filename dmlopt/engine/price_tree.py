"""The exact method: prices bound, a tree of splits closes the gap. Works through any planner.

1. Reduce: merge identical agents, drop plans that cannot fit (listed plan sets).
2. Root prices by cutting planes; core problem and rounding for a first incumbent; drop plans by reduced value; repeat.
3. Best-first tree on one kept column LP. A node's bound is always the planner's at the node's prices, never the LP's word;
   a node is closed only by that bound, by a ray, or because it is empty. What is left open at the end stays open in the
   certificate, and the certified gap says so.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dmlopt.backends.program import SolverLimits
from dmlopt.control import Clock
from dmlopt.engine import reduction
from dmlopt.engine.branching import Split, fractional_agents, split_agent, split_plans
from dmlopt.engine.cells import Cell
from dmlopt.engine.column_generation import AGREED, MANY_ROWS
from dmlopt.engine.column_lp import ColumnLP, ColumnPoint
from dmlopt.engine.core_problem import near_best, solve_core
from dmlopt.engine.evaluate import DualPoint
from dmlopt.engine.incumbents import plan_again
from dmlopt.engine.lagrangian import price_scale
from dmlopt.engine.node_solver import NodeBound, NodeSolver
from dmlopt.engine.presolve import steepness
from dmlopt.engine.proof import Proof
from dmlopt.engine.root_lp import LP_PLANS, first_prices
from dmlopt.engine.rounding import fill_room, round_point, round_prices
from dmlopt.packing import FloatArray, IntArray, Packing, Picks
from dmlopt.result import Limit, relative_gap
from dmlopt.table import PlanTable

CORE_PLANS = 200
"""Plans beyond the best ones in the first core problem; four times as many each time it has no answer."""
CORE_SHARE = 100
"""One more plan in the core for this many agents: the more agents, the more of them are undecided at inexact prices."""
MOST_TRIES = 2000
"""Tries of ruin and recreate at the root, where plans are generated."""
NODE_GAP = 1e-6
"""With many rows a node's column LP stops here: the last digits take longer than the next split."""
ROUND_EVERY = 25
"""Nodes between two roundings of LP points."""


@dataclass
class SearchLimits:
    """When to stop, and what to start from. `gap` is relative, in the units of the packing's report."""

    clock: Clock = field(default_factory=Clock)
    gap: float = 1e-9
    nodes: int | None = None
    threads: int = 1
    seed: int = 0
    start: Picks | None = None
    prices: FloatArray | None = None
    row_groups: IntArray | None = None
    tell: Callable[[float | None, float, int], None] = field(default=lambda incumbent, bound, nodes: None)


@dataclass
class SearchResult:
    """Best point and bound found (values of (P)), with the certificate of the bound."""

    picks: Picks | None
    value: float | None
    bound: float
    prices: FloatArray
    certificate: dict[str, Any] | None  # None: numbers too large for exact arithmetic
    limit: Limit
    infeasible: bool
    nodes: int
    statistics: dict[str, float]


@dataclass(frozen=True)
class _Node:
    """An open node: where it is in the proof, its cells, bound, prices, and how it will be split."""

    at: int
    cells: Mapping[int, Cell]
    bound: float
    prices: FloatArray
    split: Split | None


class _Incumbent:
    """The best point so far, in the merged packing; nothing is taken that does not fit in integers."""

    def __init__(self, merged: Packing) -> None:
        self.merged = merged
        self.picks: Picks | None = None
        self.value = -np.inf

    def offer(self, picks: Picks | None) -> bool:
        """Take a point if it is feasible and better."""
        if picks is None or not picks.fits(self.merged):
            return False
        value = picks.value(self.merged)
        if value <= self.value:
            return False
        self.picks, self.value = picks, value
        return True


def price_tree(packing: Packing, limits: SearchLimits | None = None) -> SearchResult:
    """Solve (P): an optimal point with proof, or the best point and bound within the limits."""
    return _Search(packing, limits or SearchLimits()).run()


class _Search:
    def __init__(self, packing: Packing, limits: SearchLimits) -> None:
        self.whole = packing
        self.limits = limits
        self.clock = limits.clock
        self.reduced = reduction.begin(packing)
        self.proof = Proof(self.reduced.classes.listed() if self.reduced.classes else ())
        self.incumbent = _Incumbent(self.reduced.merged)
        self.pool: dict[
            int, int
        ] = {}  # plan id -> agent: plans seen while pricing, for planners that do not list
        self.bound = np.inf
        self.prices = np.zeros(packing.row_count)
        self.nodes = 0
        self.limit = Limit.NONE

    # ---------------------------------------------------------------- the run

    def run(self) -> SearchResult:
        """Root, then tree."""
        self._warm_start()
        infeasible = not self._root()
        if not infeasible and not self._closed(self.bound) and not self._stopped():
            infeasible = self._tree()
        reduction.list_split_plans(self.reduced, self.proof)
        picks = self.incumbent.picks
        value = None if picks is None else self.incumbent.value
        return SearchResult(
            picks=None if picks is None else self.reduced.to_whole(picks),
            value=value,
            bound=-np.inf if infeasible else self.bound,
            prices=self.prices,
            certificate=self.proof.certificate_or_none(self.reduced.fitting, steepness(self.reduced.merged)),
            limit=self.limit,
            infeasible=infeasible and value is None,
            nodes=self.nodes,
            statistics={
                "nodes": self.nodes,
                "active_agents": self.reduced.packing.agent_count,
                "agents": self.whole.agent_count,
            },
        )

    def _closed(self, bound: float) -> bool:
        """Whether this bound leaves no more than half the asked gap above the incumbent."""
        if self.incumbent.picks is None:
            return bound == -np.inf
        if bound <= self.incumbent.value:
            return True
        step = self.whole.value_step
        if step is not None and bound < self.incumbent.value + step * (1 - 1e-6):
            return True
        report = self.whole.report
        gap = relative_gap(report(self.incumbent.value), report(bound))
        return gap is not None and gap <= 0.5 * self.limits.gap

    def _stopped(self) -> bool:
        if self.clock.expired():
            self.limit = Limit.INTERRUPTED if self.clock.interrupted else Limit.TIME
        elif self.limits.nodes is not None and self.nodes >= self.limits.nodes:
            self.limit = Limit.NODES
        return self.limit is not Limit.NONE

    def _tell(self) -> None:
        known = self.incumbent.picks is not None
        self.limits.tell(self.incumbent.value if known else None, self.bound, self.nodes)

    def _offer(self, picks: Picks | None) -> bool:
        """Offer a point of what is left."""
        taken = picks is not None and self.incumbent.offer(self.reduced.to_merged(picks))
        if taken:
            self._tell()
        return taken

    # ---------------------------------------------------------------- the root

    def _warm_start(self) -> None:
        start = self.limits.start
        if start is not None and start.fits(self.whole):
            self.incumbent.offer(self.reduced.from_whole(start))

    def _root(self) -> bool:
        """Prices, incumbent and reductions at the root; False when (P) is infeasible."""
        packing = self.reduced.packing
        point, seen = first_prices(packing, self.clock, self.limits.prices, 1e-8)
        for each in seen:
            self._collect(each)
        self.bound, self.prices = point.bound, point.prices
        if self.bound == -np.inf:
            self.proof.empty(0)
            return False
        self.proof.leaf(0, self.prices, self.bound)
        self._tell()
        for _ in range(4):
            if self._stopped():
                return True
            before = self.reduced.packing.agent_count
            self._improve()
            if self._closed(self.bound):
                return True
            self._fix()
            answer = self._sharpen()
            if answer is not None:
                return answer
            if self.reduced.packing.agent_count > 0.7 * before:
                break
        self._fix()
        return True

    def _fix(self) -> None:
        if self.incumbent.picks is not None:
            self.reduced = reduction.fix(
                self.reduced, self.proof, self.prices, self.bound, self.incumbent.value
            )

    def _collect(self, point: DualPoint) -> None:
        if self.reduced.rows is None:
            self.pool.update(zip(point.picks.ids.tolist(), point.picks.agents.tolist(), strict=True))

    def _improve(self) -> None:
        """Look for a better incumbent: rounding, then the core problem at the present prices."""
        packing = self.reduced.packing
        if packing.pure and self.reduced.rows is None:
            self._plan_again(None)
            if self.incumbent.picks is not None and packing.row_count >= MANY_ROWS:
                return  # a MIP over thousands of rows and unrelated columns finds less than planning does
        if packing.pure and self.incumbent.picks is None:
            self._offer(self._filled(round_prices(packing, self.prices), self.prices))
        extra = max(CORE_PLANS, packing.agent_count // CORE_SHARE)
        while not self._stopped():
            agents, ids = self._core_plans(extra)
            start = None if self.incumbent.picks is None else self.reduced.from_merged(self.incumbent.picks)
            clock = self.clock.part(max(2.0, 0.1 * self.clock.elapsed()))
            picks = solve_core(
                packing,
                agents,
                ids,
                SolverLimits(clock, self.limits.gap / 4, self.limits.threads, self.limits.seed),
                start,
            )
            self._offer(picks)
            if self.incumbent.picks is not None or len(ids) >= self._plan_count() or extra > 50_000:
                return
            extra *= 4

    def _plan_again(self, point: ColumnPoint | None) -> None:
        """An incumbent at the present prices, for planners that generate their plans."""
        packing, report = self.reduced.packing, self.whole.report

        def enough(value: float) -> bool:
            gap = relative_gap(report(value), report(self.bound))
            return gap is not None and gap <= 0.5 * self.limits.gap

        found = plan_again(
            packing,
            self.prices,
            point,
            self.clock,
            self.limits.seed,
            min(MOST_TRIES, 20 * packing.agent_count),
            enough,
            self.limits.row_groups,
        )
        self._offer(found.assignment.picks())

    def _plan_count(self) -> int:
        planner = self.reduced.packing.planner
        return planner.plan_count if isinstance(planner, PlanTable) else len(self.pool)

    def _core_plans(self, extra: int) -> tuple[IntArray, IntArray]:
        planner = self.reduced.packing.planner
        if isinstance(planner, PlanTable):
            return near_best(planner, self.prices, extra)
        ids = np.fromiter(self.pool, dtype=np.int64, count=len(self.pool))
        agents = np.fromiter(self.pool.values(), dtype=np.int64, count=len(self.pool))
        return agents, ids

    def _sharpen(self) -> bool | None:
        """Solve the column LP of what is left for exact prices. False: infeasible; True: closed; None: go on."""
        solver = self._solver()
        result = solver.solve({}, self.prices, self._closed)
        self._remember(solver.lp)
        if result.kind != "leaf":
            self._close_node(0, result)
            return False
        if result.bound < self.bound:
            self.bound, self.prices = result.bound, result.prices
            self.proof.leaf(0, self.prices, self.bound)
        if result.point is not None:
            self._offer(self._rounded(result.point))
            if self.whole.pure and self.reduced.rows is None and not self._closed(self.bound):
                self._plan_again(result.point)
        self._tell()
        return True if self._closed(self.bound) else None

    def _solver(self) -> NodeSolver:
        packing = self.reduced.packing
        value, scale = price_scale(packing)
        lp = ColumnLP(packing, value, scale)
        if isinstance(packing.planner, PlanTable) and packing.planner.plan_count <= LP_PLANS:
            lp.add(packing.planner.agent_of, np.arange(packing.planner.plan_count))
        else:
            lp.add(*self._core_plans(2000))
        loose = self.reduced.rows is None and packing.row_count >= MANY_ROWS
        return NodeSolver(packing, lp, self.clock, NODE_GAP if loose else AGREED)

    def _remember(self, lp: ColumnLP) -> None:
        if self.reduced.rows is None:
            self.pool.update(zip(lp.ids.tolist(), lp.agents.tolist(), strict=True))

    def _rounded(self, point: ColumnPoint) -> Picks | None:
        """The LP point as it is when it is whole, else rounded (where nothing supplies capacity)."""
        packing = self.reduced.packing
        if not (np.abs(point.weights - np.rint(point.weights)) > 1e-6).any():
            counts = np.rint(point.weights).astype(np.int64)
            used = counts > 0
            return Picks(point.agents[used], point.ids[used], counts[used])
        if not packing.pure:
            return None
        picks = round_point(packing, point.prices, point.agents, point.ids, point.weights)
        return self._filled(picks, point.prices)

    def _filled(self, picks: Picks | None, prices: FloatArray) -> Picks | None:
        """Picks with the room they leave filled up, where that is cheap: large tables leave it to the core problem."""
        table = self.reduced.packing.planner
        if picks is None or not isinstance(table, PlanTable) or table.plan_count > LP_PLANS:
            return picks
        return fill_room(self.reduced.packing, table, prices, picks, limit=50)

    # ---------------------------------------------------------------- the tree

    def _tree(self) -> bool:
        """Best-first search; True when it proves that there is no feasible point at all."""
        self.reduced = reduction.keep_and_round(self.reduced, self.proof)
        solver = self._solver()
        heap: list[tuple[float, int, _Node]] = []
        order = itertools.count()
        self._open(heap, order, solver, 0, {}, self.prices)
        while heap:
            self.bound = max(-heap[0][0], self.incumbent.value)
            if self._stopped() or self._closed(-heap[0][0]):
                break
            _, _, node = heapq.heappop(heap)
            if node.split is None:  # nothing tells its plans apart: it stays open, and so does the gap
                self._tell()
                return False
            split = node.split
            name = int(self.reduced.agents[split.agent])
            low, high = self.proof.split(node.at, name, split.path, split.cuts, split.count)
            for at, cell in ((low, split.at_most), (high, split.at_least)):
                self._open(heap, order, solver, at, {**node.cells, split.agent: cell}, node.prices)
            if self.nodes % 50 < 2:
                self._remember(solver.lp)
                self._tell()
        if not heap:
            self.bound = self.incumbent.value
        self._tell()
        return not heap and self.incumbent.picks is None

    def _open(
        self,
        heap: list[tuple[float, int, _Node]],
        order: itertools.count[int],
        solver: NodeSolver,
        at: int,
        cells: Mapping[int, Cell],
        prices: FloatArray,
    ) -> None:
        """Bound a node and put it on the heap unless it is closed."""
        self.nodes += 1
        result = solver.solve(cells, prices, self._closed)
        if result.point is not None and not len(fractional_agents(solver.packing, result.point)):
            result = solver.finished(result, cells, self._closed)
        self._close_node(at, result)
        if result.kind != "leaf" or self._closed(result.bound):
            return
        split = None
        if result.point is not None:
            if self.nodes % ROUND_EVERY == 1 or not len(fractional_agents(solver.packing, result.point)):
                self._offer(self._rounded(result.point))
            split = self._choose(solver, result.point, cells)
        heapq.heappush(
            heap, (-result.bound, next(order), _Node(at, cells, result.bound, result.prices, split))
        )

    def _close_node(self, at: int, result: NodeBound) -> None:
        if result.kind == "leaf":
            self.proof.leaf(at, result.prices, result.bound)
        elif result.kind == "ray":
            self.proof.ray(at, result.prices)
        else:
            self.proof.empty(at)

    def _choose(self, solver: NodeSolver, point: ColumnPoint, cells: Mapping[int, Cell]) -> Split | None:
        """Split a fractional agent; a point that looks whole but does not close the node: any agent with a choice left."""
        packing = solver.packing
        for agent in fractional_agents(packing, point):
            split = split_agent(packing, point, cells, int(agent))
            if split is not None:
                return split
        for agent in np.unique(point.agents):
            own = solver.lp.ids[solver.lp.agents == agent]
            cell = cells.get(int(agent))
            for _, leaf in cell.leaves() if cell else [("", Cell(None, 0, 1))]:
                inside = own[packing.planner.contains(int(agent), leaf.part, own)]
                if len(inside) >= 2:
                    weights = np.full(2, 0.5)
                    split = split_plans(packing, cells, int(agent), inside[:2], weights)
                    if split is not None:
                        return split
        return None
