"""The LP over every schedule of a tiny OASiS problem, stated in one piece."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from dmlopt.backends.highs import BACKEND
from dmlopt.backends.program import Program, SolverLimits
from formulations.oasis.planner import OasisPlanner
from formulations.oasis.problem import OasisProblem
from formulations.oasis.reference import every_schedule, use_of


def full_column_lp(problem: OasisProblem) -> float:
    """LP (14)-(17) over every schedule."""
    planner = OasisPlanner(problem)
    columns, values = [], []
    for i, each in enumerate(problem.jobs):
        for schedule in every_schedule(problem, i):
            column = np.zeros(planner.row_count + problem.job_count)
            for (t, side, place, r), amount in use_of(each, schedule).items():
                column[planner.rows.at[t - 1, place + side * planner.rows.worker_places, r]] += amount
            column[planner.row_count + i] = 1
            columns.append(column)
            values.append(each.utility.value(max(schedule) - each.arrival))
    if not columns:
        return 0.0
    rows = len(columns[0])
    upper = np.concatenate([planner.rows.row_capacity(), np.ones(problem.job_count)]).astype(float)
    count = len(columns)
    program = Program(
        -np.array(values),
        csc_array(np.array(columns).T),
        np.full(rows, -np.inf),
        upper,
        np.zeros(count),
        np.full(count, np.inf),
        np.zeros(count, dtype=bool),
    )
    answer = BACKEND.solve(program, SolverLimits())
    assert answer.objective is not None
    return -answer.objective
