"""A certificate proves the bound that the result states, from its file and the instance alone."""

from __future__ import annotations

from collections.abc import Iterator

from dmlopt.conformance.cases import MethodCase, fresh
from dmlopt.files import decode, encode
from dmlopt.result import Status
from dmlopt.strict_json import compact
from dmlopt.verify import contrast, establish, same_number


def certificate_proves_bound(case: MethodCase) -> Iterator[str]:
    """Recomputed over the plain plan set, the certificate gives the stated bound, or proves infeasibility."""
    result = case.first
    if result.certificate is None:
        if result.bound is not None:
            yield f"a bound of {result.bound!r} without a certificate"
        return
    stored = decode(compact(encode(result, "certificate")).encode(), "certificate")
    facts = establish(case.formulation, fresh(case.problem), None, stored.data)
    if facts.trouble:
        yield facts.trouble
    elif facts.infeasible != (result.status is Status.INFEASIBLE):
        proves = "infeasibility" if facts.infeasible else "a bound"
        yield f"the certificate proves {proves}, the status is {result.status}"
    elif not same_number(facts.bound, result.bound):
        yield f"the certificate proves another bound: {contrast(facts.bound, result.bound)}"
