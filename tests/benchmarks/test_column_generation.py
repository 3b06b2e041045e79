"""Column generation at size: primal simplex against HiGHS' own choice, and a kept model against one rebuilt every round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlopt.backends.highs import KeptLinearProgram
from dmlopt.control import Clock
from dmlopt.engine import root_lp
from dmlopt.engine.column_lp import ColumnLP, ColumnPoint
from dmlopt.engine.root_lp import RootLP, solve_root
from tests.benchmarks.ratios import print_ratio, timed
from tests.engine.slots import large_slots

GAP = 1e-3
LIMIT = 60.0


class _Rebuilt(ColumnLP):
    """A column LP that forgets its model before every solve."""

    def solve(self, seconds: float) -> ColumnPoint | None:
        fresh = ColumnLP(self.packing, self.value_scale, self.price_scale)
        fresh.add(self.agents, self.ids)
        return ColumnLP.solve(fresh, seconds)


def run() -> RootLP:
    packing = large_slots(2)
    return solve_root(packing, Clock(LIMIT), GAP)


def compare(benchmark: Any, rival: str, theirs: Any) -> None:
    ours = timed(lambda: benchmark.pedantic(run, rounds=1, iterations=1), 1)
    assert np.isfinite(ours.answer.node.bound)
    detail = f"100 agents, 1,000 rows, gap {GAP}; LPs {ours.answer.cost.rounds} against {theirs.answer.cost.rounds}"
    print_ratio("column generation", ours.seconds, rival, theirs.seconds, detail)


def test_primal_simplex_against_the_default(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(KeptLinearProgram, "_primal_first", lambda self, primal: None)
        theirs = timed(run, 1)
    compare(benchmark, "default simplex", theirs)


def test_kept_model_against_rebuilt(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(root_lp, "ColumnLP", _Rebuilt)
        theirs = timed(run, 1)
    compare(benchmark, "rebuilt model", theirs)
