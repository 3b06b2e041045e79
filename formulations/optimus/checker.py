"""Is this allocation feasible, and what is it worth? Written from constraints (5)-(8), without any table.

| name | constraint |
|---|---|
| shape | one pair (p_j, w_j) per job |
| counts (8) | p_j and w_j are positive integers |
| waiting | (0, 0) only where the problem allows waiting |
| limits | p_j <= p_max, w_j <= w_max, and the pair was measured if speeds come from a table |
| capacity (7) | sum_j (w_j O_j^r + p_j N_j^r) <= C_r, in integers |

The objective (5) is the sum of t_j = Q_j / f_j(p_j, w_j) (6), plus the cost of every waiting job.
"""

from __future__ import annotations

import math
from typing import Any

from dmlopt.check import Verdict, Violation
from formulations.optimus.problem import Job, OptimusProblem
from formulations.optimus.reference import remaining_time_plain
from formulations.optimus.solution import Allocation


def check(problem: OptimusProblem, solution: Any) -> Verdict:
    """Objective and violated constraints of an allocation."""
    if not isinstance(solution, Allocation):
        text = f"expected an Allocation, got {type(solution).__name__}"
        return Verdict(None, (Violation("shape", "solution", 1, text),))
    wrong = [
        Violation(
            "shape", name, abs(len(column) - problem.job_count), f"{len(column)} entries, expected {want}"
        )
        for name, column in (("servers", solution.servers), ("workers", solution.workers))
        if len(column) != (want := problem.job_count)
    ]
    if wrong:
        return Verdict(None, tuple(wrong))
    found: list[Violation] = []
    times: list[float] = []
    use = [0] * problem.resource_count
    for index, (p, w) in enumerate(solution.pairs()):
        job = problem.job(index)
        time = _job_time(problem, index, job, p, w, found)
        if time is not None:
            times.append(time)
        for r in range(problem.resource_count):
            use[r] += w * job.worker[r] + p * job.server[r]
    found += _capacity(problem, use)
    complete = len(times) == problem.job_count
    return Verdict(_total(times) if complete else None, tuple(found))


def _total(times: list[float]) -> float:
    """The sum (5), rounded once; infinity when it is beyond floating point."""
    try:
        return math.fsum(times)
    except OverflowError:
        return math.inf


def _job_time(
    problem: OptimusProblem, index: int, job: Job, p: int, w: int, found: list[Violation]
) -> float | None:
    """t_j, or the waiting cost; None where the pair has no meaning. Violations are added to `found`."""
    where = f"jobs[{index}]"
    if p == 0 and w == 0:
        if problem.waiting is not None:
            return float(problem.waiting[index])
        found.append(Violation("waiting", where, 1, "holds nothing, but every job must run"))
        return None
    if p < 1 or w < 1:
        message = f"{p} servers and {w} workers, expected at least 1 of each"
        found.append(Violation("counts (8)", where, 1 - min(p, w), message))
        return None
    for count, limit, task in ((p, job.server_max, "servers"), (w, job.worker_max, "workers")):
        if limit is not None and count > limit:
            found.append(Violation("limits", where, count - limit, f"{count} {task}, at most {limit}"))
    time = remaining_time_plain(job, p, w)
    if time is None:
        found.append(Violation("limits", where, 1, f"no speed was measured for {p} servers and {w} workers"))
    return time


def _capacity(problem: OptimusProblem, use: list[int]) -> list[Violation]:
    """Constraint (7), one comparison of integers per resource."""
    found = []
    for kind, used, capacity in zip(problem.resources, use, problem.capacity.tolist(), strict=True):
        if used > capacity:
            message = f"{used} used, {capacity} there are (unit: {kind.unit})"
            found.append(Violation("capacity (7)", kind.name, used - capacity, message))
    return found
