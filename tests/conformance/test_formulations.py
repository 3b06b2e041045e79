"""Every registered formulation: its files, its generator, its checker, its methods' options and limits."""

import time

import pytest

from dmlopt import registry
from dmlopt.conformance import MethodCase, known_from
from dmlopt.conformance.suite import (
    AGREEMENT,
    GENERATOR_CHECKS,
    INSTANCE_CHECKS,
    METHOD_CHECKS,
    METHOD_OPTIONS,
    SHORT_LIMIT,
    TIME_LIMIT,
    WRONG_SOLUTIONS,
    answer_of,
    apply,
    instance_of,
    instances_of,
    long_instances,
)
from dmlopt.library import SIZES, entries
from dmlopt.library.best_known import read_table
from dmlopt.library.verify import stored_answers

FORMULATIONS = registry.formulation_names()
METHODS = [(name, method) for name in FORMULATIONS for method in registry.methods(name)]
ENTRIES = [each for name in registry.library_names() for size in SIZES for each in entries(name, size)]
SMALL = [each for each in ENTRIES if each.size in ("toy", "small")]
BIG = [each for each in ENTRIES if each.size in ("medium", "large")]
LONG = [
    (name, instance, method)
    for name in FORMULATIONS
    for instance in long_instances(name, instances_of(name))
    for method in registry.methods(name)
]
PATIENCE = 4  # attempts on a busy machine
IN_TIME = [
    each for each in METHOD_CHECKS if each.name in ("verdict", "sandwich", "claims", "certificate", "trace")
]


def texts(found):
    return [str(each) for each in found]


def of_name(each):
    return each.full_name


@pytest.mark.parametrize("name", FORMULATIONS)
def test_every_formulation_has_a_library_of_all_sizes(name):
    assert {each.size for each in entries(name)} == set(SIZES)


@pytest.mark.parametrize("check", GENERATOR_CHECKS, ids=lambda each: each.name)
@pytest.mark.parametrize("name", registry.generator_names())
def test_generator(name, check):
    assert texts(apply(check, name, name)) == []


@pytest.mark.parametrize("check", INSTANCE_CHECKS, ids=lambda each: each.name)
@pytest.mark.parametrize("entry", ENTRIES, ids=of_name)
def test_instance_files(entry, check):
    most = (10,) if check.name == "wrong instances" and entry in BIG else ()
    assert texts(apply(check, entry.name, entry.problem(), *most)) == []


@pytest.mark.parametrize("entry", ENTRIES, ids=of_name)
def test_changed_solutions_are_refused_or_no_better_than_the_optimum(entry):
    known = instance_of(entry).known
    if known.optimum is None:
        pytest.skip("no proven optimum to compare with")
    problem = entry.problem()
    solution, _ = stored_answers(entry, read_table(entry.folder)[entry.name], problem)
    most = 2000 if entry in SMALL else 60
    assert texts(apply(WRONG_SOLUTIONS, entry.name, problem, solution, known.optimum, most)) == []


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_options(name, method):
    problem = instances_of(name)[0].problem
    assert texts(apply(METHOD_OPTIONS, method, problem, method)) == []


@pytest.mark.parametrize("entry", [each for each in SMALL if each.size == "toy"], ids=of_name)
def test_all_methods_against_each_other(entry):
    """Every value against every certified bound, whoever found it; exact methods find one optimum."""
    instance = instance_of(entry)
    sense = registry.formulation(entry.formulation).sense
    cases = [
        MethodCase(instance.problem, method, instance.known) for method in registry.methods(entry.formulation)
    ]
    answered = [(case, result) for case in cases if (result := answer_of(case)) is not None]
    results = [result for _, result in answered]
    assert texts(apply(AGREEMENT, entry.name, results)) == []
    known = known_from(results, sense, instance.known)
    for case, _ in answered:
        case.known = known
        for check in METHOD_CHECKS:
            if check.name in ("sandwich", "claims", "trace"):
                assert texts(apply(check, case.method, case)) == []


@pytest.mark.parametrize(
    ("name", "instance", "method"), LONG, ids=lambda each: getattr(each, "name", str(each))
)
def test_time_limit(name, instance, method):
    """On instances that most methods cannot finish in time: they end in time, and what they have by then holds."""
    case = MethodCase(instance.problem, method, instance.known, SHORT_LIMIT)
    for _ in range(PATIENCE):  # a machine that is busy with something else is late, not the method
        found = apply(TIME_LIMIT, method, case)
        if not found:
            break
        time.sleep(2.0)
    assert texts(found) == []


@pytest.mark.long
@pytest.mark.parametrize("entry", BIG, ids=of_name)
def test_medium_and_large_instances(entry):
    instance = instance_of(entry)
    for method in registry.methods(entry.formulation):
        case = MethodCase(instance.problem, method, instance.known, 5.0)
        if answer_of(case) is not None:
            found = [each for check in IN_TIME for each in apply(check, method, case)]
            assert texts(found) == []
