"""Hundreds of tiny Optimus problems: trying every combination, the exact method and the MIP solvers agree."""

import pytest
from hypothesis import HealthCheck, given, settings

import dmlopt
from dmlopt.errors import NotApplicableError
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


@given(problems())
@settings(max_examples=200, **SETTINGS)
def test_mip_scip(problem):
    assert_agrees(problem, "mip-scip", Status.OPTIMAL_CLAIMED)


@given(problems())
@settings(max_examples=200, **SETTINGS)
def test_cp_sat(problem):
    assert_agrees(problem, "cp-sat", Status.OPTIMAL_CLAIMED)


@given(problems())
@settings(max_examples=300, **SETTINGS)
def test_dynamic_program(problem):
    if problem.resource_count != 1:
        with pytest.raises(NotApplicableError, match="exactly one resource"):
            dmlopt.solve(problem, "dp")
        return
    assert_agrees(problem, "dp", Status.OPTIMAL_CLAIMED)


@given(problems())
@settings(max_examples=200, **SETTINGS)
def test_bounds_are_below_the_optimum(problem):
    best = brute_force(problem)
    if best is None:
        return
    for method in ("lp", "lagrangian", "lp-compact"):
        assert dmlopt.solve(problem, method).bound <= best[0] * (1 + 1e-9) + 1e-9
    if problem.waiting is not None or problem.speeds:
        with pytest.raises(NotApplicableError):
            dmlopt.solve(problem, "gp")
        return
    claimed = dmlopt.solve(problem, "gp").claimed_bound
    assert claimed is None or claimed <= best[0] * (1 + 1e-6) + 1e-6
