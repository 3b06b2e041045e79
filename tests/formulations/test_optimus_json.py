"""Instance and solution files: round trips, and messages that name the wrong field."""

import copy
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from optimus_examples import UNIT, example_1, example_3
from optimus_random import problems

from dmlopt.errors import InputError
from dmlopt.registry import formulation
from formulations.optimus import FORMULATION, Allocation, Job, OptimusProblem
from instances.optimus import GENERATOR


def good() -> dict:
    """E3 with a measured fourth job, as JSON."""
    data = FORMULATION.problem_to_json(example_3())
    speed = [[1.0, 2.0], [0.0, 3.0]]
    table = {"mode": "table", "speed": speed, "Q": 5.0, "worker": [1, 0, 1], "ps": [1, 0, 1]}
    data["jobs"].append({**table, "p_max": None, "w_max": None})
    return json.loads(json.dumps(data))


def problems_of(data) -> list[str]:
    with pytest.raises(InputError) as caught:
        FORMULATION.problem_from_json(data)
    return caught.value.problems


# ---------------------------------------------------------------- round trips


@given(problems())
def test_problem_round_trip(problem):
    data = json.loads(json.dumps(FORMULATION.problem_to_json(problem)))
    again = FORMULATION.problem_from_json(data)
    assert again == problem
    assert FORMULATION.problem_to_json(again) == data


def test_fields_of_an_instance():
    data = FORMULATION.problem_to_json(example_3(waiting=7.0))
    assert list(data) == ["resources", "capacity", "jobs", "waiting"]
    assert data["resources"][0] == {"name": "cpu", "unit": "core"}
    assert data["waiting"] == {"cost": 7.0}
    assert data["jobs"][1] == {
        "mode": "async",
        "theta": [2.83, 3.92, 0.0, 0.11],
        "Q": 20000.0,
        "worker": [2, 1, 10],
        "ps": [4, 0, 10],
        "p_max": None,
        "w_max": None,
    }
    assert set(data["jobs"][0]) == {"mode", "theta", "M", "Q", "worker", "ps", "p_max", "w_max"}


def test_waiting_cost_per_job():
    problem = OptimusProblem.from_jobs(UNIT, [9], [example_1(8).job(0)] * 2, waiting=[1.0, 2.0])
    data = FORMULATION.problem_to_json(problem)
    assert data["waiting"] == {"cost": [1.0, 2.0]}
    assert FORMULATION.problem_from_json(data) == problem


def test_optional_fields():
    data = good()
    del data["waiting"], data["jobs"][0]["p_max"]
    data["jobs"][1]["M"] = None
    problem = FORMULATION.problem_from_json(data)
    assert problem.waiting is None
    assert problem.job(0).server_max is None
    assert problem.job(3).speed == ((1.0, 2.0), (0.0, 3.0))


def test_solution_round_trip():
    solution = Allocation([1, 2, 1], [2, 3, 1])
    data = FORMULATION.solution_to_json(solution)
    assert data == {"servers": [1, 2, 1], "workers": [2, 3, 1]}
    assert FORMULATION.solution_from_json(example_3(), json.loads(json.dumps(data))) == solution


def test_registered():
    assert formulation("optimus").problem_type is OptimusProblem
    assert "3 jobs (2 sync, 1 async)" in FORMULATION.describe(example_3())
    # (1, 1) for all takes 16 of 32 cores, 3 of 6 GPUs, 57 of 96 GB.
    assert "load 0.59" in FORMULATION.describe(example_3())


# ---------------------------------------------------------------- one wrong field at a time


def changed(path: str, value) -> dict:
    """`good()` with the value at a path such as jobs[3].theta[1] replaced (value `...`: removed)."""
    data = good()
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", path)]
    at = data
    for step in steps[:-1]:
        at = at[step]
    if value is ...:
        del at[steps[-1]]
    else:
        at[steps[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("jobs[2].theta[1]", -2, "jobs[2].theta[1]: expected a number >= 0, got -2"),
        ("jobs[2].theta[1]", math.nan, "jobs[2].theta[1]: expected a finite number >= 0, got nan"),
        ("jobs[0].theta[4]", math.inf, "jobs[0].theta[4]: expected a finite number >= 0, got inf"),
        ("jobs[0].theta[0]", "1", "jobs[0].theta[0]: expected a number >= 0, got '1'"),
        ("jobs[0].theta[0]", True, "jobs[0].theta[0]: expected a number >= 0, got true"),
        ("jobs[0].theta", [1, 2], "jobs[0].theta: expected 5 elements, got 2"),
        ("jobs[1].theta", [1, 2, 3, 4, 5], "jobs[1].theta: expected 4 elements, got 5"),
        (
            "jobs[1].theta",
            [0, 0, 0, 0],
            "jobs[1].theta: expected at least one coefficient > 0, got only zeros",
        ),
        ("jobs[0].theta", ..., "jobs[0].theta: expected a value, found nothing"),
        ("jobs[0].M", ..., "jobs[0].M: expected a value, found nothing"),
        ("jobs[0].M", 0, "jobs[0].M: expected an integer >= 1 and <= 1000000000000, got 0"),
        ("jobs[0].M", 40.0, "jobs[0].M: expected an integer >= 1 and <= 1000000000000, got 40.0"),
        (
            "jobs[1].M",
            40,
            "jobs[1].M: expected null, because an asynchronous job has no global batch, got 40",
        ),
        ("jobs[0].Q", 0, "jobs[0].Q: expected a number > 0, got 0"),
        ("jobs[0].Q", None, "jobs[0].Q: expected a number > 0, got null"),
        ("jobs[0].mode", "synk", "jobs[0].mode: expected one of sync, async, table, got 'synk'"),
        ("jobs[0].mode", ..., "jobs[0].mode: expected a value, found nothing"),
        ("jobs[0].worker", [1, 2], "jobs[0].worker: expected 3 elements, got 2"),
        ("jobs[0].worker[1]", -1, "jobs[0].worker[1]: expected an integer >= 0 and <= 1000000000000, got -1"),
        ("jobs[0].ps[1]", 0.5, "jobs[0].ps[1]: expected an integer >= 0 and <= 1000000000000, got 0.5"),
        (
            "jobs[0].ps[1]",
            10**30,
            f"jobs[0].ps[1]: expected an integer >= 0 and <= 1000000000000, got {10**30}",
        ),
        ("jobs[0].p_max", 0, "jobs[0].p_max: expected an integer >= 1 and <= 1048575, got 0"),
        ("jobs[0].w_max", 2**20, "jobs[0].w_max: expected an integer >= 1 and <= 1048575, got 1048576"),
        ("jobs[0].pmax", 3, "jobs[0].pmax: unknown field. Did you mean 'p_max'?"),
        ("jobs[3].theta", [1, 1, 1, 1], "jobs[3].theta: unknown field"),
        ("jobs[3].speed", [[1, 2], [3]], "jobs[3].speed[1]: expected 2 elements, got 1"),
        ("jobs[3].speed[0][1]", -1, "jobs[3].speed[0][1]: expected a number >= 0, got -1"),
        (
            "jobs[3].speed",
            [[0, 0]],
            "jobs[3].speed: expected at least one measured pair (a speed > 0), got only zeros",
        ),
        ("jobs[3].speed", [], "jobs[3].speed: expected at least 1 element, got 0"),
        ("jobs[2]", 7, "jobs[2]: expected an object, got 7"),
        ("jobs", [], "jobs: expected at least 1 element, got 0"),
        ("jobs", ..., "jobs: expected a value, found nothing"),
        ("capacity", [1, 2], "capacity: expected 3 elements, got 2"),
        ("capacity[0]", -1, "capacity[0]: expected an integer >= 0 and <= 1000000000000, got -1"),
        ("capacity[0]", True, "capacity[0]: expected an integer >= 0 and <= 1000000000000, got true"),
        ("resources[1].name", "cpu", "resources: expected different names, got cpu, cpu, memory"),
        ("resources[1].unit", ..., "resources[1].unit: expected a value, found nothing"),
        ("resources[1].name", "", "resources[1].name: expected a name, got ''"),
        ("waiting", 5, "waiting: expected an object, got 5"),
        ("waiting", {"cost": -1}, "waiting.cost: expected a number >= 0, got -1"),
        ("waiting", {"cost": [1, 2]}, "waiting.cost: expected 4 elements, got 2"),
        ("waiting", {"prise": 1, "cost": 1}, "waiting.prise: unknown field"),
        ("wait", None, "wait: unknown field. Did you mean 'waiting'?"),
    ],
)
def test_message(path, value, expected):
    found = problems_of(changed(path, value))
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_all_problems_at_once():
    data = good()
    data["jobs"][0]["Q"] = -1
    data["jobs"][2]["theta"][3] = None
    data["capacity"][1] = "many"
    assert [each.split(":")[0] for each in problems_of(data)] == [
        "capacity[1]",
        "jobs[0].Q",
        "jobs[2].theta[3]",
    ]


@pytest.mark.parametrize("data", [None, [], 3, "x"])
def test_not_an_object(data):
    assert problems_of(data)[0].startswith("expected an object")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"servers": [1, 1, 1]}, "workers: expected a value, found nothing"),
        ({"servers": [1, 1], "workers": [1, 1, 1]}, "servers: expected 3 elements, got 2"),
        ({"servers": [1, "1", 1], "workers": [1, 1, 1]}, "servers[1]: expected an integer"),
        ({"servers": [1, 1, 1], "workers": [1, 1.5, 1]}, "workers[1]: expected an integer"),
        ({"servers": [1, 1, 1], "workers": [1, 10**40, 1]}, "workers[1]: expected an integer"),
        ({"servers": [1, 1, 1], "workers": [1, 1, 1], "ps": []}, "ps: unknown field"),
        ([1, 2, 3], "expected an object"),
    ],
)
def test_wrong_solution(data, expected):
    with pytest.raises(InputError) as caught:
        FORMULATION.solution_from_json(example_3(), data)
    assert caught.value.problems[0].startswith(expected)


# ---------------------------------------------------------------- tables that would not be finite or not fit


def test_tasks_without_demand_need_a_limit():
    free = Job("async", 1, (1,), (0,), theta=(1, 1, 0, 0))
    with pytest.raises(InputError) as caught:
        OptimusProblem.from_jobs(UNIT, [5], [free, Job("async", 1, (0,), (1,), theta=(1, 1, 0, 0))])
    assert [each.split(",")[0] for each in caught.value.problems] == [
        "jobs[0].p_max: expected a number",
        "jobs[1].w_max: expected a number",
    ]


def test_huge_implied_table():
    job = Job("async", 1, (1,), (1,), theta=(1, 1, 0, 0))
    OptimusProblem.from_jobs(UNIT, [2001], [job])  # 2000 x 2000 pairs
    with pytest.raises(
        InputError, match="jobs: expected p_max and w_max, because capacity alone leaves 4004001"
    ):
        OptimusProblem.from_jobs(UNIT, [2002], [job])


def test_huge_explicit_table():
    job = Job("async", 1, (1,), (1,), theta=(1, 1, 0, 0), server_max=9000, worker_max=9000)
    with pytest.raises(InputError, match="jobs: expected at most 64000000 pairs"):
        OptimusProblem.from_jobs(UNIT, [10**6], [job])


def test_times_must_be_finite():
    with pytest.raises(InputError, match=re.escape("jobs[0]: expected remaining times below 1e+300")):
        OptimusProblem.from_jobs(UNIT, [5], [Job("async", 1e200, (1,), (1,), theta=(1e200, 1, 0, 0))])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"steps": -1.0}, "jobs[0].Q: expected a finite number > 0, got -1.0"),
        ({"theta": (1, math.nan, 0, 0)}, "jobs[0].theta[1]: expected a finite number >= 0, got nan"),
        ({"worker": (-1,)}, "jobs[0].worker[0]: expected an integer from 0 to 1000000000000, got -1"),
        ({"server_max": -3}, "jobs[0].p_max: expected an integer from 1 to 1048575, got -3"),
        (
            {"mode": "sync", "theta": (1,) * 5},
            "jobs[0].M: expected an integer from 1 to 1000000000000, got 0",
        ),
        ({"mode": "table", "theta": ()}, "jobs[0].speed: expected a table of speeds"),
        ({"mode": "slow"}, "jobs[0].mode: expected one of sync, async, table, got 'slow'"),
        ({"theta": (1, 1)}, "jobs[0].theta: expected 4 numbers, got 2"),
        ({"worker": (1, 2)}, "jobs[0].worker: expected 1 amounts, got 2"),
        ({"worker": (0.5,)}, "worker_demand: expected integers, got numbers with fractions"),
        ({"worker": (10**30,)}, "worker_demand: expected integers of at most 1000000000000"),
        ({"server_max": "many"}, "server_max: expected numbers in rows of equal length"),
    ],
)
def test_problems_built_in_python_are_checked_too(change, expected):
    fields = {"mode": "async", "steps": 1.0, "worker": (1,), "server": (1,), "theta": (1, 1, 0, 0)}
    with pytest.raises(InputError) as caught:
        OptimusProblem.from_jobs(UNIT, [5], [Job(**{**fields, **change})])
    assert caught.value.problems[0] == expected


def test_arrays_cannot_be_changed():
    problem = example_1(8)
    with pytest.raises(ValueError, match="read-only"):
        problem.steps[0] = 1
    with pytest.raises(AttributeError):
        problem.capacity = np.array([1])


def test_equality():
    problem = GENERATOR.generate(1, jobs=5, table_share=0.5)
    same = FORMULATION.problem_from_json(FORMULATION.problem_to_json(problem))
    assert problem == same
    other = copy.deepcopy(FORMULATION.problem_to_json(problem))
    other["capacity"][0] += 1
    assert problem != FORMULATION.problem_from_json(other)
    assert problem != 3


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"jobs": []}, "jobs: expected at least 1 job, got none"),
        ({"capacity": [1, 2]}, "capacity: expected an array of shape (1,), got (2,)"),
        ({"waiting": [1.0, 2.0]}, "waiting: expected an array of shape (1,), got (2,)"),
        ({"waiting": -1}, "waiting.cost[0]: expected a finite number >= 0, got -1.0"),
    ],
)
def test_wrong_arguments(arguments, expected):
    jobs = [Job("async", 1, (1,), (1,), theta=(1, 1, 0, 0))]
    with pytest.raises(InputError) as caught:
        OptimusProblem.from_jobs(UNIT, **{"capacity": [5], "jobs": jobs, **arguments})
    assert caught.value.problems[0] == expected
