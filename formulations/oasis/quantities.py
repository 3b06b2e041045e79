"""What follows from a job's data alone: work, widths, rooms. Seconds become slots here and nowhere else.

    m_i       M_i (tau_i + 2 e_i / b_i)         worker-slots per chunk
    W_i       ceil(E_i N_i m_i)                 worker-slots in all
    Dmin_i    ceil(E_i m_i)                     fewest slots, with all N_i workers all the time
    ps_i(y)   ceil(y b_i / B_i)                 fewest ps that serve y workers

Numbers of the file count as the decimals they are written as: ceil(0.1 x 3 x 10) is 3 here, not 4. So everything is a
Fraction until it is an integer, and no tolerance is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dmlopt.errors import InputError
from dmlopt.packing import IntArray
from formulations.oasis.problem import Job, OasisProblem, Places

BITS_PER_BYTE = 8
UNLIMITED = 2**40
MOST_ENTRIES = 200_000_000


def decimal(number: float) -> Fraction:
    """A number as the decimal it is written as: 0.1 is one tenth."""
    return Fraction(repr(float(number)))


@dataclass(frozen=True, eq=False)
class Quantities:
    """Derived data of one job.

    `worker_limit[h]` and `ps_limit[k]` are the most workers and ps that fit an empty place; `ps_count[y]` = ps_i(y) for
    y up to `width`, the largest y that fits the empty cluster (0: none). `gain[y]` is the work that y workers do in one
    slot: y, or in chunks floor(y / m). `work` is what the job needs in that unit.
    """

    chunk_slots: Fraction
    worker_slots: int
    least_slots: int
    worker_limit: IntArray
    ps_limit: IntArray
    width: int
    ps_count: IntArray
    gain: IntArray
    work: int
    slots: int
    hopeless: str

    @property
    def schedulable(self) -> bool:
        """Whether the job has any schedule in the empty cluster (in the problem's own work mode)."""
        return not self.hopeless


def chunk_slots(job: Job, slot_seconds: float) -> Fraction:
    """m_i in slots."""
    exchange = 2 * BITS_PER_BYTE * decimal(job.gradient_bytes) / decimal(job.worker_bits_per_second)
    return job.minibatches * (decimal(job.minibatch_seconds) + exchange) / decimal(slot_seconds)


def servers_per_worker(job: Job) -> Fraction:
    """b_i / B_i: how much of one ps a worker takes."""
    return decimal(job.worker_bits_per_second) / decimal(job.ps_bits_per_second)


def place_limits(places: Places, demand: tuple[int, ...], pool_rooms: bool) -> IntArray:
    """How many tasks of this demand fit each empty place."""
    limits = []
    for capacity, groups in zip(places.capacity.tolist(), places.groups, strict=True):
        fits = _most(capacity, demand)
        if pool_rooms:
            fits = min(fits, sum(group.count * _most(list(group.capacity), demand) for group in groups))
        limits.append(fits)
    return np.array(limits, dtype=np.int64)


def _most(capacity: list[int], demand: tuple[int, ...]) -> int:
    return min((have // need for have, need in zip(capacity, demand, strict=True) if need), default=UNLIMITED)


def quantities(problem: OasisProblem) -> list[Quantities]:
    """Derived data of every job."""
    return [_derive(problem, job) for job in problem.jobs]


def refuse_large(derived: list[Quantities]) -> None:
    """Raise InputError for jobs whose dynamic program would not fit into memory: its tables have slots x work entries."""
    found = [
        f"jobs[{i}]: expected at most {MOST_ENTRIES:g} slots x units of work, "
        f"got {each.slots * each.work:g}; use longer slots"
        for i, each in enumerate(derived)
        if each.schedulable and each.slots * each.work > MOST_ENTRIES
    ]
    if found:
        raise InputError(found)


def _derive(problem: OasisProblem, job: Job) -> Quantities:
    m = chunk_slots(job, problem.slot_seconds)
    ratio = servers_per_worker(job)
    workers = place_limits(problem.worker_places, job.worker, problem.pool_rooms)
    ps = place_limits(problem.ps_places, job.ps, problem.pool_rooms)
    slots = problem.horizon - job.arrival + 1
    most_ps = int(ps.sum())
    # ps_i(y) <= most_ps  <=>  y <= most_ps B / b
    width = min(job.chunks, int(workers.sum()), math.floor(most_ps / ratio)) if ratio <= 1 else 0
    worker_slots = math.ceil(job.epochs * job.chunks * m)
    counts = range(width + 1)
    ps_count = [math.ceil(y * ratio) for y in counts]
    chunks = problem.work == "chunks"
    gain = [math.floor(y / m) for y in counts] if chunks else list(counts)
    work = job.epochs * job.chunks if chunks else worker_slots
    least = math.ceil(job.epochs * m)
    return Quantities(
        chunk_slots=m,
        worker_slots=worker_slots,
        least_slots=least,
        worker_limit=workers,
        ps_limit=ps,
        width=width,
        ps_count=np.array(ps_count, dtype=np.int64),
        gain=np.minimum(np.array(gain, dtype=np.float64), 2.0**40).astype(np.int64),
        work=work,
        slots=slots,
        hopeless=_hopeless(
            ratio, workers, ps, least, slots, gain[-1] * slots, work, width * slots, worker_slots
        ),
    )


def _hopeless(
    ratio: Fraction,
    workers: IntArray,
    ps: IntArray,
    least: int,
    slots: int,
    most: int,
    work: int,
    most_slots: int,
    worker_slots: int,
) -> str:
    """Why the job has no schedule even in the empty cluster; empty when it has one."""
    if ratio > 1:
        return "one ps cannot serve one worker (b > B)"
    if not workers.any():
        return "no worker server holds one worker"
    if not ps.any():
        return "no ps host holds one ps"
    if least > slots:
        return f"needs {least} slots at full width, {slots} are left"
    if most_slots < worker_slots:
        return f"the cluster is too narrow: {worker_slots} worker-slots needed, at most {most_slots} possible"
    if most < work:
        return f"chunks do not fit into slots: {work} needed, at most {most} possible"
    return ""


def fits_in_slots(quantity: Quantities) -> bool:
    """Whether the job can be scheduled in `slots` mode: the set I' that price constants look at, in either mode."""
    return quantity.width * quantity.slots >= quantity.worker_slots
