"""The independent oracles: the compact program in PuLP, and plain enumeration of schedules for tiny cases.

(1)-(13) with the completion slot as binaries u_it ("job i is done by slot t"), t = a_i..T:

    max   sum_{i,t} f_i(t - a_i) u_it                                        (1)
    s.t.  sum_t u_it <= 1                                                    (11)
          sum_{t,h} y_ih(t) >= W_i sum_t u_it                                (2)   W_i = the real right side, rounded up
          sum_h y_ih(t) <= N_i sum_{t' >= t} u_it'                           (3), (8): no worker after completion
          b_i sum_h y_ih(t) <= B_i sum_k z_ik(t)                             (6)
          sum_k z_ik(t) <= sum_h y_ih(t)                                     (7)
          capacities (4), (5); y, z integers (12), (13); nothing before a_i (9), (10)

Exact because f never rises: claiming a later slot than needed does not pay. In `chunks`, d_i(t) chunks are trained in a
slot and (2) becomes m_i d_i(t) <= sum_h y_ih(t), sum_t d_i(t) >= E_i N_i sum_t u_it. PuLP minimises, so costs are
negative utilities.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dmlopt.control import Clock
from formulations.oasis.problem import Job, OasisProblem
from formulations.oasis.solution import JobSchedule, Schedules

MOST_RATIO = 10_000


def _exact(number: float) -> Fraction:
    return Fraction(repr(float(number)))


def slots_per_chunk(problem: OasisProblem, job: Job) -> Fraction:
    """m_i, from the formula."""
    exchange = 16 * _exact(job.gradient_bytes) / _exact(job.worker_bits_per_second)
    return job.minibatches * (_exact(job.minibatch_seconds) + exchange) / _exact(problem.slot_seconds)


def bandwidth_ratio(job: Job) -> tuple[int, int]:
    """b_i : B_i in lowest terms."""
    ratio = _exact(job.worker_bits_per_second) / _exact(job.ps_bits_per_second)
    return ratio.numerator, ratio.denominator


def served_ratio(job: Job) -> tuple[int, int]:
    """b : B for row (6). Long decimals would be coefficients that solvers refuse, so beyond MOST_RATIO the ratio is raised
    to min_y ps(y) / y over y <= N: the same integer points, and a tighter relaxation. With b > B nothing can be served, and
    any ratio above 1 says so.
    """
    b, big_b = bandwidth_ratio(job)
    if max(b, big_b) <= MOST_RATIO or b > big_b:
        return (b, big_b) if b <= big_b else (2, 1)
    raised = min(Fraction(-(-y * b // big_b), y) for y in range(1, job.chunks + 1))
    return raised.numerator, raised.denominator


def chunk_ratio(job: Job, m: Fraction) -> tuple[int, int]:
    """(c, y) with d <= c / y workers: 1 / m, lowered to the best whole number of chunks per number of workers <= N.

    The same integer points as m d <= workers, with coefficients that solvers can hold.
    """
    if max(m.numerator, m.denominator) <= MOST_RATIO:
        return m.denominator, m.numerator
    lowered = max(Fraction(math.floor(y / m), y) for y in range(1, job.chunks + 1))
    return lowered.numerator, lowered.denominator


def place_room(problem: OasisProblem, job: Job, side: int, place: int) -> int:
    """Most workers (side 0) or ps (side 1) of a job on an empty place."""
    places = (problem.worker_places, problem.ps_places)[side]
    demand = (job.worker, job.ps)[side]
    room = min(int(places.capacity[place, r]) // need for r, need in enumerate(demand) if need)
    if problem.pool_rooms:
        alone = 0
        for group in places.groups[place]:
            alone += group.count * min(have // n for have, n in zip(group.capacity, demand, strict=True) if n)
        room = min(room, alone)
    return room


def reference_program(problem: OasisProblem, clock: Clock | None = None) -> Any:
    """The compact program as a pulp.LpProblem; raises OutOfTime when the clock runs out meanwhile.

    u_i_t: job i completes by slot t; y_i_t_h workers, z_i_t_k ps; d_i_t chunks (only with `chunks`).
    """
    import pulp

    clock = clock or Clock()
    program = pulp.LpProblem("oasis", pulp.LpMinimize)
    objective: list[Any] = []
    use: dict[str, list[Any]] = {name: [] for name in capacity_rows(problem)}
    total = pulp.LpAffineExpression
    for i, job in enumerate(problem.jobs):
        clock.check()
        slots = range(job.arrival, problem.horizon + 1)
        done = {t: program.add_variable(f"u_{i}_{t}", cat="Binary") for t in slots}
        objective += [(u, -job.utility.value(t - job.arrival)) for t, u in done.items()]
        program += total([(u, 1) for u in done.values()]) <= 1, f"once_{i}"
        m = slots_per_chunk(problem, job)
        b, big_b = served_ratio(job)
        worked: list[Any] = []
        for t in slots:
            tasks = _slot_variables(program, problem, job, i, t, use)
            workers, ps = ([(v, 1) for v in side] for side in tasks)
            open_until = [(done[later], -job.chunks) for later in range(t, problem.horizon + 1)]
            program += total(workers + open_until) <= 0, f"width_{i}_{t}"
            program += (
                total([(v, b) for v in tasks[0]] + [(v, -big_b) for v in tasks[1]]) <= 0,
                f"served_{i}_{t}",
            )
            program += total(ps + [(v, -1) for v in tasks[0]]) <= 0, f"ps_count_{i}_{t}"
            if problem.work == "chunks":
                chunks, by = chunk_ratio(job, m)
                d = program.add_variable(f"d_{i}_{t}", 0, math.floor(job.chunks / m), cat="Integer")
                row = [(d, by)] + [(v, -chunks) for v in tasks[0]]
                program += total(row) <= 0, f"chunks_{i}_{t}"
                worked.append((d, 1))
            else:
                worked += workers
        needed = (
            job.epochs * job.chunks if problem.work == "chunks" else math.ceil(job.epochs * job.chunks * m)
        )
        program += total(worked + [(u, -needed) for u in done.values()]) >= 0, f"work_{i}"
    for name, (_, side, place, r) in capacity_rows(problem).items():
        places = (problem.worker_places, problem.ps_places)[side]
        if use[name]:
            program += total(use[name]) <= int(places.capacity[place, r]), name
    program.setObjective(total(objective))
    return program


def _slot_variables(
    program: Any, problem: OasisProblem, job: Job, i: int, t: int, use: dict[str, list[Any]]
) -> tuple[list[Any], list[Any]]:
    """The workers and ps of a job in one slot, entered into the capacity rows."""
    found: tuple[list[Any], list[Any]] = ([], [])
    for side, (letter, places, demand) in enumerate(
        (("y", problem.worker_places, job.worker), ("z", problem.ps_places, job.ps))
    ):
        for place in range(places.count):
            most = min(job.chunks, place_room(problem, job, side, place))
            if most < 1:
                continue
            variable = program.add_variable(f"{letter}_{i}_{t}_{place}", 0, most, cat="Integer")
            found[side].append(variable)
            for r, need in enumerate(demand):
                if need:
                    use[f"capacity_{t}_{side}_{place}_{r}"].append((variable, need))
    return found


def capacity_rows(problem: OasisProblem) -> dict[str, tuple[int, int, int, int]]:
    """Names of the capacity rows (4), (5): slot, side (0 workers, 1 ps), place, resource."""
    found = {}
    for t in range(1, problem.horizon + 1):
        for side, places in enumerate((problem.worker_places, problem.ps_places)):
            for place in range(places.count):
                for r in range(problem.resource_count):
                    found[f"capacity_{t}_{side}_{place}_{r}"] = (t, side, place, r)
    return found


def schedules_from_program(problem: OasisProblem, values: Mapping[str, float]) -> Schedules:
    """The schedules behind variable values of `reference_program`, by variable name. Rejected jobs keep nothing."""
    admitted = {int(name.split("_")[1]) for name, value in values.items() if name[0] == "u" and value > 0.5}
    jobs: list[dict[int, tuple[dict[int, int], dict[int, int]]]] = [{} for _ in problem.jobs]
    for name, value in values.items():
        if name[0] in "yz" and value > 0.5:
            i, t, place = (int(each) for each in name.split("_")[1:])
            jobs[i].setdefault(t, ({}, {}))[name[0] == "z"][place] = round(value)
    return Schedules(tuple(jobs[i] if i in admitted else None for i in range(problem.job_count)))


# -------------------------------------------------------------------- enumeration, for tiny cases


def every_schedule(problem: OasisProblem, i: int, surplus: bool = False) -> Iterator[JobSchedule]:
    """All schedules of one job with exactly the work it needs and the fewest ps, in every placement.

    In `chunks`, work cannot always be exact; there no active slot could do with a worker less. With `surplus` all
    schedules that do at least the work: the plan set that boxes divide.
    """
    job = problem.jobs[i]
    m = slots_per_chunk(problem, job)
    b, big_b = bandwidth_ratio(job)
    if b > big_b:
        return
    chunks = problem.work == "chunks"
    surplus = surplus and chunks
    needed = job.epochs * job.chunks if chunks else math.ceil(job.epochs * job.chunks * m)
    choices: list[tuple[int, tuple[dict[int, int], dict[int, int]]]] = []
    for y in range(job.chunks + 1):
        gain = math.floor(y / m) if chunks else y
        if chunks and not surplus and y != math.ceil(gain * m):
            continue
        z = -(-y * b // big_b)
        options = itertools.product(_spread(problem, job, 0, y), _spread(problem, job, 1, z))
        choices += [(gain, (workers, ps)) for workers, ps in options]

    def extend(t: int, left: int) -> Iterator[dict[int, tuple[dict[int, int], dict[int, int]]]]:
        if t > problem.horizon or (left <= 0 and not surplus):
            if left <= 0:
                yield {}
            return
        for gain, sides in choices:
            less = math.floor((sum(sides[0].values()) - 1) / m)
            if gain > left and not surplus and (not chunks or less >= left):
                continue
            for rest in extend(t + 1, left - gain):
                yield rest if not sides[0] else {t: sides, **rest}

    yield from extend(job.arrival, needed)


def _spread(problem: OasisProblem, job: Job, side: int, count: int) -> list[dict[int, int]]:
    """All ways to put `count` tasks on places, within what one empty place holds."""
    places = (problem.worker_places, problem.ps_places)[side].count
    found: list[dict[int, int]] = []

    def extend(place: int, left: int, taken: dict[int, int]) -> None:
        if left == 0:
            found.append(taken)
            return
        if place == places:
            return
        for n in range(min(left, place_room(problem, job, side, place)) + 1):
            extend(place + 1, left - n, {**taken, place: n} if n else taken)

    extend(0, count, {})
    return found


def use_of(job: Job, schedule: JobSchedule) -> dict[tuple[int, int, int, int], int]:
    """What a schedule uses, by (slot, side, place, resource)."""
    use: dict[tuple[int, int, int, int], int] = {}
    for t, sides in schedule.items():
        for side, demand in enumerate((job.worker, job.ps)):
            for place, count in sides[side].items():
                for r, need in enumerate(demand):
                    if need:
                        use[t, side, place, r] = use.get((t, side, place, r), 0) + need * count
    return use


def brute_force(problem: OasisProblem) -> tuple[float, Schedules]:
    """The optimum by trying every combination of schedules. For tiny instances only."""
    capacity = {
        (t, side, place, r): int((problem.worker_places, problem.ps_places)[side].capacity[place, r])
        for t, side, place, r in capacity_rows(problem).values()
    }
    listed = []
    for i, job in enumerate(problem.jobs):
        options = []
        for schedule in every_schedule(problem, i):
            use = use_of(job, schedule)
            if all(amount <= capacity[at] for at, amount in use.items()):
                options.append((job.utility.value(max(schedule) - job.arrival), schedule, use))
        listed.append(sorted(options, key=lambda each: -each[0]))
    ahead = [max((each[0] for each in options), default=0.0) for options in listed]
    best: tuple[float, list[JobSchedule | None]] = (-1.0, [])

    def extend(i: int, value: float, room: dict[Any, int], taken: list[JobSchedule | None]) -> None:
        nonlocal best
        if value + sum(ahead[i:]) <= best[0]:
            return
        if i == len(listed):
            best = value, taken
            return
        for worth, schedule, use in listed[i]:
            if all(room[at] >= amount for at, amount in use.items()):
                left = {**room, **{at: room[at] - amount for at, amount in use.items()}}
                extend(i + 1, value + worth, left, [*taken, schedule])
        extend(i + 1, value, room, [*taken, None])

    extend(0, 0.0, capacity, [])
    return best[0], Schedules(tuple(best[1]))
