"""A result file that was changed after it was written does not pass `dmlopt.check`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dmlopt.checking import check
from dmlopt.conformance.cases import MethodCase
from dmlopt.conformance.mutants import mutants
from dmlopt.errors import InputError
from dmlopt.files import decode, encode
from dmlopt.result import Status
from dmlopt.strict_json import compact, digest
from dmlopt.verify import same_number

MOST = 25  # changed solutions that are tried
NUMBERS = ("objective", "bound")


def changed_results_refused(case: MethodCase) -> Iterator[str]:
    """A changed number, status or solution: with the old digest, and with a digest that was made to fit."""
    result = case.first
    if result.status is Status.ERROR:
        return
    document = encode(result)
    for what, changed in _changed(document):
        if _passes(case, changed):
            yield f"{what}: passes with the old digest"
        if _passes(case, _sealed(changed)):
            yield f"{what}: passes with a new digest"
    yield from _changed_solutions(case, document)


def _changed(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in NUMBERS:
        if document[name] is None:
            yield f"{name} added", {**document, name: 1.0}
        else:
            yield f"{name} changed by 1 %", {**document, name: 1.01 * document[name] + 0.01}
    yield "another instance", {**document, "instance_hash": "0" * 64}
    # Saying less than is known would be no lie: the other status must say more.
    other = Status.OPTIMAL if document["status"] != Status.OPTIMAL else Status.INFEASIBLE
    yield f"status {other}", {**document, "status": str(other)}


def _changed_solutions(case: MethodCase, document: dict[str, Any]) -> Iterator[str]:
    """Another solution under the old objective; one that happens to have the same objective may pass."""
    if document["solution"] is None:
        return
    for mutant in mutants(document["solution"], MOST):
        changed = {**document, "solution": mutant.document}
        if mutant.document is not None and _passes(case, changed):
            yield f"solution, {mutant.what}: passes with the old digest"
        if _passes(case, _sealed(changed)) and not _same_objective(case, mutant.document):
            yield f"solution, {mutant.what}: passes with the old objective and a new digest"


def _passes(case: MethodCase, document: dict[str, Any]) -> bool:
    try:
        return check(case.problem, decode(compact(document).encode(), "changed")).ok
    except InputError:
        return False


def _sealed(document: dict[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in document.items() if key != "digest"}
    return {**rest, "digest": digest(rest)}


def _same_objective(case: MethodCase, data: Any) -> bool:
    formulation = case.formulation
    verdict = formulation.check(case.problem, formulation.solution_from_json(case.problem, data))
    return verdict.feasible and same_number(verdict.objective, case.first.objective)
