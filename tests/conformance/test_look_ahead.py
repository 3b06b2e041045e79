"""The check for looking ahead is made on what is installed, not only on what was planted."""

import pytest

from dmlopt import registry
from dmlopt.conformance import MethodCase, look_ahead, suite
from dmlopt.conformance.suite import instances_of
from dmlopt.registry import OffersArrivals

ONLINE = [
    (name, method)
    for name in registry.formulation_names()
    if isinstance(registry.formulation(name), OffersArrivals)
    for method in registry.methods(name)
    if registry.find_method(name, method).kind == "online"
]


def test_there_are_online_methods():
    assert ("oasis", "primal-dual") in ONLINE


@pytest.mark.parametrize(("name", "method"), ONLINE)
def test_an_online_method_is_run_on_changed_futures(name, method, monkeypatch):
    """Every toy instance with more than one job: the check applies, and runs the method on problems that differ."""
    seen = []
    run = MethodCase.run
    monkeypatch.setattr(
        MethodCase, "run", lambda self, problem: (seen.append(problem), run(self, problem))[1]
    )
    check = next(each for each in suite.METHOD_CHECKS if each.name == "look ahead")
    admitted = 0
    for instance in instances_of(name):
        case = MethodCase(instance.problem, method, instance.known)
        assert check.applies(case)
        order = case.formulation.arrival_order(case.problem)
        positions = {0, len(order) // 2, len(order) - 2} & set(range(len(order) - 1))
        first = case.first
        seen.clear()
        assert list(check.run(case)) == []
        assert len(seen) == len(positions) * len(look_ahead.SEEDS)
        assert all(each != case.problem for each in seen)
        admitted += sum(case.formulation.decision(first.solution, job) is not None for job in order)
    assert admitted > 0


@pytest.mark.parametrize(("name", "method"), ONLINE)
def test_an_answer_to_another_problem_is_noticed(name, method):
    """What was decided for other jobs is put in place of the answer: the comparison can fail."""
    noticed = 0
    for instance in instances_of(name):
        case = MethodCase(instance.problem, method, instance.known)
        formulation = case.formulation
        other = MethodCase(formulation.with_later_changed(case.problem, 0, 5), method)
        case.__dict__["_first"] = other._first
        noticed += bool(list(look_ahead.no_look_ahead(case)))
    assert noticed > 0
