"""What can be done with an Optimus problem: the paper's greedy in its variants, the rivals it is measured against, and
the engine's methods.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from dmlopt.errors import InputError
from dmlopt.packing_methods import packing_methods
from dmlopt.registry import Method, Option, Request
from dmlopt.result import Answer, Limit
from formulations.optimus.drf import ON_INFEASIBLE, Filling, dominant_resource_fairness
from formulations.optimus.dynamic_program import run_dynamic_program
from formulations.optimus.geometric import run_geometric
from formulations.optimus.greedy import CHOICES, GreedyRule, marginal_gain
from formulations.optimus.planner import allocation, packing, picks_of
from formulations.optimus.problem import OptimusProblem
from formulations.optimus.reference import allocation_from_program, capacity_rows, reference_program
from formulations.optimus.shortage import start_shortage
from formulations.optimus.tetris import REST, tetris

_RULE_OPTIONS = (
    Option(
        "on_infeasible",
        str,
        "stop",
        "the best candidate does not fit: stop the run, or skip it and go on",
        CHOICES["on_infeasible"],
    ),
    Option(
        "gain_divisor",
        str,
        "amount",
        "divide time saved by the amount of the dominant resource, or by its share of the capacity",
        CHOICES["gain_divisor"],
    ),
    Option("lookahead", bool, False, "also try one parameter server and one worker together"),
)
_COMMON_OPTIONS = (
    Option("zero_gain", bool, False, "add a task even when its gain is exactly 0 (the authors' code does)"),
    Option("ties", str, "server", "the task that goes first inside a job at equal gain", CHOICES["ties"]),
    Option("priority", str, "", "factors on the gains of some jobs, as job:factor pairs: 1:0.95,4:0.9"),
)


def read_priority(text: str, job_count: int) -> list[float]:
    """One factor per job from "job:factor, ..."; jobs that are not named have 1."""
    factors = [1.0] * job_count
    for part in filter(None, (each.strip() for each in text.split(","))):
        job, _, factor = part.partition(":")
        try:
            index, number = int(job), float(factor)
        except ValueError:
            raise InputError(f"priority: expected job:factor, got '{part}'") from None
        if not 0 <= index < job_count:
            raise InputError(f"priority: expected a job from 0 to {job_count - 1}, got {index}")
        if not 0 < number < float("inf"):
            raise InputError(f"priority: expected a finite factor > 0, got {factor}")
        factors[index] = number
    return factors


def _greedy_run(preset: Mapping[str, Any]) -> Callable[[OptimusProblem, Request], Answer]:
    def run(problem: OptimusProblem, request: Request) -> Answer:
        started = time.perf_counter()
        options = {**preset, **request.options}
        priority = read_priority(options.pop("priority", ""), problem.job_count)
        rule = GreedyRule(**options)
        build_seconds = time.perf_counter() - started
        found = marginal_gain(problem, rule, priority, request.clock)
        if found is None:
            return _no_start(problem, build_seconds)
        return Answer(
            solution=found.allocation,
            limit=_limit(found.finished, request),
            build_seconds=build_seconds,
            statistics={"additions": len(found.steps), "waiting": len(found.waiting)},
        )

    return run


def _no_start(problem: OptimusProblem, build_seconds: float = 0.0) -> Answer:
    """The answer where not even the starting allocation fits."""
    shortage = start_shortage(problem)
    claimed = shortage is not None
    return Answer(claimed_infeasible=claimed, shortage=shortage, build_seconds=build_seconds)


def _bundle_run(rule: Callable[..., Filling | None]) -> Callable[[OptimusProblem, Request], Answer]:
    def run(problem: OptimusProblem, request: Request) -> Answer:
        found = rule(problem, **request.options, clock=request.clock)
        if found is None:
            return _no_start(problem)
        return Answer(
            solution=found.allocation,
            limit=_limit(found.finished, request),
            statistics={"bundles": len(found.order), "waiting": len(found.waiting)},
        )

    return run


def _limit(finished: bool, request: Request) -> Limit:
    if finished:
        return Limit.NONE
    return Limit.INTERRUPTED if request.clock.interrupted else Limit.TIME


def _greedy_methods() -> tuple[Method, ...]:
    """The paper's rule with all its options, and its variants under names of their own."""
    summary = "the paper's marginal-gain greedy: stops at the first candidate that does not fit, raw amounts"
    methods = [Method("greedy", "heuristic", summary, _greedy_run({}), _RULE_OPTIONS + _COMMON_OPTIONS)]
    variants = {
        "greedy-skip": ({"on_infeasible": "skip"}, "candidates that do not fit are skipped"),
        "greedy-share": ({"gain_divisor": "share"}, "gain per share of the capacity"),
        "greedy-share-skip": (
            {"gain_divisor": "share", "on_infeasible": "skip"},
            "gain per share of the capacity, candidates that do not fit are skipped",
        ),
    }
    for name, (preset, text) in {"greedy": ({}, "the paper's rule"), **variants}.items():
        for lookahead in (False, True):
            full = {**preset, "lookahead": lookahead}
            if full == {"lookahead": False}:
                continue
            label = f"{name}-lookahead" if lookahead else name
            more = "; also tries a server and a worker together" if lookahead else ""
            summary = f"marginal-gain greedy: {text}{more}"
            methods.append(Method(label, "heuristic", summary, _greedy_run(full), _COMMON_OPTIONS))
    return tuple(methods)


_ONLY_FASTER = Option("only_faster", bool, False, "give no bundle that makes a job slower")
_BASELINES = (
    Method(
        "drf",
        "heuristic",
        "dominant resource fairness: bundles of a server and a worker to the job with the least dominant share",
        _bundle_run(dominant_resource_fairness),
        (
            Option(
                "on_infeasible",
                str,
                "skip",
                "the next bundle does not fit: skip that job (work conserving), or stop (strict)",
                ON_INFEASIBLE,
            ),
            _ONLY_FASTER,
        ),
    ),
    Method(
        "tetris",
        "heuristic",
        "Tetris: bundles of a server and a worker by alignment with free resources and shortest remaining time",
        _bundle_run(tetris),
        (
            Option(
                "shortness",
                float,
                1.0,
                "weight of the remaining time against the alignment; 0: packing alone",
            ),
            Option("rest", str, "now", "remaining time at what a job holds now, or at its start", REST),
            _ONLY_FASTER,
        ),
    ),
)


METHODS: tuple[Method, ...] = (
    *_greedy_methods(),
    *_BASELINES,
    *packing_methods(
        packing=packing,
        solution=allocation,
        picks=picks_of,
        program=reference_program,
        program_solution=allocation_from_program,
        program_rows=capacity_rows,
    ),
    Method("gp", "bound", "geometric program: real numbers of servers and workers", run_geometric),
    Method("dp", "exact", "dynamic program over capacity, for one resource", run_dynamic_program),
)
