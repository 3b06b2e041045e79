"""The trace of a run tells the same story as its answer."""

from __future__ import annotations

from collections.abc import Iterator

from dmlopt.conformance.cases import MethodCase
from dmlopt.conformance.sandwich import CLAIM_TOLERANCE
from dmlopt.result import relative_gap
from dmlopt.verify import beats, contrast


def trace_tells_the_truth(case: MethodCase) -> Iterator[str]:
    """No incumbent is better than the value of the answer or than a certified bound; time does not run backwards."""
    result, known, sense = case.first, case.known, case.formulation.sense
    last = 0.0
    for point in result.trace:
        if not last <= point.seconds <= result.seconds["total"]:
            yield f"a point at {point.seconds:g} s, after one at {last:g} s of {result.seconds['total']:g} s"
            return
        last = point.seconds
        if point.incumbent is not None and _better(point.incumbent, result.objective, sense):
            yield f"an incumbent better than the answer: {contrast(point.incumbent, result.objective)}"
            return
        if point.incumbent is not None and _better(point.incumbent, known.bound, sense):
            yield f"an incumbent that beats a certified bound: {contrast(point.incumbent, known.bound)}"
            return
        if point.bound is not None and _better(known.value, point.bound, sense):
            yield f"a bound that a checked value beats: {contrast(known.value, point.bound)}"
            return


def _better(value: float | None, than: float | None, sense: str) -> bool:
    distance = relative_gap(value, than)
    return beats(value, than, sense) and distance is not None and distance > CLAIM_TOLERANCE
