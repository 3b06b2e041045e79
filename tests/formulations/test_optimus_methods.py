"""Methods by name: the greedy's variants, and the engine's methods against the known optima."""

import pytest
from optimus_examples import UNIT, example_1, example_2, example_3

import dmlopt
from dmlopt.control import Clock
from dmlopt.errors import InputError
from dmlopt.registry import Request, find_method
from dmlopt.result import Limit, Status
from formulations.optimus import Job, OptimusProblem
from formulations.optimus.checker import check
from formulations.optimus.methods import METHODS, read_priority
from instances.optimus import GENERATOR

GREEDY = [method.name for method in METHODS if method.name.startswith("greedy")]
OPTIMA = [
    (example_1(6), 1215),
    (example_1(8), 1008 + 1 / 3),
    (example_1(10), 843 + 1 / 3),
    (example_1(12), 753 + 1 / 3),
    (example_2(), 44),
    (example_3(), 95648 + 1 / 3),
    (example_3((10, 2, 40), waiting=1e6), 48520 + 1e6 + 4875),
]


def greedy(problem, name="greedy", **options):
    return find_method("optimus", name).run(problem, Request(options=options))


def test_names():
    expected = {"greedy", "greedy-skip", "greedy-share", "greedy-share-skip"}
    assert set(GREEDY) == expected | {f"{name}-lookahead" for name in expected}
    assert {find_method("optimus", name).kind for name in GREEDY} == {"heuristic"}
    offered = {method.name: method.kind for method in METHODS}
    assert offered["exact"] == offered["mip-highs"] == offered["mip-cbc"] == "exact"
    assert offered["lagrangian"] == offered["lp"] == "bound"
    assert offered["lp-round"] == "heuristic"
    assert all(method.summary for method in METHODS)


@pytest.mark.parametrize(
    ("name", "options", "value"),
    [
        ("greedy", {}, 97448 + 1 / 3),
        ("greedy-skip", {}, 97448 + 1 / 3),
        ("greedy-share", {}, 95648 + 1 / 3),
        ("greedy-share-skip", {}, 95648 + 1 / 3),
        ("greedy", {"gain_divisor": "share"}, 95648 + 1 / 3),
    ],
)
def test_greedy_variants(name, options, value):
    answer = greedy(example_3(), name, **options)
    assert answer.limit is Limit.NONE
    assert check(example_3(), answer.solution).objective == pytest.approx(value)


def test_lookahead_variant():
    assert greedy(example_2(), "greedy-lookahead").solution.pairs() == [(2, 2)]


@pytest.mark.parametrize("name", GREEDY)
def test_open_choices_are_options_of_every_variant(name):
    # 8 slots: B's first worker saves 205 s, at a hundredth of that A's tasks go before it until nothing is left.
    plain, slowed = greedy(example_1(8), name), greedy(example_1(8), name, priority="1:0.01")
    assert slowed.solution.pairs() != plain.solution.pairs()
    assert slowed.solution.pairs()[1] == (1, 1)
    # t = Q/p with p limited to 1: further workers gain exactly nothing.
    idle = OptimusProblem.from_jobs(
        UNIT, [6], [Job("async", 9, (1,), (1,), theta=(0, 1, 0, 0), server_max=1)]
    )
    assert greedy(idle, name).solution.pairs() == [(1, 1)]
    assert greedy(idle, name, zero_gain=True).solution.pairs() == [(1, 5)]
    # t = Q (1/w + 1/p) is symmetric: with one slot left after the start the first of equal tasks gets it.
    even = OptimusProblem.from_jobs(UNIT, [3], [Job("async", 9, (1,), (1,), theta=(1, 1, 0, 0))])
    assert greedy(even, name).solution.pairs() == [(2, 1)]
    assert greedy(even, name, ties="worker").solution.pairs() == [(1, 2)]


def test_priority_option():
    assert greedy(example_1(8), priority="1:0.9").solution.pairs() == [(2, 3), (1, 2)]
    assert read_priority(" 0:2, 2:0.5 ", 3) == [2.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.9", "priority: expected job:factor, got '0.9'"),
        ("5:1", "priority: expected a job from 0 to 1, got 5"),
        ("0:0", "priority: expected a finite factor > 0, got 0"),
        ("0:nan", "priority: expected a finite factor > 0, got nan"),
    ],
)
def test_wrong_priority_option(text, expected):
    with pytest.raises(InputError, match=expected):
        greedy(example_1(8), priority=text)


def test_shortage_is_named():
    # (1, 1) for all needs (16, 3, 57).
    answer = greedy(example_3(capacity=(10, 2, 96)))
    assert answer.solution is None
    assert answer.claimed_infeasible
    assert answer.shortage.rows == ("cpu", "gpu")
    assert answer.shortage.amounts == (6, 1)


def test_time_limit():
    problem = GENERATOR.generate(1, jobs=300, load=0.1)
    answer = find_method("optimus", "greedy").run(problem, Request(clock=Clock(time_limit=0.0)))
    assert answer.limit is Limit.TIME
    assert check(problem, answer.solution).feasible


# ---------------------------------------------------------------- the engine's methods


@pytest.mark.parametrize(("problem", "value"), OPTIMA)
@pytest.mark.parametrize("method", ["exact", "mip-highs", "mip-cbc", "mip-scip", "cp-sat"])
def test_known_optima(problem, value, method):
    result = dmlopt.solve(problem, method)
    assert result.objective == pytest.approx(value, rel=1e-9)
    assert result.status is (Status.OPTIMAL if method == "exact" else Status.OPTIMAL_CLAIMED)
    if method == "exact":
        assert result.bound == pytest.approx(value, rel=1e-9)


# Relaxations of the table bounded by the (1, 1) of the others.
@pytest.mark.parametrize("method", ["lp", "lagrangian", "lp-compact"])
@pytest.mark.parametrize(("problem", "value"), [(example_1(8), 1008 + 1 / 3), (example_3(), 95103.8889)])
def test_known_relaxations(problem, value, method):
    bound = dmlopt.solve(problem, method).bound
    assert bound <= value * (1 + 1e-9)
    assert bound == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("kinds", [1, 3])
def test_copies_of_jobs(kinds):
    problem = GENERATOR.generate(2, jobs=14, kinds=kinds, load=0.5)
    result = dmlopt.solve(problem, "exact")
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(dmlopt.solve(problem, "mip-highs").objective, rel=1e-7)


def test_sandwich():
    problem = GENERATOR.generate(11, cluster="optimus-testbed", jobs=12)
    results = {method.name: dmlopt.solve(problem, method.name) for method in METHODS if method.name != "dp"}
    best = results["exact"]
    assert best.status is Status.OPTIMAL
    for name, result in results.items():
        if result.objective is not None:
            assert result.objective >= best.bound * (1 - 1e-9), name
        if result.bound is not None:
            assert result.bound <= best.objective * (1 + 1e-9), name


def test_warm_start_from_the_greedy():
    problem = GENERATOR.generate(12, cluster="gpu-8x8-a100", jobs=15)
    start = greedy(problem, "greedy-share-skip").solution
    result = dmlopt.solve(problem, "exact", start=start)
    assert result.status is Status.OPTIMAL
    assert result.objective <= check(problem, start).objective
