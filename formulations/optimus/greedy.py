"""The paper's marginal-gain greedy (eq. 9), with every choice it leaves open as an option.

At (p, w), one more parameter server or one more worker of job j saves time; per amount of the task's dominant
resource that is its marginal gain:

    g_ps = (t_j(p, w) - t_j(p+1, w)) / N_j^dom        g_worker = (t_j(p, w) - t_j(p, w+1)) / O_j^dom

dom = the resource of which the task takes the largest share amount / C_r (first in the list on a tie). Start
with (1, 1) for every job, then give the job with the largest gain the better task, and so on until no gain is
positive or the best candidate does not fit.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dmlopt.control import Clock
from dmlopt.errors import InputError
from dmlopt.packing import IntArray
from formulations.optimus.problem import OptimusProblem
from formulations.optimus.solution import Allocation
from formulations.optimus.start import count_limits, first_pairs, take, time_function

TASKS = ("server", "worker", "pair")
ADDED = ((1, 0), (0, 1), (1, 1))  # servers and workers that a task of that name adds
CLOCK_INTERVAL = 256  # additions between two looks at the clock


@dataclass(frozen=True)
class GreedyRule:
    """The choices the paper leaves open; by default its text, and the authors' code where it is silent.

    `on_infeasible`: "stop" ends the run when the best candidate does not fit; "skip" drops that candidate
    (job and task) for good and goes on. `gain_divisor`: "amount" of the dominant resource in its bare unit,
    or "share" of the capacity, which needs no unit. `lookahead`: also try one server and one worker together.
    `zero_gain`: add tasks whose gain is exactly 0. `ties`: which task goes first inside a job at equal gain;
    between jobs the earlier one in the list does.
    """

    on_infeasible: str = "stop"
    gain_divisor: str = "amount"
    lookahead: bool = False
    zero_gain: bool = False
    ties: str = "server"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputError(f"{name}: expected {' or '.join(choices)}, got {getattr(self, name)!r}")


CHOICES = {
    "on_infeasible": ("stop", "skip"),
    "gain_divisor": ("amount", "share"),
    "ties": ("server", "worker"),
}


class Step(NamedTuple):
    """One addition: the job, the task ("server", "worker", "pair") and the gain that chose it."""

    job: int
    task: str
    gain: float


@dataclass(frozen=True)
class GreedyRun:
    """What the greedy did. `waiting`: jobs that got nothing; `finished`: False when time ran out."""

    allocation: Allocation
    steps: list[Step]
    waiting: list[int] = field(default_factory=list)
    finished: bool = True


def marginal_gain(
    problem: OptimusProblem,
    rule: GreedyRule | None = None,
    priority: Sequence[float] | None = None,
    clock: Clock | None = None,
) -> GreedyRun | None:
    """Run the greedy; None when the starting allocation does not fit and no job may wait.

    `priority[j]` multiplies the gains of job j: the paper's factor (0.95, say) for jobs whose predictions are
    still poor. When there is not enough for all, jobs start in list order and those that do not fit wait.
    """
    return _Greedy(problem, rule or GreedyRule(), priority).run(clock or Clock())


class _Greedy:
    """State of one run: counts and free capacity as plain integers, gains as plain floats."""

    def __init__(self, problem: OptimusProblem, rule: GreedyRule, priority: Sequence[float] | None) -> None:
        self.problem = problem
        self.rule = rule
        self.priority = [1.0] * problem.job_count if priority is None else [float(each) for each in priority]
        if len(self.priority) != problem.job_count or not all(0 < each < math.inf for each in self.priority):
            raise InputError(f"priority: expected {problem.job_count} finite factors > 0, one per job")
        self.servers: list[int] = []
        self.workers: list[int] = []
        self.free: list[int] = []
        self.times = [time_function(problem, job) for job in range(problem.job_count)]
        self.limits = count_limits(problem)
        tasks = _task_demands(problem, rule.lookahead)
        self.demands = [demand.tolist() for demand in tasks]
        self.divisors = [_divisors(problem, demand, rule.gain_divisor) for demand in tasks]
        in_order = (1, 0, 2) if rule.ties == "worker" else (0, 1, 2)
        self.order = [task for task in in_order if task < len(tasks)]
        self.dropped: set[tuple[int, int]] = set()

    def run(self, clock: Clock) -> GreedyRun | None:
        start = first_pairs(self.problem)
        if start is None:
            return None
        self.servers, self.workers, self.free = start.servers, start.workers, start.free
        heap = [entry for job in range(self.problem.job_count) if (entry := self._candidate(job)) is not None]
        heapq.heapify(heap)
        steps: list[Step] = []
        finished = True
        turn = 0
        while heap:
            turn += 1
            if turn % CLOCK_INTERVAL == 0 and clock.expired():
                finished = False
                break
            negative_gain, job, _, task = heapq.heappop(heap)
            if take(self.free, self.demands[task][job]):
                self.servers[job] += ADDED[task][0]
                self.workers[job] += ADDED[task][1]
                steps.append(Step(job, TASKS[task], -negative_gain))
            elif self.rule.on_infeasible == "stop":
                break
            else:  # capacity only shrinks, so what does not fit now never will
                self.dropped.add((job, task))
            entry = self._candidate(job)
            if entry is not None:
                heapq.heappush(heap, entry)
        allocation = Allocation(np.array(self.servers), np.array(self.workers))
        return GreedyRun(allocation, steps, start.waiting, finished)

    def _candidate(self, job: int) -> tuple[float, int, int, int] | None:
        """The best addition to a job as a heap entry (-gain, job, rank of the task, task); None if none pays.

        A step beyond p_max or w_max, or to a pair that was not measured, is no candidate at all.
        """
        p, w = self.servers[job], self.workers[job]
        if p == 0:
            return None
        time = self.times[job]
        now = time(p, w)
        most_servers, most_workers = self.limits[job]
        best: tuple[float, int, int, int] | None = None
        for rank, task in enumerate(self.order):
            more_servers, more_workers = ADDED[task]
            if p + more_servers > most_servers or w + more_workers > most_workers:
                continue
            if self.dropped and (job, task) in self.dropped:
                continue
            saved = now - time(p + more_servers, w + more_workers)
            if saved < 0 or saved != saved or (saved == 0 and not self.rule.zero_gain):
                continue
            divisor = self.divisors[task][job]
            gain = self.priority[job] * (saved / divisor if divisor > 0 else math.inf if saved > 0 else 0.0)
            if best is None or -gain < best[0]:
                best = (-gain, job, rank, task)
        return best


def _task_demands(problem: OptimusProblem, lookahead: bool) -> list[IntArray]:
    """Demand of each task of every job, in the order of TASKS."""
    pair = [problem.server_demand + problem.worker_demand] if lookahead else []
    return [problem.server_demand, problem.worker_demand, *pair]


def _divisors(problem: OptimusProblem, demand: IntArray, kind: str) -> list[float]:
    """Amount, or share, of the dominant resource of a task, per job; 0 for a task that uses nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(demand > 0, demand / problem.capacity, 0.0)
    dominant = np.argmax(shares, axis=1)  # the first of equal shares
    jobs = np.arange(problem.job_count)
    if kind == "share":
        found: list[float] = shares[jobs, dominant].tolist()
        return found
    sizes = np.array([each.size for each in problem.resources])
    amounts: list[float] = (demand[jobs, dominant] * sizes[dominant]).tolist()
    return amounts
