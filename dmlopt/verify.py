"""What can be established about an answer from the problem data alone, and which status that earns.

Nothing here trusts the method: objective and feasibility come from the formulation's checker, the bound from
the certificate recomputed over the plain, unpruned plan set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dmlopt.check import Verdict, Violation
from dmlopt.errors import DmloptError
from dmlopt.registry import Formulation
from dmlopt.result import Answer, Shortage, Status, relative_gap

# What reading a malformed certificate or solution may raise.
UNREADABLE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
TOLERANCE = 1e-9  # relative: the most that two evaluations of one number may differ by rounding


@dataclass(frozen=True)
class Facts:
    """The checker's verdict and what the certificate proves; `trouble`: why a certificate does not hold."""

    verdict: Verdict | None = None
    bound: float | None = None
    infeasible: bool = False
    trouble: str = ""

    @property
    def objective(self) -> float | None:
        """The checker's objective of a feasible solution."""
        return self.verdict.objective if self.verdict is not None and self.verdict.feasible else None


def establish(
    formulation: Formulation, problem: Any, solution: Any, certificate: dict[str, Any] | None
) -> Facts:
    """Check the solution and recompute the certificate; either may be None."""
    verdict = None if solution is None else check_solution(formulation, problem, solution)
    if certificate is None:
        return Facts(verdict)
    from dmlopt.engine.certificate import recompute

    packing = formulation.plain_packing(problem)
    try:
        proven = recompute(certificate, packing)
    except DmloptError as error:
        return Facts(verdict, trouble=f"the certificate does not hold: {error}")
    except UNREADABLE as error:
        return Facts(verdict, trouble=f"the certificate cannot be read: {_reason(error)}")
    if proven.infeasible:
        return Facts(verdict, infeasible=True)
    bound = packing.report(proven.value) if math.isfinite(proven.value) else math.inf
    return Facts(verdict, bound=bound if math.isfinite(bound) else None)


def check_solution(formulation: Formulation, problem: Any, solution: Any) -> Verdict:
    """The checker's verdict; something that is no solution at all is a violation too."""
    try:
        verdict = formulation.check(problem, solution)
    except (DmloptError, *UNREADABLE) as error:
        return Verdict(None, (Violation("shape", "solution", 1.0, f"cannot be read: {_reason(error)}"),))
    if verdict.objective is not None and not math.isfinite(verdict.objective):
        return Verdict(None, verdict.violations)
    return verdict


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def same_number(left: float | None, right: float | None) -> bool:
    """Equal up to rounding; None only equals None."""
    if left is None or right is None:
        return left is right
    return abs(left - right) <= TOLERANCE * max(abs(left), abs(right), TOLERANCE)


def beats(objective: float | None, bound: float | None, sense: str) -> bool:
    """Whether an objective is better than a bound says it can be, by more than rounding."""
    if objective is None or bound is None or same_number(objective, bound):
        return False
    return objective < bound if sense == "min" else objective > bound


def judge(answer: Answer, facts: Facts, gap: float, sense: str) -> tuple[Status, str]:
    """The status that the facts support, and a message where there is something to explain."""
    verdict = facts.verdict
    if verdict is not None and not verdict.feasible:
        return Status.ERROR, f"the checker rejects the solution: {rejection(verdict)}"
    if facts.trouble:
        return Status.ERROR, facts.trouble
    if facts.objective is not None:
        if facts.infeasible:
            return Status.ERROR, "the certificate proves infeasibility, but the solution is feasible"
        if beats(facts.objective, facts.bound, sense):
            return (
                Status.ERROR,
                f"the objective beats its certified bound: {contrast(facts.objective, facts.bound)}",
            )
        certified = relative_gap(facts.objective, facts.bound)
        if certified is not None and certified <= gap:
            return Status.OPTIMAL, ""
        return (Status.OPTIMAL_CLAIMED if answer.claimed_optimal else Status.FEASIBLE), ""
    if facts.infeasible:
        return Status.INFEASIBLE, explain(answer.shortage)
    if answer.claimed_infeasible:
        return Status.INFEASIBLE, f"{explain(answer.shortage)} (a solver's word, not proven)"
    if facts.bound is not None or finite_or_none(answer.claimed_bound) is not None:
        return Status.BOUND, ""
    return Status.UNKNOWN, ""


def rejection(verdict: Verdict) -> str:
    """The first broken constraint, and how many more there are."""
    if not verdict.violations:
        return "its objective cannot be computed"
    more = len(verdict.violations) - 1
    return f"{verdict.violations[0]}{f' (and {more} more)' if more else ''}"


def contrast(left: float | None, right: float | None) -> str:
    """Two numbers with enough digits to see how they differ."""
    return f"{left!r} against {right!r}"


def explain(shortage: Shortage | None) -> str:
    """Why nothing is feasible."""
    return "no feasible solution exists" if shortage is None else shortage.message


def finite_or_none(value: float | None) -> float | None:
    """The number itself, or None where a solver said infinity or NaN."""
    return value if value is not None and math.isfinite(value) else None
