"""What every allocation rule begins with: one server and one worker for each job, in list order.

When there is not enough for all, jobs that do not fit wait, where that is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from formulations.optimus.problem import OptimusProblem
from formulations.optimus.speed import ASYNC, SYNC, asynchronous_seconds, synchronous_seconds


@dataclass(frozen=True)
class Start:
    """Counts after the first pair of every job, what is left of each resource, and the jobs that wait."""

    servers: list[int]
    workers: list[int]
    free: list[int]
    waiting: list[int]


def first_pairs(problem: OptimusProblem) -> Start | None:
    """(1, 1) for every job in list order; None when a job would have to wait and must not."""
    limits = count_limits(problem)
    server_demand, worker_demand = problem.server_demand.tolist(), problem.worker_demand.tolist()
    free: list[int] = problem.capacity.tolist()
    servers, workers, waiting = [0] * problem.job_count, [0] * problem.job_count, []
    for job in range(problem.job_count):
        p, w = _first_pair(problem, job, limits[job])
        need = [p * n + w * o for n, o in zip(server_demand[job], worker_demand[job], strict=True)]
        if p > 0 and take(free, need):
            servers[job], workers[job] = p, w
        elif problem.waiting is None:
            return None
        else:
            waiting.append(job)
    return Start(servers, workers, free, waiting)


def _first_pair(problem: OptimusProblem, job: int, limits: tuple[float, float]) -> tuple[int, int]:
    """(1, 1); where it was not measured, the smallest measured pair (fewest tasks, then fewest servers).

    (0, 0) when nothing was measured within the limits.
    """
    table = problem.speeds.get(job)
    if table is None or table[0, 0] > 0:
        return 1, 1
    p, w = np.nonzero(table[: int(limits[0]), : int(limits[1])])
    if not len(p):
        return 0, 0
    at = np.lexsort((p, p + w))[0]
    return int(p[at]) + 1, int(w[at]) + 1


def take(free: list[int], demand: list[int]) -> bool:
    """Take `demand` from what is free if it fits."""
    for have, need in zip(free, demand, strict=True):
        if need > have:
            return False
    for row, need in enumerate(demand):
        free[row] -= need
    return True


def count_limits(problem: OptimusProblem) -> list[tuple[float, float]]:
    """(p_max, w_max) of every job as given (infinity: not given), and the size of a measured table."""
    given = zip(problem.server_max.tolist(), problem.worker_max.tolist(), strict=True)
    limits = [(p or math.inf, w or math.inf) for p, w in given]
    for job, table in problem.speeds.items():
        limits[job] = (min(limits[job][0], table.shape[0]), min(limits[job][1], table.shape[1]))
    return limits


def time_function(problem: OptimusProblem, job: int) -> Callable[[int, int], float]:
    """t_j(p, w) on plain floats; infinity for a pair that was not measured."""
    steps = float(problem.steps[job])
    theta = problem.theta[job].tolist()
    if problem.mode[job] == SYNC:
        batch = int(problem.batch[job])
        return lambda p, w: steps * float(synchronous_seconds(theta, batch, p, w))
    if problem.mode[job] == ASYNC:
        return lambda p, w: steps * float(asynchronous_seconds(theta, p, w))
    speeds = problem.speeds[job].tolist()
    return lambda p, w: steps / speed if (speed := speeds[p - 1][w - 1]) > 0 else math.inf


class Bundles:
    """One server and one worker at a time: what a bundle of each job uses, and whether there is a next one."""

    def __init__(self, problem: OptimusProblem, only_faster: bool) -> None:
        self.demand: list[list[int]] = (problem.server_demand + problem.worker_demand).tolist()
        self._problem = problem
        self._only_faster = only_faster
        self._limits = count_limits(problem)

    def exists(self, job: int, p: int, w: int) -> bool:
        """Whether (p+1, w+1) is within the limits, was measured, and is faster if it has to be."""
        most_servers, most_workers = self._limits[job]
        if p + 1 > most_servers or w + 1 > most_workers:
            return False
        table = self._problem.speeds.get(job)
        if table is not None and not table[p, w] > 0:
            return False
        if not self._only_faster:
            return True
        time = time_function(self._problem, job)
        return time(p + 1, w + 1) < time(p, w)
