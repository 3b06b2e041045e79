"""HiGHS in particular: the sign of duals, and one LP kept through many changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csc_array

from dmlopt.backends.highs import BACKEND, KeptLinearProgram
from dmlopt.backends.program import Program, ProgramStatus, SolverLimits
from tests.backends.programs import INF, program, random_program, scipy_value


def moved(given: Program, row: int, by: float) -> Program:
    """The program with the right-hand side of one row moved."""
    lower, upper = given.row_lower.copy(), given.row_upper.copy()
    lower[row] += by
    upper[row] += by
    return replace(given, row_lower=lower, row_upper=upper)


DUALS = [
    program([-1, -1], [[1, 2], [3, 1]], [-INF] * 2, [4, 6]),  # two binding <= rows: duals <= 0
    program([3, 2], [[1, 1]], [4], [INF], upper=[INF, 3]),  # a binding >= row: dual >= 0
    program([1, 2], [[1, 1]], [3], [3], upper=[2, INF]),
    program([1, 1], [[1, 1], [1, -1]], [2, 0.5], [5, 0.5]),
    program([1, 1], [[1, 2], [1, -1]], [2, -INF], [INF, INF]),
]


@pytest.mark.parametrize("case", range(len(DUALS)))
def test_duals_are_derivatives_by_the_right_hand_side(case: int) -> None:
    given = DUALS[case]
    found = BACKEND.solve(given, SolverLimits())
    assert found.row_dual is not None
    step = 1e-4
    for row in range(given.row_count):
        up, down = (BACKEND.solve(moved(given, row, by), SolverLimits()).objective for by in (step, -step))
        assert up is not None
        assert down is not None
        assert found.row_dual[row] == pytest.approx((up - down) / (2 * step), abs=1e-5)


def test_signs_of_duals() -> None:
    assert (BACKEND.solve(DUALS[0], SolverLimits()).row_dual < 0).all()
    assert (BACKEND.solve(DUALS[1], SolverLimits()).row_dual > 0).all()


def test_kept_duals_follow_the_same_convention() -> None:
    given = DUALS[0]
    kept = KeptLinearProgram(given.row_lower, given.row_upper)
    kept.add_columns(given.cost, given.matrix, given.lower, given.upper)
    duals = kept.solve().row_dual
    assert duals == pytest.approx(BACKEND.solve(given, SolverLimits()).row_dual)


def test_integer_programs_have_no_duals() -> None:
    whole = replace(DUALS[0], integral=np.ones(2, dtype=bool))
    assert BACKEND.solve(whole, SolverLimits()).row_dual is None


class Mirror:
    """A kept LP and the same program as plain arrays, changed together."""

    def __init__(self, given: Program) -> None:
        self.given = given
        self.kept = KeptLinearProgram(given.row_lower, given.row_upper)
        self.kept.add_columns(given.cost, given.matrix, given.lower, given.upper)

    def add_column(self, rng: np.random.Generator) -> None:
        given = self.given
        column = rng.integers(-4, 6, (given.row_count, 1)).astype(float)
        cost, lower = float(rng.integers(-9, 10)), float(rng.integers(-2, 2))
        upper = lower + float(rng.integers(0, 5))
        self.kept.add_columns(np.array([cost]), csc_array(column), np.array([lower]), np.array([upper]))
        self.given = replace(
            given,
            cost=np.append(given.cost, cost),
            matrix=csc_array(np.hstack([given.matrix.toarray(), column])),
            lower=np.append(given.lower, lower),
            upper=np.append(given.upper, upper),
            integral=np.append(given.integral, False),
        )

    def add_row(self, rng: np.random.Generator) -> None:
        given = self.given
        columns = np.flatnonzero(rng.random(given.column_count) < 0.7)
        weights = rng.integers(-3, 5, len(columns)).astype(float)
        row = np.zeros(given.column_count)
        row[columns] = weights
        upper = float(row @ np.floor((given.lower + given.upper) / 2)) + float(rng.integers(0, 3))
        assert self.kept.add_row(columns, weights, -INF, upper) == given.row_count
        self.given = replace(
            given,
            matrix=csc_array(np.vstack([given.matrix.toarray(), row])),
            row_lower=np.append(given.row_lower, -INF),
            row_upper=np.append(given.row_upper, upper),
        )

    def change_columns(self, rng: np.random.Generator) -> None:
        given = self.given
        columns = np.flatnonzero(rng.random(given.column_count) < 0.5)
        lower, upper = given.lower.copy(), given.upper.copy()
        lower[columns] = rng.integers(-3, 2, len(columns))
        upper[columns] = lower[columns] + rng.integers(0, 7, len(columns))
        self.kept.set_column_bounds(columns, lower[columns], upper[columns])
        self.given = replace(given, lower=lower, upper=upper)

    def change_row(self, rng: np.random.Generator) -> None:
        given = self.given
        if given.row_count:
            row = int(rng.integers(given.row_count))
            low = float(rng.integers(-20, 10))
            high = low + float(rng.integers(0, 30))
            lower, upper = given.row_lower.copy(), given.row_upper.copy()
            lower[row], upper[row] = low, high
            self.kept.set_row_bounds(row, low, high)
            self.given = replace(given, row_lower=lower, row_upper=upper)

    def change_costs(self, rng: np.random.Generator) -> None:
        given = self.given
        columns = np.flatnonzero(rng.random(given.column_count) < 0.5)
        cost = given.cost.copy()
        cost[columns] = rng.integers(-9, 10, len(columns))
        self.kept.set_costs(columns, cost[columns])
        self.given = replace(given, cost=cost)


@pytest.mark.parametrize("seed", range(40))
def test_a_kept_lp_equals_one_from_scratch_after_any_changes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mirror = Mirror(replace(random_program(seed, integers=False), offset=0.0))
    changes = (
        mirror.add_column,
        mirror.add_row,
        mirror.change_columns,
        mirror.change_row,
        mirror.change_costs,
    )
    for _ in range(12):
        changes[int(rng.integers(len(changes)))](rng)
        found, value = mirror.kept.solve(), scipy_value(mirror.given)
        assert (found.status is ProgramStatus.OPTIMAL) == (value is not None)
        if value is not None:
            assert found.objective == pytest.approx(value, abs=1e-6)
            assert found.x is not None
            assert float(mirror.given.cost @ found.x) == pytest.approx(value, abs=1e-6)
        else:
            assert found.x is None
    assert mirror.kept.column_count == mirror.given.column_count
    assert mirror.kept.row_count == mirror.given.row_count


def test_a_basis_can_be_restored() -> None:
    given = DUALS[0]
    kept = KeptLinearProgram(given.row_lower, given.row_upper)
    kept.add_columns(given.cost, given.matrix, given.lower, given.upper)
    first = kept.solve()
    basis = kept.basis()
    kept.set_column_bounds(np.array([0]), np.zeros(1), np.zeros(1))
    assert kept.solve().objective == pytest.approx(-2.0)
    kept.set_column_bounds(np.array([0]), np.zeros(1), np.full(1, INF))
    kept.restore(basis)
    assert kept.solve().objective == pytest.approx(first.objective)
