"""Methods that hand a formulation's reference program to a solver: what a user would do without this toolkit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dmlopt.backends.catalogue import LP_BACKENDS, backend
from dmlopt.backends.program import Capability, Program, ProgramResult, ProgramStatus, SolverLimits
from dmlopt.control import Clock, OutOfTime
from dmlopt.engine.evaluate import evaluate
from dmlopt.engine.infeasible import explain
from dmlopt.engine.presolve import steepness
from dmlopt.engine.proof import Proof
from dmlopt.errors import BackendError
from dmlopt.packing import Packing
from dmlopt.registry import Method, Option, Request
from dmlopt.result import Answer, Limit, TracePoint

_Stated = Callable[..., Any]


def program_method(
    name: str,
    solver: str,
    program: _Stated,
    solution: Callable[[Any, dict[str, float]], Any],
    sense: str = "min",
) -> Method:
    """`program(problem, clock)` gives a pulp.LpProblem or its arrays; `solution(problem, values)` reads its variables by
    name. The program minimises; with `sense` "max" its value is the paper's objective with the sign turned.
    """

    def run(problem: Any, request: Request) -> Answer:
        found, arrays, build = _solved(solver, Capability.INTEGER, program, problem, request, relaxed=False)
        answer = _answer(found, build, sense)
        if found.x is not None and arrays is not None:
            used = np.flatnonzero(found.x)  # the others are 0, and a large program has many of them
            values = zip(used.tolist(), found.x[used].tolist(), strict=True)
            answer.solution = solution(problem, {arrays.column_names[at]: value for at, value in values})
        return answer

    return Method(name, "exact", f"the reference program handed to {solver}", run)


def relaxation_method(
    name: str,
    program: _Stated,
    rows: Callable[[Any], list[str]],
    packing: Callable[[Any], Packing],
    sense: str = "min",
) -> Method:
    """The LP relaxation of the reference program. Where the solver gives duals, those of the capacity rows (named by
    `rows(problem)`) become prices of the packing, and the prices a certificate; the LP's own value stays a claim.
    """

    def run(problem: Any, request: Request) -> Answer:
        solver = request.options["solver"]
        found, arrays, build = _solved(solver, Capability.LP, program, problem, request, relaxed=True)
        answer = _answer(found, build, sense)
        answer.claimed_optimal = False
        if answer.claimed_infeasible:
            answer.shortage = explain(packing(problem), Clock(min(10.0, max(1.0, request.clock.remaining()))))
        elif found.row_dual is not None and arrays is not None:
            _certify(answer, found, arrays, rows(problem), packing(problem))
        return answer

    options = (Option("solver", str, "highs", "the LP solver that gets the program", LP_BACKENDS),)
    return Method(name, "bound", "LP relaxation of the reference program", run, options)


def _solved(
    solver: str, needs: Capability, program: _Stated, problem: Any, request: Request, relaxed: bool
) -> tuple[ProgramResult, Program | None, float]:
    """The solver's result, the program as arrays, and the seconds it took to state it."""
    from dmlopt.backends.pulp_arrays import to_program

    began = time.perf_counter()
    chosen = backend(solver, frozenset({needs}))
    try:
        stated = program(problem, request.clock)
        arrays = stated if isinstance(stated, Program) else to_program(stated, request.clock)
        if relaxed:
            arrays = replace(arrays, integral=np.zeros(arrays.column_count, dtype=bool))
        build = time.perf_counter() - began
        limits = SolverLimits(request.clock, request.gap, request.threads, request.seed)
        found = chosen.solve(arrays, limits)
    except OutOfTime:
        over = Limit.INTERRUPTED if request.clock.interrupted else Limit.TIME
        return ProgramResult(ProgramStatus.UNKNOWN, over), None, time.perf_counter() - began
    if found.status is ProgramStatus.UNBOUNDED:
        raise BackendError(f"{solver}: says the reference program is unbounded")
    return found, arrays, build


def _certify(
    answer: Answer, found: ProgramResult, arrays: Program, rows: list[str], packing: Packing
) -> None:
    """Turn the duals of the capacity rows into prices and their certificate."""
    assert found.row_dual is not None
    place = {name: at for at, name in enumerate(arrays.row_names)}
    # A row without any entry is not part of the program; its price is 0.
    dual = np.array([found.row_dual[place[name]] if name in place else 0.0 for name in rows])
    prices = np.maximum(0.0, -dual) + 0.0  # no negative zeros
    proof = Proof()
    proof.leaf(0, prices, evaluate(packing, prices).bound)
    answer.certificate = proof.certificate_or_none(packing.planner, steepness(packing))
    answer.prices = dict(zip(packing.row_names, prices.tolist(), strict=True))


def _answer(found: ProgramResult, build: float, sense: str) -> Answer:
    """A solver's result as claims. The reference program minimises the paper's objective, or its negative."""
    sign = 1.0 if sense == "min" else -1.0
    return Answer(
        claimed_bound=None if found.bound is None else sign * found.bound,
        claimed_optimal=found.status is ProgramStatus.OPTIMAL,
        claimed_infeasible=found.status is ProgramStatus.INFEASIBLE,
        limit=found.limit,
        trace=[
            TracePoint(
                build + point.seconds,
                sign * point.incumbent if math.isfinite(point.incumbent) else None,
                sign * point.bound if math.isfinite(point.bound) else None,
            )
            for point in found.trace
        ],
        build_seconds=build,
        statistics={"nodes": found.nodes},
    )
