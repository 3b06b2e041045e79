"""What can be done with an OASiS problem: the engine's methods and the compact program handed to solvers."""

from __future__ import annotations

from dmlopt.packing_methods import packing_methods
from dmlopt.registry import Method
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


METHODS: tuple[Method, ...] = packing_methods(
    packing=packing,
    solution=schedules_of,
    picks=picks_of,
    program=compact_arrays,
    program_solution=schedules_from_program,
    program_rows=program_rows,
    sense="max",
)
