"""Between picks of (P) and schedules in the paper's terms."""

from __future__ import annotations

import numpy as np

from dmlopt.packing import Packing, Picks
from formulations.oasis.planner import OasisPlanner
from formulations.oasis.problem import OasisProblem
from formulations.oasis.solution import JobSchedule, Schedules


def schedules_of(problem: OasisProblem, packing: Packing, picks: Picks) -> Schedules:
    """Picks as schedules; what is not picked is rejected."""
    planner = packing.planner
    assert isinstance(planner, OasisPlanner)
    jobs: list[JobSchedule | None] = [None] * problem.job_count
    for agent, id, count in zip(
        picks.agents.tolist(), picks.ids.tolist(), picks.counts.tolist(), strict=True
    ):
        if count:
            jobs[agent] = planner.schedule(id)
    return Schedules(tuple(jobs))


def picks_of(problem: OasisProblem, packing: Packing, solution: Schedules) -> Picks | None:
    """The plans of a solution, for a warm start: surplus workers (from the end) and surplus ps are left out.

    None when the solution is of another problem.
    """
    planner = packing.planner
    assert isinstance(planner, OasisPlanner)
    if len(solution.jobs) != problem.job_count:
        return None
    ids = []
    for agent, schedule in enumerate(solution.jobs):
        if schedule is not None:
            id = _plan_of(problem, planner, agent, schedule)
            if id is None:
                return None
            ids.append(id)
    chosen = np.array(ids, dtype=np.int64)
    return Picks(planner.arena.agents(chosen), chosen, np.ones(len(chosen), dtype=np.int64))


def _plan_of(problem: OasisProblem, planner: OasisPlanner, agent: int, schedule: JobSchedule) -> int | None:
    each, job = planner.derived[agent], problem.jobs[agent]
    places = planner.rows.place_count
    codes, counts = [], []
    left, claim = each.work, 0
    for t in sorted(schedule):
        y = min(sum(schedule[t][0].values()), each.width)
        while y > 0 and each.gain[y - 1] >= min(left, each.gain[y]):
            y -= 1  # one worker less does as well
        if y == 0 or left <= 0 or not job.arrival <= t <= problem.horizon:
            continue
        left -= int(each.gain[y])
        claim = t
        for offset, side, needed in (
            (0, schedule[t][0], y),
            (planner.rows.worker_places, schedule[t][1], int(each.ps_count[y])),
        ):
            for place, count in sorted(side.items()):
                taken = min(count, needed)
                needed -= taken
                if taken > 0 and 0 <= place < places - offset:
                    codes.append((t - 1) * places + offset + place)
                    counts.append(taken)
            if needed:
                return None
    if left > 0:
        return None
    value = job.utility.value(claim - job.arrival)
    return planner.arena.add(
        agent, claim, value, np.array(codes, dtype=np.int64), np.array(counts, dtype=np.int64)
    )
