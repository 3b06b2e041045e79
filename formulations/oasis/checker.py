"""Are these schedules feasible, and what are they worth? Written from constraints (1)-(13), in integers and fractions.

| name | constraint |
|---|---|
| shape | one schedule, or none, per job |
| slots | slots are 1..T, places exist |
| work (2) | worker-slots cover E N M (tau + 2 e / b); with `chunks`, sum_t floor(y(t) / m) covers E N |
| width (3) | at most N workers in a slot |
| worker capacity (4), ps capacity (5) | per slot, place and resource |
| pool rooms | only with `pool_rooms`: no more tasks in a class than its empty servers could hold |
| ps bandwidth (6) | b times workers is at most B times ps |
| ps count (7) | no more ps than workers |
| arrival (9), arrival (10) | nothing before a_i |
| counts (12), counts (13) | counts are not negative |

The completion slot (8) is the last one with a worker; the objective (1) is the sum of f_i over the admitted jobs.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

from dmlopt.check import Verdict, Violation
from formulations.oasis.problem import Job, OasisProblem, Places
from formulations.oasis.solution import JobSchedule, Schedules, Tasks


def check(problem: OasisProblem, solution: Any) -> Verdict:
    """Objective and violated constraints of a set of schedules."""
    if not isinstance(solution, Schedules):
        text = f"expected Schedules, got {type(solution).__name__}"
        return Verdict(None, (Violation("shape", "solution", 1, text),))
    if len(solution.jobs) != problem.job_count:
        text = f"{len(solution.jobs)} entries, expected {problem.job_count}"
        return Verdict(None, (Violation("shape", "jobs", abs(len(solution.jobs) - problem.job_count), text),))
    found: list[Violation] = []
    worth: list[float] = []
    use: tuple[Counter[tuple[int, int, int]], ...] = (Counter(), Counter())
    for index, (job, schedule) in enumerate(zip(problem.jobs, solution.jobs, strict=True)):
        if schedule is None:
            continue
        broken = _job(problem, job, schedule, f"jobs[{index}]")
        found += broken
        worked = [t for t, (workers, _) in schedule.items() if sum(workers.values()) > 0]
        if worked and not any(each.constraint == "slots" for each in broken):
            worth.append(job.utility.value(max(max(worked) - job.arrival, 0)))
        for slot, sides in schedule.items():
            for side, demand in enumerate((job.worker, job.ps)):
                for place, count in sides[side].items():
                    for r, amount in enumerate(demand):
                        use[side][slot, place, r] += count * amount
    capacities = ("worker capacity (4)", "ps capacity (5)")
    for side, places in enumerate((problem.worker_places, problem.ps_places)):
        found += _capacity(problem, capacities[side], use[side], places)
    complete = len(worth) == sum(schedule is not None for schedule in solution.jobs)
    return Verdict(math.fsum(worth) if complete else None, tuple(found))


def _exact(number: float) -> Fraction:
    return Fraction(repr(float(number)))


def _job(problem: OasisProblem, job: Job, schedule: JobSchedule, where: str) -> list[Violation]:
    """Constraints of one job alone."""
    found = _places(problem, job, schedule, where)
    slot = _exact(problem.slot_seconds)
    b, big_b = _exact(job.worker_bits_per_second), _exact(job.ps_bits_per_second)
    seconds = _exact(job.minibatch_seconds) + 2 * 8 * _exact(job.gradient_bytes) / b
    per_chunk = job.minibatches * seconds / slot
    total, chunks = 0, 0
    for t, (workers, ps) in sorted(schedule.items()):
        at = f"{where} slot {t}"
        for name, side in (("counts (12)", workers), ("counts (13)", ps)):
            least = min(side.values(), default=0)
            if least < 0:
                found.append(Violation(name, at, -least, f"{least} tasks on a place"))
        y, z = sum(workers.values()), sum(ps.values())
        total += y
        chunks += math.floor(y / per_chunk)
        if y > job.chunks:
            found.append(Violation("width (3)", at, y - job.chunks, f"{y} workers, at most {job.chunks}"))
        if b * y > big_b * z:
            short = float(b * y - big_b * z)
            found.append(Violation("ps bandwidth (6)", at, short, f"{z} ps do not serve {y} workers"))
        if z > y:
            found.append(Violation("ps count (7)", at, z - y, f"{z} ps for {y} workers"))
        if t < job.arrival:
            for name, count in (("arrival (9)", y), ("arrival (10)", z)):
                if count:
                    found.append(Violation(name, at, count, f"the job arrives in slot {job.arrival}"))
    needed = job.epochs * job.chunks * per_chunk
    if total < needed:
        short = float(needed - total)
        found.append(Violation("work (2)", where, short, f"{total} worker-slots, {float(needed):g} needed"))
    elif problem.work == "chunks" and chunks < job.epochs * job.chunks:
        short = job.epochs * job.chunks - chunks
        found.append(Violation("work (2)", where, short, f"{chunks} whole chunks, {chunks + short} needed"))
    return found


def _places(problem: OasisProblem, job: Job, schedule: JobSchedule, where: str) -> list[Violation]:
    """Slots and places that do not exist, and the rooms of pools."""
    found = []
    for t, sides in sorted(schedule.items()):
        at = f"{where} slot {t}"
        if not 1 <= t <= problem.horizon:
            found.append(Violation("slots", at, 1, f"slots are 1 to {problem.horizon}"))
        for side, places, demand in zip(
            sides, (problem.worker_places, problem.ps_places), (job.worker, job.ps), strict=True
        ):
            for place in side:
                if not 0 <= place < places.count:
                    found.append(Violation("slots", at, 1, f"place {place}: there are {places.count}"))
                elif problem.pool_rooms:
                    found += _pool_room(places, place, demand, side, at)
    return found


def _pool_room(places: Places, place: int, demand: tuple[int, ...], side: Tasks, at: str) -> list[Violation]:
    """One by one, the servers of a class hold so many tasks of this demand."""
    room = 0
    for group in places.groups[place]:
        each = min(have // need for have, need in zip(group.capacity, demand, strict=True) if need)
        room += group.count * each
    if side[place] <= room:
        return []
    text = f"{side[place]} tasks in {places.names[place]}, its servers hold {room}"
    return [Violation("pool rooms", at, side[place] - room, text)]


def _capacity(
    problem: OasisProblem, name: str, use: Counter[tuple[int, int, int]], places: Places
) -> list[Violation]:
    """(4) or (5): one comparison of integers per slot, place and resource."""
    found = []
    for (slot, place, r), used in sorted(use.items()):
        if not 0 <= place < places.count:
            continue
        capacity = int(places.capacity[place, r])
        if used > capacity:
            where = f"slot {slot} {places.names[place]} {problem.resources[r].name}"
            found.append(Violation(name, where, used - capacity, f"{used} used, {capacity} there"))
    return found
