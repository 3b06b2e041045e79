"""Methods side by side: what a row says, how rows are measured against each other, what never ends a comparison."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from typing import Any

import pytest
from toy import SHORT, SLACK, TIGHT, TIGHT_OPTIMUM, ToyFormulation, leaf, ray

import dmlopt
from dmlopt.compare import MARKS, Step, rows_of
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.registry import Method
from dmlopt.result import Answer

pytestmark = pytest.mark.usefixtures("toy")

COLUMNS = [
    *("instance", "method", "kind", "objective", "bound", "claimed_bound", "gap", "own_gap"),
    *("build_seconds", "solve_seconds", "check_seconds", "seconds"),
    *("status", "limit", "verified", "mark", "message"),
]


def first_plans(problem: Any) -> tuple[int, ...]:
    return (0,) * len(problem.values)


def test_one_problem_and_functions_beside_names() -> None:
    table = dmlopt.compare(TIGHT, ["bound", "best", first_plans])
    assert list(table.columns) == COLUMNS
    assert len(table) == 3
    assert set(table["instance"]) == {f"toy-{dmlopt.instance_hash(TIGHT)[:6]}"}
    rows = table.set_index("method")
    # The bound is 14.5 for everybody; the optimum is 11, the first plans are worth 8.
    assert rows.loc["best", "gap"] == pytest.approx(3.5 / 11)
    assert rows.loc["best", "own_gap"] == pytest.approx(3.5 / 11)
    assert rows.loc["bound", "gap"] == pytest.approx(3.5 / 11)
    assert rows.loc["first_plans", "gap"] == pytest.approx(6.5 / 8)
    assert math.isnan(rows.loc["first_plans", "own_gap"])
    assert list(rows["mark"]) == ["bound", "feasible", "feasible"]
    assert list(table["method"]) == ["bound", "best", "first_plans"]  # by gap
    assert rows.loc["first_plans", "kind"] == "heuristic"
    assert rows["verified"].all()
    assert (table["seconds"] >= table["solve_seconds"]).all()


def test_labels() -> None:
    table = dmlopt.compare(
        {"b": SLACK, "a": TIGHT}, ["best", ("best", {"pace": 0.0}), ("best", {"pace": "0"}), "best"]
    )
    assert list(dict.fromkeys(table["instance"])) == ["b", "a"]  # as given
    assert set(table["method"]) == {"best", "best(pace=0.0)", "best(pace=0)", "best #2"}
    pairs = dmlopt.compare([("x", SLACK), TIGHT, ("x", TIGHT)], {"mine": first_plans})
    assert list(pairs["instance"]) == ["x", f"toy-{dmlopt.instance_hash(TIGHT)[:6]}", "x #2"]
    assert set(pairs["method"]) == {"mine"}


def test_marks(toy: ToyFormulation) -> None:
    def fail(*_: Any) -> Answer:
        raise ZeroDivisionError("oops")

    def lacking(*_: Any) -> Answer:
        raise dmlopt.BackendError("solver 'x' is not installed")

    toy.extra[:] = [
        Method("claims", "exact", "", lambda *_: Answer(solution=TIGHT_OPTIMUM, claimed_optimal=True)),
        Method("claimed-bound", "bound", "", lambda *_: Answer(claimed_bound=13.0)),
        Method("nothing", "heuristic", "", lambda *_: Answer()),
        Method("liar", "heuristic", "", lambda *_: Answer(solution=(1, 1, 1))),
        Method("fail", "exact", "", fail),
        Method("lacking", "exact", "", lacking),
        Method("claims-nothing", "exact", "", lambda *_: Answer(claimed_infeasible=True)),
    ]
    table = dmlopt.compare([("t", TIGHT)], list(dmlopt.methods("toy"))[2:])
    rows = table.set_index("method")
    assert rows["mark"].to_dict() == {
        "claims": "claimed",
        "claimed-bound": "claimed",
        "bound": "bound",
        "nothing": "no answer",
        "liar": "failed check",
        "fail": "failed",
        "lacking": "failed",
        "claims-nothing": "failed check",  # a checked solution is there
    }
    assert set(rows["mark"]) <= set(MARKS)
    assert rows.loc["fail", "message"] == "ZeroDivisionError: oops"
    assert rows.loc["lacking", "message"] == "solver 'x' is not installed"
    assert "capacity (1) at room: 5 too much" in rows.loc["liar", "message"]
    assert "infeasible, but a solution of 11.0 was checked" in rows.loc["claims-nothing", "message"]
    assert math.isnan(rows.loc["liar", "gap"])
    assert rows_of(table)[-1].gap is None
    proven = dmlopt.compare([("slack", SLACK), ("short", SHORT)], ["best"])
    assert list(proven["mark"]) == ["proven", "proven"]
    assert list(proven["status"]) == ["optimal", "infeasible"]


def test_contradictions_between_methods_are_failed_checks(toy: ToyFormulation) -> None:
    toy.extra[:] = [
        Method("low", "exact", "", lambda *_: Answer((0, 0, 0), None, 8.0, claimed_optimal=True)),
        Method("nearly", "exact", "", lambda *_: Answer(TIGHT_OPTIMUM, None, 11.0 - 1e-7)),
        Method("ray", "exact", "", lambda *_: Answer(certificate=ray())),
        Method("leaf", "bound", "", lambda problem, _: Answer(certificate=leaf(problem))),
    ]
    rows = dmlopt.compare(TIGHT, ["best", "low", "nearly", "ray", "leaf"]).set_index("method")
    assert rows.loc["low", "mark"] == "failed check"
    assert rows.loc["low", "message"] == "a checked solution refutes the claimed bound: 11.0 against 8.0"
    assert rows.loc["nearly", "mark"] == "feasible"  # within what solvers promise
    assert rows.loc["ray", "mark"] == "failed check"
    assert rows.loc["leaf", "mark"] == "bound"


def test_wrong_input_is_refused_before_anything_runs() -> None:
    began = time.perf_counter()
    with pytest.raises(UnknownNameError, match="Did you mean 'best'"):
        dmlopt.compare(TIGHT, [("best", {"pace": 30}), "bst"])
    with pytest.raises(UnknownNameError, match="Did you mean 'pace'"):
        dmlopt.compare(TIGHT, [("best", {"pace": 30}), ("best", {"pase": 1})])
    for problems, methods, limits in (
        ([], ["best"], {}),
        (TIGHT, [], {}),
        (3, ["best"], {}),
        ([3], ["best"], {}),
        ("tight", ["best"], {}),
        ([("x", 3)], ["best"], {}),
        (TIGHT, [3], {}),
        (TIGHT, 3, {}),
        (TIGHT, ["best"], {"time_limit": 0}),
        (TIGHT, ["best"], {"gap": -1}),
        (TIGHT, ["best"], {"threads": 0}),
        (TIGHT, ["best"], {"seed": None}),
    ):
        with pytest.raises(InputError):
            dmlopt.compare(problems, methods, **limits)
    assert time.perf_counter() - began < 10


def test_progress_and_limits() -> None:
    steps: list[Step] = []
    table = dmlopt.compare([TIGHT, SLACK], ["slow", "best"], time_limit=0.1, gap=0.5, progress=steps.append)
    assert [(step.done, step.total, step.method) for step in steps if step.progress is None] == [
        (0, 4, "slow"),
        (1, 4, "best"),
        (2, 4, "slow"),
        (3, 4, "best"),
    ]
    slow = table[table["method"] == "slow"]
    assert set(slow["limit"]) == {"time"}
    assert (table[table["method"] == "best"]["status"] == "optimal").all()  # 3.5 / 11 <= 0.5
    assert table.attrs["interrupted"] is False


def test_interrupt_keeps_what_was_finished() -> None:
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    table = dmlopt.compare([TIGHT, SLACK], ["best", "slow"], time_limit=20)
    assert list(table["method"]) == ["best", "slow"]
    assert list(table["limit"]) == ["none", "interrupted"]
    assert table.attrs["interrupted"] is True
    assert signal.getsignal(signal.SIGINT) is before


def test_interrupt_reaches_the_series_even_if_the_run_proves_its_answer() -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    table = dmlopt.compare([SLACK, TIGHT], [("best", {"pace": 0.6}), "bound"])
    assert list(table["status"]) == ["optimal"]
    assert table.attrs["interrupted"] is True


def test_a_function_that_is_stopped_twice() -> None:
    def stubborn(_: Any) -> None:
        time.sleep(20)

    for delay in (0.2, 0.4):
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.perf_counter()
    table = dmlopt.compare(TIGHT, ["best", stubborn])
    assert time.perf_counter() - began < 10
    assert list(table["method"]) == ["best"]
    assert table.attrs["interrupted"] is True
