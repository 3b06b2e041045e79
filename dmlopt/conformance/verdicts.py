"""What a method delivers holds: the checker accepts the solution, and the second opinion has nothing against it."""

from __future__ import annotations

from collections.abc import Iterator

from dmlopt.checking import FAILS, check, is_word_alone
from dmlopt.conformance.cases import MethodCase
from dmlopt.files import decode, encode, instance_hash
from dmlopt.result import Status
from dmlopt.strict_json import compact
from dmlopt.verify import contrast, same_number


def answer_holds(case: MethodCase) -> Iterator[str]:
    """The result, as its file says it, passes `dmlopt.check`; its objective is the checker's.

    That nothing is feasible may be a method's word: `check` calls it unproven, whether it is refuted is another check.
    """
    result, formulation = case.first, case.formulation
    if result.status is Status.ERROR:
        yield result.message
        return
    stored = decode(compact(encode(result)).encode(), "result")
    word = is_word_alone(result)
    for line in check(case.problem, stored).lines:
        if line.outcome == FAILS and not (word and line.name == "status"):
            yield f"{line.name}: {line.message}"
    if result.solution is None:
        return
    data = formulation.solution_to_json(result.solution)
    verdict = formulation.check(case.problem, formulation.solution_from_json(case.problem, data))
    if not verdict.feasible:
        yield "the solution, written and read, is not feasible"
    if not same_number(verdict.objective, result.objective):
        yield f"the checker finds another objective: {contrast(verdict.objective, result.objective)}"


def kind_kept(case: MethodCase) -> Iterator[str]:
    """A method of kind bound gives no solution; any other kind does not live on bounds alone."""
    result, kind = case.first, case.registered.kind
    if kind == "bound" and result.solution is not None:
        yield "a method of kind bound gives a solution"
    if kind in ("heuristic", "online") and result.status is Status.BOUND:
        yield f"a method of kind {kind} gives a bound, but no solution"


def problem_untouched(case: MethodCase) -> Iterator[str]:
    """The problem is after the run what it was before."""
    if case.hash_after != instance_hash(case.problem):
        yield "the method changes the problem it is given"
