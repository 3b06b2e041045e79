"""Every method keeps its time limit, on problems that most of them cannot finish in time."""

import time

import pytest

import dmlopt
from dmlopt.errors import NotApplicableError
from dmlopt.files import decode
from dmlopt.result import Status
from formulations.optimus.methods import METHODS
from tests.test_end_to_end import hard_instance

LIMIT = 3.0


def hard_problem():
    import json

    return decode(json.dumps(hard_instance()).encode(), "hard.json")


def large_problem():
    return dmlopt.generate("optimus", cluster="gpu-8x8-a100", jobs=2000, seed=1)


@pytest.mark.long
@pytest.mark.parametrize("make", [hard_problem, large_problem])
@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_time_limit(method, make):
    problem = make()
    began = time.perf_counter()
    try:
        result = dmlopt.solve(problem, method, time_limit=LIMIT)
    except NotApplicableError:
        pytest.skip("does not apply to several resources")
    # max(10 %, 1 s) for the method; checking what it answered comes on top.
    assert time.perf_counter() - began - result.seconds["check"] <= LIMIT + max(0.1 * LIMIT, 1.0)
    assert result.status is not Status.ERROR
