"""A Result as JSON data and back. Reading checks every field; what a file says is a claim until checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from dmlopt.check import Verdict, Violation
from dmlopt.fields import Fields
from dmlopt.registry import KINDS, Formulation
from dmlopt.result import Limit, Result, Shortage, Status, StoredSolution, TracePoint
from dmlopt.strict_json import digest

RESULT_FORMAT = "dmlopt-result/1"
PHASES = ("build", "solve", "check", "total")

Kind = TypeVar("Kind", Status, Limit)


def result_to_json(result: Result, formulation: Formulation) -> dict[str, Any]:
    """Everything in a result. `digest` covers all other fields, so that any later change shows."""
    solution = result.solution
    if isinstance(solution, StoredSolution):
        solution = solution.data
    elif solution is not None:
        solution = formulation.solution_to_json(solution)
    data: dict[str, Any] = {
        "format": RESULT_FORMAT,
        "formulation": result.formulation,
        "method": result.method,
        "kind": result.kind,
        "status": str(result.status),
        "limit": str(result.limit),
        "sense": result.sense,
        "objective": _real(result.objective),
        "bound": _real(result.bound),
        "claimed_bound": _real(result.claimed_bound),
        "gap": _real(result.gap),
        "verified": result.verified,
        "message": result.message,
        "seconds": dict(result.seconds),
        "seed": result.seed,
        "parameters": dict(result.parameters),
        "versions": dict(result.versions),
        "statistics": _finite(result.statistics),
        "prices": _finite(result.prices),
        "shortage": _shortage_to_json(result.shortage),
        "instance_hash": result.instance_hash,
        "verdict": _verdict_to_json(result.verdict),
        "trace": [
            [float(point.seconds), _real(point.incumbent), _real(point.bound)] for point in result.trace
        ],
        "solution": solution,
        "certificate": result.certificate,
    }
    data["digest"] = digest(data)
    return data


def result_from_json(data: Any, source: str | None = None) -> Result:
    """The result that `data` describes; its solution is left as a StoredSolution."""
    root = Fields(data)
    named = {name: root.get(name) for name in _FIELDS}
    instance_hash = named["instance_hash"].text()
    formulation = named["formulation"].text()
    solution, certificate = named["solution"], named["certificate"]
    result = Result(
        formulation=formulation,
        method=named["method"].text(),
        kind=named["kind"].text(choices=KINDS),
        status=_choice(Status, named["status"], Status.UNKNOWN),
        limit=_choice(Limit, named["limit"], Limit.NONE),
        sense=named["sense"].text(choices=("min", "max")),
        objective=_number_or_null(named["objective"]),
        bound=_number_or_null(named["bound"]),
        claimed_bound=_number_or_null(named["claimed_bound"]),
        message=named["message"].text(),
        seconds={phase: named["seconds"].get(phase).number(minimum=0) for phase in PHASES},
        seed=named["seed"].integer(minimum=0),
        parameters={name: each.value for name, each in named["parameters"].entries().items()},
        versions={name: each.text() for name, each in named["versions"].entries().items()},
        statistics={name: each.number() for name, each in named["statistics"].entries().items()},
        prices={name: each.number() for name, each in named["prices"].entries().items()},
        shortage=_read_shortage(named["shortage"]),
        instance_hash=instance_hash,
        verdict=_read_verdict(named["verdict"]),
        trace=tuple(_read_point(each) for each in named["trace"].items()),
        solution=None
        if solution.dead or solution.is_null()
        else StoredSolution(formulation, instance_hash, solution.value),
        certificate=_object_or_null(certificate),
    )
    stated = {"gap": _number_or_null(named["gap"]), "verified": named["verified"].flag()}
    written = named["digest"].text()
    root.no_unknown({"format", *_FIELDS})
    root.finish(source)
    unchanged = digest({key: each for key, each in data.items() if key != "digest"}) == written
    return replace(result, stated={**stated, "digest": unchanged})


_FIELDS = (
    *("formulation", "method", "kind", "status", "limit", "sense", "objective", "bound", "claimed_bound"),
    *("gap", "verified", "message", "seconds", "seed", "parameters", "versions", "statistics", "prices"),
    *("shortage", "instance_hash", "verdict", "trace", "solution", "certificate", "digest"),
)


# -------------------------------------------------------------------- parts


def _finite(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in numbers.items() if math.isfinite(value)}


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)


def _shortage_to_json(shortage: Shortage | None) -> dict[str, Any] | None:
    if shortage is None:
        return None
    return {
        "kind": shortage.kind,
        "rows": list(shortage.rows),
        "amounts": [float(amount) for amount in shortage.amounts],
        "message": shortage.message,
    }


def _read_shortage(field: Fields) -> Shortage | None:
    if field.dead or field.is_null():
        return None
    return Shortage(
        kind=field.get("kind").text(),
        rows=tuple(each.text() for each in field.get("rows").items()),
        amounts=tuple(each.number() for each in field.get("amounts").items()),
        message=field.get("message").text(),
    )


def _verdict_to_json(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    violations = [
        {
            "constraint": each.constraint,
            "where": each.where,
            "amount": float(each.amount) if math.isfinite(each.amount) else 0.0,
            "message": each.message,
        }
        for each in verdict.violations
    ]
    return {"feasible": verdict.feasible, "objective": _real(verdict.objective), "violations": violations}


def _read_verdict(field: Fields) -> Verdict | None:
    if field.dead or field.is_null():
        return None
    violations = tuple(
        Violation(
            constraint=each.get("constraint").text(),
            where=each.get("where").text(),
            amount=each.get("amount").number(),
            message=each.get("message").text(),
        )
        for each in field.get("violations").items()
    )
    verdict = Verdict(_number_or_null(field.get("objective")), violations)
    stated = field.get("feasible")
    if stated.flag() != verdict.feasible:
        stated.complain("expected what objective and violations say")
    return verdict


def _read_point(field: Fields) -> TracePoint:
    parts = field.items(length=3)
    if not parts:
        return TracePoint(0.0, None, None)
    return TracePoint(parts[0].number(minimum=0), _number_or_null(parts[1]), _number_or_null(parts[2]))


def _number_or_null(field: Fields) -> float | None:
    return None if field.dead or field.is_null() else field.number()


def _object_or_null(field: Fields) -> dict[str, Any] | None:
    if field.dead or field.is_null():
        return None
    field.entries()
    return field.value if isinstance(field.value, dict) else None


def _choice(kinds: type[Kind], field: Fields, neutral: Kind) -> Kind:
    text = field.text(choices=[each.value for each in kinds])
    return kinds(text) if text else neutral
