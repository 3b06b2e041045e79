"""What the process of a cell does: make the instance, run the method, check the answer, say how it ended.

A record is JSON data: the fields of a `CellRow` that only the run itself knows, and the packed result if it is kept.
"""

from __future__ import annotations

import base64
import gzip
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dmlopt import registry
from dmlopt.api import run_checked
from dmlopt.batch.cell import Cell
from dmlopt.batch.row import DONE, ERROR, FAILED_CHECK, MEMORY_OUT, NOT_APPLICABLE
from dmlopt.control import Clock
from dmlopt.errors import DmloptError, NotApplicableError
from dmlopt.files import encode
from dmlopt.registry import Request
from dmlopt.result import Answer, Limit, Result, Status
from dmlopt.strict_json import compact

MAKING, RUNNING, CHECKING = "making", "running", "checking"
PHASES = (MAKING, RUNNING, CHECKING)


def run_cell(cell: Cell, tell: Callable[[str], None] = lambda phase: None) -> dict[str, Any]:
    """The record of a cell; whatever goes wrong in a method is a record too. `tell` hears when a phase begins."""
    try:
        return _run(cell, tell)
    except MemoryError:
        return {"outcome": MEMORY_OUT, "reason": "ran out of memory"}
    except NotApplicableError as error:
        return {"outcome": NOT_APPLICABLE, "reason": str(error)}
    except DmloptError as error:
        return {"outcome": ERROR, "reason": str(error)}
    except Exception as error:  # a method may raise anything
        return {"outcome": ERROR, "reason": f"{type(error).__name__}: {error}"}


def _run(cell: Cell, tell: Callable[[str], None]) -> dict[str, Any]:
    tell(MAKING)
    for module in cell.modules:
        module.load()
    problem = cell.source.build()
    method = registry.find_method(cell.formulation, cell.method_name)
    registry.prepare(cell.formulation)

    def run(problem: Any, request: Request) -> Answer:
        tell(RUNNING)
        answer = method.run(problem, request)
        tell(CHECKING)
        return answer

    limits = cell.limits
    request = Request(
        clock=Clock(limits.time),
        gap=limits.gap,
        threads=limits.threads,
        seed=cell.seed,
        options=registry.read_options(method.options, cell.options),
    )
    result = run_checked(problem, replace(method, run=run), request)
    if result.instance_hash != cell.instance_hash:
        reason = "the instance is not the one that was planned: its generator gives another one here, or it was changed"
        return {"outcome": ERROR, "reason": reason}
    record = _record(result)
    if cell.keep:
        raw = gzip.compress(compact(encode(result)).encode(), mtime=0)
        record["result"] = base64.b64encode(raw).decode()
    return record


def _record(result: Result) -> dict[str, Any]:
    outcome = FAILED_CHECK if result.status is Status.ERROR else DONE
    if result.limit is Limit.MEMORY and result.solution is None and result.bound is None:
        outcome = MEMORY_OUT
    return {
        "outcome": outcome,
        "reason": result.message,
        "status": str(result.status),
        "limit": str(result.limit),
        "sense": result.sense,
        "objective": result.objective,
        "bound": result.bound,
        "claimed_bound": result.claimed_bound,
        "verified": result.verified,
        "seconds": dict(result.seconds),
        "trace": [[point.seconds, point.incumbent, point.bound] for point in result.trace],
        "statistics": {name: value for name, value in result.statistics.items() if math.isfinite(value)},
    }
