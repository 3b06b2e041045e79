"""Wrong solutions and wrong instances are refused; nothing but a clear error ever comes out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from dmlopt import registry
from dmlopt.conformance.mutants import mutants
from dmlopt.errors import InputError
from dmlopt.files import INSTANCE_FORMAT, decode, encode
from dmlopt.strict_json import compact
from dmlopt.verify import beats, contrast


def wrong_solutions_rejected(problem: Any, solution: Any, optimum: float, most: int = 200) -> Iterator[str]:
    """Changed copies of a solution: refused by their shape, judged infeasible, or not better than the proven optimum."""
    formulation = registry.formulation_of(problem)
    for mutant in mutants(formulation.solution_to_json(solution), most):
        try:
            changed = formulation.solution_from_json(problem, mutant.document)
        except InputError:
            continue
        except Exception as error:
            yield f"{mutant.what}: reading raises {type(error).__name__}: {error}"
            continue
        try:
            verdict = formulation.check(problem, changed)
        except Exception as error:
            yield f"{mutant.what}: the checker raises {type(error).__name__}: {error}"
            continue
        if not verdict.feasible:
            continue
        if mutant.document is None or isinstance(mutant.document, str):
            yield f"{mutant.what}: accepted as a feasible solution"
        elif verdict.objective is None or not math.isfinite(verdict.objective):
            yield f"{mutant.what}: feasible with an objective of {verdict.objective}"
        elif beats(verdict.objective, optimum, formulation.sense):
            yield f"{mutant.what}: better than the optimum: {contrast(verdict.objective, optimum)}"


def wrong_instances_refused(problem: Any, most: int = 200) -> Iterator[str]:
    """Changed copies of an instance file: refused with InputError, or a problem that can be written again."""
    name = registry.formulation_of(problem).name
    for mutant in mutants(encode(problem), most):
        try:
            changed = decode(compact(mutant.document).encode(), "mutant")
            compact(encode(changed))
        except InputError:
            continue
        except Exception as error:
            yield f"{mutant.what}: raises {type(error).__name__}: {error}"
            continue
        document = mutant.document
        if "unknown" in document or document.get("format") != INSTANCE_FORMAT:
            yield f"{mutant.what}: accepted as an instance of {name}"
