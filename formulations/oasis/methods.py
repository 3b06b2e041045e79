"""What can be done with an OASiS problem: the engine's methods, the paper's online algorithm, the compact program
handed to solvers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dmlopt.engine.prices import ExponentialPrices
from dmlopt.online_methods import primal_dual_method
from dmlopt.packing import IntArray, Packing
from dmlopt.packing_methods import packing_methods
from dmlopt.registry import Method
from formulations.oasis.online import admitted_from, arrival_order, row_constants
from formulations.oasis.picks import picks_of, schedules_of
from formulations.oasis.planner import packing
from formulations.oasis.problem import OasisProblem
from formulations.oasis.program import compact_arrays
from formulations.oasis.quantities import quantities
from formulations.oasis.reference import schedules_from_program
from formulations.oasis.rows import build_rows


def program_rows(problem: OasisProblem) -> list[str]:
    """The capacity rows of the compact program that are the rows of the packing, in their order."""
    rows = build_rows(problem, quantities(problem))
    split = rows.worker_places
    return [
        f"capacity_{t + 1}_{int(place >= split)}_{place - split if place >= split else place}_{r}"
        for t, place, r in zip(*(axis.tolist() for axis in (rows.at >= 0).nonzero()), strict=True)
    ]


def row_slots(problem: OasisProblem) -> IntArray:
    """The slot of every row: rows of one slot share their noise in local search."""
    rows = build_rows(problem, quantities(problem))
    return (rows.at >= 0).nonzero()[0].astype(np.int64)


def posted_prices(problem: OasisProblem, packed: Packing, options: Mapping[str, Any]) -> ExponentialPrices:
    """L (U / L)^(used / capacity) on every row, with the constants that the problem carries."""
    return ExponentialPrices(packed.capacity, *row_constants(problem))


_ENGINE = packing_methods(
    packing=packing,
    solution=schedules_of,
    picks=picks_of,
    program=compact_arrays,
    program_solution=schedules_from_program,
    program_rows=program_rows,
    sense="max",
    generated=True,
    row_groups=row_slots,
)
METHODS: tuple[Method, ...] = (
    *_ENGINE,
    primal_dual_method(
        packing,
        schedules_of,
        order=lambda problem: np.array(arrival_order(problem), dtype=np.int64),
        price=posted_prices,
        tolerance=lambda plan: admitted_from(plan.value),
        summary="the paper's algorithm: prices that rise with use, jobs in arrival order, decisions final",
    ),
)
