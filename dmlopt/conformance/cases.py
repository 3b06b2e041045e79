"""What the checks are about: a method on an instance, run twice, beside what is certain about the instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dmlopt import registry
from dmlopt.api import solve
from dmlopt.files import decode, encode, instance_hash
from dmlopt.registry import Formulation, Method
from dmlopt.result import Result, Status
from dmlopt.strict_json import compact
from dmlopt.verify import beats

CLOSED = 1e-9  # the largest relative gap that counts as proven
OPPOSITE = {"min": "max", "max": "min"}


@dataclass(frozen=True)
class Check:
    """A check by name: `run` yields what is wrong, a text each; nothing when all is well.

    `applies` says whether there is something to check: a check that had nothing to look at is not counted as passed.
    """

    name: str
    about: str
    run: Callable[..., Iterator[str]]
    applies: Callable[..., bool] = lambda *_: True


@dataclass(frozen=True)
class Finding:
    """Something that does not conform: which check says so, about what, and why."""

    check: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.where}: {self.message}"


@dataclass(frozen=True)
class Known:
    """What is certain about an instance: a checked value, a certified bound, or that nothing is feasible."""

    value: float | None = None
    bound: float | None = None
    infeasible: bool = False

    @property
    def optimum(self) -> float | None:
        """The value, where the bound meets it."""
        if self.value is None or self.bound is None:
            return None
        return self.value if abs(self.value - self.bound) <= CLOSED * max(abs(self.value), CLOSED) else None


def known_from(results: Iterable[Result], sense: str, known: Known | None = None) -> Known:
    """The best checked value and the best certified bound among results, and what was known before."""
    value, bound, infeasible = (
        (None, None, False) if known is None else (known.value, known.bound, known.infeasible)
    )
    for result in results:
        if result.status is Status.ERROR:
            continue
        if result.objective is not None and (value is None or beats(result.objective, value, sense)):
            value = result.objective
        if result.bound is not None and (bound is None or beats(result.bound, bound, OPPOSITE[sense])):
            bound = result.bound
        infeasible = infeasible or (result.status is Status.INFEASIBLE and result.certificate is not None)
    return Known(value, bound, infeasible)


def fresh(problem: Any) -> Any:
    """A copy that shares nothing with the problem, by way of its file."""
    return decode(compact(encode(problem)).encode(), "copy")


@dataclass
class MethodCase:
    """A method on an instance. `first` and `second` are two runs of it, each on a copy of the problem of its own."""

    problem: Any
    method: str
    known: Known = field(default_factory=Known)
    time_limit: float | None = 10.0
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def formulation(self) -> Formulation:
        """The formulation of the problem."""
        return registry.formulation_of(self.problem)

    @property
    def registered(self) -> Method:
        """The method's entry in the registry."""
        return registry.find_method(self.formulation.name, self.method)

    def run(self, problem: Any) -> Result:
        """One run, in one thread."""
        return solve(
            problem, self.method, time_limit=self.time_limit, threads=1, seed=self.seed, **self.options
        )

    @cached_property
    def _first(self) -> tuple[Result, str]:
        copy = fresh(self.problem)
        result = self.run(copy)
        return result, instance_hash(copy)

    @property
    def first(self) -> Result:
        """The answer of the first run."""
        return self._first[0]

    @property
    def hash_after(self) -> str:
        """The hash of the problem that the first run was given, after it."""
        return self._first[1]

    @cached_property
    def second(self) -> Result:
        """The answer of the second run, with the same seed and options."""
        return self.run(fresh(self.problem))
