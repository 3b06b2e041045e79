"""The compact program as arrays is the one stated in PuLP, column by column and row by row."""

from __future__ import annotations

import numpy as np
import pytest
from oasis_examples import w3, w4a, w4b, w5
from oasis_random import random_problem

import dmlopt
from dmlopt.backends.program import Program
from dmlopt.backends.pulp_arrays import to_program
from dmlopt.control import Clock
from formulations.oasis.problem import OasisProblem
from formulations.oasis.program import compact_arrays
from formulations.oasis.reference import reference_program

CASES = [w3(1.0), w4a(), w4b(), w4b("pooled", True), w5("chunks")]
CASES += [random_problem(seed, jobs=3) for seed in range(40)]
CASES += [
    dmlopt.generate("oasis", jobs=4, horizon=20, servers=3, seed=1, work=work, view=view)
    for work in ("slots", "chunks")
    for view in ("per-server", "pooled")
]


def entries(program: Program) -> dict[tuple[str, str], float]:
    matrix = program.matrix.tocoo()
    rows, columns = matrix.coords
    return {
        (program.row_names[row], program.column_names[column]): value
        for row, column, value in zip(rows, columns, matrix.data.tolist(), strict=True)
        if value
    }


@pytest.mark.parametrize("problem", CASES)
def test_same_program(problem: OasisProblem) -> None:
    arrays, stated = compact_arrays(problem), to_program(reference_program(problem), Clock())
    assert entries(arrays) == entries(stated)
    for names, fields in (
        ("column_names", ("cost", "lower", "upper", "integral")),
        ("row_names", ("row_lower", "row_upper")),
    ):
        for field in fields:
            ours = dict(zip(getattr(arrays, names), getattr(arrays, field).tolist(), strict=True))
            theirs = dict(zip(getattr(stated, names), getattr(stated, field).tolist(), strict=True))
            # PuLP leaves out columns that are in no row.
            assert {name: ours[name] for name in theirs} == theirs
    assert np.isfinite(arrays.upper).all()
