"""Honest methods pass everything; every planted defect is found by the check that is named for it."""

import random

import pytest
from toy import ToyProblem

from dmlopt.conformance import suite
from dmlopt.registry import Method, Option
from tests.conformance.plants import LIARS, PlantFormulation, PlantGenerator, online

HONEST = ["honest-exact", "honest-bound", "honest-online", "honest-random", "honest-slow"]


def findings(methods):
    found = [each for _, group in suite.run("toy", methods) for each in group]
    return {each.check for each in found}, found


def test_honest_methods_pass(plant):
    plant()
    made = list(suite.run("toy"))
    assert [str(each) for _, found in made for each in found] == []
    assert {check.name for check, _ in made} == {check.name for check in suite.ALL_CHECKS}


@pytest.mark.parametrize("name", LIARS)
def test_every_liar_is_found(plant, name):
    kind, function, expected = LIARS[name]
    plant().extra.append(Method("liar", kind, "", function))
    names, found = findings(["honest-exact", "liar"])
    assert expected in names, found
    blamed = [each for each in found if each.check == expected]
    assert all("liar" in f"{each.where} {each.message}" for each in blamed)
    assert not [each for each in found if "honest" in each.where]


def test_one_defect_does_not_set_off_every_alarm(plant):
    plant().extra.append(Method("liar", "heuristic", "", LIARS["time: the limit is ignored"][1]))
    assert findings(["liar"])[0] == {"time limit"}
    plant().extra.append(Method("liar", "online", "", LIARS["look ahead: later jobs are sorted in"][1]))
    assert findings(["liar"])[0] == {"look ahead"}


def test_look_ahead_needs_arrivals(plant):
    class Plain(PlantFormulation):
        arrival_order = None  # not offered

    plant(Plain())
    made = {check.name for check, _ in suite.run("toy", ["honest-online"])}
    assert "look ahead" not in made


@pytest.mark.parametrize(
    "option",
    [
        Option("size", int, "many", "a default of another type"),
        Option("size", int, 2.5, "a default that is not whole"),
        Option("mode", str, "fast", "a default that is no choice", ("slow", "slower")),
    ],
)
def test_wrong_options_are_found(plant, option):
    plant().extra.append(Method("liar", "heuristic", "", online, (option,)))
    assert "options" in findings(["liar"])[0]


# -------------------------------------------------------------------- formulations and generators that are wrong


class GenerousChecker(PlantFormulation):
    def check(self, problem, solution):
        roomy = ToyProblem(10**6, problem.values, problem.uses)
        return super().check(roomy, solution)


class RaisingChecker(PlantFormulation):
    def check(self, problem, solution):
        if sum(solution) > 3:
            raise KeyError("too many")
        return super().check(problem, solution)


class RaisingReader(PlantFormulation):
    def solution_from_json(self, problem, data):
        return super().solution_from_json(problem, [int(each) for each in data])


class CarelessReader(PlantFormulation):
    def problem_from_json(self, data):
        return super().problem_from_json({key: data[key] for key in ("capacity", "jobs") if key in data})


class RaisingInstances(PlantFormulation):
    def problem_from_json(self, data):
        return ToyProblem(
            data["capacity"],
            tuple(tuple(job["values"]) for job in data["jobs"]),
            tuple(tuple(job["uses"]) for job in data["jobs"]),
        )


class LossyInstances(PlantFormulation):
    def problem_from_json(self, data):
        read = super().problem_from_json(data)
        return ToyProblem(read.capacity + 1, read.values, read.uses)


class LossySolutions(PlantFormulation):
    def solution_from_json(self, problem, data):
        return tuple(reversed(super().solution_from_json(problem, data)))


@pytest.mark.parametrize(
    ("formulation", "expected"),
    [
        (GenerousChecker, "wrong solutions"),
        (RaisingChecker, "wrong solutions"),
        (RaisingReader, "wrong solutions"),
        (CarelessReader, "wrong instances"),
        (RaisingInstances, "wrong instances"),
        (LossyInstances, "instance file"),
        (LossySolutions, "round trip"),
    ],
)
def test_every_wrong_formulation_is_found(plant, formulation, expected):
    plant(formulation())
    assert expected in findings(["honest-exact", "honest-random"])[0]


class ForgetfulGenerator(PlantGenerator):
    def generate(self, seed, jobs):
        return super().generate(0, jobs)


class ChanceGenerator(PlantGenerator):
    def generate(self, seed, jobs):
        return super().generate(random.SystemRandom().randrange(10**9) * 3 + seed, jobs + random.randrange(3))


@pytest.mark.parametrize(
    ("generator", "expected"),
    [
        (ForgetfulGenerator, "generator"),
        (ChanceGenerator, "generator"),
    ],
)
def test_every_wrong_generator_is_found(plant, generator, expected):
    plant(None, generator())
    assert expected in findings(["honest-bound"])[0]
