"""Programs in a process of their own: same answers, ended in time, failures told."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csc_array, vstack

from dmlopt.backends import own_process
from dmlopt.backends.own_process import solve_apart
from dmlopt.backends.program import Program, ProgramStatus, SolverLimits
from dmlopt.control import Clock
from dmlopt.errors import BackendError
from dmlopt.result import Limit
from tests.backends.programs import hard_program, program, random_program, scipy_value


@pytest.mark.parametrize("name", ["highs", "scip", "glop", "cvxpy-clarabel"])
def test_the_same_answer_as_here(name: str) -> None:
    given = random_program(7, integers=False)
    found = solve_apart(name, given, SolverLimits())
    assert found.status is ProgramStatus.OPTIMAL
    assert found.objective == pytest.approx(scipy_value(given), abs=1e-5)


def test_incumbents_survive_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    # The child's own limit is taken away: it does not come back by itself.
    monkeypatch.setattr(own_process.pickle, "dump", _without_deadline(own_process.pickle.dump))
    began = time.perf_counter()
    found = solve_apart("highs", hard_program(), SolverLimits(Clock(3.0)))
    assert time.perf_counter() - began < 4.0
    assert found.limit is Limit.TIME
    assert found.status is ProgramStatus.FEASIBLE
    assert found.x is not None
    assert found.objective == pytest.approx(float(hard_program().cost @ found.x))
    assert found.trace


def _without_deadline(dump):  # type: ignore[no-untyped-def]
    def changed(item, file):  # type: ignore[no-untyped-def]
        dump(float("inf") if isinstance(item, float) else item, file)

    return changed


def test_interrupt() -> None:
    clock = Clock()
    threading.Timer(2.0, lambda: setattr(clock, "interrupted", True)).start()
    began = time.perf_counter()
    found = solve_apart("highs", hard_program(), SolverLimits(clock))
    assert time.perf_counter() - began < 3.0
    assert found.limit is Limit.INTERRUPTED


def test_failures_are_told() -> None:
    open_ended = program([1, 1], [[1, -1]], [0], [0], integral=[True, True])
    with pytest.raises(BackendError, match="no finite bounds"):
        solve_apart("cp-sat", open_ended, SolverLimits())
    broken = replace(program([1], [[1]], [0], [1]), cost=None)
    with pytest.raises(BackendError, match="its process failed"):
        solve_apart("highs", broken, SolverLimits())


def large(rows: int = 1000, columns: int = 300_000) -> Program:
    """A choice out of 300 for each of 1,000, and four knapsacks over all: presolve alone takes long."""
    rng = np.random.default_rng(1)
    owner = np.repeat(np.arange(rows), columns // rows)
    belongs = csc_array((np.ones(columns), (owner, np.arange(columns))), shape=(rows, columns))
    use = rng.integers(1, 100, (4, columns)).astype(float)
    return Program(
        cost=rng.random(columns) * 1000 / use.sum(axis=0),
        matrix=csc_array(vstack([belongs, csc_array(use)])),
        row_lower=np.concatenate([np.ones(rows), np.full(4, -np.inf)]),
        row_upper=np.concatenate([np.ones(rows), np.full(4, 20.0 * rows)]),
        lower=np.zeros(columns),
        upper=np.ones(columns),
        integral=np.ones(columns, dtype=bool),
    )


@pytest.mark.parametrize("name", ["highs", "scip", "cp-sat", "cvxpy-highs"])
def test_large_programs_end_in_time(name: str) -> None:
    from dmlopt.backends.catalogue import backend

    given = large()
    clock = Clock(3.0)
    found = backend(name).solve(given, SolverLimits(clock))
    assert clock.elapsed() < 4.0
    assert found.limit is Limit.TIME or found.status is ProgramStatus.OPTIMAL


def test_a_child_that_is_late_before_it_begins_says_so() -> None:
    """CP-SAT states its program row by row and looks at the clock meanwhile: too late is an answer, not a failure."""
    given = replace(random_program(7, integers=True), column_names=(), row_names=())
    task = pickle.dumps((given, 1e-9, 1, 0, None)) + pickle.dumps(time.time() - 1.0)
    command = [sys.executable, "-m", "dmlopt.backends.own_process", "cp-sat"]
    done = subprocess.run(command, input=task, capture_output=True, timeout=60, check=True)
    found = pickle.loads(done.stdout)
    assert found.status is ProgramStatus.UNKNOWN
    assert found.limit is Limit.TIME
    assert found.finished
