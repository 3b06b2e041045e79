"""What a run answers: `Answer` from a method (claims), `Result` after checking (facts)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dmlopt.check import Verdict


class Status(enum.StrEnum):
    """How a run ended, as far as it was verified."""

    OPTIMAL = "optimal"  # certified gap <= the asked gap
    OPTIMAL_CLAIMED = "optimal-claimed"  # a solver says so; no certificate of ours
    FEASIBLE = "feasible"
    BOUND = "bound"  # a bound, no solution
    INFEASIBLE = "infeasible"  # proven if there is a certificate, else a solver's word
    UNKNOWN = "unknown"  # neither a solution nor a bound
    ERROR = "error"  # something that the method delivered did not hold


class Limit(enum.StrEnum):
    """The limit that ended a run."""

    NONE = "none"
    TIME = "time"
    MEMORY = "memory"
    NODES = "nodes"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class TracePoint:
    """Incumbent and bound in the paper's objective, `seconds` after the start of the run."""

    seconds: float
    incumbent: float | None
    bound: float | None


@dataclass(frozen=True)
class Shortage:
    """Why nothing is feasible: which rows are short, and by how much.

    `kind`: "row" (one row alone), "together" (the rows only together: a dual ray), "integer" (the LP is
    feasible, no integer point is), "agents" (an agent has no plan that fits at all).
    """

    kind: str
    rows: tuple[str, ...]
    amounts: tuple[float, ...]
    message: str


@dataclass(frozen=True)
class StoredSolution:
    """A solution as it stands in a file: JSON data that only the formulation, given the problem, can read."""

    formulation: str
    instance_hash: str
    data: Any


@dataclass(frozen=True)
class StoredCertificate:
    """A certificate in a file of its own, with the bound (in objective units) that it is said to prove."""

    formulation: str
    instance_hash: str
    bound: float | None
    data: dict[str, Any]


@dataclass
class Answer:
    """What a method returns. Everything in it is a claim until `dmlopt.api` has checked it.

    `certificate` is JSON data (see dmlopt.engine.certificate); `claimed_bound` is a solver's word, in
    objective units.
    """

    solution: Any | None = None
    certificate: dict[str, Any] | None = None
    claimed_bound: float | None = None
    claimed_optimal: bool = False
    claimed_infeasible: bool = False
    limit: Limit = Limit.NONE
    prices: Mapping[str, float] = field(default_factory=dict)
    trace: list[TracePoint] = field(default_factory=list)
    build_seconds: float = 0.0
    shortage: Shortage | None = None
    statistics: Mapping[str, float] = field(default_factory=dict)


def relative_gap(objective: float | None, bound: float | None) -> float | None:
    """|objective - bound| / max(|objective|, 1e-9); None if one is missing."""
    if objective is None or bound is None:
        return None
    return abs(objective - bound) / max(abs(objective), 1e-9)


@dataclass(frozen=True)
class Result:
    """A checked run.

    `objective` comes from the formulation's checker, `bound` from the certificate recomputed from the problem
    data, `claimed_bound` from a solver. `prices` say what one more unit of a resource is worth. A result that
    was read from a file keeps its solution as a `StoredSolution` until it meets its problem, and in `stated`
    what the file said about fields that are computed here (`gap`, `verified`, `digest`).
    """

    formulation: str
    method: str
    kind: str
    status: Status
    limit: Limit
    objective: float | None
    bound: float | None
    claimed_bound: float | None
    seconds: Mapping[str, float]
    instance_hash: str
    verdict: Verdict | None = None
    solution: Any | None = None
    certificate: dict[str, Any] | None = None
    prices: Mapping[str, float] = field(default_factory=dict)
    trace: tuple[TracePoint, ...] = ()
    shortage: Shortage | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    statistics: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    sense: str = "min"
    stated: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def gap(self) -> float | None:
        """Certified relative gap; None without a feasible objective or without a certified bound."""
        return None if self.status is Status.ERROR else relative_gap(self.objective, self.bound)

    @property
    def verified(self) -> bool:
        """True when what is stated was checked: a feasible solution, a certified bound or infeasibility."""
        if self.status is Status.ERROR:
            return False
        if self.solution is not None:
            return self.verdict is not None and self.verdict.feasible
        return self.bound is not None or (self.status is Status.INFEASIBLE and self.certificate is not None)

    def summary(self) -> str:
        """A few lines for people."""
        from dmlopt.report.text import summarise

        return summarise(self)

    def plot(self, path: str | None = None) -> Any:
        """Incumbent and bound over time as a matplotlib figure; saved to `path` if given."""
        from dmlopt.report.figures import plot_trace

        return plot_trace(self, path)
