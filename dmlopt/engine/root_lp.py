"""The column LP of (P) at the root: prices first, then columns until planner and LP agree.

Prices come from cutting planes where there are few rows and from subgradient steps where there are many; the plans met on
the way are the first columns. A listed plan set goes into the LP whole while it is small enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.column_generation import AGREED, MANY_ROWS, Rounds, Tell
from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.core_problem import near_best
from dmlopt.engine.evaluate import DualPoint
from dmlopt.engine.lagrangian import lagrangian, price_scale
from dmlopt.engine.node_solver import NodeBound, NodeSolver
from dmlopt.engine.proof import Proof
from dmlopt.engine.subgradient import subgradient
from dmlopt.packing import FloatArray, Packing
from dmlopt.table import PlanTable

LP_PLANS = 20_000
"""Tables up to this size go into the column LP whole; from larger ones plans are priced in."""
FIRST_COLUMNS = 10
"""Evaluations on the way to the first prices whose plans become columns: the last ones."""


@dataclass(frozen=True)
class RootLP:
    """The solved root: what it proves (`node`), the LP with its columns, and what it cost."""

    node: NodeBound
    lp: ColumnLP
    cost: Rounds

    def prove(self, proof: Proof) -> None:
        """Write what is known of the root into a proof."""
        if self.node.kind == "leaf":
            proof.leaf(0, self.node.prices, self.node.bound)
        elif self.node.kind == "ray":
            proof.ray(0, self.node.prices)
        else:
            proof.empty(0)

    def statistics(self) -> dict[str, float]:
        """What the rounds cost."""
        return self.cost.statistics(self.lp)


def first_prices(
    packing: Packing,
    clock: Clock,
    start: FloatArray | None = None,
    tolerance: float = 1e-6,
) -> tuple[DualPoint, list[DualPoint]]:
    """The best evaluation of a quick search over prices, and the last ones on the way to it."""
    seen: list[DualPoint] = []
    if packing.row_count >= MANY_ROWS and not isinstance(packing.planner, PlanTable):
        return subgradient(packing, clock, start, tell=seen.append), seen[-FIRST_COLUMNS:]
    return lagrangian(packing, clock, tolerance, start, tell=seen.append).point, seen


def solve_root(
    packing: Packing,
    clock: Clock | None = None,
    gap: float = AGREED,
    start: FloatArray | None = None,
    tell: Tell | None = None,
) -> RootLP:
    """Column generation until LP and bound are within `gap` (relative), the clock is over, or (P) proves infeasible."""
    clock = clock or Clock()
    point, seen = first_prices(packing, clock, start)
    lp = ColumnLP(packing, *price_scale(packing))
    if isinstance(packing.planner, PlanTable):
        count = packing.planner.plan_count
        extra = count if count <= LP_PLANS else 3 * packing.agent_count
        lp.add(*near_best(packing.planner, point.prices, extra))
    elif seen:
        picks = [each.picks for each in seen]
        lp.add(np.concatenate([p.agents for p in picks]), np.concatenate([p.ids for p in picks]))
    solver = NodeSolver(packing, lp, clock, gap, tell)
    node = solver.solve({}, point.prices, lambda bound: False)
    return RootLP(node, lp, solver.rounds.cost)
