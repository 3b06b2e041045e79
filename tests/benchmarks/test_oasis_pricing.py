"""A pricing round of OASiS: 100 jobs, 100 slots, 50 + 50 servers; hull and core against the plain dynamic program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlopt
from formulations.oasis.planner import OasisPlanner
from tests.benchmarks.ratios import print_ratio, timed


@pytest.mark.parametrize("view", ["pooled", "per-server"])
def test_pricing_round(benchmark: Any, view: str) -> None:
    problem = dmlopt.generate("oasis", jobs=100, seed=1, view=view, tau_max=0.005)
    fast, plain = OasisPlanner(problem), OasisPlanner(problem, compiled=False)
    random = np.random.default_rng(1)
    prices = random.uniform(0, 1, fast.row_count) * 5 / fast.rows.row_capacity()
    fast.best_all(prices)  # compiled at the first call
    found = benchmark.pedantic(lambda: fast.best_all(prices), rounds=10, iterations=1)
    rival = timed(lambda: plain.best_all(prices), 1)
    possible = np.isfinite(found.reduced)
    assert found.reduced[possible] == pytest.approx(rival.answer.reduced[possible], abs=1e-9)
    ours = timed(lambda: fast.best_all(prices), 10).seconds
    print_ratio(
        f"pricing round, 100 jobs, {view}", ours, "numpy DP", rival.seconds, f"{1e3 * ours:.1f} ms a round"
    )
