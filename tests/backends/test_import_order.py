"""Solver libraries share native code: all of them in one process, imported in every order, must solve."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

# The libraries under the backends: highspy, PuLP, OR-Tools, CVXPY.
GROUPS = {
    "highs": ["highs"],
    "cbc": ["cbc"],
    "ortools": ["scip", "cp-sat", "glop", "pdlp"],
    "cvxpy": ["cvxpy-highs", "cvxpy-clarabel"],
}
ORDERS = list(itertools.permutations(GROUPS))

# max x + y, x + 2y <= 4, 3x + y <= 6: -2 in integers, -2.8 in reals
CODE = """
import sys
import numpy as np
from scipy.sparse import csc_array
from dmlopt.backends.catalogue import backend
from dmlopt.backends.program import Capability, Program, SolverLimits

def given(whole):
    return Program(
        cost=np.array([-1.0, -1.0]), matrix=csc_array(np.array([[1.0, 2.0], [3.0, 1.0]])),
        row_lower=np.full(2, -np.inf), row_upper=np.array([4.0, 6.0]),
        lower=np.zeros(2), upper=np.full(2, 9.0), integral=np.full(2, whole),
    )

chosen = [backend(name) for name in sys.argv[1:]]
for each in chosen:
    whole = Capability.INTEGER in each.capabilities
    if hasattr(each, "solve_here"):
        found = each.solve_here(given(whole), SolverLimits(), None, lambda _: None)
    else:
        found = each.solve(given(whole), SolverLimits())
    assert found.status == "optimal", (each.name, found)
    assert abs(found.objective - (-2.0 if whole else -2.8)) < 1e-5, (each.name, found)
    print(each.name, flush=True)
"""


@pytest.mark.parametrize("order", ORDERS, ids=["-".join(order) for order in ORDERS])
def test_all_backends_in_one_process(order: tuple[str, ...]) -> None:
    names = [name for group in order for name in GROUPS[group]]
    answer = subprocess.run([sys.executable, "-c", CODE, *names], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == names
