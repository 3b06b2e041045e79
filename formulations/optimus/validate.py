"""What the data of an Optimus problem must satisfy, checked on whole arrays.

Files are read field by field (`instance_json.py`); this is the check behind it that also guards problems
built in Python. Messages name the field in the spelling of the instance file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dmlopt.errors import InputError, expected_one_of
from dmlopt.packing import BoolArray, FloatArray, IntArray
from formulations.optimus.speed import ASYNC, MODES, SYNC, TABLE, THETA_COUNT

if TYPE_CHECKING:
    from formulations.optimus.problem import Job, OptimusProblem

MOST_AMOUNT: Final = 10**12  # keeps every product of counts and demands inside 64 bits
MOST_COUNT: Final = 2**20 - 1  # plan keys hold p and w in 20 bits each
MOST_IMPLIED_PAIRS: Final = 4_000_000
MOST_PAIRS: Final = 64_000_000
MOST_TIME: Final = 1e300
LISTED: Final = 20


def validate(problem: OptimusProblem) -> None:
    """Raise InputError with every wrong field of `problem`."""
    _raise(_shapes(problem))
    _raise(_values(problem))
    _raise(_tables(problem))
    _raise(_bounds(problem))


def _raise(found: list[str]) -> None:
    if len(found) > LISTED:
        found = [*found[:LISTED], f"... and {len(found) - LISTED} more"]
    if found:
        raise InputError(found)


def as_numbers(values: Any, name: str) -> FloatArray:
    """`values` as a read-only array of floats."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: expected numbers in rows of equal length") from None
    array.flags.writeable = False
    return array


def as_integers(values: Any, name: str) -> IntArray:
    """`values` as a read-only array of integers; a number with a fraction is an error, not rounded."""
    numbers = as_numbers(values, name)
    array = np.array(values)
    if array.dtype.kind not in "iuf" or not (np.abs(numbers) < 2**62).all():
        raise InputError(f"{name}: expected integers of at most {MOST_AMOUNT}")
    integers = array.astype(np.int64)
    if not (integers == array).all():
        raise InputError(f"{name}: expected integers, got numbers with fractions")
    integers.flags.writeable = False
    return integers


def check_jobs(jobs: Sequence[Job], resource_count: int) -> None:
    """Raise InputError for jobs that cannot even be put into columns."""
    found = [] if jobs else ["jobs: expected at least 1 job, got none"]
    for index, job in enumerate(jobs):
        if job.mode not in MODES:
            found.append(f"jobs[{index}].mode: {expected_one_of(job.mode, MODES)}")
        elif len(job.theta) != (count := THETA_COUNT[MODES.index(job.mode)]):
            found.append(f"jobs[{index}].theta: expected {count} numbers, got {len(job.theta)}")
        for name, demand in (("worker", job.worker), ("ps", job.server)):
            if len(demand) != resource_count:
                found.append(f"jobs[{index}].{name}: expected {resource_count} amounts, got {len(demand)}")
    _raise(found)


def _shapes(problem: OptimusProblem) -> list[str]:
    found = []
    jobs, resources = problem.job_count, problem.resource_count
    if not jobs:
        found.append("jobs: expected at least 1 job, got none")
    if not resources:
        found.append("resources: expected at least 1 resource, got none")
    names = [kind.name for kind in problem.resources]
    if len(set(names)) < len(names):
        found.append(f"resources: expected different names, got {', '.join(names)}")
    expected: dict[str, tuple[int, ...]] = {
        "capacity": (resources,),
        "mode": (jobs,),
        "theta": (jobs, 5),
        "batch": (jobs,),
        "steps": (jobs,),
        "worker_demand": (jobs, resources),
        "server_demand": (jobs, resources),
        "server_max": (jobs,),
        "worker_max": (jobs,),
    }
    if problem.waiting is not None:
        expected["waiting"] = (jobs,)
    for name, shape in expected.items():
        got = getattr(problem, name).shape
        if got != shape:
            found.append(f"{name}: expected an array of shape {shape}, got {got}")
    return found


def _values(problem: OptimusProblem) -> list[str]:
    found: list[str] = []
    below = f"an integer from 0 to {MOST_AMOUNT}"
    counts = f"an integer from 1 to {MOST_COUNT}"

    def test(good: BoolArray, values: Any, path: str, expected: str) -> None:
        for at in np.argwhere(~good)[: LISTED + 1]:
            place = path.format(*at.tolist())
            found.append(f"{place}: expected {expected}, got {values[tuple(at)]}")

    def amounts(values: Any, path: str) -> None:
        test((values >= 0) & (values <= MOST_AMOUNT), values, path, below)

    amounts(problem.capacity, "capacity[{}]")
    amounts(problem.worker_demand, "jobs[{}].worker[{}]")
    amounts(problem.server_demand, "jobs[{}].ps[{}]")
    test((problem.mode >= 0) & (problem.mode < len(MODES)), problem.mode, "jobs[{}].mode", "0, 1 or 2")
    theta, steps = problem.theta, problem.steps
    test(np.isfinite(theta) & (theta >= 0), theta, "jobs[{}].theta[{}]", "a finite number >= 0")
    test(np.isfinite(steps) & (steps > 0), steps, "jobs[{}].Q", "a finite number > 0")
    fitted = (problem.mode != TABLE) & (theta <= 0).all(axis=1)
    test(~fitted, theta, "jobs[{}].theta", "at least one coefficient > 0")
    needs_batch = problem.mode == SYNC
    batch = ~needs_batch | ((problem.batch >= 1) & (problem.batch <= MOST_AMOUNT))
    test(batch, problem.batch, "jobs[{}].M", f"an integer from 1 to {MOST_AMOUNT}")
    for name, values in (("p_max", problem.server_max), ("w_max", problem.worker_max)):
        test((values >= 0) & (values <= MOST_COUNT), values, f"jobs[{{}}].{name}", counts)
    if problem.waiting is not None:
        cost = problem.waiting
        test(np.isfinite(cost) & (cost >= 0), cost, "waiting.cost[{}]", "a finite number >= 0")
    return found


def _tables(problem: OptimusProblem) -> list[str]:
    found = []
    measured = set(np.flatnonzero(problem.mode == TABLE).tolist())
    for job in sorted(measured ^ set(problem.speeds)):
        expected = "a table of speeds" if job in measured else "no table, because the mode is not 'table'"
        found.append(f"jobs[{job}].speed: expected {expected}")
    for job in sorted(measured & set(problem.speeds)):
        table = problem.speeds[job]
        if table.ndim != 2 or not table.size or max(table.shape) > MOST_COUNT:
            found.append(f"jobs[{job}].speed: expected rows of equal length, got shape {table.shape}")
        elif not (np.isfinite(table) & (table >= 0)).all():
            found.append(f"jobs[{job}].speed: expected finite numbers >= 0")
        elif not (table > 0).any():
            found.append(f"jobs[{job}].speed: expected at least one measured pair (a speed > 0)")
    return found


def _bounds(problem: OptimusProblem) -> list[str]:
    """Tables must be finite and of a size that fits in memory, and every remaining time a finite number."""
    found = []
    servers, workers = problem.largest_counts
    for task, largest, name in (("parameter server", servers, "p_max"), ("worker", workers, "w_max")):
        for job in np.flatnonzero(largest > MOST_COUNT)[: LISTED + 1]:
            found.append(
                f"jobs[{job}].{name}: expected a number, because capacity does not limit how many {task}s "
                "this job can have, got null"
            )
    if found:
        return found
    pairs = servers * workers
    implied = ((problem.server_max == 0) | (problem.worker_max == 0)) & (problem.mode != TABLE)
    total, total_implied = int(pairs.sum()), int(pairs[implied].sum())
    if total_implied > MOST_IMPLIED_PAIRS:
        found.append(
            f"jobs: expected p_max and w_max, because capacity alone leaves {total_implied} pairs (p, w), "
            f"more than {MOST_IMPLIED_PAIRS}"
        )
    elif total > MOST_PAIRS:
        found.append(
            f"jobs: expected at most {MOST_PAIRS} pairs (p, w) in all, got {total}; lower p_max and w_max"
        )
    return found or _times(problem)


def _times(problem: OptimusProblem) -> list[str]:
    """A bound on the largest t of each job: every term of 1/f at its own worst pair."""
    servers, workers = (counts.astype(np.float64) for counts in problem.largest_counts)
    ones = np.ones(problem.job_count)
    with np.errstate(over="ignore", divide="ignore"):
        terms = {
            SYNC: np.stack([problem.batch.astype(np.float64), ones, workers, workers, servers], axis=1),
            ASYNC: np.stack([ones, ones, ones, servers, 0 * ones], axis=1),
        }
        worst = np.zeros(problem.job_count)
        for mode, rows in terms.items():
            worst = np.where(problem.mode == mode, (problem.theta * rows).sum(axis=1), worst)
        for job, table in problem.speeds.items():
            worst[job] = 1.0 / table[table > 0].min()
        wrong = np.flatnonzero(~(problem.steps * worst < MOST_TIME))
    return [
        f"jobs[{job}]: expected remaining times below {MOST_TIME:g} seconds" for job in wrong[: LISTED + 1]
    ]
