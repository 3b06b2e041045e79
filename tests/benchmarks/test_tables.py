"""Building the tables: the fast path (pruned) and the plain one that certificates are checked with."""

from __future__ import annotations

from typing import Any

import dmlopt
from dmlopt.table import PlanTable
from formulations.optimus.planner import packing
from formulations.optimus.reference import plain_packing


def test_pruned_tables_of_10000_jobs(benchmark: Any) -> None:
    problem = dmlopt.generate("optimus", cluster="gpu-8x8-a100", jobs=10_000, seed=1)
    found = benchmark.pedantic(lambda: packing(problem), rounds=5, iterations=1)
    assert isinstance(found.planner, PlanTable)
    assert found.planner.plan_count > 10_000


def test_plain_tables_of_10000_jobs(benchmark: Any) -> None:
    problem = dmlopt.generate("optimus", cluster="gpu-8x8-a100", jobs=10_000, seed=1)
    found = benchmark.pedantic(lambda: plain_packing(problem), rounds=3, iterations=1)
    assert isinstance(found.planner, PlanTable)
    assert found.planner.plan_count == 10_000 * 256
