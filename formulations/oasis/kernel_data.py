"""What the compiled kernels read: all jobs of a problem as flat arrays, and the boxes of the jobs that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.box import NO_LIMIT, Box
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import Quantities


class JobArrays(NamedTuple):
    """Per job: first slot (from 0), demands and limits by place (worker places first), width, work, and three tables.

    `ps_count[start[i] + y]` = ps_i(y), `gain[start[i] + y]` = work of y workers in one slot, `value[i, t]` = f_i at
    completion slot t.
    """

    first: IntArray
    demand: IntArray  # [job, side, resource]
    limit: IntArray  # [job, place]
    width: IntArray
    work: IntArray
    start: IntArray
    ps_count: IntArray
    gain: IntArray
    value: FloatArray
    exact: bool
    worker_places: int


class BoxArrays(NamedTuple):
    """Per asked job: range of claims, and the entries entry[k]..entry[k+1]-1 of (slot, place or -1, low, high)."""

    first: IntArray
    last: IntArray
    entry: IntArray
    limits: IntArray  # [entry, 4]


def job_arrays(problem: OasisProblem, derived: Sequence[Quantities]) -> JobArrays:
    """The arrays of a problem. Jobs without a schedule have width 0."""
    sizes = [each.width + 1 for each in derived]
    value = np.zeros((problem.job_count, problem.horizon))
    for index, job in enumerate(problem.jobs):
        for slot in range(job.arrival - 1, problem.horizon):
            value[index, slot] = job.utility.value(slot + 1 - job.arrival)
    return JobArrays(
        first=np.array([job.arrival - 1 for job in problem.jobs], dtype=np.int64),
        demand=np.array([[job.worker, job.ps] for job in problem.jobs], dtype=np.int64),
        limit=np.array(
            [np.concatenate([each.worker_limit, each.ps_limit]) for each in derived], dtype=np.int64
        ),
        width=np.array([each.width for each in derived], dtype=np.int64),
        work=np.array([each.work if each.schedulable else NO_LIMIT for each in derived], dtype=np.int64),
        start=np.concatenate([[0], np.cumsum(sizes)])[:-1].astype(np.int64),
        ps_count=np.concatenate([each.ps_count for each in derived]),
        gain=np.concatenate([each.gain for each in derived]),
        value=value,
        exact=problem.work == "slots",
        worker_places=problem.worker_places.count,
    )


def box_arrays(boxes: Sequence[Box | None], first: IntArray, horizon: int) -> BoxArrays:
    """The boxes of the asked jobs; None is the whole plan set."""
    low = first.copy()
    high = np.full(len(boxes), horizon - 1, dtype=np.int64)
    entry = np.zeros(len(boxes) + 1, dtype=np.int64)
    limits: list[tuple[int, int, int, int]] = []
    for k, box in enumerate(boxes):
        if box is not None and box.empty:
            high[k] = low[k] - 1
        elif box is not None:
            low[k], high[k] = box.first - 1, box.last - 1
            limits.extend((slot - 1, -1, *each) for slot, each in box.workers.items())
            limits.extend((slot - 1, place, *each) for (slot, place), each in box.tasks.items())
        entry[k + 1] = len(limits)
    return BoxArrays(low, high, entry, np.array(limits, dtype=np.int64).reshape(-1, 4))
