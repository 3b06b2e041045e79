"""What is written as MPS is read back as the same program."""

from __future__ import annotations

import io
from pathlib import Path

import highspy
import numpy as np
import pytest

from dmlopt.backends.highs import BACKEND
from dmlopt.backends.mps import write_mps
from dmlopt.backends.program import Program, SolverLimits
from dmlopt.control import Clock, OutOfTime
from tests.backends.programs import INF, program, random_program
from tests.backends.test_backends import KNOWN, UNLIMITED


def read_back(given: Program, folder: Path) -> highspy.Highs:
    path = folder / "program.mps"
    with path.open("w") as file:
        write_mps(given, file)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    return solver


def assert_same_answer(given: Program, folder: Path) -> None:
    solver = read_back(given, folder)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.run()
    found = BACKEND.solve(given, SolverLimits())
    if found.objective is None:
        assert solver.getModelStatus() != highspy.HighsModelStatus.kOptimal
    else:
        assert solver.getInfo().objective_function_value == pytest.approx(found.objective, abs=1e-6)


@pytest.mark.parametrize("case", KNOWN + UNLIMITED, ids=[case[0] for case in KNOWN + UNLIMITED])
def test_known_programs(case: tuple[str, Program, float, object], tmp_path: Path) -> None:
    assert_same_answer(case[1], tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    assert_same_answer(random_program(seed, integers=bool(seed % 2)), tmp_path)


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    third = 1.0 / 3.0
    given = program(
        [third, 1e-17, -1e12],
        [[0.1 + 0.2, 1e-7, 7e9]],
        [third],
        [2 * third],
        [-1e-9, -INF, 0.1],
        [5, 4, 0.7],
    )
    lp = read_back(given, tmp_path).getLp()
    assert list(lp.col_cost_) == given.cost.tolist()
    assert list(lp.col_lower_) == given.lower.tolist()
    assert list(lp.col_upper_) == given.upper.tolist()
    assert list(lp.a_matrix_.value_) == [0.1 + 0.2, 1e-7, 7e9]
    assert np.isclose(lp.row_lower_[0], third, rtol=1e-15)
    assert lp.row_upper_[0] == 2 * third


def test_writing_stops_when_the_time_is_over() -> None:
    with pytest.raises(OutOfTime):
        write_mps(KNOWN[0][1], io.StringIO(), Clock(0.0))
