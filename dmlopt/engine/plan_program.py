"""(P) with listed plans as one integer program in arrays: what a MIP solver is given when it should do the whole work."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, vstack

from dmlopt.backends.program import Program
from dmlopt.packing import Packing
from dmlopt.table import PlanTable


def plan_program(packing: Packing, table: PlanTable) -> Program:
    """One integer column per plan; rows: capacities first, then one row of counts per agent."""
    plans = table.plan_count
    belongs = csc_array(
        (np.ones(plans), (table.agent_of, np.arange(plans))), shape=(table.agent_count, plans)
    )
    return Program(
        cost=-table.value,
        matrix=csc_array(vstack([csc_array(table.plan_usage.T.astype(np.float64)), belongs])),
        row_lower=np.concatenate([np.full(packing.row_count, -np.inf), packing.lo.astype(np.float64)]),
        row_upper=np.concatenate([packing.capacity, packing.hi]).astype(np.float64),
        lower=np.zeros(plans),
        upper=packing.hi[table.agent_of].astype(np.float64),
        integral=np.ones(plans, dtype=bool),
        offset=-packing.offset,
    )
