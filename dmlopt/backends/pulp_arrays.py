"""From a PuLP model, the readable form of a paper's program, to the arrays every backend takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pulp
from scipy.sparse import csc_array

from dmlopt.backends.program import Program
from dmlopt.control import Clock


def to_program(model: Any, clock: Clock) -> Program:
    """The arrays of a pulp.LpProblem that minimises; raises OutOfTime when the clock runs out meanwhile."""
    if model.sense != pulp.LpMinimize:
        raise ValueError("reference programs are stated as minimisation")
    variables = model.variables()
    place = {variable.name: index for index, variable in enumerate(variables)}
    cost = np.zeros(len(variables))
    for variable, weight in model.objective.items():
        cost[place[variable.name]] = weight
    clock.check()
    rows, columns, weights, lower, upper = [], [], [], [], []
    constraints = model.constraints()
    for row, constraint in enumerate(constraints):
        if row % 1000 == 0:
            clock.check()
        for variable, weight in constraint.items():
            rows.append(row)
            columns.append(place[variable.name])
            weights.append(float(weight))
        bound = -float(constraint.constant)
        lower.append(bound if constraint.sense in (pulp.LpConstraintGE, pulp.LpConstraintEQ) else -np.inf)
        upper.append(bound if constraint.sense in (pulp.LpConstraintLE, pulp.LpConstraintEQ) else np.inf)
    matrix = csc_array((weights, (rows, columns)), shape=(len(lower), len(variables)))
    return Program(
        cost=cost,
        matrix=matrix,
        row_lower=np.array(lower),
        row_upper=np.array(upper),
        lower=np.array([-np.inf if v.lowBound is None else float(v.lowBound) for v in variables]),
        upper=np.array([np.inf if v.upBound is None else float(v.upBound) for v in variables]),
        integral=np.array([v.cat == pulp.LpInteger for v in variables], dtype=bool),
        offset=float(model.objective.constant),
        column_names=tuple(v.name for v in variables),
        row_names=tuple(constraint.name for constraint in constraints),
    )
