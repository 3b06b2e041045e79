"""Core problem: a small MIP over the plans closest to being best, for good integer points.

At near-optimal prices almost every agent's choice is clear. The agents whose second-best plans cost least are left to a MIP
solver; all others keep their best plan. Costs are differences to each agent's first plan in units of the largest
difference, otherwise the solver's tolerances would swallow what is left to decide.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from dmlopt.backends.highs import BACKEND
from dmlopt.backends.program import Program, SolverLimits
from dmlopt.packing import FloatArray, IntArray, Packing, Picks
from dmlopt.table import PlanTable


def near_best(table: PlanTable, prices: FloatArray, extra: int) -> tuple[IntArray, IntArray]:
    """The best plan of every agent and the `extra` plans with the least loss at these prices: (agents, ids)."""
    reduced = table.reduced(prices)
    best, first = table.segment_max(reduced)
    loss = best[table.agent_of] - reduced
    first = first[first >= 0]
    loss[first] = np.inf
    extra = min(extra, table.plan_count - len(first))
    more = np.argpartition(loss, extra - 1)[:extra] if extra > 0 else np.empty(0, dtype=np.int64)
    ids = np.concatenate([first, more])
    return table.agent_of[ids], ids


def solve_core(
    packing: Packing, agents: IntArray, ids: IntArray, limits: SolverLimits, start: Picks | None = None
) -> Picks | None:
    """Best integer point over these plans, as far as the limits allow; checked in integers, None when there is none."""
    sizes = np.bincount(agents, minlength=packing.agent_count)
    clear = (sizes == 1) & (packing.lo == packing.hi)
    settled = clear[agents]
    fixed = Picks(agents[settled], ids[settled], packing.lo[agents[settled]])
    agents, ids = agents[~settled], ids[~settled]
    open_agents, local = np.unique(agents, return_inverse=True)
    if len(ids) == 0:
        return fixed if fixed.fits(packing) else None
    values = packing.planner.values(ids)
    first_of = np.full(len(open_agents), -1, dtype=np.int64)
    first_of[local[::-1]] = np.arange(len(ids))[::-1]
    must = packing.lo[open_agents] == packing.hi[open_agents]
    base = np.where(must, values[first_of], 0.0)
    difference = base[local] - values
    scale = max(float(np.abs(difference).max()), 1e-12)
    settled_value = packing.offset + float(packing.planner.values(fixed.ids) @ fixed.counts)
    room = (packing.capacity - fixed.use(packing)).astype(np.float64)
    usage = csr_array(packing.planner.usage(ids))
    row_scale = np.maximum(abs(usage).max(axis=0).toarray().ravel().astype(np.float64), 1.0)
    rows = usage.T.astype(np.float64).multiply((1.0 / row_scale)[:, None])
    count = len(ids)
    belongs = csc_array((np.ones(count), (local, np.arange(count))), shape=(len(open_agents), count))
    program = Program(
        cost=difference / scale,
        matrix=csc_array(vstack([rows, belongs])),
        row_lower=np.concatenate([np.full(len(room), -np.inf), packing.lo[open_agents].astype(np.float64)]),
        row_upper=np.concatenate([room / row_scale, packing.hi[open_agents].astype(np.float64)]),
        lower=np.zeros(count),
        upper=packing.hi[agents].astype(np.float64),
        integral=np.ones(count, dtype=bool),
        offset=-(settled_value + float(base @ packing.lo[open_agents])) / scale,
    )
    begin = _as_point(start, ids) if start is not None else None
    answer = BACKEND.solve(program, limits, begin)
    if answer.x is None:
        return None
    counts = np.rint(answer.x).astype(np.int64)
    used = counts > 0
    picks = Picks(
        np.concatenate([fixed.agents, agents[used]]),
        np.concatenate([fixed.ids, ids[used]]),
        np.concatenate([fixed.counts, counts[used]]),
    )
    return picks if picks.fits(packing) else None


def _as_point(start: Picks, ids: IntArray) -> FloatArray | None:
    """A known integer point in the columns of the core; None when it uses a plan outside."""
    order = np.argsort(ids)
    place = np.searchsorted(ids, start.ids, sorter=order)
    place = np.minimum(place, len(ids) - 1)
    known = ids[order[place]] == start.ids
    point = np.zeros(len(ids))
    np.add.at(point, order[place[known]], start.counts[known])
    return point
