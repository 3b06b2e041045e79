"""The fast path from an Optimus problem to problem (P): one plan per pair (p, w) of each job, dominated pairs
left out.

Job j is an agent that must take exactly one plan. Plan (p, w): value -Q_j/f_j(p, w), use w O_j^r + p N_j^r.
Where waiting is allowed, (0, 0) is one more plan with value -cost and no use. Plans of a job are ordered by
p, then w; a plan's key is p 2^20 + w, which does not depend on what was left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dmlopt.packing import BoolArray, FloatArray, IntArray, Packing, Picks
from dmlopt.table import PlanTable
from formulations.optimus.dominance import drop_exchanged, least_times, undominated
from formulations.optimus.problem import OptimusProblem, remaining_time
from formulations.optimus.solution import Allocation
from formulations.optimus.speed import ASYNC, SYNC, asynchronous_seconds, synchronous_seconds

KEY_STRIDE = 2**20
BLOCK_CELLS = 1_000_000  # pairs evaluated at once: a few arrays of this size stay in cache and memory


def pair_of(key: int) -> tuple[int, int]:
    """(p, w) of a plan key."""
    return divmod(key, KEY_STRIDE)


def total_time(value: float) -> float:
    """The paper's objective, the sum of remaining times, from a value of (P)."""
    return -value


def packing(problem: OptimusProblem, exchanges: bool = True) -> Packing:
    """Problem (P) over the undominated pairs.

    `exchanges=False` keeps the pairs that only lose against an exchange of tasks, that is, prunes
    componentwise only.
    """
    parts = [_plans(problem, jobs, exchanges) for jobs in _blocks(problem)]
    job, servers, workers, time = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(parts) > 1:  # blocks hold jobs of similar table size; the table wants them in job order
        order = np.argsort(job, kind="stable")
        job, servers, workers, time = job[order], servers[order], workers[order], time[order]
    usage = np.empty((len(job), problem.resource_count), dtype=np.int64, order="F")
    for row in range(problem.resource_count):
        usage[:, row] = workers * problem.worker_demand[job, row] + servers * problem.server_demand[job, row]
    start = np.zeros(problem.job_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(job, minlength=problem.job_count), out=start[1:])
    table = PlanTable(start, -time, usage, servers * KEY_STRIDE + workers, pair_of, _identity(problem))
    ones = np.ones(problem.job_count, dtype=np.int64)
    return Packing(
        table,
        problem.capacity,
        ones,
        ones,
        row_names=tuple(kind.name for kind in problem.resources),
        report=total_time,
        row_units=tuple(kind.unit for kind in problem.resources),
    )


def _identity(problem: OptimusProblem) -> IntArray:
    """A label per job, equal only where all data are: equal pruned tables alone do not make two jobs the same."""
    columns = [problem.mode, problem.batch, problem.steps, *problem.largest_counts]
    if problem.waiting is not None:
        columns.append(problem.waiting)
    data = np.column_stack([*columns, problem.theta, problem.worker_demand, problem.server_demand])
    _, label = np.unique(data, axis=0, return_inverse=True)
    label = label.reshape(-1).astype(np.int64)
    measured = {table.tobytes(): job for job, table in problem.speeds.items()}
    for job, table in problem.speeds.items():
        label[job] = (1 + measured[table.tobytes()]) * problem.job_count + label[job]
    return label


def _blocks(problem: OptimusProblem) -> Iterator[IntArray]:
    """Groups of jobs with tables of about the same size, each small enough to be evaluated at once."""
    servers, workers = problem.largest_counts
    size_class = np.frexp(servers)[1] * 64 + np.frexp(workers)[1]
    for each in np.unique(size_class):
        jobs = np.flatnonzero(size_class == each)
        cells = max(1, int(servers[jobs].max()) * int(workers[jobs].max()))
        for chunk in np.array_split(jobs, -(-len(jobs) * cells // BLOCK_CELLS)):
            if len(chunk):
                yield chunk


def _plans(
    problem: OptimusProblem, jobs: IntArray, exchanges: bool
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Job, p, w and remaining time of the plans of `jobs`, ordered by job, p, w."""
    time = _times(problem, jobs)
    waiting = None if problem.waiting is None else problem.waiting[jobs]
    kept: BoolArray = np.zeros(time.shape, dtype=bool)
    if time.size:
        least = least_times(time)
        kept = undominated(time, least)
        if waiting is not None:  # waiting uses nothing: slower pairs lose against it
            kept &= time < waiting[:, None, None]
        if exchanges:
            drop_exchanged(kept, time, least, problem.worker_demand[jobs], problem.server_demand[jobs])
    local, p, w = np.nonzero(kept)
    job, servers, workers, times = jobs[local], p + 1, w + 1, time[local, p, w]
    if waiting is None:
        return job, servers, workers, times
    first = np.searchsorted(local, np.arange(len(jobs)))
    return (
        np.insert(job, first, jobs),
        np.insert(servers, first, 0),
        np.insert(workers, first, 0),
        np.insert(times, first, waiting),
    )


def _times(problem: OptimusProblem, jobs: IntArray) -> FloatArray:
    """time[j, p-1, w-1] of `jobs` over the largest table among them; infinity: pair not available."""
    most_servers, most_workers = (counts[jobs] for counts in problem.largest_counts)
    servers = np.arange(1, int(most_servers.max()) + 1)[:, None]
    workers = np.arange(1, int(most_workers.max()) + 1)
    time = np.full((len(jobs), servers.size, workers.size), np.inf)
    for mode in (SYNC, ASYNC):
        local = np.flatnonzero(problem.mode[jobs] == mode)
        if not len(local) or not time.size:
            continue
        chosen = jobs[local]
        theta = problem.theta[chosen].T[:, :, None, None]
        if mode == SYNC:
            seconds = synchronous_seconds(theta, problem.batch[chosen][:, None, None], servers, workers)
        else:
            seconds = asynchronous_seconds(theta, servers, workers)
        time[local] = problem.steps[chosen][:, None, None] * seconds
    for at, job in enumerate(jobs.tolist()):
        if job in problem.speeds:
            _fill_measured(time[at], problem.speeds[job], float(problem.steps[job]))
    short = (most_servers < servers.size) | (most_workers < workers.size)
    if short.any():
        beyond = (servers > most_servers[short, None, None]) | (workers > most_workers[short, None, None])
        time[short] = np.where(beyond, np.inf, time[short])
    _drop_oversized(problem, jobs, servers, workers, time)
    return time


def _fill_measured(time: FloatArray, table: FloatArray, steps: float) -> None:
    """t = Q/f where a speed was measured."""
    rows, columns = min(time.shape[0], table.shape[0]), min(time.shape[1], table.shape[1])
    speed = table[:rows, :columns]
    np.divide(steps, speed, out=time[:rows, :columns], where=speed > 0)


def _drop_oversized(
    problem: OptimusProblem, jobs: IntArray, servers: IntArray, workers: IntArray, time: FloatArray
) -> None:
    """Set to infinity the pairs that cannot fit beside the least use of the other jobs."""
    room, most = problem.room[jobs], tuple(counts[jobs, None] for counts in problem.largest_counts)
    corner = most[1] * problem.worker_demand[jobs] + most[0] * problem.server_demand[jobs]
    for row in range(problem.resource_count):
        tight = np.flatnonzero(corner[:, row] > room[:, row])  # elsewhere even the largest pair fits
        if len(tight):
            worker, server = problem.worker_demand[jobs, row][tight], problem.server_demand[jobs, row][tight]
            use = workers * worker[:, None, None] + servers * server[:, None, None]
            time[tight] = np.where(use > room[tight, row][:, None, None], np.inf, time[tight])


def allocation(problem: OptimusProblem, packing: Packing, picks: Picks) -> Allocation:
    """The pairs behind picked plans; jobs without a pick hold nothing."""
    table = packing.planner
    assert isinstance(table, PlanTable)
    servers = np.zeros(problem.job_count, dtype=np.int64)
    workers = np.zeros(problem.job_count, dtype=np.int64)
    servers[picks.agents], workers[picks.agents] = np.divmod(table.key[picks.ids], KEY_STRIDE)
    return Allocation(servers, workers)


def picks_of(problem: OptimusProblem, packing: Packing, allocation: Allocation) -> Picks | None:
    """The plans of an allocation, for a warm start. A pair that was left out becomes one that dominates it.

    None when some job has neither: a pair that was not measured, or waiting where that is not allowed.
    """
    table = packing.planner
    assert isinstance(table, PlanTable)
    servers, workers = allocation.servers, allocation.workers
    if len(servers) != problem.job_count or len(workers) != problem.job_count:
        return None
    if min(servers.min(), workers.min()) < 0 or max(servers.max(), workers.max()) >= KEY_STRIDE:
        return None
    agents = np.arange(problem.job_count, dtype=np.int64)
    # Agents ascend and keys ascend inside an agent, so (agent, key) can be searched as one number.
    wide = 2 * KEY_STRIDE * KEY_STRIDE
    places = np.searchsorted(
        table.agent_of * wide + table.key, agents * wide + servers * KEY_STRIDE + workers
    )
    ids = np.minimum(places, table.plan_count - 1)
    found = (table.agent_of[ids] == agents) & (table.key[ids] == servers * KEY_STRIDE + workers)
    time = remaining_time(problem, servers, workers)
    use = workers[:, None] * problem.worker_demand + servers[:, None] * problem.server_demand
    for agent in np.flatnonzero(~found).tolist():
        rows = table.rows_of(agent)
        better = (table.plan_usage[rows] <= use[agent]).all(axis=1) & (table.value[rows] >= -time[agent])
        if time[agent] == np.inf or not better.any():
            return None
        ids[agent] = rows[np.argmax(np.where(better, table.value[rows], -np.inf))]
    return Picks(agents, ids.astype(np.int64), np.ones(problem.job_count, dtype=np.int64))
