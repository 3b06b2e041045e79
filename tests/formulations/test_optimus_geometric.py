"""The worked figures of the geometric program: C = 6, 8, 10, 12 of the first example, and the third one."""

import pytest

import dmlopt
from dmlopt.errors import NotApplicableError
from dmlopt.result import Status
from tests.formulations.optimus_examples import example_1, example_3

FIGURES = [
    (example_1(6), 1200.805),
    (example_1(8), 976.375),
    (example_1(10), 840.186),
    (example_1(12), 749.166),
    (example_3(), 92660.083),
]


@pytest.mark.parametrize(("problem", "value"), FIGURES)
def test_worked_figures(problem, value):
    result = dmlopt.solve(problem, "gp")
    assert result.status is Status.BOUND
    assert result.bound is None
    assert result.claimed_bound == pytest.approx(value, abs=2e-3)


def test_waiting_is_refused():
    with pytest.raises(NotApplicableError, match="wait"):
        dmlopt.solve(example_3(waiting=1e6), "gp")


def test_shortage():
    assert dmlopt.solve(example_3((10, 2, 40)), "gp").status is Status.INFEASIBLE
