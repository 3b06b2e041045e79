"""The LP relaxation of (P) over all plans, by scipy: what prices and column LPs are compared with."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from dmlopt.packing import Packing
from dmlopt.table import PlanTable


def relaxation(packing: Packing) -> float | None:
    """The optimum of the LP over every plan; None when it has no feasible point."""
    table = packing.planner
    assert isinstance(table, PlanTable)
    if not table.plan_count:
        feasible = bool((packing.capacity >= 0).all() and (packing.lo == 0).all())
        return packing.offset if feasible else None
    belongs = (table.agent_of[None, :] == np.arange(packing.agent_count)[:, None]).astype(float)
    answer = linprog(
        -table.value,
        A_ub=np.vstack([table.plan_usage.T, belongs, -belongs]),
        b_ub=np.concatenate([packing.capacity, packing.hi, -packing.lo]),
        method="highs",
    )
    assert answer.status in (0, 2), answer.message
    return packing.offset - float(answer.fun) if answer.status == 0 else None
