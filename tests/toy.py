"""A formulation small enough to know every answer: a plan per job, one capacity, the largest total value."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dmlopt import registry
from dmlopt.check import Verdict, Violation
from dmlopt.engine.certificate import FORMAT, seal
from dmlopt.fields import Fields
from dmlopt.packing import Packing
from dmlopt.registry import Method, Option, Request
from dmlopt.result import Answer, Limit, Shortage, TracePoint
from dmlopt.table import PlanTable

BITS = 30


@dataclass(frozen=True)
class ToyProblem:
    """values[j][k] and uses[j][k] of plan k of job j."""

    capacity: int
    values: tuple[tuple[float, ...], ...]
    uses: tuple[tuple[int, ...], ...]


# Capacity 8: the plans (0, 1, 0) use 2 + 4 + 1 = 7 and are worth 1 + 8 + 2 = 11; the others that fit are
# worth less: (1, 0, 0) 3.5 + 5 + 2 = 10.5, (0, 0, 1) 1 + 5 + 3 = 9, (0, 0, 0) 1 + 5 + 2 = 8.
TIGHT = ToyProblem(8, ((1.0, 3.5), (5.0, 8.0), (2.0, 3.0)), ((2, 5), (2, 4), (1, 4)))
TIGHT_OPTIMUM = (0, 1, 0)
# Everything fits: the best plan of each job, 3.5 + 8 + 3 = 14.5, proven by the price 0.
SLACK = ToyProblem(100, TIGHT.values, TIGHT.uses)
SLACK_OPTIMUM = (1, 1, 1)
# The least use is 2 + 2 + 1 = 5.
SHORT = ToyProblem(4, TIGHT.values, TIGHT.uses)


def leaf(problem: ToyProblem, price: float = 0.0) -> dict[str, Any]:
    """The certificate that bounds the value by one price."""
    pairs = zip(problem.values, problem.uses, strict=True)
    best = [max(v - price * u for v, u in zip(*each, strict=True)) for each in pairs]
    return _sealed(
        {"node": "leaf", "prices": [int(price * 2**BITS)], "bound": price * problem.capacity + sum(best)}
    )


def ray() -> dict[str, Any]:
    """The certificate that says nothing is feasible."""
    return _sealed({"node": "ray", "prices": [2**BITS]})


def _sealed(node: dict[str, Any]) -> dict[str, Any]:
    return seal({"format": FORMAT, "bits": BITS, "classes": [], "nodes": [node]})


class ToyFormulation:
    """The registered object; tests put methods into `extra`."""

    name = "toy"
    title = "A toy"
    sense = "max"
    problem_type: type = ToyProblem

    def __init__(self) -> None:
        self.extra: list[Method] = []

    def problem_from_json(self, data: Any) -> ToyProblem:
        root = Fields(data)
        capacity = root.get("capacity").integer(minimum=0)
        jobs = root.get("jobs").items(min_length=1)
        values = tuple(tuple(v.number() for v in job.get("values").items(1)) for job in jobs)
        uses = tuple(tuple(u.integer(0) for u in job.get("uses").items(1)) for job in jobs)
        for job, plans, room in zip(jobs, values, uses, strict=True):
            job.no_unknown({"values", "uses"})
            if plans and room and len(plans) != len(room):  # an empty one was complained about
                job.complain("expected as many uses as values")
        root.no_unknown({"capacity", "jobs"})
        root.finish()
        return ToyProblem(capacity, values, uses)

    def problem_to_json(self, problem: ToyProblem) -> dict[str, Any]:
        pairs = zip(problem.values, problem.uses, strict=True)
        return {
            "capacity": problem.capacity,
            "jobs": [{"values": list(v), "uses": list(u)} for v, u in pairs],
        }

    def solution_from_json(self, problem: ToyProblem, data: Any) -> tuple[int, ...]:
        root = Fields({"choice": data})
        choices = root.get("choice").items(length=len(problem.values))
        found = tuple(
            each.integer(0, len(plans) - 1) for each, plans in zip(choices, problem.values, strict=False)
        )
        root.finish()
        return found

    def solution_to_json(self, solution: tuple[int, ...]) -> list[int]:
        return list(solution)

    def check(self, problem: ToyProblem, solution: tuple[int, ...]) -> Verdict:
        pairs = list(enumerate(solution))
        use = sum(problem.uses[job][plan] for job, plan in pairs)
        value = sum(problem.values[job][plan] for job, plan in pairs)
        if use <= problem.capacity:
            return Verdict(value)
        over = use - problem.capacity
        return Verdict(value, (Violation("capacity (1)", "room", over, f"{over} too much"),))

    def plain_packing(self, problem: ToyProblem) -> Packing:
        sizes = [len(values) for values in problem.values]
        table = PlanTable(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate(problem.values),
            np.concatenate(problem.uses)[:, None],
        )
        ones = np.ones(len(sizes), dtype=np.int64)
        return Packing(table, np.array([problem.capacity]), ones, ones, ("room",))

    def methods(self) -> list[Method]:
        return [
            Method("best", "exact", "enumerates", _best, (Option("pace", float, 0.0, "seconds to wait"),)),
            Method("slow", "exact", "works until it is stopped", _slow),
            Method("bound", "bound", "price 0", _bound),
            *self.extra,
        ]

    def describe(self, problem: ToyProblem) -> str:
        return f"{len(problem.values)} toy jobs"


def _best(problem: ToyProblem, request: Request) -> Answer:
    time.sleep(request.options["pace"])
    choices = (
        np.array(np.meshgrid(*[range(len(v)) for v in problem.values])).reshape(len(problem.values), -1).T
    )
    best: tuple[float, tuple[int, ...]] | None = None
    for choice in choices.tolist():
        use = sum(problem.uses[j][k] for j, k in enumerate(choice))
        value = sum(problem.values[j][k] for j, k in enumerate(choice))
        if use <= problem.capacity and (best is None or value > best[0]):
            best = (value, tuple(choice))
    if best is None:
        return Answer(
            certificate=ray(),
            shortage=Shortage("row", ("room",), (1.0,), "room is short by 1: 5 needed, 4 there"),
        )
    return Answer(
        solution=best[1],
        certificate=leaf(problem),
        prices={"room": 0.0},
        trace=[TracePoint(0.0, best[0], 14.5)],
    )


def _slow(problem: ToyProblem, request: Request) -> Answer:
    print("started", flush=True)
    while not request.clock.expired():
        time.sleep(0.01)
    limit = Limit.INTERRUPTED if request.clock.interrupted else Limit.TIME
    return Answer(solution=(0, 0, 0), certificate=leaf(problem), limit=limit)


def _bound(problem: ToyProblem, request: Request) -> Answer:
    return Answer(certificate=leaf(problem))


class ToyGenerator:
    """`jobs` copies of the first job of TIGHT."""

    formulation = "toy"
    options = (
        Option("cluster", str, "small", "where", ("small", "large")),
        Option("jobs", int, 3, "how many"),
        Option("load", float, 1.0, "how tight"),
    )

    def generate(self, seed: int, cluster: str, jobs: int, load: float) -> ToyProblem:
        room = int((6 if cluster == "small" else 9) * jobs / load) + seed
        return ToyProblem(room, TIGHT.values[:1] * jobs, TIGHT.uses[:1] * jobs)

    def clusters(self) -> dict[str, str]:
        return {"small": "6 units per job", "large": "9 units per job"}


class _Point:
    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self._value = value

    def load(self) -> Any:
        return self._value


def install(
    library: Path | None = None, toy: ToyFormulation | None = None, generator: Any = None
) -> ToyFormulation:
    """Make the toy the only formulation of this process, with a library in that folder; returns it."""
    toy = toy or ToyFormulation()
    points = {
        "dmlopt.formulations": {"toy": _Point("toy", toy)},
        "dmlopt.generators": {"toy": _Point("toy", generator or ToyGenerator())},
        "dmlopt.libraries": {} if library is None else {"toy": _Point("toy", library)},
    }
    registry._entry_points = points.__getitem__  # type: ignore[assignment]
    clear()
    return toy


def clear() -> None:
    """Forget what the registry has cached."""
    registry._loaded.cache_clear()
