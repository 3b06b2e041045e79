"""Methods that hand a formulation's reference program to a MIP solver: what a user would do without this toolkit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from dmlopt.backends.catalogue import backend
from dmlopt.backends.program import Capability, ProgramResult, ProgramStatus, SolverLimits
from dmlopt.control import OutOfTime
from dmlopt.errors import BackendError
from dmlopt.registry import Method, Request
from dmlopt.result import Answer, Limit, TracePoint


def program_method(
    name: str, solver: str, program: Callable[..., Any], solution: Callable[[Any, dict[str, float]], Any]
) -> Method:
    """`program(problem, clock)` gives a pulp.LpProblem, `solution(problem, values)` reads its variables by name."""

    def run(problem: Any, request: Request) -> Answer:
        from dmlopt.backends.pulp_arrays import to_program

        began = time.perf_counter()
        chosen = backend(solver, frozenset({Capability.MIP}))
        try:
            arrays = to_program(program(problem, request.clock), request.clock)
            build = time.perf_counter() - began
            limits = SolverLimits(request.clock, request.gap, request.threads, request.seed)
            found = chosen.solve(arrays, limits)
        except OutOfTime:
            over = Limit.INTERRUPTED if request.clock.interrupted else Limit.TIME
            return Answer(limit=over, build_seconds=time.perf_counter() - began)
        if found.status is ProgramStatus.UNBOUNDED:
            raise BackendError(f"{solver}: says the reference program is unbounded")
        answer = _answer(found, build)
        if found.x is not None:
            answer.solution = solution(problem, dict(zip(arrays.column_names, found.x.tolist(), strict=True)))
        return answer

    return Method(name, "exact", f"the reference program handed to {solver}", run)


def _answer(found: ProgramResult, build: float) -> Answer:
    """A solver's result as claims. The reference program minimises the paper's objective."""
    return Answer(
        claimed_bound=found.bound,
        claimed_optimal=found.status is ProgramStatus.OPTIMAL,
        claimed_infeasible=found.status is ProgramStatus.INFEASIBLE,
        limit=found.limit,
        trace=[
            TracePoint(
                build + point.seconds,
                point.incumbent if math.isfinite(point.incumbent) else None,
                point.bound if math.isfinite(point.bound) else None,
            )
            for point in found.trace
        ],
        build_seconds=build,
        statistics={"nodes": found.nodes},
    )
