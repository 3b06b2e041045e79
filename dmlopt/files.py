"""Files: one versioned JSON object each, `{"format": "dmlopt-instance/1", "formulation": "optimus", ...}`.

| format | holds | in Python |
|---|---|---|
| dmlopt-instance/1 | a problem: the formulation's own fields | the formulation's problem type |
| dmlopt-result/1 | a checked run with solution and certificate | Result |
| dmlopt-solution/1 | a solution alone | StoredSolution |
| dmlopt-certificate/1 | a certificate alone | StoredCertificate |

A name that ends in `.gz` is compressed; reading recognises compression by content.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from dmlopt import registry
from dmlopt.errors import InputError, expected_one_of
from dmlopt.fields import Fields
from dmlopt.result import Result, StoredCertificate, StoredSolution
from dmlopt.result_json import RESULT_FORMAT, result_from_json, result_to_json
from dmlopt.strict_json import digest, parse, read_bytes, readable, write

INSTANCE_FORMAT = "dmlopt-instance/1"
SOLUTION_FORMAT = "dmlopt-solution/1"
CERTIFICATE_FORMAT = "dmlopt-certificate/1"
FORMATS = (INSTANCE_FORMAT, RESULT_FORMAT, SOLUTION_FORMAT, CERTIFICATE_FORMAT)
PARTS = ("result", "solution", "certificate")


# -------------------------------------------------------------------- reading


def load(path: str | os.PathLike[str], problem: Any = None) -> Any:
    """What a dmlopt file holds, by its `format`. Given the problem, a result's solution is decoded too."""
    loaded = decode(read_bytes(path), os.fspath(path))
    if problem is None or not isinstance(loaded, Result):
        return loaded
    try:
        return replace(loaded, solution=read_solution(problem, loaded.solution))
    except InputError as error:
        raise InputError([f"solution: {each}" for each in error.problems], os.fspath(path)) from None


def decode(raw: bytes, source: str) -> Any:
    """The same from bytes; `source` names them in messages."""
    try:
        data = parse(raw, source)
        return _decode(data, source)
    except RecursionError:
        raise InputError("nested too deeply", source) from None


def _decode(data: Any, source: str) -> Any:
    root = Fields(data)
    written = root.get("format").text()
    root.finish(source)
    if written not in FORMATS:
        raise InputError(_wrong_format(written), source)
    if written == RESULT_FORMAT:
        return result_from_json(data, source)
    name = root.get("formulation").text()
    root.finish(source)
    if written == INSTANCE_FORMAT:
        return _decode_instance(name, data, source)
    instance_hash = root.get("instance_hash").text()
    if written == SOLUTION_FORMAT:
        solution = root.get("solution").value
        root.no_unknown({"format", "formulation", "instance_hash", "solution"})
        root.finish(source)
        return StoredSolution(name, instance_hash, solution)
    bound = root.get("bound")
    number = None if bound.is_null() else bound.number()
    root.finish(source)
    added = ("formulation", "instance_hash", "bound")
    return StoredCertificate(name, instance_hash, number, {k: v for k, v in data.items() if k not in added})


def _decode_instance(name: str, data: dict[str, Any], source: str) -> Any:
    if name not in registry.formulation_names():
        known = Fields({"formulation": name})
        known.get("formulation").text(choices=registry.formulation_names())
        known.finish(source)
    fields = {key: each for key, each in data.items() if key not in ("format", "formulation")}
    try:
        return registry.formulation(name).problem_from_json(fields)
    except InputError as error:
        raise InputError(error.problems, source) from None


def _wrong_format(written: str) -> str:
    kind, _, version = written.partition("/")
    for known in FORMATS:
        if known.startswith(f"{kind}/") and version:
            return f"format: expected '{known}', got '{written}': not a version this dmlopt can read"
    field = Fields({"format": written}).get("format")
    field.text(choices=FORMATS)
    return field.problems[0]


def read_solution(problem: Any, solution: Any) -> Any:
    """A solution in the formulation's own type; stored ones are decoded, others are passed through."""
    if not isinstance(solution, StoredSolution):
        return solution
    return registry.formulation_of(problem).solution_from_json(problem, solution.data)


# -------------------------------------------------------------------- writing


def encode(value: Any, part: str = "result") -> dict[str, Any]:
    """The JSON object of a problem, a result (or a `part` of it), a stored solution or certificate."""
    if isinstance(value, Result):
        return _encode_result(value, part)
    if isinstance(value, StoredSolution):
        head = {"format": SOLUTION_FORMAT, "formulation": value.formulation}
        return {**head, "instance_hash": value.instance_hash, "solution": value.data}
    if isinstance(value, StoredCertificate):
        head = {"format": CERTIFICATE_FORMAT, "formulation": value.formulation}
        return {**head, "instance_hash": value.instance_hash, "bound": value.bound, **value.data}
    formulation = registry.formulation_of(value)
    head = {"format": INSTANCE_FORMAT, "formulation": formulation.name}
    return {**head, **formulation.problem_to_json(value)}


def _encode_result(result: Result, part: str) -> dict[str, Any]:
    formulation = registry.formulation(result.formulation)
    whole = result_to_json(result, formulation)
    if part == "result":
        return whole
    if part not in PARTS:
        raise InputError(f"part: {expected_one_of(part, PARTS)}")
    if whole[part] is None:
        raise InputError(f"part: this result has no {part}")
    if part == "solution":
        return encode(StoredSolution(result.formulation, result.instance_hash, whole[part]))
    return encode(StoredCertificate(result.formulation, result.instance_hash, result.bound, whole[part]))


def save(value: Any, path: str | os.PathLike[str], part: str = "result") -> None:
    """Write a problem or a result to a file, in one step. `part`: only a result's solution or certificate."""
    write(readable(encode(value, part)), path)


def instance_hash(problem: Any) -> str:
    """sha256 of a problem's canonical JSON: what ties a result to the instance it belongs to."""
    return digest(encode(problem))
