"""Optimus with one resource: a multiple-choice knapsack, solved exactly by a dynamic program over capacity.

best_j(c) = the least total time of jobs 1..j that use at most c units more than the least they must:

    best_j(c) = min over pairs a of job j of  t_ja + best_{j-1}(c - u_ja)

One pair is one vectorised minimum over all c, so the work is C times the number of undominated pairs. Units are divided by
what all extra uses have in common; capacity that nobody can use is cut off. The optimum is exact up to rounding of sums in
floating point, but nothing here can be recomputed by a stranger: the result is `optimal-claimed`.
"""

from __future__ import annotations

import time

import numpy as np

from dmlopt.control import Clock, OutOfTime
from dmlopt.engine.infeasible import explain
from dmlopt.errors import NotApplicableError
from dmlopt.packing import FloatArray, IntArray, Packing, Picks
from dmlopt.registry import Request
from dmlopt.result import Answer, Limit
from dmlopt.table import PlanTable
from formulations.optimus.planner import allocation, packing
from formulations.optimus.problem import OptimusProblem

MOST_CELLS = 200_000_000
"""Jobs times capacity that may be stored: 4 bytes each for the way back."""


def run_dynamic_program(problem: OptimusProblem, request: Request) -> Answer:
    """The method `dp`."""
    if problem.resource_count != 1:
        names = ", ".join(kind.name for kind in problem.resources)
        raise NotApplicableError(f"dp: expected exactly one resource, got {problem.resource_count} ({names})")
    began = time.perf_counter()
    plans = packing(problem)
    build = time.perf_counter() - began
    assert isinstance(plans.planner, PlanTable)
    if (plans.planner.sizes == 0).any():
        return _infeasible(plans, build, request.clock)
    try:
        picks = least_time(plans, request.clock)
    except OutOfTime:
        over = Limit.INTERRUPTED if request.clock.interrupted else Limit.TIME
        return Answer(limit=over, build_seconds=build)
    if picks is None:
        return _infeasible(plans, build, request.clock)
    return Answer(
        solution=allocation(problem, plans, picks),
        claimed_bound=plans.report(picks.value(plans)),
        claimed_optimal=True,
        build_seconds=build,
        statistics={"plans": plans.planner.plan_count},
    )


def _infeasible(plans: Packing, build: float, clock: Clock) -> Answer:
    shortage = explain(plans, Clock(min(10.0, max(1.0, clock.remaining()))))
    return Answer(claimed_infeasible=True, shortage=shortage, build_seconds=build)


def least_time(plans: Packing, clock: Clock) -> Picks | None:
    """The best plan of every agent; None when even the least uses do not fit. Raises OutOfTime, NotApplicableError."""
    table = plans.planner
    assert isinstance(table, PlanTable)
    use = table.plan_usage[:, 0]
    least = np.minimum.reduceat(use, table.start[:-1])
    room = int(plans.capacity[0]) - int(least.sum())
    if room < 0:
        return None
    extra = use - least[table.agent_of]
    unit = max(1, int(np.gcd.reduce(extra)))
    extra = extra // unit
    most = int(np.maximum.reduceat(extra, table.start[:-1]).sum())
    cells = min(room // unit, most) + 1
    _refuse_if_huge(cells, table.agent_count)
    return _fill(table, extra, cells, clock)


def _refuse_if_huge(cells: int, agents: int) -> None:
    if cells * agents > MOST_CELLS:
        raise NotApplicableError(
            f"dp: {agents} jobs times {cells} units of capacity are too many states; at most {MOST_CELLS} "
            "are kept in memory. A coarser unit of the resource, or the method exact, will do"
        )


def _fill(table: PlanTable, extra: IntArray, cells: int, clock: Clock) -> Picks:
    best: FloatArray = np.zeros(cells)
    taken = np.empty(
        (table.agent_count, cells), dtype=np.int32
    )  # the plan behind best_j(c), from the job's first
    for agent in range(table.agent_count):
        first = int(table.start[agent])
        now = np.full(cells, np.inf)
        for plan in range(first, int(table.start[agent + 1])):
            clock.check()
            shift = int(extra[plan])
            if shift >= cells:
                continue
            candidate = best[: cells - shift] - table.value[plan]
            better = candidate < now[shift:]
            np.copyto(now[shift:], candidate, where=better)
            np.copyto(taken[agent, shift:], plan - first, where=better)
        best = now
    ids = np.empty(table.agent_count, dtype=np.int64)
    at = cells - 1
    for agent in range(table.agent_count - 1, -1, -1):
        ids[agent] = table.start[agent] + taken[agent, at]
        at -= int(extra[ids[agent]])
    agents = np.arange(table.agent_count, dtype=np.int64)
    return Picks(agents, ids, np.ones(table.agent_count, dtype=np.int64))
