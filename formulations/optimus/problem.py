"""The data of the Optimus integer program (paper eqs. 5-8).

Sets: jobs j, resource types r. Data and their names here:

    Q_j      remaining steps                               steps
    f_j      training speed, eq. 3 or 4, or a table        mode, theta, batch (M), speeds
    O_j^r    amount of r that one worker uses              worker_demand
    N_j^r    amount of r that one parameter server uses    server_demand
    C_r      capacity summed over the cluster              capacity
    p_max    most parameter servers (not in the paper)     server_max
    w_max    most workers (not in the paper)               worker_max

Variables: p_j servers and w_j workers. Minimise sum_j t_j (5) with t_j = Q_j / f_j(p_j, w_j) (6), total use
at most C (7), p_j and w_j positive integers (8). With `waiting`, a job may hold nothing at all and is charged
its waiting cost instead.

Jobs are columns of arrays: ten thousand jobs are built and evaluated without a Python object each. `Job` is
the friendly view of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dmlopt.cluster import ResourceKind
from dmlopt.packing import FloatArray, IntArray
from formulations.optimus.speed import (
    ASYNC,
    MODES,
    SYNC,
    TABLE,
    THETA_COUNT,
    asynchronous_seconds,
    synchronous_seconds,
)
from formulations.optimus.validate import as_integers, as_numbers, check_jobs, validate

INTEGER_COLUMNS = (
    "capacity",
    "mode",
    "batch",
    "worker_demand",
    "server_demand",
    "server_max",
    "worker_max",
)
UNBOUNDED = 2**40  # more tasks than any limit allows


@dataclass(frozen=True)
class Job:
    """One job.

    "sync" has `theta` and `batch` (M), "async" has `theta`, "table" has `speed[p-1][w-1]` (0: not measured).
    """

    mode: str
    steps: float
    worker: tuple[int, ...]
    server: tuple[int, ...]
    theta: tuple[float, ...] = ()
    batch: int | None = None
    speed: tuple[tuple[float, ...], ...] | None = None
    server_max: int | None = None
    worker_max: int | None = None


@dataclass(frozen=True, eq=False)
class OptimusProblem:
    """An instance. Row j of every array belongs to job j; 0 in `server_max`, `worker_max` and `batch` means
    "not given".

    `waiting` is None (every job must run) or the cost of waiting per job; a single number is the same cost
    for all.
    """

    resources: tuple[ResourceKind, ...]
    capacity: IntArray
    mode: IntArray
    theta: FloatArray
    batch: IntArray
    steps: FloatArray
    worker_demand: IntArray
    server_demand: IntArray
    server_max: IntArray
    worker_max: IntArray
    speeds: Mapping[int, FloatArray] = field(default_factory=dict)
    waiting: FloatArray | None = None

    def __post_init__(self) -> None:
        count = len(self.steps)
        self._store("resources", tuple(self.resources))
        for name in ("theta", "steps"):
            self._store(name, as_numbers(getattr(self, name), name))
        for name in INTEGER_COLUMNS:
            self._store(name, as_integers(getattr(self, name), name))
        tables = {int(job): as_numbers(table, f"jobs[{job}].speed") for job, table in self.speeds.items()}
        self._store("speeds", dict(sorted(tables.items())))
        if self.waiting is not None:
            cost = as_numbers(self.waiting, "waiting.cost")
            self._store("waiting", as_numbers(np.full(count, cost), "waiting") if cost.ndim == 0 else cost)
        validate(self)

    def _store(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def from_jobs(
        cls,
        resources: Sequence[ResourceKind | tuple[str, str]],
        capacity: Sequence[int],
        jobs: Sequence[Job],
        waiting: float | Sequence[float] | None = None,
    ) -> OptimusProblem:
        """A problem from `Job` objects; resources may be given as (name, unit) pairs."""
        kinds = tuple(kind if isinstance(kind, ResourceKind) else ResourceKind(*kind) for kind in resources)
        check_jobs(jobs, len(kinds))
        padding = (0.0,) * THETA_COUNT[SYNC]
        columns: dict[str, Any] = {
            "capacity": capacity,
            "mode": [MODES.index(job.mode) for job in jobs],
            "theta": [(*job.theta, *padding)[: len(padding)] for job in jobs],
            "batch": [job.batch or 0 for job in jobs],
            "steps": [job.steps for job in jobs],
            "worker_demand": [job.worker for job in jobs],
            "server_demand": [job.server for job in jobs],
            "server_max": [job.server_max or 0 for job in jobs],
            "worker_max": [job.worker_max or 0 for job in jobs],
            "speeds": {row: job.speed for row, job in enumerate(jobs) if job.speed is not None},
            "waiting": waiting,
        }
        return cls(resources=kinds, **columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OptimusProblem):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        names = self.__dataclass_fields__
        return all(_same(mine[name], theirs[name]) for name in names)

    __hash__ = None  # type: ignore[assignment]

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.steps)

    @property
    def resource_count(self) -> int:
        """Number of resource types."""
        return len(self.resources)

    def job(self, index: int) -> Job:
        """Job `index` as one object."""
        mode = int(self.mode[index])
        table = self.speeds.get(index)
        return Job(
            mode=MODES[mode],
            steps=float(self.steps[index]),
            worker=tuple(self.worker_demand[index].tolist()),
            server=tuple(self.server_demand[index].tolist()),
            theta=tuple(self.theta[index, : THETA_COUNT[mode]].tolist()),
            batch=int(self.batch[index]) or None,
            speed=None if table is None else tuple(map(tuple, table.tolist())),
            server_max=int(self.server_max[index]) or None,
            worker_max=int(self.worker_max[index]) or None,
        )

    @cached_property
    def room(self) -> IntArray:
        """What job j can use of each resource at most, one row per job.

        Every other job holds at least (1, 1), so C_r - sum_{i != j} (O_i^r + N_i^r) is left; where waiting is
        allowed the others may hold nothing and all of C is left. Never below the job's own (1, 1), so that a
        problem without a feasible point still has a table and the shortage can be named.
        """
        if self.waiting is not None:
            return np.broadcast_to(self.capacity, self.worker_demand.shape)
        least = self.worker_demand + self.server_demand
        left: IntArray = np.maximum(self.capacity - (least.sum(axis=0) - least), least)
        return left

    @cached_property
    def largest_counts(self) -> tuple[IntArray, IntArray]:
        """Largest useful p and w of each job: p_max, w_max, the measured table, what fits beside one task."""
        servers = _most(self.room - self.worker_demand, self.server_demand)
        workers = _most(self.room - self.server_demand, self.worker_demand)
        for given, largest in ((self.server_max, servers), (self.worker_max, workers)):
            np.minimum(largest, np.where(given > 0, given, largest), out=largest)
        for job, table in self.speeds.items():
            servers[job] = min(servers[job], table.shape[0])
            workers[job] = min(workers[job], table.shape[1])
        empty = (servers < 1) | (workers < 1)
        servers[empty] = workers[empty] = 0
        return servers, workers


def _most(room: IntArray, demand: IntArray) -> IntArray:
    """How many tasks of `demand` fit into `room`, per job; UNBOUNDED where the task uses nothing."""
    fitting = np.where(demand > 0, room // np.maximum(demand, 1), UNBOUNDED)
    return np.asarray(fitting.min(axis=1, initial=UNBOUNDED), dtype=np.int64)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_same(first[key], second[key]) for key in first)
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.array_equal(first, second)
    return bool(first == second) if type(first) is type(second) else False


def _running_time(problem: OptimusProblem, servers: IntArray, workers: IntArray) -> FloatArray:
    """t_j = Q_j / f_j(p_j, w_j); infinity where the job does not run or the pair was not measured."""
    time = np.full(problem.job_count, np.inf)
    runs = (servers > 0) & (workers > 0)
    for mode in (SYNC, ASYNC):
        jobs = np.flatnonzero(runs & (problem.mode == mode))
        theta, p, w = problem.theta[jobs].T, servers[jobs], workers[jobs]
        if mode == SYNC:
            seconds = synchronous_seconds(theta, problem.batch[jobs], p, w)
        else:
            seconds = asynchronous_seconds(theta, p, w)
        time[jobs] = problem.steps[jobs] * seconds
    for job in np.flatnonzero(runs & (problem.mode == TABLE)).tolist():
        table, row, column = problem.speeds[job], int(servers[job]) - 1, int(workers[job]) - 1
        if row < table.shape[0] and column < table.shape[1] and table[row, column] > 0:
            time[job] = problem.steps[job] / table[row, column]
    return time


def remaining_time(problem: OptimusProblem, servers: IntArray, workers: IntArray) -> FloatArray:
    """t_j of every job (6).

    A job at (0, 0) has its waiting cost, or infinity where waiting is not allowed; a pair that was not
    measured, infinity.
    """
    servers, workers = np.asarray(servers), np.asarray(workers)
    time = _running_time(problem, servers, workers)
    if problem.waiting is not None:
        waits = (servers == 0) & (workers == 0)
        time[waits] = problem.waiting[waits]
    return time


def training_speed(problem: OptimusProblem, servers: IntArray, workers: IntArray) -> FloatArray:
    """f_j(p_j, w_j) in steps per second; 0 where the job does not run or the pair was not measured."""
    return problem.steps / _running_time(problem, np.asarray(servers), np.asarray(workers))
