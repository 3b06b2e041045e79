"""Instance and solution files of OASiS: round trips, and messages that name the wrong field."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oasis_examples import w3, w4b
from oasis_random import random_problem

import dmlopt
from dmlopt.errors import InputError
from formulations.oasis import FORMULATION, OasisProblem, PriceConstants, Schedules, TableUtility
from formulations.oasis.quantities import quantities


def good() -> Any:
    return json.loads(json.dumps(FORMULATION.problem_to_json(w4b())))


def problems_of(data: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        FORMULATION.problem_from_json(data)
    return caught.value.problems


@pytest.mark.parametrize("seed", range(100))
def test_problem_round_trip(seed: int) -> None:
    problem = random_problem(seed, jobs=2)
    data = json.loads(json.dumps(FORMULATION.problem_to_json(problem)))
    again = FORMULATION.problem_from_json(data)
    assert again == problem
    assert FORMULATION.problem_to_json(again) == data


def test_fields_of_an_instance() -> None:
    data = good()
    assert list(data) == [
        "resources",
        "horizon",
        "slot_seconds",
        "worker_servers",
        "ps_hosts",
        "view",
        "pool_rooms",
        "work",
        "jobs",
        "prices",
    ]
    assert data["worker_servers"][0] == {"class": "all", "capacity": [2, 3], "count": 1}
    assert data["jobs"][0]["utility"] == {"sigmoid": [5.0, 4.0, 1.0]}
    assert data["prices"]["ps"][0] is None


def test_optional_fields_and_computed_constants() -> None:
    data = good()
    for name in ("view", "pool_rooms", "work", "prices"):
        del data[name]
    assert FORMULATION.problem_from_json(data) == w4b()
    data["prices"] = {"rule": "paper", "floor": 0.1, "normalise": True}
    assert FORMULATION.problem_from_json(data) == w4b().with_prices("paper", 0.1, True)


def test_stated_constants_are_kept() -> None:
    """Constants in a file are not computed again, whatever the jobs are: online methods may not see later jobs."""
    data = good()
    del data["jobs"][2]
    assert FORMULATION.problem_from_json(data).prices == w4b().prices


WRONG: list[tuple[tuple[Any, ...], Any, str]] = [
    (("horizon",), 0, "horizon: expected an integer >= 1 and <= 5000, got 0"),
    (("slot_seconds",), 0, "slot_seconds: expected a number > 0"),
    (("view",), "pool", "view: expected one of per-server, pooled"),
    (("work",), 3, "work: expected a text"),
    (("jobs",), [], "jobs: expected at least 1 element"),
    (("worker_servers",), [], "worker_servers: expected at least 1 element"),
    (("worker_servers", 1, "capacity", 0), -1, "worker_servers[1].capacity[0]: expected an integer >= 0"),
    (("worker_servers", 0, "count"), 0, "worker_servers[0].count: expected an integer >= 1"),
    (("jobs", 1, "arrival"), 5, "jobs[1].arrival: expected an integer from 1 to 4, got 5"),
    (("jobs", 1, "E"), 0, "jobs[1].E: expected an integer >= 1"),
    (("jobs", 1, "tau_seconds"), -1, "jobs[1].tau_seconds: expected a number >= 0, got -1"),
    (("jobs", 1, "tau_seconds"), float("nan"), "jobs[1].tau_seconds: expected"),
    (("jobs", 1, "b_bits_per_second"), 0, "jobs[1].b_bits_per_second: expected a number > 0"),
    (("jobs", 1, "worker"), [0, 0], "jobs[1].worker: expected at least one amount > 0, got only zeros"),
    (("jobs", 1, "ps"), [1], "jobs[1].ps: expected 2 elements"),
    (("jobs", 0, "utility"), {"table": [3.0, 2.0, 2.5]}, "jobs[0].utility.table[2]: expected at most 2.0"),
    (("jobs", 0, "utility"), {"table": []}, "jobs[0].utility.table: expected at least 1 element"),
    (("jobs", 0, "utility"), {"table": [-1.0]}, "jobs[0].utility.table[0]: expected a number >= 0"),
    (("jobs", 0, "utility"), {"sigmoid": [0.0, 1.0, 1.0]}, "jobs[0].utility.sigmoid[0]: expected"),
    (("jobs", 0, "utility"), {"sigmoid": [1.0, -1.0, 1.0]}, "jobs[0].utility.sigmoid[1]: expected"),
    (
        ("jobs", 0, "utility"),
        {"sigmoids": [1, 1, 1]},
        "jobs[0].utility.sigmoids: unknown field. Did you mean 'sigmoid'?",
    ),
    (("pool_rooms",), True, "pool_rooms: expected false, because the view is not pooled"),
    (("prices",), {"rule": "explicit"}, "prices: expected worker and ps, because the rule is explicit"),
    (("prices", "worker", 0), [1.0, 0.5], "prices.worker[0]: expected finite ln_L <= ln_U"),
    (("prices", "floor"), -1, "prices.floor: expected a number >= 0"),
    (("horizons",), 3, "horizons: unknown field"),
]


@pytest.mark.parametrize(("path", "value", "message"), WRONG)
def test_wrong_fields_are_named(path: tuple[Any, ...], value: Any, message: str) -> None:
    data = good()
    at = data
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert any(problem.startswith(message) for problem in problems_of(data)), problems_of(data)


def test_every_wrong_field_at_once() -> None:
    data = good()
    data["horizon"], data["jobs"][0]["M"], data["jobs"][2]["ps"] = "4", 1.5, None
    found = problems_of(data)
    assert [each.split(":")[0] for each in found] == ["horizon", "jobs[0].M", "jobs[2].ps"]


@pytest.mark.parametrize("seed", range(150))
def test_fuzzed_fields_never_crash(seed: int) -> None:
    """Any field replaced by anything: a valid problem, or InputError."""
    random = np.random.default_rng(seed)
    data = good()
    odd = [None, True, -1, 0, 1e400, "x", [], {}, [[1]], 2**70, 1e-30, float("nan"), 3.5]
    for _ in range(int(random.integers(1, 4))):
        at: Any = data
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            key = keys[random.integers(len(keys))]
            deeper = isinstance(at[key], dict | list) and len(at[key]) > 0
            if not deeper or random.random() < 0.3:
                at[key] = copy.deepcopy(odd[random.integers(len(odd))])
                break
            at = at[key]
    try:
        problem = FORMULATION.problem_from_json(data)
    except InputError:
        return
    assert FORMULATION.problem_from_json(FORMULATION.problem_to_json(problem)) == problem


def test_no_work_and_increasing_utility_in_python() -> None:
    problem = w3(1.0)
    with pytest.raises(InputError, match="tau and e are both 0"):
        replace(problem, jobs=(replace(problem.jobs[0], minibatch_seconds=0.0, gradient_bytes=0.0),))
    with pytest.raises(InputError, match="utilities never rise"):
        replace(problem, jobs=(replace(problem.jobs[0], utility=TableUtility((1.0, 2.0))),))


def test_too_much_work_to_plan() -> None:
    """Tables of slots x work entries must fit into memory."""
    problem = w3(1.0)
    endless = replace(problem.jobs[0], epochs=10_000, chunks=50, minibatch_seconds=1.0)
    wide = tuple(replace(group, capacity=(99,)) for group in problem.worker_servers)
    with pytest.raises(InputError, match=r"jobs\[0\]: expected at most 2e\+08 slots x units of work"):
        replace(
            problem,
            horizon=5000,
            slot_seconds=2.5,
            jobs=(endless,),
            worker_servers=wide,
            ps_hosts=wide,
            prices=PriceConstants(),
        )


HOPELESS = [
    ({"worker_bits_per_second": 3.0}, "b > B"),
    ({"worker": (9,)}, "no worker server holds one worker"),
    ({"ps": (9,)}, "no ps host holds one ps"),
    ({"epochs": 10}, "needs 5 slots at full width, 3 are left"),
    ({"chunks": 9, "epochs": 5}, "the cluster is too narrow"),
]


@pytest.mark.parametrize(("change", "reason"), HOPELESS)
def test_hopeless_jobs_are_legal_and_rejected(change: dict[str, Any], reason: str) -> None:
    """They have no schedule in the empty cluster: out of U and L, counted as rejected (trap 11)."""
    problem = w3(1.0)
    hopeless = replace(problem.jobs[0], **change)
    both = replace(problem, jobs=(problem.jobs[0], hopeless), prices=PriceConstants())
    assert reason in quantities(both)[1].hopeless
    assert both.prices == problem.prices
    assert "50% schedulable" in FORMULATION.describe(both)
    result = dmlopt.solve(both, "exact")
    assert result.status == "optimal"
    assert result.solution.admitted == [0]
    alone = replace(problem, jobs=(hopeless,), prices=PriceConstants())
    for method in ("exact", "lp", "lagrangian", "mip-highs"):
        found = dmlopt.solve(alone, method)
        assert found.objective in (0.0, None)
        assert (found.bound if found.bound is not None else found.claimed_bound) == pytest.approx(0.0)


def test_a_precious_hopeless_job_overflows_no_certificate() -> None:
    """Its utility is never reached: how large it is leaves the scale of certificates alone."""
    problem = w3(1.0)
    hopeless = replace(problem.jobs[0], worker=(9,), utility=TableUtility((1e9, 1e9, 1e9)))
    for jobs in ((hopeless,), (hopeless, problem.jobs[0])):
        each = replace(problem, jobs=jobs, prices=PriceConstants())
        for method in ("exact", "lp", "primal-dual"):
            result = dmlopt.solve(each, method)
            assert result.verified, result.message
            assert dmlopt.check(each, result).ok


def test_worthless_last_slot_needs_a_floor() -> None:
    problem = w3(1.0)
    ending = replace(problem.jobs[0], utility=TableUtility((5.0, 1.0, 0.0)))
    with pytest.raises(InputError, match="L is 0"):
        replace(problem, jobs=(ending,), prices=PriceConstants())
    assert replace(problem, jobs=(ending,), prices=PriceConstants(floor=0.1)).prices.known


def test_solution_round_trip() -> None:
    problem: OasisProblem = w4b()
    solution = Schedules(
        (None, {2: ({0: 1, 1: 1}, {1: 1})}, {3: ({0: 1}, {0: 1}), 4: ({0: 1, 1: 1}, {0: 1})})
    )
    data = json.loads(json.dumps(FORMULATION.solution_to_json(solution)))
    assert data["jobs"][1] == [[2, [[0, 1], [1, 1]], [[1, 1]]]]
    assert FORMULATION.solution_from_json(problem, data) == solution
    assert FORMULATION.check(problem, solution).feasible


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"jobs": [None]},
        {"jobs": [None, None, 3]},
        {"jobs": [None, None, [[1, []]]]},
        {"jobs": [None, None, [[1, [[0, 1.5]], []]]]},
        {"jobs": [None, None, [[1, [[0, 1], [0, 1]], []]]]},
        {"jobs": [None, None, [[1, [], []], [1, [], []]]]},
        {"jobs": [None, None, None], "more": 1},
    ],
)
def test_wrong_solutions(data: Any) -> None:
    with pytest.raises(InputError):
        FORMULATION.solution_from_json(w4b(), data)
