"""The second opinion: does a result hold for a problem? One line per statement that can be checked.

A line `holds`, `fails`, or is `claimed`: a solver's word that the result marks as such and nothing proves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dmlopt import registry
from dmlopt.errors import DmloptError, InputError
from dmlopt.files import instance_hash, read_solution
from dmlopt.registry import Formulation
from dmlopt.result import Result, Status, StoredCertificate, StoredSolution, relative_gap
from dmlopt.verify import Facts, beats, contrast, establish, rejection, same_number

HOLDS, FAILS, CLAIMED = "holds", "fails", "claimed"


@dataclass(frozen=True)
class CheckLine:
    """One statement and its outcome."""

    name: str
    outcome: str
    message: str


@dataclass(frozen=True)
class CheckReport:
    """Everything that was checked about one result."""

    lines: tuple[CheckLine, ...]

    @property
    def ok(self) -> bool:
        """True when nothing failed."""
        return all(line.outcome != FAILS for line in self.lines)

    def failed(self) -> list[str]:
        """Names of the statements that do not hold."""
        return [line.name for line in self.lines if line.outcome == FAILS]

    def __str__(self) -> str:
        return "\n".join(f"{line.outcome:8}{line.name:13}{line.message}" for line in self.lines)


def check(problem: Any, result: Result | StoredSolution | StoredCertificate) -> CheckReport:
    """Recompute everything that `result` states about `problem`."""
    formulation = registry.formulation_of(problem)
    if not isinstance(result, Result | StoredSolution | StoredCertificate):
        raise InputError(
            f"result: expected a Result, StoredSolution or StoredCertificate, got {type(result).__name__}"
        )
    first = _check_instance(formulation, problem, result)
    if first.outcome == FAILS and result.formulation != formulation.name:
        return CheckReport((first,))
    if isinstance(result, StoredSolution):
        rest = _check_solution_alone(formulation, problem, result)
    elif isinstance(result, StoredCertificate):
        rest = _check_certificate_alone(formulation, problem, result)
    else:
        rest = _check_result(formulation, problem, result)
    return CheckReport((first, *rest))


def is_word_alone(result: Result) -> bool:
    """Whether a result says on a method's word alone that nothing is feasible. `check` fails its status as unproven."""
    return result.status is Status.INFEASIBLE and result.certificate is None


def _check_instance(
    formulation: Formulation, problem: Any, result: Result | StoredSolution | StoredCertificate
) -> CheckLine:
    if result.formulation != formulation.name:
        message = f"the problem is '{formulation.name}', the result is for '{result.formulation}'"
        return CheckLine("instance", FAILS, message)
    actual = instance_hash(problem)
    if result.instance_hash != actual:
        message = (
            f"the result belongs to another instance: {result.instance_hash[:12]}, this is {actual[:12]}"
        )
        return CheckLine("instance", FAILS, message)
    return CheckLine("instance", HOLDS, f"sha256 {actual[:12]}")


def _check_result(formulation: Formulation, problem: Any, result: Result) -> Iterator[CheckLine]:
    if "digest" in result.stated:
        unchanged = bool(result.stated["digest"])
        message = (
            "unchanged since it was written" if unchanged else "the file was changed after it was written"
        )
        yield CheckLine("digest", HOLDS if unchanged else FAILS, message)
    try:
        solution = read_solution(problem, result.solution)
    except DmloptError as error:
        yield CheckLine("solution", FAILS, str(error))
        return
    facts = establish(formulation, problem, solution, result.certificate)
    yield from _check_solution(result, facts)
    yield from _check_bound(result, facts, formulation.sense)
    if result.sense != formulation.sense:
        yield CheckLine("sense", FAILS, f"expected {formulation.sense}, the result says {result.sense}")
    yield from _check_derived(result, facts)
    yield _check_status(result, facts)


def _check_solution(result: Result, facts: Facts) -> Iterator[CheckLine]:
    verdict = facts.verdict
    if verdict is None:
        if result.objective is not None:
            yield CheckLine("objective", FAILS, f"{result.objective!r} without a solution")
        return
    yield _feasibility(facts)
    if result.status is Status.ERROR and not verdict.feasible:
        return
    if same_number(result.objective, verdict.objective):
        yield CheckLine("objective", HOLDS, f"{verdict.objective!r}")
    else:
        yield CheckLine(
            "objective", FAILS, f"the checker finds {contrast(verdict.objective, result.objective)}"
        )


def _feasibility(facts: Facts) -> CheckLine:
    verdict = facts.verdict
    if verdict is not None and verdict.feasible:
        return CheckLine("solution", HOLDS, "feasible: every constraint of the formulation holds")
    return CheckLine("solution", FAILS, rejection(verdict) if verdict is not None else "there is none")


def _check_bound(result: Result, facts: Facts, sense: str) -> Iterator[CheckLine]:
    if result.certificate is None:
        if result.bound is not None:
            yield CheckLine("bound", FAILS, f"{result.bound!r} without a certificate")
        elif result.claimed_bound is not None:
            yield CheckLine("bound", CLAIMED, f"{result.claimed_bound!r} is a solver's word; no certificate")
        return
    yield _certificate(facts)
    if facts.trouble:
        return
    if not same_number(result.bound, facts.bound):
        yield CheckLine("bound", FAILS, f"the certificate proves {contrast(facts.bound, result.bound)}")
    elif beats(facts.objective, facts.bound, sense):
        message = f"the objective beats it: {contrast(facts.objective, facts.bound)}"
        yield CheckLine("bound", FAILS, message)
    elif facts.bound is not None:
        yield CheckLine("bound", HOLDS, f"{facts.bound!r}")


def _certificate(facts: Facts) -> CheckLine:
    if facts.trouble:
        return CheckLine("certificate", FAILS, facts.trouble)
    if facts.infeasible:
        return CheckLine("certificate", HOLDS, "proves that no feasible solution exists")
    if facts.bound is None:
        return CheckLine("certificate", FAILS, "proves no finite bound")
    return CheckLine("certificate", HOLDS, "recomputed from the instance, in integers")


def _check_derived(result: Result, facts: Facts) -> Iterator[CheckLine]:
    """Fields of the file that follow from others."""
    if "gap" in result.stated and not same_number(result.stated["gap"], result.gap):
        yield CheckLine(
            "gap", FAILS, f"objective and bound give {contrast(result.gap, result.stated['gap'])}"
        )
    if result.stated.get("verified", result.verified) != result.verified:
        message = f"the file says {result.stated['verified']}, its content says {result.verified}"
        yield CheckLine("verified", FAILS, message)
    verdict = result.verdict
    if (verdict is None) != (facts.verdict is None) or (
        verdict is not None
        and facts.verdict is not None
        and (
            {(each.constraint, each.where) for each in verdict.violations}
            != {(each.constraint, each.where) for each in facts.verdict.violations}
            or not same_number(verdict.objective, facts.verdict.objective)
        )
    ):
        yield CheckLine("verdict", FAILS, "the checker's verdict on this solution is another one")


def _check_status(result: Result, facts: Facts) -> CheckLine:
    status = result.status
    if status is Status.ERROR:
        return CheckLine("status", FAILS, f"error: {result.message}")
    if status is Status.INFEASIBLE:
        if facts.infeasible and facts.verdict is None:
            return CheckLine("status", HOLDS, "infeasible: proven")
        return CheckLine("status", FAILS, "infeasible: nothing proves it")
    if status in (Status.BOUND, Status.UNKNOWN):
        return _status_without_solution(result, facts)
    if facts.objective is None:
        return CheckLine("status", FAILS, f"{status}: there is no feasible solution in the result")
    if status is Status.OPTIMAL:
        return _status_optimal(result, facts)
    if status is Status.OPTIMAL_CLAIMED:
        return CheckLine(
            "status", CLAIMED, "optimal-claimed: a solver's word; feasibility is what was checked"
        )
    return CheckLine("status", HOLDS, "feasible")


def _status_optimal(result: Result, facts: Facts) -> CheckLine:
    asked = result.parameters.get("gap")
    certified = relative_gap(facts.objective, facts.bound)
    if certified is None:
        return CheckLine("status", FAILS, "optimal: no certificate bounds the objective")
    if not isinstance(asked, int | float) or not certified <= asked:
        return CheckLine("status", FAILS, f"optimal: the certified gap {certified:.3g} is above {asked!r}")
    return CheckLine("status", HOLDS, f"optimal: certified gap {certified:.2g} <= {asked:g} asked for")


def _status_without_solution(result: Result, facts: Facts) -> CheckLine:
    if result.solution is not None:
        return CheckLine("status", FAILS, f"{result.status}: but the result has a solution")
    if result.status is Status.UNKNOWN:
        nothing = facts.bound is None and result.claimed_bound is None and not facts.infeasible
        message = "unknown: neither a solution nor a bound" if nothing else "unknown: but there is a bound"
        return CheckLine("status", HOLDS if nothing else FAILS, message)
    if facts.bound is not None:
        return CheckLine("status", HOLDS, "bound: certified")
    if result.claimed_bound is not None and not facts.infeasible and not facts.trouble:
        return CheckLine("status", CLAIMED, "bound: a solver's word")
    return CheckLine("status", FAILS, "bound: there is none")


# -------------------------------------------------------------------- files that hold one part only


def _check_solution_alone(
    formulation: Formulation, problem: Any, stored: StoredSolution
) -> Iterator[CheckLine]:
    try:
        solution = read_solution(problem, stored)
    except DmloptError as error:
        yield CheckLine("solution", FAILS, str(error))
        return
    facts = establish(formulation, problem, solution, None)
    yield _feasibility(facts)
    if facts.objective is not None:
        yield CheckLine("objective", HOLDS, f"{facts.objective!r}")


def _check_certificate_alone(
    formulation: Formulation, problem: Any, stored: StoredCertificate
) -> Iterator[CheckLine]:
    facts = establish(formulation, problem, None, stored.data)
    yield _certificate(facts)
    if facts.trouble:
        return
    if same_number(stored.bound, facts.bound):
        if facts.bound is not None:
            yield CheckLine("bound", HOLDS, f"{facts.bound!r}")
    else:
        yield CheckLine("bound", FAILS, f"the certificate proves {contrast(facts.bound, stored.bound)}")
