"""What the data of an OASiS problem must satisfy. Messages name the field in the spelling of the instance file.

Wrong input is what has no meaning: an empty horizon, no work, a task that uses nothing, a utility that rises. A job that
has meaning but no schedule (b > B, too wide, too long) is legal: every method rejects it, and `describe` counts it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from dmlopt.errors import InputError, expected_one_of
from formulations.oasis.utility import Sigmoid, TableUtility

if TYPE_CHECKING:
    from formulations.oasis.problem import Job, OasisProblem, ServerGroup

MOST_AMOUNT: Final = 10**9
MOST_SERVERS: Final = 10_000
MOST_SLOTS: Final = 5_000
MOST_COUNT: Final = 10_000  # epochs, chunks, mini-batches
MOST_NUMBER: Final = 1e15
LEAST_NUMBER: Final = 1e-15
LISTED: Final = 20


def validate(problem: OasisProblem) -> None:
    """Raise InputError with every wrong field of `problem`."""
    from formulations.oasis.constants import RULES
    from formulations.oasis.problem import VIEWS, WORK

    found: list[str] = []
    width = len(problem.resources)
    names = [kind.name for kind in problem.resources]
    if not width or len(set(names)) < width:
        found.append(f"resources: expected at least 1 and different names, got {', '.join(names) or 'none'}")
    found += _whole("horizon", problem.horizon, 1, MOST_SLOTS)
    found += _number("slot_seconds", problem.slot_seconds, positive=True)
    for name, value, known in (
        ("view", problem.view, VIEWS),
        ("work", problem.work, WORK),
        ("prices.rule", problem.prices.rule, RULES),
    ):
        if value not in known:
            found.append(f"{name}: {expected_one_of(value, known)}")
    if problem.pool_rooms and problem.view != "pooled":
        found.append("pool_rooms: expected false, because the view is not pooled")
    found += _number("prices.floor", problem.prices.floor)
    found += _groups("worker_servers", problem.worker_servers, width)
    found += _groups("ps_hosts", problem.ps_hosts, width)
    if not problem.jobs:
        found.append("jobs: expected at least 1 job, got none")
    for index, job in enumerate(problem.jobs):
        found += _job(f"jobs[{index}]", job, width, problem.horizon)
    if problem.prices.known:
        found += _constants(problem)
    if len(found) > LISTED:
        found = [*found[:LISTED], f"... and {len(found) - LISTED} more"]
    if found:
        raise InputError(found)


def _whole(path: str, value: object, least: int, most: int) -> list[str]:
    if type(value) is int and least <= value <= most:
        return []
    return [f"{path}: expected an integer from {least} to {most}, got {value!r}"]


def _number(path: str, value: object, positive: bool = False) -> list[str]:
    low = LEAST_NUMBER if positive else 0.0
    good = type(value) in (int, float) and math.isfinite(value) and low <= value <= MOST_NUMBER  # type: ignore[arg-type, operator]
    if good and (value == 0 or value >= LEAST_NUMBER):  # type: ignore[operator]
        return []
    return [f"{path}: expected a number {'>' if positive else '>='} 0 and <= {MOST_NUMBER:g}, got {value!r}"]


def _groups(path: str, groups: Sequence[ServerGroup], width: int) -> list[str]:
    found = [] if groups else [f"{path}: expected at least 1 group of servers, got none"]
    total = 0
    for index, group in enumerate(groups):
        if len(group.capacity) != width:
            found.append(f"{path}[{index}].capacity: expected {width} amounts, got {len(group.capacity)}")
        for r, amount in enumerate(group.capacity):
            found += _whole(f"{path}[{index}].capacity[{r}]", amount, 0, MOST_AMOUNT)
        wrong = _whole(f"{path}[{index}].count", group.count, 1, MOST_SERVERS)
        total += 0 if wrong else group.count
        found += wrong
    if total > MOST_SERVERS:
        found.append(f"{path}: expected at most {MOST_SERVERS} servers in all, got {total}")
    return found


def _job(path: str, job: Job, width: int, horizon: object) -> list[str]:
    last = horizon if type(horizon) is int and 1 <= horizon <= MOST_SLOTS else MOST_SLOTS
    found = _whole(f"{path}.arrival", job.arrival, 1, last)
    for name, value in (("E", job.epochs), ("N", job.chunks), ("M", job.minibatches)):
        found += _whole(f"{path}.{name}", value, 1, MOST_COUNT)
    found += _number(f"{path}.tau_seconds", job.minibatch_seconds)
    found += _number(f"{path}.e_bytes", job.gradient_bytes)
    found += _number(f"{path}.b_bits_per_second", job.worker_bits_per_second, positive=True)
    found += _number(f"{path}.B_bits_per_second", job.ps_bits_per_second, positive=True)
    if job.minibatch_seconds == 0 and job.gradient_bytes == 0:
        found.append(f"{path}.tau_seconds: expected some work, but tau and e are both 0")
    for name, demand in (("worker", job.worker), ("ps", job.ps)):
        if len(demand) != width:
            found.append(f"{path}.{name}: expected {width} amounts, got {len(demand)}")
        for r, amount in enumerate(demand):
            found += _whole(f"{path}.{name}[{r}]", amount, 0, MOST_AMOUNT)
        if not any(demand):
            found.append(f"{path}.{name}: expected at least one amount > 0, got only zeros")
    return found + _utility(f"{path}.utility", job)


def _utility(path: str, job: Job) -> list[str]:
    utility: object = job.utility
    if not isinstance(utility, Sigmoid | TableUtility):
        return [f"{path}: expected a sigmoid or a table, got {utility!r}"]
    if isinstance(utility, Sigmoid):
        found = _number(f"{path}.sigmoid[0]", utility.priority, positive=True)
        found += _number(f"{path}.sigmoid[1]", utility.decay)
        return found + _number(f"{path}.sigmoid[2]", utility.target)
    found = [] if utility.values else [f"{path}.table: expected at least 1 value, got none"]
    for d, value in enumerate(utility.values):
        found += _number(f"{path}.table[{d}]", value)
    if not found:
        for d, (before, after) in enumerate(zip(utility.values, utility.values[1:], strict=False)):
            if after > before:
                found.append(
                    f"{path}.table[{d + 1}]: expected at most {before!r}: utilities never rise, got {after!r}"
                )
    return found


def _constants(problem: OasisProblem) -> list[str]:
    found = []
    constants = problem.prices
    for side, lows, highs in (
        ("worker", constants.worker_low, constants.worker_high),
        ("ps", constants.ps_low, constants.ps_high),
    ):
        path = f"prices.{side}"
        if lows is None or highs is None or len(lows) != len(highs) or len(lows) != len(problem.resources):
            found.append(f"{path}: expected ln_L and ln_U for every resource")
            continue
        for r, (low, high) in enumerate(zip(lows, highs, strict=True)):
            if (low is None) != (high is None):
                found.append(f"{path}[{r}]: expected both ln_L and ln_U, or neither")
            elif low is not None and high is not None and not (math.isfinite(low) and low <= high < math.inf):
                found.append(f"{path}[{r}]: expected finite ln_L <= ln_U, got {low!r} and {high!r}")
    return found
