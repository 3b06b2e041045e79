"""The methods that a formulation with generated plans gets from the engine, called as `dmlopt.solve` calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlopt.control import Clock
from dmlopt.engine.certificate import recompute
from dmlopt.engine.prices import ExponentialPrices
from dmlopt.online_methods import primal_dual_method
from dmlopt.packing import Packing, Picks
from dmlopt.packing_methods import plan_methods
from dmlopt.registry import Method, Request, read_options
from dmlopt.result import Answer, Limit
from tests.engine.slots import large_slots, plain, random_slots


def price(problem: Any, packing: Packing, options: dict[str, Any]) -> ExponentialPrices:
    rows = packing.row_count
    return ExponentialPrices(packing.capacity, np.full(rows, -3.0), np.full(rows, 3.0))


METHODS = {
    method.name: method
    for method in (
        *plan_methods(
            packing=lambda problem: problem,
            solution=lambda problem, packing, picks: picks,
            picks=lambda problem, packing, solution: solution,
            generated=True,
            row_groups=lambda problem: np.arange(problem.row_count),
        ),
        primal_dual_method(
            packing=lambda problem: problem,
            solution=lambda problem, packing, picks: picks,
            order=lambda problem: np.arange(problem.agent_count),
            price=price,
        ),
    )
}


def run(method: Method, packing: Packing, seconds: float | None = None, **options: Any) -> Answer:
    return method.run(
        packing, Request(clock=Clock(seconds), gap=1e-9, options=read_options(method.options, options))
    )


def holds(answer: Answer, packing: Packing) -> tuple[float | None, float]:
    proved = recompute(answer.certificate, plain(packing)).value
    value = None
    if answer.solution is not None:
        assert isinstance(answer.solution, Picks)
        assert answer.solution.fits(packing)
        value = answer.solution.value(packing)
        assert value <= proved * (1 + 1e-9)
    return value, proved


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", METHODS)
def test_values_and_bounds_enclose_the_optimum(name: str, seed: int) -> None:
    packing = random_slots(seed, agents=6)
    optimum, closed = holds(run(METHODS["exact"], packing), packing)
    assert optimum is not None
    assert closed == pytest.approx(optimum)
    value, proved = holds(run(METHODS[name], packing), packing)
    assert proved >= optimum - 1e-9
    assert (value is None) == (METHODS[name].kind == "bound")
    assert value is None or value <= optimum + 1e-9


@pytest.mark.parametrize("name", METHODS)
def test_many_rows_within_a_time_limit(name: str) -> None:
    packing = large_slots(1, agents=60, horizon=60)
    answer = run(METHODS[name], packing, 2.0)
    value, proved = holds(answer, packing)
    assert answer.limit in (Limit.NONE, Limit.TIME)
    assert answer.trace
    assert (value is None) == (METHODS[name].kind == "bound") or name == "restricted-master"
    assert proved > 0


def test_primal_dual_reports_the_duals_of_its_run() -> None:
    packing = random_slots(3, agents=6)
    statistics = run(METHODS["primal-dual"], packing).statistics
    assert statistics["decided"] == 6
    assert statistics["alpha"] == 6.0
    assert 0 < statistics["decision_seconds_median"] <= statistics["decision_seconds_max"]
    assert statistics["first_dual"] == pytest.approx(np.exp(-3.0) * packing.capacity.sum())
