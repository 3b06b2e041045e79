"""One finished cell of a batch experiment, as the store keeps it and as the analysis reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# How a cell ended. Only DONE says something about the method's answer (see `status`); all others have a `reason`.
DONE = "done"  # the method ran and everything it delivered held (perhaps it found nothing: status "unknown")
NOT_APPLICABLE = "not applicable"  # the method says that this problem is not of its kind
FAILED_CHECK = "failed check"  # something that was delivered does not hold
ERROR = "error"  # the method raised an error
CRASH = "crash"  # the process died: a signal, or it ended without an answer
TIME_OUT = "time-out"  # killed after time limit plus grace
MEMORY_OUT = "memory-out"  # ended at the memory limit
OUTCOMES = (DONE, NOT_APPLICABLE, FAILED_CHECK, ERROR, CRASH, TIME_OUT, MEMORY_OUT)
BROKEN = (FAILED_CHECK, ERROR, CRASH, TIME_OUT, MEMORY_OUT)

# (seconds since the start of the run, incumbent, bound), both in the paper's objective; None: not known yet.
Trace: TypeAlias = tuple[tuple[float, float | None, float | None], ...]


@dataclass(frozen=True)
class CellRow:
    """One method on one instance with one seed.

    `axes` are the parameters that the experiment varies between its instances, among them `repetition`. `method` is the
    label in the experiment, `method_name` the registered method behind it. `objective` comes from the checker, `bound` from
    the recomputed certificate, `claimed_bound` is a solver's word. `seconds` holds build, solve, check and total;
    `wall_seconds` is what the cell took with its process. `host` and `version` say where and by which dmlopt it was run.
    """

    key: str
    experiment: str
    formulation: str
    sweep: str
    instance: str
    instance_hash: str
    axes: Mapping[str, Any]
    method: str
    method_name: str
    kind: str
    options: Mapping[str, Any]
    seed: int
    time_limit: float | None
    asked_gap: float
    threads: int
    outcome: str
    reason: str = ""
    status: str = "unknown"
    limit: str = "none"
    sense: str = "min"
    objective: float | None = None
    bound: float | None = None
    claimed_bound: float | None = None
    verified: bool = False
    seconds: Mapping[str, float] = field(default_factory=dict)
    wall_seconds: float = 0.0
    peak_megabytes: float | None = None
    trace: Trace = ()
    statistics: Mapping[str, float] = field(default_factory=dict)
    version: str = ""
    host: str = ""
    finished: str = ""
