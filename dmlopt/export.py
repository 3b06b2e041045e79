"""A problem as a plain integer program in a file: for other solvers, and for a look at what is solved.

Two models of the same problem: `reference` is the paper's own program in its own variables, `plans` has one column per
plan that is worth keeping (problem (P)). Both are minimised; where the paper maximises, the cost is the value with its
sign turned. `format`: mps (free form), lp (the LP format of CPLEX), json (the arrays, `dmlopt-program/1`).
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from dmlopt import registry
from dmlopt.backends.lp_format import write_lp
from dmlopt.backends.mps import write_mps
from dmlopt.backends.program import Program
from dmlopt.control import Clock
from dmlopt.engine.plan_program import plan_program
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.files import instance_hash
from dmlopt.packing import Packing
from dmlopt.registry import OffersPlans, OffersReference
from dmlopt.strict_json import readable, write
from dmlopt.table import PlanTable

FORMATS = ("mps", "lp", "json")
MODELS = ("reference", "plans")
PROGRAM_FORMAT = "dmlopt-program/1"


def export(
    problem: Any, path: str | os.PathLike[str], format: str | None = None, model: str = "reference"
) -> None:
    """Write a problem as an integer program. Without `format`, the ending of the name decides; .gz compresses."""
    chosen = format if format is not None else format_of(path)
    write(exported(problem, chosen, model), path)


def exported(problem: Any, format: str, model: str = "reference") -> str:
    """The same as a text."""
    if format not in FORMATS:
        raise UnknownNameError("format", str(format), FORMATS)
    program = program_of(problem, model)
    if not program.column_count:
        raise InputError("there is nothing to export: no job has a plan that fits")
    if format == "json":
        return readable(_as_json(program, problem, model))
    text = io.StringIO()
    if format == "mps":
        write_mps(program, text, named=True)
    else:
        write_lp(program, text)
    return text.getvalue()


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that a file name stands for."""
    ending = os.fspath(path).removesuffix(".gz").rpartition(".")[2]
    if ending not in FORMATS:
        raise UnknownNameError("format", ending, FORMATS)
    return ending


def program_of(problem: Any, model: str = "reference") -> Program:
    """The integer program of a problem as arrays, with names."""
    formulation = registry.formulation_of(problem)
    if model not in MODELS:
        raise UnknownNameError("model", str(model), MODELS)
    if model == "plans":
        packing = (
            formulation.packing(problem)
            if isinstance(formulation, OffersPlans)
            else formulation.plain_packing(problem)
        )
        if not isinstance(packing.planner, PlanTable):
            raise InputError(f"model: the plans of '{formulation.name}' cannot be listed; use 'reference'")
        return _named(plan_program(packing, packing.planner), packing, packing.planner)
    if not isinstance(formulation, OffersReference):
        raise InputError(f"model: '{formulation.name}' offers no reference program; use 'plans'")
    from dmlopt.backends.pulp_arrays import to_program

    clock = Clock()
    return to_program(formulation.reference_program(problem, clock), clock)


def _named(program: Program, packing: Packing, table: PlanTable) -> Program:
    """x_i_k: plan k of agent i, by the formulation's own numbers where a plan has such; rows by what they limit."""
    columns = []
    for id, agent in enumerate(table.agent_of.tolist()):
        detail = table.detail(int(table.key[id])) if table.detail else None
        own = _counts(detail) or (id - int(table.start[agent]),)
        columns.append("_".join(map(str, ("x", agent, *own))))
    rows = [f"capacity_{k}_{re.sub(r'[^A-Za-z0-9]', '_', name)}" for k, name in enumerate(packing.row_names)]
    rows += [f"agent_{agent}" for agent in range(packing.agent_count)]
    return replace(program, column_names=tuple(columns), row_names=tuple(rows))


def _counts(detail: Any) -> tuple[int, ...]:
    whole = isinstance(detail, tuple) and all(isinstance(each, int) and each >= 0 for each in detail)
    return detail if whole else ()


def _as_json(program: Program, problem: Any, model: str) -> dict[str, Any]:
    matrix = csc_array(program.matrix)
    return {
        "format": PROGRAM_FORMAT,
        "formulation": registry.formulation_of(problem).name,
        "instance_hash": instance_hash(problem),
        "model": model,
        "sense": "min",
        "offset": program.offset + 0.0,
        "columns": {
            "name": list(program.column_names),
            "cost": _numbers(program.cost),
            "lower": _numbers(program.lower),
            "upper": _numbers(program.upper),
            "integer": program.integral.tolist(),
        },
        "rows": {
            "name": list(program.row_names),
            "lower": _numbers(program.row_lower),
            "upper": _numbers(program.row_upper),
        },
        "matrix": {  # by columns: entries start[j] to start[j + 1] - 1 belong to column j
            "start": np.asarray(matrix.indptr).tolist(),
            "row": np.asarray(matrix.indices).tolist(),
            "value": _numbers(matrix.data),
        },
    }


def _numbers(values: Iterable[float]) -> list[float | None]:
    """Plain numbers; null stands for no limit."""
    return [float(value) if math.isfinite(value) else None for value in values]
