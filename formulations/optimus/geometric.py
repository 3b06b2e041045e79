"""Optimus with real p_j, w_j >= 1: a geometric program, solved to its global optimum in CVXPY.

Remaining times (eqs. 3 and 4) and the use of every resource are posynomials in (p, w): sums of c p^a w^b with c > 0. With
p = e^x, w = e^y every such term is the exponential of an affine function, so the program is convex:

    min  sum_k exp(a_k.z + log c_k)   s.t.  sum_k in row r exp(..) <= 1  for each r,   0 <= z <= log(most),   z = (x, y)

Terms with c = 0 are left out. `most` is p_max or w_max, or what the rows leave for one task beside one server and one worker
of everybody else: it follows from the rows, and tells which variables have no choice at all. The program is stated
in this form rather than with CVXPY's `gp=True`, which takes the logarithm of every single sum in Python; both have
the same optimum.

It relaxes integrality only, so its optimum is below that of the integer program: a bound, but by the word of an
interior-point solver (relative accuracy about 1e-7), hence `claimed_bound`.
"""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dmlopt.control import OutOfTime
from dmlopt.errors import BackendError, NotApplicableError
from dmlopt.packing import FloatArray, IntArray
from dmlopt.registry import Request
from dmlopt.result import Answer, Limit
from formulations.optimus.problem import OptimusProblem
from formulations.optimus.shortage import start_shortage
from formulations.optimus.speed import ASYNC, SYNC, TABLE

# Powers of (p, w) in the terms of t/Q, in the order of the coefficients; sync th0 also has the factor M.
_POWERS = {
    SYNC: ((0, -1), (0, 0), (-1, 1), (0, 1), (1, 0)),
    ASYNC: ((0, -1), (-1, 0), (0, 0), (1, -1)),
}


class Terms:
    """Terms c p_j^a w_j^b as arrays; `group` says which sum a term belongs to."""

    def __init__(self) -> None:
        self.parts: list[tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]] = []

    def add(self, group: int, jobs: IntArray, weight: FloatArray, powers: tuple[int, int]) -> None:
        """One term per job; those with weight 0 are left out."""
        used = weight > 0
        count = int(used.sum())
        if count:
            columns = np.full(count, group), jobs[used], weight[used].astype(np.float64)
            self.parts.append((*columns, np.full(count, powers[0]), np.full(count, powers[1])))

    def exponents(self, job_count: int) -> tuple[IntArray, Any, FloatArray]:
        """Group, matrix over z = (x, y) and constant of every term: exp(matrix z + constant)."""
        group, job, weight, p, w = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        rows = np.arange(len(job))
        powers = np.concatenate([p, w]).astype(np.float64)
        places = np.concatenate([rows, rows]), np.concatenate([job, job + job_count])
        matrix: Any = csr_array((powers, places), shape=(len(job), 2 * job_count))
        return group, matrix, np.log(weight)


def time_terms(problem: OptimusProblem) -> Terms:
    """The terms of sum_j t_j."""
    terms = Terms()
    for mode, powers in _POWERS.items():
        jobs = np.flatnonzero(problem.mode == mode)
        for k, power in enumerate(powers):
            weight = problem.steps[jobs] * problem.theta[jobs, k]
            terms.add(0, jobs, weight * problem.batch[jobs] if mode == SYNC and k == 0 else weight, power)
    return terms


def use_terms(problem: OptimusProblem) -> Terms:
    """The terms of the use of every resource as a share of its capacity."""
    terms = Terms()
    jobs = np.arange(problem.job_count)
    for row, capacity in enumerate(problem.capacity.tolist()):
        if capacity > 0:
            terms.add(row, jobs, problem.server_demand[:, row] / capacity, (1, 0))
            terms.add(row, jobs, problem.worker_demand[:, row] / capacity, (0, 1))
    return terms


def largest(problem: OptimusProblem) -> tuple[FloatArray, FloatArray]:
    """Most servers and most workers of each job as real numbers, everybody else at (1, 1)."""
    least = problem.worker_demand + problem.server_demand
    room = problem.capacity - least.sum(axis=0)
    found = []
    for demand, given in (
        (problem.server_demand, problem.server_max),
        (problem.worker_demand, problem.worker_max),
    ):
        extra = np.where(demand > 0, room / np.maximum(demand, 1), np.inf).min(axis=1, initial=np.inf)
        found.append(np.minimum(1 + extra, np.where(given > 0, given, np.inf)))
    return found[0], found[1]


def geometric_bound(problem: OptimusProblem, seconds: float = math.inf) -> float | None:
    """The optimum of the geometric program; None when the solver stopped before it had it.

    The problem must have a point: (1, 1) fits for every job.
    """
    import cvxpy

    _, matrix, constant = time_terms(problem).exponents(problem.job_count)
    upper = np.log(np.concatenate(largest(problem)))
    free = np.flatnonzero(upper > 1e-12)
    scale = float(np.exp(constant).sum())  # the total at (1, 1)
    if not len(free):
        return scale
    z = cvxpy.Variable(len(free))
    bounded = np.flatnonzero(np.isfinite(upper[free]))
    constraints = [z >= 0, z[bounded] <= upper[free][bounded]]
    use = use_terms(problem)
    if use.parts:
        row_of, use_matrix, use_constant = use.exponents(problem.job_count)
        terms = cvxpy.exp(use_matrix[:, free] @ z + use_constant)
        rows = np.unique(row_of)
        select = csr_array((np.ones(len(row_of)), (np.searchsorted(rows, row_of), np.arange(len(row_of)))))
        constraints.append(select @ terms <= 1)
    objective = cvxpy.sum(cvxpy.exp(matrix[:, free] @ z + (constant - math.log(scale))))
    program = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
    options: dict[str, Any] = {"time_limit": max(0.001, seconds)} if math.isfinite(seconds) else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the status says what the warnings say
            program.solve(solver=cvxpy.CLARABEL, max_threads=1, **options)
    except cvxpy.error.SolverError as error:
        if math.isfinite(seconds):
            return None
        raise BackendError(f"gp: {error}") from error
    return float(program.value) * scale if program.status == cvxpy.OPTIMAL else None


def run_geometric(problem: OptimusProblem, request: Request) -> Answer:
    """The method `gp`."""
    if problem.waiting is not None:
        raise NotApplicableError("gp: jobs that may wait have no posynomial time; every job must run")
    if (problem.mode == TABLE).any():
        job = int(np.flatnonzero(problem.mode == TABLE)[0])
        raise NotApplicableError(
            f"gp: jobs[{job}].mode: expected sync or async; measured tables are no posynomials"
        )
    if ((problem.worker_demand + problem.server_demand).sum(axis=0) > problem.capacity).any():
        return Answer(claimed_infeasible=True, shortage=start_shortage(problem))
    began = time.perf_counter()
    clock = request.clock
    try:
        clock.check()
        found = geometric_bound(problem, clock.remaining())
    except OutOfTime:
        found = None
    over = Limit.INTERRUPTED if clock.interrupted else Limit.TIME
    limit = over if found is None and clock.expired() else Limit.NONE
    return Answer(claimed_bound=found, limit=limit, build_seconds=time.perf_counter() - began)
