"""Why (P) has no feasible point: what is short, and by how much.

Three steps, the plainest explanation first: an agent without any plan; a row whose least need exceeds its capacity; then a
second problem (P) in which capacity can be bought unit by unit and plans have no value of their own. Its optimum is the
least shortage; whether the rows are short only together or only in whole numbers is told by its LP.
"""

from __future__ import annotations

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.lagrangian import lagrangian
from dmlopt.engine.presolve import least_total
from dmlopt.engine.price_tree import SearchLimits, price_tree
from dmlopt.packing import FloatArray, IntArray, Packing
from dmlopt.result import Shortage
from dmlopt.table import PlanTable


def explain(packing: Packing, clock: Clock) -> Shortage | None:
    """The shortage behind an infeasible (P); None for planners that do not list their plans."""
    table = packing.planner
    if not isinstance(table, PlanTable):
        return None
    without = np.flatnonzero((table.sizes == 0) & (packing.lo > 0))
    if len(without):
        named = ", ".join(map(str, without[:5].tolist()))
        return Shortage("agents", (), (), f"no plan at all for agent {named}")
    least = least_total(table, packing.lo, packing.hi).sum(axis=0)
    over = np.flatnonzero(least > packing.capacity)
    if len(over):
        return _shortage("row", packing, over, (least - packing.capacity)[over], least)
    bought, fractional = _least_purchase(packing, table, clock)
    rows = np.flatnonzero(bought)
    if not len(rows):
        return None
    return _shortage("together" if fractional else "integer", packing, rows, bought[rows], None)


def _shortage(
    kind: str, packing: Packing, rows: IntArray, amounts: IntArray, least: IntArray | None
) -> Shortage:
    names = tuple(packing.row_names[row] for row in rows)
    units = packing.row_units or ("",) * packing.row_count
    parts = [
        f"{name} by {amount}{' x ' + units[row] if units[row] else ''}"
        + (f" (least need {least[row]}, capacity {packing.capacity[row]})" if least is not None else "")
        for name, row, amount in zip(names, rows.tolist(), amounts.tolist(), strict=True)
    ]
    reason = {
        "row": "short of ",
        "together": "each row alone would do, together they do not; at best short of ",
        "integer": "enough only if plans could be divided; in whole plans at best short of ",
    }[kind]
    return Shortage(kind, names, tuple(float(a) for a in amounts), reason + ", ".join(parts))


def purchase_problem(packing: Packing, table: PlanTable) -> Packing:
    """(P) with worthless plans and one seller per row: each unit of capacity costs 1 / capacity."""
    rows = packing.row_count
    enough = np.maximum(np.abs(table.plan_usage).sum(axis=0), 1)
    weight = 1.0 / np.maximum(packing.capacity, 1)
    start = np.concatenate([table.start, table.start[-1] + 1 + np.arange(rows)])
    value = np.concatenate([np.zeros(table.plan_count), -weight])
    usage = np.vstack([table.plan_usage, -np.eye(rows, dtype=np.int64)])
    return Packing(
        planner=PlanTable(start, value, usage),
        capacity=packing.capacity,
        lo=np.concatenate([packing.lo, np.zeros(rows, dtype=np.int64)]),
        hi=np.concatenate([packing.hi, enough]),
        row_names=packing.row_names,
        pure=False,
    )


def _least_purchase(packing: Packing, table: PlanTable, clock: Clock) -> tuple[IntArray, bool]:
    """Units bought per row in the best point found, and whether the LP too has to buy."""
    problem = purchase_problem(packing, table)
    found = price_tree(problem, SearchLimits(clock=clock))
    bought = np.zeros(packing.row_count, dtype=np.int64)
    if found.picks is not None:
        sellers = found.picks.agents >= packing.agent_count
        np.add.at(bought, found.picks.agents[sellers] - packing.agent_count, found.picks.counts[sellers])
    return bought, _relaxation(problem, clock) < -1e-9


def _relaxation(problem: Packing, clock: Clock) -> float:
    found = lagrangian(problem, clock, tolerance=1e-9)
    prices: FloatArray = found.point.prices
    return found.point.bound if prices.any() else 0.0
