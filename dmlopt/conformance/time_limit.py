"""A time limit is kept, within 10 % or a second, whichever is more."""

from __future__ import annotations

import time
from collections.abc import Iterator

from dmlopt.conformance.cases import MethodCase, fresh
from dmlopt.result import Status

ATTEMPTS = 2  # a busy machine may be late once


def allowed(limit: float) -> float:
    """The latest moment at which a run with that limit may end."""
    return limit + max(0.1 * limit, 1.0)


def time_limit_kept(case: MethodCase) -> Iterator[str]:
    """A run ends in time, on an instance that takes longer; what it has found by then still holds.

    Checking the answer comes after the run and does not count. Methods that are done before pass.
    """
    limit = case.time_limit
    if limit is None:
        return
    late = 0.0
    for _ in range(ATTEMPTS):
        problem = fresh(case.problem)
        began = time.perf_counter()
        result = case.run(problem)
        spent = time.perf_counter() - began - result.seconds["check"]
        if result.status is Status.ERROR:
            yield f"stopped at {limit:g} s, the answer does not hold: {result.message}"
            return
        if spent <= allowed(limit):
            return
        late = spent
    yield f"ran for {late:.2f} s with a limit of {limit:g} s, at most {allowed(limit):g} s are allowed"
