"""What is written is read again, and written again to the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dmlopt.conformance.cases import MethodCase
from dmlopt.files import decode, encode, instance_hash
from dmlopt.result_json import result_to_json
from dmlopt.strict_json import canonical, readable


def instance_round_trip(problem: Any) -> Iterator[str]:
    """An instance file gives the problem back, with the same hash."""
    written = readable(encode(problem)).encode()
    again = decode(written, "instance")
    if type(again) is not type(problem):
        yield f"the file gives a {type(again).__name__} instead of a {type(problem).__name__}"
        return
    if readable(encode(again)).encode() != written:
        yield "reading and writing the instance changes its bytes"
    if instance_hash(again) != instance_hash(problem):
        yield "reading and writing the instance changes its hash"


def answer_round_trip(case: MethodCase) -> Iterator[str]:
    """Result, solution and certificate files give the same bytes again; so does a solution read in its own type."""
    result, formulation = case.first, case.formulation
    for part in ("result", "solution", "certificate"):
        if part != "result" and getattr(result, part) is None:
            continue
        written = readable(encode(result, part)).encode()
        if readable(encode(decode(written, part))).encode() != written:
            yield f"reading and writing the {part} changes its bytes"
    if result.solution is None:
        return
    data = formulation.solution_to_json(result.solution)
    again = formulation.solution_to_json(formulation.solution_from_json(case.problem, data))
    if canonical(again) != canonical(data):
        yield "the solution read from its JSON is another one"
    stored = decode(readable(result_to_json(result, formulation)).encode(), "result")
    if not stored.stated["digest"]:
        yield "the digest of the result does not survive writing and reading"
