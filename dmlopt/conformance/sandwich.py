"""Every value lies on the right side of every certified bound, and no claim is refuted by what is certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dmlopt.conformance.cases import CLOSED, MethodCase
from dmlopt.result import Result, Status, relative_gap
from dmlopt.verify import beats, contrast

CLAIM_TOLERANCE = 1e-6  # relative: what a solver's own tolerances may cost


def right_side_of_bounds(case: MethodCase) -> Iterator[str]:
    """Value and bound of the answer against the best value and bound that are known."""
    result, known, sense = case.first, case.known, case.formulation.sense
    if beats(result.objective, known.bound, sense):
        yield f"the value beats a certified bound: {contrast(result.objective, known.bound)}"
    if beats(known.value, result.bound, sense):
        yield f"a checked value beats the bound: {contrast(known.value, result.bound)}"
    if result.status is Status.INFEASIBLE and known.value is not None:
        yield f"infeasible, but a solution of {known.value!r} was checked"
    if known.infeasible and (result.solution is not None or result.bound is not None):
        yield "an answer, but the instance is proven infeasible"


def claims_not_refuted(case: MethodCase) -> Iterator[str]:
    """A claimed bound is not beaten by a checked value; an optimum that is claimed or proven is not beaten."""
    result, known, sense = case.first, case.known, case.formulation.sense
    claimed = result.claimed_bound
    if beats(known.value, claimed, sense) and _far(known.value, claimed, CLAIM_TOLERANCE):
        yield f"a checked value refutes the claimed bound: {contrast(known.value, claimed)}"
    if result.status not in (Status.OPTIMAL, Status.OPTIMAL_CLAIMED):
        return
    if beats(known.value, result.objective, sense) and _far(
        known.value, result.objective, _tolerance(result)
    ):
        yield f"{result.status}, but a better value is known: {contrast(known.value, result.objective)}"


def exact_methods_agree(results: Iterable[Result]) -> Iterator[str]:
    """Methods of kind exact that are done name one optimum: those with a proof to 1e-9, those with a claim to 1e-6."""
    done = [
        each
        for each in results
        if each.kind == "exact" and each.status in (Status.OPTIMAL, Status.OPTIMAL_CLAIMED)
    ]
    for position, left in enumerate(done):
        for right in done[position + 1 :]:
            if _far(left.objective, right.objective, max(_tolerance(left), _tolerance(right))):
                yield f"{left.method} and {right.method} differ: {contrast(left.objective, right.objective)}"


def _tolerance(result: Result) -> float:
    return 2 * CLOSED if result.status is Status.OPTIMAL else CLAIM_TOLERANCE


def _far(left: float | None, right: float | None, tolerance: float) -> bool:
    distance = relative_gap(left, right)
    return distance is not None and distance > tolerance
