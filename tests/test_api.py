"""solve: what a method claims becomes a result only as far as it was checked."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from toy import SHORT, SLACK, SLACK_OPTIMUM, TIGHT, TIGHT_OPTIMUM, ToyFormulation, leaf, ray

import dmlopt
from dmlopt.control import Progress
from dmlopt.errors import BackendError, InputError, UnknownNameError
from dmlopt.registry import Method, Request
from dmlopt.result import Answer, Limit, Result, Shortage, Status, StoredSolution, TracePoint

Run = Callable[..., Result]


@pytest.fixture
def answering(toy: ToyFormulation) -> Run:
    """Solve with a method that gives the answer it is told to give."""

    def run(
        answer: Answer | BaseException, problem: Any = TIGHT, kind: str = "exact", **arguments: Any
    ) -> Result:
        def method(_: Any, request: Request) -> Answer:
            if isinstance(answer, BaseException):
                raise answer
            return answer

        toy.extra[:] = [Method("told", kind, "", method)]
        return dmlopt.solve(problem, "told", **arguments)

    return run


# ---------------------------------------------------------------- statuses


def test_optimal_needs_a_solution_and_a_certificate(answering: Run) -> None:
    result = answering(Answer(solution=SLACK_OPTIMUM, certificate=leaf(SLACK)), SLACK)
    assert result.status is Status.OPTIMAL
    assert result.objective == result.bound == 14.5
    assert result.gap == 0
    assert result.verified


def test_feasible_when_the_certificate_leaves_a_gap(answering: Run) -> None:
    result = answering(Answer(solution=TIGHT_OPTIMUM, certificate=leaf(TIGHT)))
    assert (result.status, result.objective, result.bound) == (Status.FEASIBLE, 11.0, 14.5)
    assert result.gap == pytest.approx(3.5 / 11)
    assert (
        answering(Answer(solution=TIGHT_OPTIMUM, certificate=leaf(TIGHT)), gap=0.4).status is Status.OPTIMAL
    )


def test_a_claim_of_optimality_stays_a_claim(answering: Run) -> None:
    result = answering(Answer(solution=TIGHT_OPTIMUM, claimed_optimal=True, claimed_bound=11.0))
    assert (result.status, result.bound, result.claimed_bound) == (Status.OPTIMAL_CLAIMED, None, 11.0)
    assert result.gap is None
    assert result.verified  # of the solution


def test_bound_without_solution(answering: Run) -> None:
    certified = answering(Answer(certificate=leaf(TIGHT)), kind="bound")
    assert (certified.status, certified.bound, certified.verified) == (Status.BOUND, 14.5, True)
    claimed = answering(Answer(claimed_bound=12.0), kind="bound")
    assert (claimed.status, claimed.bound, claimed.verified) == (Status.BOUND, None, False)


def test_nothing_found(answering: Run) -> None:
    for empty in (Answer(), Answer(claimed_bound=math.inf), Answer(claimed_bound=math.nan)):
        result = answering(empty)
        assert (result.status, result.claimed_bound, result.verified) == (Status.UNKNOWN, None, False)


def test_infeasible_proven_and_claimed(answering: Run) -> None:
    shortage = Shortage("row", ("room",), (1.0,), "room is short by 1")
    proven = answering(Answer(certificate=ray(), shortage=shortage), SHORT)
    assert (proven.status, proven.verified) == (Status.INFEASIBLE, True)
    assert proven.shortage == shortage
    assert proven.message == "room is short by 1"
    claimed = answering(Answer(claimed_infeasible=True), SHORT)
    assert (claimed.status, claimed.verified) == (Status.INFEASIBLE, False)
    assert "not proven" in claimed.message


# ---------------------------------------------------------------- lies


def test_infeasible_solution_is_an_error_that_names_the_constraint(answering: Run) -> None:
    result = answering(Answer(solution=(1, 1, 1), certificate=leaf(TIGHT), claimed_optimal=True))
    assert result.status is Status.ERROR
    assert result.objective is None
    assert result.message == "the checker rejects the solution: capacity (1) at room: 5 too much"
    assert not result.verified


@pytest.mark.parametrize("nonsense", [5, "abc", (7, 7, 7), object(), (None,)])
def test_something_that_is_no_solution(answering: Run, nonsense: Any) -> None:
    result = answering(Answer(solution=nonsense))
    assert result.status is Status.ERROR
    assert "shape at solution: cannot be read" in result.message


def test_certificate_of_another_problem(answering: Run) -> None:
    result = answering(
        Answer(solution=TIGHT_OPTIMUM, certificate=leaf(replace(TIGHT, values=((1.0, 2.0),) * 3)))
    )
    assert result.status is Status.ERROR
    assert result.message.startswith("the certificate does not hold")
    assert result.objective == 11.0
    assert not result.verified


@pytest.mark.parametrize(
    "broken", [{}, {"format": "?"}, {"nodes": 3}, {"format": "dmlopt-certificate/1", "bits": []}]
)
def test_malformed_certificate(answering: Run, broken: dict[str, Any]) -> None:
    assert answering(Answer(solution=TIGHT_OPTIMUM, certificate=broken)).status is Status.ERROR


def test_ray_beside_a_solution(answering: Run) -> None:
    result = answering(Answer(solution=TIGHT_OPTIMUM, certificate=ray()))
    assert result.status is Status.ERROR


def test_objective_that_beats_its_bound(
    answering: Run, toy: ToyFormulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = toy.plain_packing
    monkeypatch.setattr(
        toy, "plain_packing", lambda problem: replace(honest(problem), report=lambda v: v - 5)
    )
    result = answering(Answer(solution=TIGHT_OPTIMUM, certificate=leaf(TIGHT)))
    assert result.status is Status.ERROR
    assert result.message == "the objective beats its certified bound: 11.0 against 9.5"
    assert result.gap is None


def test_minimising_compares_the_other_way(
    answering: Run, toy: ToyFormulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy, "sense", "min", raising=False)
    result = answering(Answer(solution=TIGHT_OPTIMUM, certificate=leaf(TIGHT)))
    assert result.status is Status.ERROR  # 11 is below the "lower" bound of 14.5


# ---------------------------------------------------------------- what a result carries


def test_times_versions_parameters(answering: Run) -> None:
    result = answering(Answer(solution=TIGHT_OPTIMUM, build_seconds=1e9), time_limit=5.0, threads=2, seed=3)
    seconds = result.seconds
    assert seconds["total"] == pytest.approx(seconds["build"] + seconds["solve"] + seconds["check"])
    assert min(seconds.values()) >= 0
    assert {"dmlopt", "python", "numpy", "highspy", "pulp"} <= set(result.versions)
    assert result.parameters == {"time_limit": 5.0, "gap": 1e-9, "threads": 2}
    assert result.seed == 3
    assert result.instance_hash == dmlopt.instance_hash(TIGHT)


def test_infinite_trace_values_become_none(answering: Run) -> None:
    trace = [TracePoint(0.0, None, math.inf), TracePoint(1.0, math.nan, 3.0)]
    result = answering(Answer(trace=trace))
    assert result.trace == (TracePoint(0.0, None, None), TracePoint(1.0, None, 3.0))


def test_start_and_progress_reach_the_method(toy: ToyFormulation) -> None:
    seen: list[Any] = []

    def method(_: Any, request: Request) -> Answer:
        seen.append(request.start)
        request.progress(Progress("half", 1.0, 2.0))
        return Answer(solution=request.start)

    toy.extra[:] = [Method("echo", "heuristic", "", method)]
    signs: list[Progress] = []
    first = dmlopt.solve(TIGHT, "best", progress=signs.append)
    for start in (first, first.solution, StoredSolution("toy", "", [0, 1, 0])):
        assert dmlopt.solve(TIGHT, "echo", start=start, progress=signs.append).solution == TIGHT_OPTIMUM
    assert seen == [TIGHT_OPTIMUM] * 3
    assert signs == [Progress("half", 1.0, 2.0)] * 3


def test_user_method_is_checked_like_any_other(toy: ToyFormulation) -> None:
    @dmlopt.method("toy", "mine")
    def mine(problem: Any) -> tuple[int, ...]:
        """First plans."""
        return (0,) * len(problem.values)

    try:
        assert dmlopt.methods("toy")["mine"].summary == "First plans."
        assert dmlopt.solve(TIGHT, "mine").objective == 8.0
    finally:
        dmlopt.registry._added.clear()


# ---------------------------------------------------------------- errors, limits, interruption


@pytest.mark.parametrize("error", [InputError("no"), BackendError("gone"), RuntimeError("bug")])
def test_errors_pass_through(answering: Run, error: Exception) -> None:
    with pytest.raises(type(error)):
        answering(error)


def test_out_of_memory_is_a_result(answering: Run) -> None:
    result = answering(MemoryError())
    assert (result.status, result.limit) == (Status.UNKNOWN, Limit.MEMORY)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"time_limit": 0}, "time_limit: expected a number > 0, got 0"),
        ({"time_limit": -1.0}, "time_limit: expected a number > 0, got -1.0"),
        ({"time_limit": math.nan}, "time_limit: expected a number > 0, got nan"),
        ({"gap": -0.1}, "gap: expected a number >= 0, got -0.1"),
        ({"gap": "small"}, "gap: expected a number >= 0, got 'small'"),
        ({"threads": 0}, "threads: expected an integer >= 1"),
        ({"threads": True}, "threads: expected an integer >= 1"),
        ({"seed": -1}, "seed: expected an integer >= 0"),
        ({"seed": 1.5}, "seed: expected an integer >= 0"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_limits_that_make_no_sense(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        dmlopt.solve(TIGHT, "best", **arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.usefixtures("toy")
def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'best'"):
        dmlopt.solve(TIGHT, "bst")
    with pytest.raises(UnknownNameError, match="Did you mean 'pace'"):
        dmlopt.solve(TIGHT, "best", pase=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'toy'"):
        dmlopt.generate("tooy")
    with pytest.raises(InputError, match="registered formulation, got dict"):
        dmlopt.solve({"jobs": []}, "best")
    with pytest.raises(InputError, match="pace: expected a finite number, got 'nan'"):
        dmlopt.solve(TIGHT, "best", pace="nan")


@pytest.mark.usefixtures("toy")
def test_time_limit_returns_the_incumbent_with_its_bound() -> None:
    began = time.perf_counter()
    result = dmlopt.solve(TIGHT, "slow", time_limit=0.2)
    assert time.perf_counter() - began < 5
    assert (result.status, result.limit) == (Status.FEASIBLE, Limit.TIME)
    assert (result.objective, result.bound) == (8.0, 14.5)


@pytest.mark.usefixtures("toy")
def test_interrupt_returns_the_incumbent_and_restores_the_handler() -> None:
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    result = dmlopt.solve(TIGHT, "slow", time_limit=20)
    assert (result.limit, result.objective) == (Limit.INTERRUPTED, 8.0)
    assert signal.getsignal(signal.SIGINT) is before


def test_second_interrupt_stops_at_once(toy: ToyFormulation) -> None:
    def stubborn(_: Any, request: Request) -> Answer:
        time.sleep(20)
        return Answer()

    toy.extra[:] = [Method("stubborn", "exact", "", stubborn)]
    for delay in (0.2, 0.4):
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        dmlopt.solve(TIGHT, "stubborn")
    assert time.perf_counter() - began < 10


@pytest.mark.usefixtures("toy")
def test_solving_in_another_thread_needs_no_signals() -> None:
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(dmlopt.solve(SLACK, "best")))
    thread.start()
    thread.join()
    assert results[0].status is Status.OPTIMAL


# ---------------------------------------------------------------- lists


@pytest.mark.usefixtures("toy")
def test_generate_is_repeatable_and_lists_are_complete() -> None:
    assert dmlopt.generate("toy", seed=1, jobs=4) == dmlopt.generate("toy", seed=1, jobs="4")
    assert list(dmlopt.formulations()) == ["toy"]
    assert list(dmlopt.methods("toy")) == ["best", "slow", "bound"]
