"""A result in a few aligned lines."""

from __future__ import annotations

import textwrap

from dmlopt.report import numbers
from dmlopt.result import Limit, Result, Status

WIDTH = 100
SENSE = {"min": "minimise", "max": "maximise"}
LIMITS = {
    Limit.TIME: "stopped at the time limit",
    Limit.MEMORY: "stopped: out of memory",
    Limit.NODES: "stopped at the node limit",
    Limit.INTERRUPTED: "interrupted",
}
MEANING = {
    Status.OPTIMAL: "proven by a certificate that was recomputed",
    Status.OPTIMAL_CLAIMED: "the solver says so; no certificate",
    Status.FEASIBLE: "checked; not proven optimal",
    Status.BOUND: "no solution",
    Status.UNKNOWN: "neither a solution nor a bound was found",
    Status.ERROR: "what the method delivered does not hold",
}


def summarise(result: Result, instance: str = "", width: int = WIDTH) -> str:
    """What a person wants to know first: how it ended, value, bound, gap, time, prices."""
    rows = [
        ("status", _status(result)),
        ("method", f"{result.method} ({result.kind}) on {result.formulation}"),
    ]
    if result.message:
        rows.append(("because" if result.status is Status.INFEASIBLE else "message", result.message))
    if result.objective is not None:
        rows.append(("objective", f"{numbers.number(result.objective, 10)} ({SENSE[result.sense]})"))
    if result.bound is not None:
        rows.append(("bound", f"{numbers.number(result.bound, 10)} (certified)"))
    elif result.claimed_bound is not None:
        rows.append(("bound", f"{numbers.number(result.claimed_bound, 10)} (claimed by the solver)"))
    if result.gap is not None:
        rows.append(("gap", numbers.gap(result.gap)))
    rows.append(("time", _time(result)))
    if result.prices:
        rows.append(("prices", _prices(result)))
    if instance:
        rows.insert(0, ("instance", instance))
    return "\n".join(_line(name, text, width) for name, text in rows)


def _status(result: Result) -> str:
    if result.status is Status.INFEASIBLE:
        meaning = "proven by a certificate that was recomputed" if result.verified else "a solver's word"
    else:
        meaning = MEANING[result.status]
    stopped = LIMITS.get(result.limit)
    return f"{result.status}: {meaning}" + (f"; {stopped}" if stopped else "")


def _time(result: Result) -> str:
    parts = [f"{phase} {numbers.seconds(result.seconds[phase])}" for phase in ("build", "solve", "check")]
    return f"{numbers.seconds(result.seconds['total'])} ({', '.join(parts)})"


def _prices(result: Result) -> str:
    """What one more unit of each resource is worth, dearest first."""
    ranked = sorted(result.prices.items(), key=lambda item: -abs(item[1]))
    shown = ", ".join(f"{name} {numbers.number(price, 4)}" for name, price in ranked[:8])
    return shown + (f", and {len(ranked) - 8} more" if len(ranked) > 8 else "") + " per unit"


def _line(name: str, text: str, width: int) -> str:
    head = f"{name:<11}"
    return textwrap.fill(text, max(width, 40), initial_indent=head, subsequent_indent=" " * len(head))
