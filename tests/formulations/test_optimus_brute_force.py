"""Hundreds of tiny Optimus problems: trying every combination, the exact method and the MIP solvers agree."""

import pytest
from hypothesis import HealthCheck, given, settings

import dmlopt
from dmlopt.result import Status
from formulations.optimus.reference import brute_force
from tests.formulations.optimus_random import problems

SETTINGS = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}


def assert_agrees(problem, method, proved):
    best = brute_force(problem)
    result = dmlopt.solve(problem, method)
    if best is None:
        assert result.status is Status.INFEASIBLE
        assert proved is not Status.OPTIMAL or result.certificate is not None
        return
    assert result.status is proved, result.message
    assert result.objective == pytest.approx(best[0], rel=1e-9, abs=1e-9)


@given(problems())
@settings(max_examples=400, **SETTINGS)
def test_exact(problem):
    assert_agrees(problem, "exact", Status.OPTIMAL)


@given(problems())
@settings(max_examples=200, **SETTINGS)
def test_mip_highs(problem):
    assert_agrees(problem, "mip-highs", Status.OPTIMAL_CLAIMED)


@given(problems())
@settings(max_examples=100, **SETTINGS)
def test_mip_cbc(problem):
    assert_agrees(problem, "mip-cbc", Status.OPTIMAL_CLAIMED)
