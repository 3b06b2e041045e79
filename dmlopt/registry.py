"""Formulations, methods, generators and libraries of instances by name.

Packages announce themselves through the entry points `dmlopt.formulations`, `dmlopt.generators` and
`dmlopt.libraries`, so that a user's own package can add one; `@method` adds a method to a formulation without packaging.
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from dmlopt.check import Verdict
from dmlopt.control import Clock, Progress
from dmlopt.errors import BackendError, InputError, UnknownNameError, expected_one_of
from dmlopt.packing import Packing
from dmlopt.result import Answer

KINDS = ("exact", "bound", "heuristic", "online")
GROUPS = {
    "formulation": "dmlopt.formulations",
    "generator": "dmlopt.generators",
    "library": "dmlopt.libraries",
}
_SPELLED = {int: "an integer", float: "a finite number", bool: "true or false", str: "a text"}


@dataclass(frozen=True)
class Option:
    """One option of a method or generator: how to read it, its default, what it does."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[Any, ...] = ()

    def read(self, value: Any, path: str) -> Any:
        """Convert and validate a value that came from Python or from `--set name=value`."""
        if value is None and self.default is None:
            return None
        if self.type is bool and isinstance(value, str):
            if value.lower() not in ("true", "false", "yes", "no", "1", "0"):
                raise InputError(f"{path}: expected true or false, got '{value}'")
            value = value.lower() in ("true", "yes", "1")
        try:
            if isinstance(value, bool) != (self.type is bool) and not isinstance(value, str):
                raise ValueError
            converted = self.type(value)
            if self.type is int and not isinstance(value, str) and converted != value:
                raise ValueError
            if self.type is float and not math.isfinite(converted):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{path}: expected {_SPELLED.get(self.type, 'a value')}, got {value!r}"
            ) from None
        if self.choices and converted not in self.choices:
            raise InputError(f"{path}: {expected_one_of(value, map(str, self.choices))}")
        return converted


def read_options(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options with defaults filled in; unknown names are answered with the nearest valid one."""
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            raise UnknownNameError("option", name, known)
    return {name: option.read(given.get(name, option.default), name) for name, option in known.items()}


@dataclass
class Request:
    """Everything about a run that is not the problem: limits, seed, warm start, options of the method."""

    clock: Clock = field(default_factory=Clock)
    gap: float = 1e-9
    threads: int = 1
    seed: int = 0
    start: Any | None = None
    prices: Mapping[str, float] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    progress: Callable[[Progress], None] = field(default=lambda _: None)


@dataclass(frozen=True)
class Method:
    """A named way to solve or bound the problems of one formulation."""

    name: str
    kind: str
    summary: str
    run: Callable[[Any, Request], Answer]
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"method '{self.name}': kind: {expected_one_of(self.kind, KINDS)}")


class Formulation(Protocol):
    """What a paper's folder offers to the rest of dmlopt: one object per formulation, an entry point."""

    name: str
    title: str
    sense: str  # "min" or "max": the direction of the paper's objective
    problem_type: type

    def problem_from_json(self, data: Mapping[str, Any]) -> Any:
        """Validated problem from instance JSON; raises InputError listing every wrong field by its path."""
        ...

    def problem_to_json(self, problem: Any) -> dict[str, Any]:
        """The instance fields, without `format` and `formulation`."""
        ...

    def solution_from_json(self, problem: Any, data: Any) -> Any:
        """Solution in the paper's own terms; raises InputError when it does not have the right shape."""
        ...

    def solution_to_json(self, solution: Any) -> Any:
        """JSON form of a solution."""
        ...

    def check(self, problem: Any, solution: Any) -> Verdict:
        """Objective and violated constraints, from the paper's constraints and the data alone."""
        ...

    def plain_packing(self, problem: Any) -> Packing:
        """Problem (P) over the whole, unpruned plan set (a PlainPlanner), for checking certificates."""
        ...

    def methods(self) -> Sequence[Method]:
        """The methods this formulation offers."""
        ...

    def describe(self, problem: Any) -> str:
        """One line about an instance: sizes, load."""
        ...


@runtime_checkable
class OffersReference(Protocol):
    """A formulation that can state the paper's own program; optional, used by `dmlopt export`."""

    def reference_program(self, problem: Any, clock: Clock) -> Any:
        """The paper's program as a pulp.LpProblem that minimises; OutOfTime when the clock runs out meanwhile."""
        ...


@runtime_checkable
class OffersPlans(Protocol):
    """A formulation with a pruned plan table; optional. Without it the plain plan set is exported."""

    def packing(self, problem: Any) -> Packing:
        """Problem (P) over the plans that are worth keeping."""
        ...


@runtime_checkable
class OffersArrivals(Protocol):
    """A formulation whose jobs arrive over time; optional. With it, online methods are tested for looking ahead."""

    def arrival_order(self, problem: Any) -> Sequence[int]:
        """The jobs in the order in which they become known."""
        ...

    def with_later_changed(self, problem: Any, position: int, seed: int) -> Any:
        """The problem with all jobs after `position` in that order changed at random.

        The jobs up to `position` keep their numbers and their data, and so does whatever an online method may know from
        the start (the cluster, price constants). Later jobs still arrive after the one at `position`.
        """
        ...

    def decision(self, solution: Any, job: int) -> Any:
        """What a solution decides for a job, as JSON data: what may not depend on later jobs."""
        ...


@runtime_checkable
class OffersPreparation(Protocol):
    """A formulation whose first use in a process takes long, whatever the problem (compiling, say); optional."""

    def prepare(self) -> None:
        """Do it now; calling it again costs nothing. No run's time limit pays for it."""
        ...


class Generator(Protocol):
    """Builds random problems of one formulation."""

    formulation: str
    options: tuple[Option, ...]

    def generate(self, seed: int, **options: Any) -> Any:
        """A problem; the same seed and options give the same bytes."""
        ...

    def clusters(self) -> Mapping[str, str]:
        """Named clusters with a line about each."""
        ...


_added: dict[str, dict[str, Method]] = {}


@functools.cache
def _entry_points(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=group)}


def _load(what: str, point: importlib.metadata.EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise BackendError(f"{what} '{point.name}' cannot be loaded: {error}") from error


def formulation(name: str) -> Formulation:
    """The formulation of that name."""
    found: Formulation = _found("formulation", name)
    return found


def generator(name: str) -> Generator:
    """The instance generator of that formulation."""
    found: Generator = _found("generator", name)
    return found


def generator_names() -> list[str]:
    """Names of all formulations that have a generator."""
    return sorted(_entry_points(GROUPS["generator"]))


def library_folder(name: str) -> Path:
    """The folder that holds the frozen instances of that formulation (see dmlopt.library)."""
    return Path(_found("library", name))


def library_names() -> list[str]:
    """Names of all formulations that have a library of instances."""
    return sorted(_entry_points(GROUPS["library"]))


def _found(what: str, name: Any) -> Any:
    points = _entry_points(GROUPS[what])
    if not isinstance(name, str) or name not in points:
        raise UnknownNameError(what, name, points)
    return _loaded(what, name)


@functools.cache
def _loaded(what: str, name: str) -> Any:
    return _load(what, _entry_points(GROUPS[what])[name])


def formulation_names() -> list[str]:
    """Names of all installed formulations."""
    return sorted(_entry_points(GROUPS["formulation"]))


def prepare(name: str) -> None:
    """Have a formulation ready before a run's clock starts."""
    found = formulation(name)
    if isinstance(found, OffersPreparation):
        found.prepare()


def formulation_of(problem: Any) -> Formulation:
    """The formulation a problem object belongs to."""
    for name in formulation_names():
        if isinstance(problem, formulation(name).problem_type):
            return formulation(name)
    raise InputError(f"problem: expected an object of a registered formulation, got {type(problem).__name__}")


def methods(name: str) -> dict[str, Method]:
    """All methods of a formulation: its own first, then those added with `@method`."""
    found = {each.name: each for each in formulation(name).methods()}
    found.update(_added.get(name, {}))
    return found


def find_method(name: str, method_name: str) -> Method:
    """One method; an unknown name is answered with the nearest valid one."""
    known = methods(name)
    if not isinstance(method_name, str) or method_name not in known:
        raise UnknownNameError(f"{name} method", method_name, known)
    return known[method_name]


def method(
    formulation_name: str,
    name: str,
    kind: str = "heuristic",
    summary: str = "",
    options: tuple[Option, ...] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `function(problem, **options) -> solution` as a method; its answers are checked like any."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        formulation(formulation_name)
        added = function_method(function, name, kind, summary, options)
        _added.setdefault(formulation_name, {})[name] = added
        return function

    return register


def function_method(
    function: Callable[..., Any],
    name: str,
    kind: str = "heuristic",
    summary: str = "",
    options: tuple[Option, ...] = (),
) -> Method:
    """A plain `function(problem, **options) -> solution` as a method, without registering it."""

    def run(problem: Any, request: Request) -> Answer:
        return Answer(solution=function(problem, **request.options))

    text = summary or (function.__doc__ or "").strip().split("\n")[0]
    return Method(name, kind, text, run, options)
