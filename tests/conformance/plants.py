"""A formulation in which everything can be made to lie: honest methods to compare with, and one defect at a time.

Every job has a plan of value 1 and use 1, and one of value 5 and use 3. With room for k of the large ones the optimum is
jobs + 4 k, and the price 2 proves it: 2 (jobs + 2 k) + jobs max(1 - 2, 5 - 6) = jobs + 4 k.
"""

from __future__ import annotations

import itertools
import random
import time
from typing import Any

import toy
from toy import ToyFormulation, ToyProblem

from dmlopt.registry import Method, Option, Request
from dmlopt.result import Answer, TracePoint

JOBS = 5
SMALL, LARGE = (1.0, 1), (5.0, 3)


class PlantGenerator:
    """Room for 1 to 3 large plans among 5 jobs."""

    formulation = "toy"
    options = (Option("jobs", int, JOBS, "how many"),)

    def generate(self, seed: int, jobs: int) -> ToyProblem:
        room = jobs + 2 * (1 + seed % 3)
        return ToyProblem(room, ((SMALL[0], LARGE[0]),) * jobs, ((SMALL[1], LARGE[1]),) * jobs)

    def clusters(self) -> dict[str, str]:
        return {}


class PlantFormulation(ToyFormulation):
    """The toy with honest methods, with arrivals, and with whatever a test puts into `extra`."""

    def methods(self) -> list[Method]:
        pace = (Option("pace", float, 0.0, "seconds to wait"),)
        return [
            Method("honest-exact", "exact", "enumerates, proves by a price", exact, pace),
            Method("honest-bound", "bound", "the price 2", lambda p, r: Answer(certificate=toy.leaf(p, 2.0))),
            Method("honest-online", "online", "an equal share for everybody", online),
            Method("honest-random", "heuristic", "large plans drawn with the seed", drawn),
            Method("honest-slow", "heuristic", "works until its time is over", slow),
            *self.extra,
        ]

    def arrival_order(self, problem: ToyProblem) -> list[int]:
        return list(range(len(problem.values)))

    def with_later_changed(self, problem: ToyProblem, position: int, seed: int) -> ToyProblem:
        chance = random.Random(seed)
        values = list(problem.values)
        for job in range(position + 1, len(values)):
            values[job] = (1.0, 1.0 + chance.randint(0, 30))
        return ToyProblem(problem.capacity, tuple(values), problem.uses)

    def decision(self, solution: tuple[int, ...], job: int) -> Any:
        return {"plan": solution[job]}


def value(problem: ToyProblem, choice: tuple[int, ...]) -> float:
    return sum(problem.values[job][plan] for job, plan in enumerate(choice))


def use(problem: ToyProblem, choice: tuple[int, ...]) -> int:
    return sum(problem.uses[job][plan] for job, plan in enumerate(choice))


def best(problem: ToyProblem) -> tuple[int, ...]:
    """The optimum, by enumeration; of several the first."""
    choices = itertools.product(*(range(len(plans)) for plans in problem.values))
    return max(
        (each for each in choices if use(problem, each) <= problem.capacity), key=lambda c: value(problem, c)
    )


def exact(problem: ToyProblem, request: Request) -> Answer:
    time.sleep(request.options["pace"])
    found = best(problem)
    trace = [TracePoint(0.0, None, 100.0), TracePoint(0.0, value(problem, found), None)]
    return Answer(solution=found, certificate=toy.leaf(problem, 2.0), trace=trace)


def filled(problem: ToyProblem, order: list[int]) -> tuple[int, ...]:
    """Large plans for the jobs in that order, as long as there is room."""
    choice = [0] * len(problem.values)
    for job in order:
        choice[job] = 1
        if use(problem, tuple(choice)) > problem.capacity:
            choice[job] = 0
    return tuple(choice)


def online(problem: ToyProblem, request: Request) -> Answer:
    share = problem.capacity // len(problem.values)
    return Answer(solution=tuple(int(uses[1] <= share) for uses in problem.uses))


def drawn(problem: ToyProblem, request: Request) -> Answer:
    order = list(range(len(problem.values)))
    random.Random(request.seed).shuffle(order)
    return Answer(solution=filled(problem, order))


def slow(problem: ToyProblem, request: Request) -> Answer:
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end and not request.clock.expired():
        time.sleep(0.01)
    return Answer(solution=filled(problem, []))


# -------------------------------------------------------------------- methods that lie


def poor_but_claimed(problem: ToyProblem, request: Request) -> Answer:
    return Answer(solution=filled(problem, []), claimed_optimal=True)


def boasting_trace(problem: ToyProblem, request: Request) -> Answer:
    return Answer(solution=filled(problem, []), trace=[TracePoint(0.0, value(problem, best(problem)), None)])


def false_trace_bound(problem: ToyProblem, request: Request) -> Answer:
    return Answer(solution=filled(problem, []), trace=[TracePoint(0.0, None, 6.0)])


def forged_certificate(problem: ToyProblem, request: Request) -> Answer:
    node = {"node": "leaf", "prices": [2 * 2**toy.BITS], "bound": 5.0}
    return Answer(solution=filled(problem, []), certificate=toy._sealed(node))


def another_instance(problem: ToyProblem, request: Request) -> Answer:
    smaller = ToyProblem(problem.capacity - 2, problem.values, problem.uses)
    return Answer(certificate=toy.leaf(smaller, 2.0))


def claimed_bound_too_tight(problem: ToyProblem, request: Request) -> Answer:
    return Answer(claimed_bound=value(problem, best(problem)) - 1)


def infeasible_solution(problem: ToyProblem, request: Request) -> Answer:
    return Answer(solution=(1,) * len(problem.values))


def no_solution_at_all(problem: ToyProblem, request: Request) -> Answer:
    return Answer(solution={"nothing": "of the kind"})


def claimed_infeasible(problem: ToyProblem, request: Request) -> Answer:
    return Answer(claimed_infeasible=True)


def false_ray(problem: ToyProblem, request: Request) -> Answer:
    return Answer(certificate=toy.ray())


def ignores_the_limit(problem: ToyProblem, request: Request) -> Answer:
    time.sleep(1.7 if (request.clock.time_limit or 10) < 1 else 0)  # only where it is tested: tests are short
    return Answer(solution=filled(problem, []))


def by_chance(problem: ToyProblem, request: Request) -> Answer:
    order = list(range(len(problem.values)))
    chance = random.SystemRandom()
    while order == sorted(order) or order == by_chance.last:
        chance.shuffle(order)
    by_chance.last = list(order)
    return Answer(
        solution=tuple(int(job == order[0]) for job in range(len(order))), claimed_bound=100 + chance.random()
    )


by_chance.last = []


def peeks(problem: ToyProblem, request: Request) -> Answer:
    order = sorted(range(len(problem.values)), key=lambda job: -problem.values[job][1])
    return Answer(solution=filled(problem, order))


def counts_the_later(problem: ToyProblem, request: Request) -> Answer:
    """Only the sum of later values is peeked at."""
    rich = sum(plans[1] for plans in problem.values) > 5.0 * len(problem.values)
    return Answer(solution=filled(problem, [] if rich else [0]))


def changes_the_problem(problem: ToyProblem, request: Request) -> Answer:
    object.__setattr__(problem, "capacity", 1000)
    return Answer(solution=(1,) * len(problem.values))


def changes_it_quietly(problem: ToyProblem, request: Request) -> Answer:
    object.__setattr__(problem, "capacity", problem.capacity + 1)
    return Answer(solution=filled(problem, []))


def raises(problem: ToyProblem, request: Request) -> Answer:
    raise ZeroDivisionError("division by zero")


# name: (kind, function, the check that must find it)
LIARS: dict[str, tuple[str, Any, str]] = {
    "value: a poor solution called optimal": ("exact", poor_but_claimed, "claims"),
    "value: exact methods that disagree": ("exact", poor_but_claimed, "agreement"),
    "value: a trace that boasts": ("heuristic", boasting_trace, "trace"),
    "bound: a trace with a bound that is beaten": ("heuristic", false_trace_bound, "trace"),
    "bound: a forged certificate": ("heuristic", forged_certificate, "certificate"),
    "bound: a forged certificate is no verdict": ("heuristic", forged_certificate, "verdict"),
    "bound: the certificate of another instance": ("bound", another_instance, "certificate"),
    "bound: claimed too tight": ("bound", claimed_bound_too_tight, "claims"),
    "feasibility: too much is used": ("heuristic", infeasible_solution, "verdict"),
    "feasibility: not a solution": ("heuristic", no_solution_at_all, "verdict"),
    "feasibility: nothing is feasible, they say": ("exact", claimed_infeasible, "sandwich"),
    "feasibility: a ray that proves nothing": ("exact", false_ray, "certificate"),
    "time: the limit is ignored": ("heuristic", ignores_the_limit, "time limit"),
    "chance: another answer every time": ("heuristic", by_chance, "repeatable"),
    "look ahead: later jobs are sorted in": ("online", peeks, "look ahead"),
    "look ahead: only their sum is used": ("online", counts_the_later, "look ahead"),
    "problem: changed, and solved as changed": ("heuristic", changes_the_problem, "untouched"),
    "problem: changed a little": ("heuristic", changes_it_quietly, "untouched"),
    "kind: a bound with a solution": ("bound", lambda p, r: Answer(solution=filled(p, [])), "kind"),
    "kind: a heuristic without one": ("heuristic", lambda p, r: Answer(claimed_bound=1e3), "kind"),
    "errors: an exception of its own": ("heuristic", raises, "answers"),
}
