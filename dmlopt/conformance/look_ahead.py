"""Online methods decide about a job before they know the later ones."""

from __future__ import annotations

from collections.abc import Iterator

from dmlopt.conformance.cases import MethodCase, fresh
from dmlopt.registry import OffersArrivals
from dmlopt.strict_json import canonical

SEEDS = (0, 1, 2)


def has_arrivals(case: MethodCase) -> bool:
    """Whether the method decides online, and the formulation can say in which order jobs arrive."""
    return case.registered.kind == "online" and isinstance(case.formulation, OffersArrivals)


def no_look_ahead(case: MethodCase) -> Iterator[str]:
    """Changing later jobs changes no earlier decision. For methods of kind online, where the formulation has arrivals."""
    formulation = case.formulation
    if not has_arrivals(case) or not isinstance(formulation, OffersArrivals):
        return
    order = list(formulation.arrival_order(case.problem))
    solution = case.first.solution
    for position in sorted({0, len(order) // 2, len(order) - 2} & set(range(len(order) - 1))):
        for seed in SEEDS:
            changed = formulation.with_later_changed(fresh(case.problem), position, seed)
            other = case.run(changed).solution
            if solution is None or other is None:
                yield f"no solution to compare, later jobs changed after position {position}"
                return
            for job in order[: position + 1]:
                before, after = (formulation.decision(each, job) for each in (solution, other))
                if canonical(before) != canonical(after):
                    yield f"job {job} is decided otherwise when jobs after position {position} change"
                    return
