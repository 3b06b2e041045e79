"""Small programs with known answers, and scipy's answer to any LP."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_array

from dmlopt.backends.program import Program

INF = np.inf


def program(
    cost: list[float],
    rows: list[list[float]],
    row_lower: list[float],
    row_upper: list[float],
    lower: list[float] | None = None,
    upper: list[float] | None = None,
    integral: list[bool] | None = None,
    offset: float = 0.0,
) -> Program:
    """A Program from lists; columns are >= 0 and continuous unless told otherwise."""
    count = len(cost)
    return Program(
        cost=np.array(cost, dtype=float),
        matrix=csc_array(np.array(rows, dtype=float).reshape(len(row_lower), count)),
        row_lower=np.array(row_lower, dtype=float),
        row_upper=np.array(row_upper, dtype=float),
        lower=np.array([0.0] * count if lower is None else lower, dtype=float),
        upper=np.array([INF] * count if upper is None else upper, dtype=float),
        integral=np.array([False] * count if integral is None else integral, dtype=bool),
        offset=offset,
    )


def scipy_value(given: Program) -> float | None:
    """The optimum by scipy, without presolve; None when there is none."""
    matrix = given.matrix.toarray()
    above, below = np.isfinite(given.row_upper), np.isfinite(given.row_lower)
    answer: Any = linprog(
        given.cost,
        A_ub=np.vstack([matrix[above], -matrix[below]]),
        b_ub=np.concatenate([given.row_upper[above], -given.row_lower[below]]),
        bounds=list(zip(given.lower, given.upper, strict=True)),
        integrality=given.integral.astype(int),
        method="highs",
        options={"presolve": False},
    )
    return float(answer.fun) + given.offset if answer.status == 0 else None


def random_program(seed: int, integers: bool) -> Program:
    """A bounded random program with all kinds of rows and columns; feasible more often than not."""
    rng = np.random.default_rng(seed)
    columns, rows = int(rng.integers(1, 6)), int(rng.integers(0, 5))
    matrix = rng.integers(-4, 6, (rows, columns)) * (rng.random((rows, columns)) < 0.8)
    lower = rng.integers(-3, 2, columns).astype(float)
    upper = lower + rng.integers(0, 7, columns)
    middle = matrix @ np.floor((lower + upper) / 2)
    row_lower, row_upper = middle - rng.integers(0, 4, rows), middle + rng.integers(0, 4, rows)
    kind = rng.integers(0, 5, rows)  # <=, >=, =, range, free
    row_lower[(kind == 0) | (kind == 4)] = -INF
    row_upper[(kind == 1) | (kind == 4)] = INF
    row_lower[kind == 2] = row_upper[kind == 2]
    return program(
        rng.integers(-9, 10, columns).tolist(),
        matrix.tolist(),
        row_lower.tolist(),
        row_upper.tolist(),
        lower.tolist(),
        upper.tolist(),
        (rng.random(columns) < 0.6).tolist() if integers else None,
        float(rng.integers(-5, 6)),
    )


def hard_program() -> Program:
    """A market-split program: six equalities over fifty binaries, far beyond a second for any branch and bound."""
    rng = np.random.default_rng(3)
    rows, columns = 6, 50
    matrix = rng.integers(0, 100, (rows, columns)).astype(float)
    side = np.floor(matrix.sum(axis=1) / 2)
    slack = np.hstack([np.eye(rows), -np.eye(rows)])
    return program(
        [0.0] * columns + [1.0] * (2 * rows),
        np.hstack([matrix, slack]).tolist(),
        side.tolist(),
        side.tolist(),
        [0.0] * (columns + 2 * rows),
        [1.0] * columns + [INF] * (2 * rows),
        [True] * columns + [False] * (2 * rows),
    )
