"""The integer program over the plans that column generation has met: what textbooks call the restricted master.

A point of it is a point of (P), its optimum is no bound on (P). Where plans are many and nearly equal it is a weak
heuristic, because the columns of an LP were never meant to fit together; it is here to compare with, and as a source of
incumbents.
"""

from __future__ import annotations

import numpy as np

from dmlopt.backends.program import SolverLimits
from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.core_problem import solve_core
from dmlopt.packing import Packing, Picks


def restricted_master(
    packing: Packing, lp: ColumnLP, limits: SolverLimits, start: Picks | None = None
) -> Picks | None:
    """The best integer point over the LP's columns (and those of `start`), as far as the limits allow."""
    agents, ids = lp.agents, lp.ids
    if start is not None:
        new = ~np.isin(start.ids, ids)
        agents = np.concatenate([agents, start.agents[new]])
        ids = np.concatenate([ids, start.ids[new]])
    return solve_core(packing, agents, ids, limits, start)
