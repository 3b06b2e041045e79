"""All checks together: on one method, on one instance, on a formulation with all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dmlopt import registry
from dmlopt.api import generate
from dmlopt.conformance.cases import Check, Finding, Known, MethodCase, known_from
from dmlopt.conformance.certificates import certificate_proves_bound
from dmlopt.conformance.look_ahead import has_arrivals, no_look_ahead
from dmlopt.conformance.options import generator_options_refused, method_options_refused
from dmlopt.conformance.rejection import wrong_instances_refused, wrong_solutions_rejected
from dmlopt.conformance.repeatable import ran_to_the_end, same_answer, same_instance
from dmlopt.conformance.round_trip import answer_round_trip, instance_round_trip
from dmlopt.conformance.sandwich import claims_not_refuted, exact_methods_agree, right_side_of_bounds
from dmlopt.conformance.tampering import changed_results_refused
from dmlopt.conformance.time_limit import time_limit_kept
from dmlopt.conformance.traces import trace_tells_the_truth
from dmlopt.conformance.verdicts import answer_holds, kind_kept, problem_untouched
from dmlopt.errors import NotApplicableError
from dmlopt.files import instance_hash
from dmlopt.library import LibraryEntry, entries, read_table
from dmlopt.result import Result, Status


def _has_proof(case: MethodCase) -> bool:
    return case.first.certificate is not None or case.first.bound is not None


def _has_claim(case: MethodCase) -> bool:
    done = case.first.status in (Status.OPTIMAL, Status.OPTIMAL_CLAIMED)
    return done or case.first.claimed_bound is not None


def _has_trace(case: MethodCase) -> bool:
    return bool(case.first.trace)


# Of a MethodCase. `answers` is the check that the method comes back with an answer at all.
METHOD_CHECKS = (
    Check("untouched", "the problem is not changed", problem_untouched),
    Check("verdict", "the checker accepts what is delivered", answer_holds),
    Check("kind", "the answer is of the method's kind", kind_kept),
    Check("certificate", "it proves the stated bound", certificate_proves_bound, _has_proof),
    Check("sandwich", "values and certified bounds are on their sides", right_side_of_bounds),
    Check("claims", "nothing that is certain refutes a claim", claims_not_refuted, _has_claim),
    Check("trace", "it tells the same story as the answer", trace_tells_the_truth, _has_trace),
    Check("repeatable", "the same seed gives the same answer", same_answer, ran_to_the_end),
    Check("round trip", "files give the same bytes again", answer_round_trip),
    Check("tampering", "changed result files are refused", changed_results_refused),
    Check("look ahead", "online decisions do not depend on later jobs", no_look_ahead, has_arrivals),
)
ANSWERS = Check("answers", "no error but a clear one", lambda case: iter(()))
TIME_LIMIT = Check("time limit", "kept within 10 % or 1 s", time_limit_kept)
METHOD_OPTIONS = Check("options", "wrong ones are named", method_options_refused)
AGREEMENT = Check("agreement", "exact methods find one optimum", exact_methods_agree)
# Of a problem.
INSTANCE_CHECKS = (
    Check("instance file", "it gives the same bytes again", instance_round_trip),
    Check("wrong instances", "changed instance files are refused", wrong_instances_refused),
)
WRONG_SOLUTIONS = Check(
    "wrong solutions", "changed solutions are refused or no better", wrong_solutions_rejected
)
# Of a formulation's name, where it has a generator.
GENERATOR_CHECKS = (
    Check("generator", "the same seed gives the same instance", same_instance),
    Check("generator options", "wrong ones are named", generator_options_refused),
)
ALL_CHECKS = (
    *(*GENERATOR_CHECKS, *INSTANCE_CHECKS, WRONG_SOLUTIONS, METHOD_OPTIONS, ANSWERS, *METHOD_CHECKS),
    *(AGREEMENT, TIME_LIMIT),
)
SHORT_LIMIT = 0.5  # seconds, where keeping a time limit is tested


@dataclass(frozen=True)
class Instance:
    """A problem to test with, by name, and what is certain about it."""

    name: str
    problem: Any
    known: Known


def instance_of(entry: LibraryEntry) -> Instance:
    """A library instance with its best known value and bound."""
    row = read_table(entry.folder)[entry.name]
    return Instance(entry.name, entry.problem(), Known(row.value, row.bound, row.status == "infeasible"))


def instances_of(formulation: str, size: str = "toy") -> list[Instance]:
    """The library of a formulation; where it has none, three instances of its generator."""
    if formulation in registry.library_names():
        return [instance_of(each) for each in entries(formulation, size)]
    return [Instance(f"seed {seed}", generate(formulation, seed=seed), Known()) for seed in range(3)]


def apply(check: Check, where: str, *arguments: Any) -> list[Finding]:
    """What a check finds; an error inside it is a finding too, a method that does not apply is none."""
    try:
        return [Finding(check.name, where, message) for message in check.run(*arguments)]
    except NotApplicableError:
        return []
    except Exception as error:
        return [Finding(check.name, where, f"raises {type(error).__name__}: {error}")]


def answer_of(case: MethodCase) -> Result | None:
    """The first answer; None where the method does not apply."""
    try:
        return case.first
    except NotApplicableError:
        return None


def method_findings(case: MethodCase, where: str) -> list[Finding]:
    """All checks of a method on an instance."""
    try:
        if answer_of(case) is None:
            return []
    except Exception as error:
        return [Finding(ANSWERS.name, where, f"raises {type(error).__name__}: {error}")]
    return [
        finding for check in METHOD_CHECKS if check.applies(case) for finding in apply(check, where, case)
    ]


def run(
    formulation: str,
    methods: Sequence[str] = (),
    size: str = "toy",
    time_limit: float = 10.0,
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[Check, list[Finding]]]:
    """The whole suite: pairs of a check that was made and what it found."""
    chosen = [registry.find_method(formulation, each).name for each in methods]
    chosen = chosen or list(registry.methods(formulation))
    has_generator = formulation in registry.generator_names()
    for check in GENERATOR_CHECKS if has_generator else ():
        yield check, apply(check, formulation, formulation)
    instances = instances_of(formulation, size)
    for instance in instances:
        for check in INSTANCE_CHECKS:
            yield check, apply(check, instance.name, instance.problem)
        yield from _on_instance(instance, chosen, time_limit, tell)
    for method in chosen:
        tell(f"{method}: options, time limit")
        yield METHOD_OPTIONS, apply(METHOD_OPTIONS, method, instances[0].problem, method)
        for instance in long_instances(formulation, instances):
            case = MethodCase(instance.problem, method, instance.known, SHORT_LIMIT)
            yield TIME_LIMIT, apply(TIME_LIMIT, f"{method} on {instance.name}", case)


def long_instances(formulation: str, instances: Sequence[Instance]) -> list[Instance]:
    """Where a time limit can matter: the last medium and the last large one of the library; else the last at hand."""
    if formulation not in registry.library_names():
        return list(instances[-1:])
    found = [entries(formulation, size)[-1:] for size in ("medium", "large")]
    return [instance_of(each) for group in found for each in group]


def _on_instance(
    instance: Instance, methods: Sequence[str], time_limit: float, tell: Callable[[str], None]
) -> Iterator[tuple[Check, list[Finding]]]:
    sense = registry.formulation_of(instance.problem).sense
    results: list[Result] = []
    cases = []
    for method in methods:
        where = f"{method} on {instance.name}"
        tell(where)
        case = MethodCase(instance.problem, method, instance.known, time_limit)
        try:
            found = answer_of(case)
        except Exception as error:
            text = f"raises {type(error).__name__}: {error}"
            yield ANSWERS, [Finding(ANSWERS.name, where, text)]
            continue
        yield ANSWERS, []
        if found is not None:
            results.append(found)
            cases.append((where, case))
    own = instance_hash(
        instance.problem
    )  # an answer to a problem that the method has changed proves nothing here
    known = known_from([each for each in results if each.instance_hash == own], sense, instance.known)
    for where, case in cases:
        tell(where)
        case.known = known
        for check in METHOD_CHECKS:
            if check.applies(case):
                yield check, apply(check, where, case)
    yield AGREEMENT, apply(AGREEMENT, instance.name, results)
    best = next((each for each in results if each.objective == known.optimum is not None), None)
    if best is not None:
        arguments = (instance.problem, best.solution, known.optimum)
        yield WRONG_SOLUTIONS, apply(WRONG_SOLUTIONS, instance.name, *arguments)
