"""Tetris packing with shortest remaining time, p : w = 1 : 1: the second rival in the Optimus paper.

Every job starts with one server and one worker. Then, with shares of the capacity C for all amounts:

    a_j      = sum_r (d_j^r / C_r) (free_r / C_r)        alignment of the bundle d_j = O_j + N_j with what is free
    rest_j   = t_j, Optimus' own estimate of the remaining time
    score_j  = a_j - eps rest_j,     eps = shortness x mean(a) / mean(rest)

Repeat: give one bundle, 1 server + 1 worker, to the job with the largest score among those whose next bundle
fits, is within p_max and w_max and leads to a measured pair; on a tie to the shorter, then to the earlier one
in the list. The means run over these same jobs and are taken anew for every bundle.

Open in the sources, so options: `shortness` (1: alignment and remaining time weigh alike; 0: packing alone),
`rest` ("now": t_j at what the job holds at present; "start": at its first pair) and `only_faster` (no bundle
that makes a job slower). Tetris' remote-input penalty and barrier knob have no counterpart here, and the start
with one bundle for everybody stands in for its fairness knob.

Jobs with the same bundle have the same alignment, so only the shortest of them can have the largest score:
one heap by remaining time for each different bundle, and a step costs as much as there are different bundles.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from dmlopt.control import Clock
from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, IntArray
from formulations.optimus.drf import CLOCK_INTERVAL, Filling
from formulations.optimus.problem import OptimusProblem, remaining_time
from formulations.optimus.solution import Allocation
from formulations.optimus.start import Bundles, Start, first_pairs, time_function

REST = ("now", "start")


def combined_scores(
    alignment: FloatArray, shortest: FloatArray, counts: IntArray, totals: FloatArray, shortness: float
) -> FloatArray:
    """a - eps rest for the shortest job of each group of `counts` jobs, whose remaining times add up to `totals`."""
    work = float(totals.sum())
    rate = shortness * float(alignment @ counts) / work if work > 0 else 0.0
    scores: FloatArray = alignment - rate * shortest
    return scores


def tetris(
    problem: OptimusProblem,
    shortness: float = 1.0,
    rest: str = "now",
    only_faster: bool = False,
    clock: Clock | None = None,
) -> Filling | None:
    """Hand out bundles by score; None when the starting allocation does not fit and no job may wait."""
    if rest not in REST:
        raise InputError(f"rest: expected {' or '.join(REST)}, got {rest!r}")
    if not 0 <= shortness < math.inf:
        raise InputError(f"shortness: expected a finite number >= 0, got {shortness!r}")
    start = first_pairs(problem)
    if start is None:
        return None
    order, finished = _Tetris(problem, start, shortness, rest, only_faster).run(clock or Clock())
    allocation = Allocation(np.array(start.servers), np.array(start.workers))
    return Filling(allocation, order, start.waiting, finished)


class _Tetris:
    """State of one run: for each different bundle a heap of jobs and the sum of their remaining times."""

    def __init__(
        self, problem: OptimusProblem, start: Start, shortness: float, rest: str, only_faster: bool
    ) -> None:
        self.problem, self.start = problem, start
        self.shortness, self.rest = shortness, rest
        self.next_bundle = Bundles(problem, only_faster)
        self.free = np.array(start.free, dtype=np.int64)
        self.bundles, group = np.unique(
            problem.server_demand + problem.worker_demand, axis=0, return_inverse=True
        )
        capacity = np.maximum(problem.capacity, 1).astype(np.float64)
        self.weights = self.bundles / capacity / capacity
        self.heaps: list[list[tuple[float, int]]] = [[] for _ in self.bundles]
        times = remaining_time(problem, np.array(start.servers), np.array(start.workers)).tolist()
        for job, (place, time) in enumerate(zip(group.reshape(-1).tolist(), times, strict=True)):
            if self._has_next(job):
                self.heaps[place].append((time, job))
        self.shortest = np.zeros(len(self.heaps))
        self.first = np.zeros(len(self.heaps), dtype=np.int64)
        self.counts = np.zeros(len(self.heaps), dtype=np.int64)
        self.totals = np.zeros(len(self.heaps))
        for place, heap in enumerate(self.heaps):
            heapq.heapify(heap)
            self.totals[place] = math.fsum(time for time, _ in heap)
            self._refresh(place)

    def run(self, clock: Clock) -> tuple[list[int], bool]:
        """The job of every bundle in turn, and whether the run came to its end."""
        order: list[int] = []
        self._drop_unfit()
        while self.counts.any():
            if len(order) % CLOCK_INTERVAL == CLOCK_INTERVAL - 1 and clock.expired():
                return order, False
            place = self._best()
            order.append(self.heaps[place][0][1])
            self._give(place)
            self._drop_unfit()
        return order, True

    def _best(self) -> int:
        """The group whose shortest job has the largest score."""
        scores = combined_scores(
            self.weights @ self.free, self.shortest, self.counts, self.totals, self.shortness
        )
        scores[self.counts == 0] = -np.inf
        equal = np.flatnonzero(scores == scores.max())
        return int(equal[np.lexsort((self.first[equal], self.shortest[equal]))[0]])

    def _give(self, place: int) -> None:
        time, job = self.heaps[place][0]
        self.free -= self.bundles[place]
        self.start.servers[job] += 1
        self.start.workers[job] += 1
        if self._has_next(job):
            now = time
            if self.rest == "now":
                now = time_function(self.problem, job)(self.start.servers[job], self.start.workers[job])
            heapq.heapreplace(self.heaps[place], (now, job))
            self.totals[place] += now - time
        else:
            heapq.heappop(self.heaps[place])
            self.totals[place] -= time
        self._refresh(place)

    def _refresh(self, place: int) -> None:
        heap = self.heaps[place]
        self.counts[place] = len(heap)
        self.shortest[place], self.first[place] = heap[0] if heap else (0.0, 0)
        if not heap:
            self.totals[place] = 0.0

    def _drop_unfit(self) -> None:
        """Groups whose bundle does not fit take no further part: capacity only shrinks."""
        unfit = (self.counts > 0) & (self.bundles > self.free).any(axis=1)
        for place in np.flatnonzero(unfit).tolist():
            self.heaps[place].clear()
            self._refresh(place)

    def _has_next(self, job: int) -> bool:
        p, w = self.start.servers[job], self.start.workers[job]
        return p > 0 and self.next_bundle.exists(job, p, w)
