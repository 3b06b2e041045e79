"""Dominant resource fairness by progressive filling, p : w = 1 : 1: one of the two rivals in the Optimus paper.

Every job starts with one server and one worker. The dominant share of a job is the largest share of any
resource that it holds:

    s_j = max_r (w_j O_j^r + p_j N_j^r) / C_r

Repeat: give one bundle, 1 server + 1 worker, to the job with the smallest dominant share; the earlier job in
the list on a tie. A job whose next bundle is beyond p_max or w_max, or leads to a pair that was not measured,
has all it can get and takes no further part. If the bundle does not fit:

    on_infeasible = "skip"   that job takes no further part, the others go on (work conserving, as in the paper)
    on_infeasible = "stop"   the filling ends (strict)

Capacity only shrinks, so a bundle that does not fit once never will. DRF knows nothing of speed: it hands
out a bundle even where that makes the job slower, unless `only_faster` is set.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from dmlopt.control import Clock
from dmlopt.errors import InputError
from formulations.optimus.problem import OptimusProblem
from formulations.optimus.solution import Allocation
from formulations.optimus.start import Bundles, first_pairs, take

CLOCK_INTERVAL = 256  # bundles between two looks at the clock
ON_INFEASIBLE = ("skip", "stop")


@dataclass(frozen=True)
class Filling:
    """What a bundle rule did. `order`: the job of every bundle after the start, first to last.

    `waiting`: jobs that got nothing; `finished`: False when time ran out.
    """

    allocation: Allocation
    order: list[int]
    waiting: list[int] = field(default_factory=list)
    finished: bool = True


def dominant_resource_fairness(
    problem: OptimusProblem,
    on_infeasible: str = "skip",
    only_faster: bool = False,
    clock: Clock | None = None,
) -> Filling | None:
    """Fill progressively; None when the starting allocation does not fit and no job may wait."""
    if on_infeasible not in ON_INFEASIBLE:
        raise InputError(f"on_infeasible: expected {' or '.join(ON_INFEASIBLE)}, got {on_infeasible!r}")
    clock = clock or Clock()
    start = first_pairs(problem)
    if start is None:
        return None
    servers, workers, free = start.servers, start.workers, start.free
    next_bundle = Bundles(problem, only_faster)
    server_demand, worker_demand = problem.server_demand.tolist(), problem.worker_demand.tolist()
    # One division of whole numbers is rounded correctly: equal shares are equal numbers.
    rows = [(row, amount) for row, amount in enumerate(problem.capacity.tolist()) if amount > 0]

    def share(job: int) -> float:
        p, w, server, worker = servers[job], workers[job], server_demand[job], worker_demand[job]
        return max(((p * server[row] + w * worker[row]) / amount for row, amount in rows), default=0.0)

    heap = [
        (share(job), job)
        for job in range(problem.job_count)
        if servers[job] > 0 and next_bundle.exists(job, servers[job], workers[job])
    ]
    heapq.heapify(heap)
    order: list[int] = []
    turn = 0
    while heap:
        turn += 1
        if turn % CLOCK_INTERVAL == 0 and clock.expired():
            break
        _, job = heap[0]
        if take(free, next_bundle.demand[job]):
            servers[job] += 1
            workers[job] += 1
            order.append(job)
            if next_bundle.exists(job, servers[job], workers[job]):
                heapq.heapreplace(heap, (share(job), job))
                continue
        elif on_infeasible == "stop":
            heap.clear()
            break
        heapq.heappop(heap)
    return Filling(Allocation(np.array(servers), np.array(workers)), order, start.waiting, not heap)
