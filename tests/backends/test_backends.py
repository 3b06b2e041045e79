"""Every backend on programs with known answers, and against each other."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from dmlopt.backends.catalogue import backend, backend_names
from dmlopt.backends.program import Capability, Program, ProgramStatus, SolverLimits, needed
from dmlopt.control import Clock
from dmlopt.errors import BackendError, UnknownNameError
from dmlopt.result import Limit
from tests.backends.programs import INF, hard_program, program, random_program, scipy_value

NAMES = ["highs", "cbc", "scip", "cp-sat", "glop", "pdlp", "cvxpy-highs", "cvxpy-clarabel"]
INTEGER = ["highs", "cbc", "scip", "cp-sat", "cvxpy-highs"]
MIXED = ["highs", "cbc", "scip", "cvxpy-highs"]
LINEAR = ["highs", "cbc", "scip", "glop", "pdlp", "cvxpy-highs", "cvxpy-clarabel"]
# Interior-point and first-order methods meet tolerances, not corners.
LOOSE = {"pdlp": 1e-5, "cvxpy-clarabel": 1e-5}


def able(name: str, given: Program) -> bool:
    """Whether the backend takes programs of this kind; skips nothing silently, it is asserted elsewhere."""
    return needed(given) in backend(name).capabilities


# name, program, objective, point (None where several are optimal)
KNOWN = [
    # max x + y, x + 2y <= 4, 3x + y <= 6: the corner (1.6, 1.2)
    ("lp", program([-1, -1], [[1, 2], [3, 1]], [-INF] * 2, [4, 6]), -2.8, [1.6, 1.2]),
    ("integer", program([-1, -1], [[1, 2], [3, 1]], [-INF] * 2, [4, 6], integral=[True] * 2), -2.0, None),
    # y may stay fractional: x = 1, y = 1.5
    (
        "mixed",
        program([-1, -1], [[1, 2], [3, 1]], [-INF] * 2, [4, 6], integral=[True, False]),
        -2.5,
        [1, 1.5],
    ),
    ("equality", program([1, 2], [[1, 1]], [3], [3], upper=[2, INF]), 4.0, [2, 1]),
    ("range", program([1, 1], [[1, 1], [1, -1]], [2, 1], [5, 1]), 2.0, [1.5, 0.5]),
    ("free row", program([1, 1], [[1, 1], [1, -1]], [2, -INF], [INF, INF]), 2.0, None),
    ("at least", program([3, 2], [[1, 1]], [4], [INF], upper=[INF, 3]), 9.0, [1, 3]),
    ("negative bounds", program([1, -1], [[1, 1]], [-INF], [0], [-5, -2], [-1, 8]), -10.0, [-5, 5]),
    ("offset", program([2], [[1]], [3], [INF], offset=10.5), 16.5, [3]),
    ("integer offset", program([2], [[1]], [2.5], [INF], integral=[True], offset=-1.25), 4.75, [3]),
    ("no rows", program([1, -1], [], [], [], [2, 0], [9, 4]), -2.0, [2, 4]),
    ("large integer", program([-1], [[3]], [-INF], [3000001], integral=[True]), -1000000.0, [1000000]),
    ("fixed column", program([5, 1], [[1, 1]], [3], [INF], [2, 0], [2, INF]), 11.0, [2, 1]),
]

UNLIMITED = [
    ("free column", program([1], [[1]], [-7], [INF], lower=[-INF]), -7.0, [-7]),
    ("negative upper", program([-1], [[1]], [-INF], [100], [-INF], [-3]), 3.0, [-3]),
]
"""Columns without a lower bound."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", KNOWN, ids=[case[0] for case in KNOWN])
def test_known_answers(name: str, case: tuple[str, Program, float, list[float] | None]) -> None:
    label, given, objective, point = case
    if not able(name, given) or (name, label) == ("cp-sat", "integer offset"):  # x >= 2.5 and no upper bound
        with pytest.raises(BackendError, match="highs" if not able(name, given) else "no finite bounds"):
            backend(name).solve(given, SolverLimits())
        return
    found = backend(name).solve(given, SolverLimits())
    near = LOOSE.get(name, 1e-6)
    assert found.status is ProgramStatus.OPTIMAL
    assert found.limit is Limit.NONE
    assert found.objective == pytest.approx(objective, abs=near)
    assert found.bound == pytest.approx(objective, abs=near)
    assert found.x is not None
    assert float(given.cost @ found.x) + given.offset == pytest.approx(objective, abs=near)
    if point is not None:
        assert found.x == pytest.approx(np.array(point), abs=near)


@pytest.mark.parametrize("name", [name for name in LINEAR if name != "cbc"])
@pytest.mark.parametrize("case", UNLIMITED, ids=[case[0] for case in UNLIMITED])
def test_columns_without_a_lower_bound(
    name: str, case: tuple[str, Program, float, list[float] | None]
) -> None:
    test_known_answers(name, case)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("integral", [False, True])
def test_infeasible(name: str, integral: bool) -> None:
    given = program([1, 1], [[1, 1], [1, 1]], [5, -INF], [INF, 4], upper=[9, 9], integral=[integral] * 2)
    if not able(name, given):
        pytest.skip("another kind of program")
    found = backend(name).solve(given, SolverLimits())
    assert found.status is ProgramStatus.INFEASIBLE
    assert found.x is None
    assert found.objective is None


@pytest.mark.parametrize("name", INTEGER)
def test_infeasible_only_in_integers(name: str) -> None:
    # 2x + 4y = 7 has real points only.
    given = program([1, 1], [[2, 4]], [7], [7], upper=[10, 10], integral=[True, True])
    found = backend(name).solve(given, SolverLimits())
    assert found.status is ProgramStatus.INFEASIBLE
    assert found.x is None


@pytest.mark.parametrize("name", LINEAR)
def test_unbounded_is_never_an_answer(name: str) -> None:
    found = backend(name).solve(program([-1, 0], [[1, -1]], [-INF], [3]), SolverLimits())
    assert found.status in (ProgramStatus.UNBOUNDED, ProgramStatus.UNKNOWN)
    assert found.x is None
    assert found.objective is None


def brute_force(given: Program) -> float | None:
    """The optimum of a bounded pure-integer program by trying every point."""
    ranges = [range(int(lo), int(hi) + 1) for lo, hi in zip(given.lower, given.upper, strict=True)]
    points = np.array(list(itertools.product(*ranges)), dtype=float)
    use = points @ given.matrix.toarray().T
    fits = ((use >= given.row_lower) & (use <= given.row_upper)).all(axis=1)
    return float((points[fits] @ given.cost).min()) + given.offset if fits.any() else None


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("seed", range(25))
def test_random_lps_match_scipy(name: str, seed: int) -> None:
    given = random_program(seed, integers=False)
    found = backend(name).solve(given, SolverLimits())
    value = scipy_value(given)
    assert (found.status is ProgramStatus.OPTIMAL) == (value is not None)
    if value is not None:
        assert found.objective == pytest.approx(value, abs=LOOSE.get(name, 1e-6))


@pytest.mark.parametrize("name", ["cbc", "scip"])
@pytest.mark.parametrize("seed", range(25))
def test_random_mixed_programs(name: str, seed: int) -> None:
    given = random_program(1000 + seed, integers=True)
    found = backend(name).solve(given, SolverLimits())
    value = scipy_value(given)
    assert (found.status is ProgramStatus.OPTIMAL) == (value is not None)
    if value is not None:
        assert found.objective == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("name", ["highs", "cbc", "scip", "cp-sat"])
@pytest.mark.parametrize("seed", range(25))
def test_pure_integer_programs_match_brute_force(name: str, seed: int) -> None:
    given = random_program(3000 + seed, integers=False)
    whole = Program(**{**given.__dict__, "integral": np.ones(given.column_count, dtype=bool)})
    found = backend(name).solve(whole, SolverLimits())
    truth = brute_force(whole)
    assert (truth is None) == (found.objective is None)
    if truth is not None:
        assert found.objective == pytest.approx(truth, abs=1e-6)


# -------------------------------------------------------------------- limits


def hard_for(name: str) -> Program:
    """The hard program in the kind that the backend takes: its slacks may be integral too."""
    given = hard_program()
    if name in MIXED:
        return given
    whole = np.ones(given.column_count, dtype=bool)
    return replace(given, integral=whole, upper=np.minimum(given.upper, 5000.0))


@pytest.mark.parametrize("name", INTEGER)
@pytest.mark.parametrize("seconds", [0.05, 0.3])
def test_time_limits_are_kept(name: str, seconds: float) -> None:
    given = hard_for(name)
    began = time.perf_counter()
    found = backend(name).solve(given, SolverLimits(clock=Clock(seconds)))
    assert time.perf_counter() - began < seconds + 2.0
    assert found.status in (ProgramStatus.FEASIBLE, ProgramStatus.UNKNOWN)
    assert found.limit is Limit.TIME
    if found.x is not None and found.bound is not None:
        assert found.objective is not None
        assert found.bound <= found.objective + 1e-6
        use = given.matrix @ found.x
        assert (use <= given.row_upper + 1e-5).all()
        assert (use >= given.row_lower - 1e-5).all()


@pytest.mark.parametrize("name", INTEGER)
def test_an_interrupt_ends_the_solve(name: str) -> None:
    clock = Clock()
    timer = threading.Timer(0.4, lambda: setattr(clock, "interrupted", True))
    timer.start()
    began = time.perf_counter()
    found = backend(name).solve(hard_for(name), SolverLimits(clock=clock))
    timer.cancel()
    assert time.perf_counter() - began < 10.0
    assert found.limit is Limit.INTERRUPTED
    assert found.status in (ProgramStatus.FEASIBLE, ProgramStatus.UNKNOWN)


@pytest.mark.parametrize("name", ["highs", "cp-sat"])
def test_the_trace_never_crosses_the_optimum(name: str) -> None:
    given = random_program(1017, integers=True)
    whole = replace(given, integral=np.ones(given.column_count, dtype=bool))
    found = backend(name).solve(whole if name == "cp-sat" else given, SolverLimits())
    assert found.objective is not None
    for point in found.trace:
        assert point.incumbent >= found.objective - 1e-6
        assert point.bound <= found.objective + 1e-6


def test_a_start_is_used_and_does_no_harm() -> None:
    given = hard_program()
    columns = 50
    start = np.zeros(given.column_count)
    start[columns : columns + 6] = given.row_lower
    found = backend("highs").solve(given, SolverLimits(clock=Clock(0.5)), start)
    assert found.objective is not None
    assert found.objective <= float(given.cost @ start) + 1e-6
    wrong = backend("highs").solve(KNOWN[1][1], SolverLimits(), np.array([50.0, 50.0]))
    assert wrong.objective == pytest.approx(-2.0)


# -------------------------------------------------------------------- the catalogue


def test_names_and_capabilities() -> None:
    assert set(NAMES) == set(backend_names())
    assert backend("highs", frozenset({Capability.DUALS, Capability.TRACE})).name == "highs"
    with pytest.raises(BackendError, match="highs"):
        backend("cbc", frozenset({Capability.DUALS}))
    with pytest.raises(BackendError, match="highs, cbc, scip, cp-sat, cvxpy-highs"):
        backend("glop", frozenset({Capability.INTEGER}))
    with pytest.raises(BackendError, match="glop, pdlp"):
        backend("cp-sat", frozenset({Capability.LP}))
    with pytest.raises(UnknownNameError):
        backend("nonsense")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("dmlopt.backends.catalogue", ["highspy", "pulp", "dmlopt.backends.highs", "dmlopt.backends.cbc"]),
        ("dmlopt.backends.program", ["highspy", "pulp"]),
        ("dmlopt.backends.highs", ["pulp", "dmlopt.backends.cbc"]),
        ("dmlopt.backends.ortools_mip", ["highspy", "pulp", "cvxpy"]),
        ("dmlopt.backends.cpsat", ["highspy", "pulp", "cvxpy"]),
        ("dmlopt.backends.cvxpy_backend", ["pulp", "dmlopt.backends.highs"]),
        ("dmlopt.backends.cbc", ["dmlopt.backends.highs"]),  # PuLP itself imports whatever solvers it finds
        ("dmlopt.backends.mps", ["highspy", "pulp"]),
    ],
)
def test_one_backend_does_not_import_another(module: str, absent: list[str]) -> None:
    code = f"import sys, {module}; print([m for m in {absent!r} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
