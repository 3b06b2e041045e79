"""What the online algorithm needs beside the planner: arrival order, price constants per row, the strict test of admission.

Algorithm 1: jobs in order of arrival; at prices L (U / L)^(used / capacity) each gets its best schedule in the room that
is left, and is admitted if its payoff is positive, which in floating point means above 1e-9 max(1, f).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dmlopt.packing import FloatArray
from formulations.oasis.problem import Job, OasisProblem
from formulations.oasis.quantities import quantities
from formulations.oasis.rows import build_rows
from formulations.oasis.solution import Schedules
from formulations.oasis.utility import Sigmoid

ADMISSION = 1e-9


def arrival_order(problem: OasisProblem) -> list[int]:
    """Jobs by arrival slot, then as listed."""
    return sorted(range(problem.job_count), key=lambda i: problem.jobs[i].arrival)


def admitted_from(value: float) -> float:
    """The payoff that a schedule of this utility must exceed."""
    return ADMISSION * max(1.0, value)


def row_constants(problem: OasisProblem) -> tuple[FloatArray, FloatArray]:
    """ln L and ln U of every row of the packing; a row without a price has -inf in both (its price is 0)."""
    rows = build_rows(problem, quantities(problem))
    split = rows.worker_places
    prices = problem.prices
    found = []
    for worker, ps in ((prices.worker_low, prices.ps_low), (prices.worker_high, prices.ps_high)):
        table = np.empty((rows.place_count, problem.resource_count))
        for places, numbers in ((slice(0, split), worker), (slice(split, None), ps)):
            table[places] = [-np.inf if number is None else number for number in numbers or ()]
        found.append(np.broadcast_to(table, rows.at.shape)[rows.at >= 0])
    return found[0], found[1]


def with_later_changed(problem: OasisProblem, position: int, seed: int) -> OasisProblem:
    """The problem with everything behind `position` in the arrival order changed at random; price constants stay.

    Arrival slots stay too, so that the order does. An online method must decide alike on the first `position` + 1 jobs.
    """
    random = np.random.default_rng(seed)
    jobs = list(problem.jobs)
    for i in arrival_order(problem)[position + 1 :]:
        jobs[i] = _changed(jobs[i], random)
    return replace(problem, jobs=tuple(jobs))


def _changed(job: Job, random: np.random.Generator) -> Job:
    return replace(
        job,
        epochs=int(random.integers(1, 2 * job.epochs + 1)),
        chunks=int(random.integers(1, 2 * job.chunks + 1)),
        worker=tuple(int(random.integers(1, 2 * each + 1)) if each else 0 for each in job.worker),
        utility=Sigmoid(
            float(random.uniform(1, 100)), float(random.uniform(0, 2)), float(random.uniform(0, 10))
        ),
    )


def decision(solution: Schedules, job: int) -> Any:
    """What was decided for a job, as JSON data: its schedule, None where it was rejected."""
    return solution.to_json()["jobs"][job]
