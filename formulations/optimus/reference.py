"""The independent oracle of the Optimus problem: the paper's program written plainly, without pruning.

Nothing here is shared with the fast path (`planner.py`, `dominance.py`, the evaluation in `problem.py`);
certificates, the checker and the tests rely on it.

The integer program (5)-(8) as a multiple-choice multidimensional knapsack. A_j is the finite set of pairs a =
(p, w) of job j that can occur in any feasible point; t_ja = Q_j / f_j(a):

    min   sum_j sum_{a in A_j} t_ja x_ja                                   (5), (6)
    s.t.  sum_{a in A_j} x_ja = 1                          for each j      one pair per job
          sum_j sum_{a in A_j} (w O_j^r + p N_j^r) x_ja <= C_r   for each r   (7)
          x binary                                                         (8)

This is exact, because f is only needed at integer points. Where waiting is allowed, A_j also has (0, 0) at
the waiting cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dmlopt.control import Clock
from dmlopt.packing import FloatArray, IntArray, Packing
from dmlopt.table import PlanTable
from formulations.optimus.problem import Job, OptimusProblem
from formulations.optimus.solution import Allocation

SERVER_SHIFT = 20  # plan key: p in the bits above, w in the lower 20


def remaining_time_plain(job: Job, p: int, w: int) -> float | None:
    """t = Q / f(p, w) of one job, term by term; None when the pair was not measured."""
    if job.mode == "table":
        assert job.speed is not None
        inside = p <= len(job.speed) and w <= len(job.speed[0])
        speed = job.speed[p - 1][w - 1] if inside else 0.0
        return job.steps / speed if speed > 0 else None
    if job.mode == "sync":
        assert job.batch is not None
        terms: tuple[float, ...] = (job.batch / w, 1.0, w / p, w, p)  # eq. 4: 1/f is the sum
    else:
        terms = (1.0, w / p, w, p)  # eq. 3: w/f is the sum
    total = 0.0
    for coefficient, term in zip(job.theta, terms, strict=True):
        total += coefficient * term
    return job.steps * (total if job.mode == "sync" else total / w)


def available_pairs(problem: OptimusProblem) -> Iterator[tuple[Job, list[tuple[int, int]]]]:
    """Each job with A_j: the pairs within p_max and w_max that fit while every other job holds (1, 1).

    Where waiting is allowed the other jobs may hold nothing, and (0, 0) comes first.
    """
    total = _least_total(problem)
    for job in (problem.job(index) for index in range(problem.job_count)):
        room = _plain_room(problem, job, total)
        rows = range(problem.resource_count)
        pairs = [(0, 0)] if problem.waiting is not None else []
        p = 0
        while p < (job.server_max or p + 1):
            p += 1
            if any(job.worker[r] + p * job.server[r] > room[r] for r in rows) or _outside(job, p, 1):
                break
            w = 1
            while w <= (job.worker_max or w):
                if any(w * job.worker[r] + p * job.server[r] > room[r] for r in rows) or _outside(job, p, w):
                    break
                if job.mode != "table" or (job.speed is not None and job.speed[p - 1][w - 1] > 0):
                    pairs.append((p, w))
                w += 1
        yield job, pairs


def _outside(job: Job, p: int, w: int) -> bool:
    return job.speed is not None and (p > len(job.speed) or w > len(job.speed[0]))


def _plain_room(problem: OptimusProblem, job: Job, total: list[int]) -> list[int]:
    """C_r minus (1, 1) of the other jobs, not below the job's own (1, 1); C_r where waiting is allowed."""
    room = [int(amount) for amount in problem.capacity]
    if problem.waiting is not None:
        return room
    least = [o + n for o, n in zip(job.worker, job.server, strict=True)]
    return [max(room[r] - (total[r] - least[r]), least[r]) for r in range(len(room))]


def _least_total(problem: OptimusProblem) -> list[int]:
    columns: list[int] = (problem.worker_demand.sum(axis=0) + problem.server_demand.sum(axis=0)).tolist()
    return columns


def plain_packing(problem: OptimusProblem) -> Packing:
    """Problem (P) over all of A_j: flat arrays with one entry per pair, nothing pruned."""
    most_servers, most_workers, room = _rectangles(problem)
    cells = most_servers * most_workers
    job = np.repeat(np.arange(problem.job_count), cells)
    local = np.arange(int(cells.sum())) - np.repeat(np.cumsum(cells) - cells, cells)
    p, w = np.divmod(local, most_workers[job])
    p, w = p + 1, w + 1
    fits = np.ones(len(job), dtype=bool)
    usage = np.empty((len(job), problem.resource_count), dtype=np.int64, order="F")
    for r in range(problem.resource_count):
        usage[:, r] = w * problem.worker_demand[job, r] + p * problem.server_demand[job, r]
        fits &= usage[:, r] <= room[job, r]
    time = _flat_times(problem, job, p, w)
    fits &= time < np.inf
    job, time, usage, key = job[fits], time[fits], usage[fits], ((p << SERVER_SHIFT) + w)[fits]
    start = np.searchsorted(job, np.arange(problem.job_count + 1))
    if problem.waiting is not None:
        time, key = np.insert(time, start[:-1], problem.waiting), np.insert(key, start[:-1], 0)
        usage = np.insert(usage, start[:-1], 0, axis=0)
        start = start + np.arange(problem.job_count + 1)
    table = PlanTable(start, -time, usage, key, lambda key: (key >> SERVER_SHIFT, key % (1 << SERVER_SHIFT)))
    once = np.ones(problem.job_count, dtype=np.int64)
    names = tuple(kind.name for kind in problem.resources)
    return Packing(table, problem.capacity, once, once, names, report=lambda value: -value)


def _rectangles(problem: OptimusProblem) -> tuple[IntArray, IntArray, IntArray]:
    """Per job: largest p and largest w (a rectangle around A_j), and the room a pair must fit into."""
    total = _least_total(problem)
    capacity = problem.capacity.tolist()
    waiting = problem.waiting is not None
    columns = zip(
        problem.worker_demand.tolist(),
        problem.server_demand.tolist(),
        problem.server_max.tolist(),
        problem.worker_max.tolist(),
        strict=True,
    )
    most_servers, most_workers, rooms = [], [], []
    for index, (worker, server, p_max, w_max) in enumerate(columns):
        room = []
        p_limits, w_limits = [p_max] if p_max else [], [w_max] if w_max else []
        for amount, need, o, n in zip(capacity, total, worker, server, strict=True):
            left = amount if waiting else max(amount - (need - o - n), o + n)
            room.append(left)
            if n:
                p_limits.append((left - o) // n)
            if o:
                w_limits.append((left - n) // o)
        table = problem.speeds.get(index)
        if table is not None:
            p_limits.append(table.shape[0])
            w_limits.append(table.shape[1])
        p_most, w_most = min(p_limits), min(w_limits)
        empty = p_most < 1 or w_most < 1
        most_servers.append(0 if empty else p_most)
        most_workers.append(0 if empty else w_most)
        rooms.append(room)
    return np.array(most_servers), np.array(most_workers), np.array(rooms)


def _flat_times(problem: OptimusProblem, job: IntArray, p: IntArray, w: IntArray) -> FloatArray:
    """t of entry k = (job[k], p[k], w[k]) by eqs. 3 and 4; infinity for a pair that was not measured."""
    sync, asynchronous = (problem.mode == 0)[job], (problem.mode == 1)[job]
    total = np.zeros(len(job))
    batch = np.where(problem.mode == 0, problem.batch, 1)[job]
    ratio = w / p
    terms_sync = (batch / w, 1.0, ratio, w, p)
    terms_async = (1.0, ratio, w, p, 0.0)
    for k in range(5):
        total += problem.theta[:, k][job] * np.where(sync, terms_sync[k], terms_async[k])
    total[asynchronous] /= w[asynchronous]
    time = problem.steps[job] * total
    for index, table in problem.speeds.items():
        first, last = np.searchsorted(job, [index, index + 1])
        speed = table[p[first:last] - 1, w[first:last] - 1]
        with np.errstate(divide="ignore"):
            time[first:last] = problem.steps[index] / speed
    return time


def reference_program(problem: OptimusProblem, clock: Clock | None = None) -> Any:
    """The integer program above as a pulp.LpProblem; `x_j_p_w` = 1: job j gets p servers, w workers.

    Large programs take long to state: raises OutOfTime when the clock runs out meanwhile.
    """
    import pulp

    clock = clock or Clock()
    program = pulp.LpProblem("optimus", pulp.LpMinimize)
    objective, use = [], [[] for _ in problem.resources]  # type: tuple[list[Any], list[list[Any]]]
    for index, (job, pairs) in enumerate(available_pairs(problem)):
        clock.check()
        chosen = []
        for p, w in pairs:
            x = program.add_variable(f"x_{index}_{p}_{w}", cat="Binary")
            chosen.append((x, 1))
            objective.append((x, _cost(problem, index, job, p, w)))
            for r, row in enumerate(use):
                amount = w * job.worker[r] + p * job.server[r]
                if amount:
                    row.append((x, amount))
        program += pulp.LpAffineExpression(chosen) == 1, f"one_pair_{index}"
    for r, (kind, row) in enumerate(zip(problem.resources, use, strict=True)):
        program += pulp.LpAffineExpression(row) <= int(problem.capacity[r]), _row_name(r, kind.name)
    program.setObjective(pulp.LpAffineExpression(objective))
    return program


def _row_name(row: int, resource: str) -> str:
    return f"capacity_{row}_" + re.sub(r"\W", "_", resource)


def capacity_rows(problem: OptimusProblem) -> list[str]:
    """Names of the capacity rows (7) of `reference_program`, in the order of the resources."""
    return [_row_name(row, kind.name) for row, kind in enumerate(problem.resources)]


def _cost(problem: OptimusProblem, index: int, job: Job, p: int, w: int) -> float:
    """t of an available pair, the waiting cost for (0, 0)."""
    if p == 0:
        assert problem.waiting is not None
        return float(problem.waiting[index])
    time = remaining_time_plain(job, p, w)
    assert time is not None
    return time


def allocation_from_program(problem: OptimusProblem, values: Mapping[str, float]) -> Allocation:
    """The allocation behind variable values of `reference_program`, by variable name."""
    servers = np.zeros(problem.job_count, dtype=np.int64)
    workers = np.zeros(problem.job_count, dtype=np.int64)
    for name, value in values.items():
        if value is not None and value > 0.5:
            _, index, p, w = name.split("_")
            servers[int(index)], workers[int(index)] = int(p), int(w)
    return Allocation(servers, workers)


def brute_force(problem: OptimusProblem) -> tuple[float, Allocation] | None:
    """The optimum by trying every combination of pairs; None when none fits. For tiny instances only."""
    choices = [
        [
            (
                _cost(problem, index, job, p, w),
                (p, w),
                [w * o + p * n for o, n in zip(job.worker, job.server, strict=True)],
            )
            for p, w in pairs
        ]
        for index, (job, pairs) in enumerate(available_pairs(problem))
    ]
    best: tuple[float, list[tuple[int, int]]] | None = None

    def extend(index: int, cost: float, room: list[int], taken: list[tuple[int, int]]) -> None:
        nonlocal best
        if index == len(choices):
            if best is None or cost < best[0]:
                best = cost, taken
            return
        for time, pair, use in choices[index]:
            left = [have - need for have, need in zip(room, use, strict=True)]
            if min(left) >= 0:
                extend(index + 1, cost + time, left, [*taken, pair])

    extend(0, 0.0, problem.capacity.tolist(), [])
    if best is None:
        return None
    servers, workers = zip(*best[1], strict=True)
    return best[0], Allocation(np.array(servers), np.array(workers))
