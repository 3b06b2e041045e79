"""What a user calls: generate, load, solve, check, save, and the lists of formulations and methods.

problem = dmlopt.generate("optimus", cluster="cpu-7x16", jobs=12, seed=1)
result = dmlopt.solve(problem, "exact", time_limit=30)
print(result.summary())
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
import platform
import time
from collections.abc import Callable, Mapping
from typing import Any

from dmlopt import registry
from dmlopt.control import Clock, Progress
from dmlopt.errors import InputError
from dmlopt.files import instance_hash, load, read_solution, save
from dmlopt.interrupt import stop_on_interrupt
from dmlopt.registry import Formulation, Method, Request
from dmlopt.result import Answer, Limit, Result, Status, TracePoint
from dmlopt.verify import establish, finite_or_none, judge

__all__ = ["formulations", "generate", "load", "methods", "save", "solve"]

LIBRARIES = ("dmlopt", "numpy", "scipy", "highspy", "pulp")


def generate(formulation: str, seed: int = 0, **options: Any) -> Any:
    """A random problem; the same seed and options give the same problem."""
    _require_whole("seed", seed, 0)
    maker = registry.generator(formulation)
    return maker.generate(seed, **registry.read_options(maker.options, options))


def formulations() -> dict[str, Formulation]:
    """All installed formulations by name."""
    return {name: registry.formulation(name) for name in registry.formulation_names()}


def methods(formulation: str) -> dict[str, Method]:
    """All methods of a formulation by name."""
    return registry.methods(formulation)


def solve(
    problem: Any,
    method: str,
    *,
    time_limit: float | None = None,
    gap: float = 1e-9,
    threads: int = 1,
    seed: int = 0,
    start: Any = None,
    prices: Mapping[str, float] | None = None,
    progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Result:
    """Run a method on a problem and check everything it answers.

    `gap` is the relative gap at which a proof counts as optimal. `start` (a solution or a Result) and
    `prices` are a warm start. Ctrl-C gives the best answer so far; pressed twice, it stops at once.
    """
    formulation = registry.formulation_of(problem)
    chosen = registry.find_method(formulation.name, method)
    require_limits(time_limit, gap, threads, seed)
    registry.prepare(formulation.name)
    request = Request(
        clock=Clock(time_limit),
        gap=gap,
        threads=threads,
        seed=seed,
        start=read_solution(problem, start.solution if isinstance(start, Result) else start),
        prices=prices,
        options=registry.read_options(chosen.options, options),
    )
    if progress is not None:
        request.progress = progress
    return run_checked(problem, chosen, request)


def run_checked(problem: Any, method: Method, request: Request) -> Result:
    """Run a method that need not be registered, and check everything it answers."""
    formulation = registry.formulation_of(problem)
    began = request.clock.started
    with stop_on_interrupt(request.clock):
        answer, message = _run(method, problem, request)
    ran = time.perf_counter()
    facts = establish(formulation, problem, answer.solution, answer.certificate)
    status, explanation = judge(answer, facts, request.gap, formulation.sense)
    fingerprint = instance_hash(problem)
    done = time.perf_counter()
    limits = {"time_limit": request.clock.time_limit, "gap": request.gap, "threads": request.threads}
    return Result(
        formulation=formulation.name,
        method=method.name,
        kind=method.kind,
        status=status,
        limit=_limit(answer, request.clock, status),
        sense=formulation.sense,
        objective=facts.objective,
        bound=facts.bound,
        claimed_bound=finite_or_none(answer.claimed_bound),
        seconds=_phases(began, answer.build_seconds, ran, done),
        instance_hash=fingerprint,
        verdict=facts.verdict,
        solution=answer.solution,
        certificate=answer.certificate,
        prices=dict(answer.prices),
        trace=tuple(_finite_point(point) for point in answer.trace),
        shortage=answer.shortage if status is Status.INFEASIBLE else None,
        parameters={**limits, **request.options},
        seed=request.seed,
        versions=library_versions(),
        statistics=dict(answer.statistics),
        message=explanation or message,
    )


def _run(method: Method, problem: Any, request: Request) -> tuple[Answer, str]:
    """The method's answer; running out of memory is an answer too."""
    try:
        return method.run(problem, request), ""
    except MemoryError:
        return Answer(limit=Limit.MEMORY), "the method ran out of memory"


def _limit(answer: Answer, clock: Clock, status: Status) -> Limit:
    """What ended the run. A run that was interrupted says so unless it had proven its answer by then."""
    if clock.interrupted and status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return Limit.INTERRUPTED
    return answer.limit


def _finite_point(point: TracePoint) -> TracePoint:
    return TracePoint(point.seconds, finite_or_none(point.incumbent), finite_or_none(point.bound))


def _phases(began: float, build: float, ran: float, done: float) -> dict[str, float]:
    build = min(max(build, 0.0), ran - began)
    return {"build": build, "solve": ran - began - build, "check": done - ran, "total": done - began}


@functools.cache
def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that numbers can depend on."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def require_limits(time_limit: float | None, gap: float, threads: int, seed: int) -> None:
    """Raise InputError for limits that make no sense."""
    if time_limit is not None and not (_is_number(time_limit) and time_limit > 0):
        raise InputError(f"time_limit: expected a number > 0, got {time_limit!r}")
    if not (_is_number(gap) and gap >= 0):
        raise InputError(f"gap: expected a number >= 0, got {gap!r}")
    _require_whole("threads", threads, 1)
    _require_whole("seed", seed, 0)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _require_whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**31:
        raise InputError(f"{name}: expected an integer >= {least} and < 2^31, got {value!r}")
