"""tests/backends: programs on which a backend was once wrong or silent."""

from __future__ import annotations

import pytest

from dmlopt.backends.catalogue import backend
from dmlopt.backends.program import ProgramStatus, SolverLimits
from tests.backends.programs import program, random_program, scipy_value
from tests.backends.test_backends import UNLIMITED


@pytest.mark.parametrize("case", UNLIMITED, ids=[case[0] for case in UNLIMITED])
def test_cbc_reads_columns_without_a_lower_bound(case: tuple) -> None:
    found = backend("cbc").solve(case[1], SolverLimits())
    assert found.status is ProgramStatus.OPTIMAL
    assert found.objective == pytest.approx(case[2])


def test_highs_stuffs_singleton_columns_rightly() -> None:
    # min 2x + 3z, x + z >= 4.5, z integer: x = 4.5, z = 0. HiGHS 1.14.0 with presolve says 15 (its issue 3043).
    given = program([2, 3], [[1, 1]], [4.5], [float("inf")], upper=[10, 10], integral=[False, True])
    assert backend("highs").solve(given, SolverLimits()).objective == pytest.approx(9.0)


@pytest.mark.parametrize("seed", [224, 385, 470, 492, 788, 899, 1018])
def test_highs_on_random_mixed_programs(seed: int) -> None:
    given = random_program(seed, integers=True)
    assert backend("highs").solve(given, SolverLimits()).objective == pytest.approx(
        scipy_value(given), abs=1e-5
    )
