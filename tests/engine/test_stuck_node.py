"""A node that cannot be split, or whose LP gives no answer, stays open: its gap is never reported as closed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlopt.engine import price_tree as module
from dmlopt.engine.certificate import recompute
from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.price_tree import SearchResult, price_tree
from dmlopt.packing import Packing
from tests.engine.toys import box_packing, brute_force, listed, random_packing, tight_packing, value_of


def needs_a_tree(seed: int) -> bool:
    """Whether the toy is feasible and its certificate has a split."""
    nodes = price_tree(tight_packing(seed)).certificate["nodes"]
    return brute_force(tight_packing(seed)) is not None and any(node["node"] == "split" for node in nodes)


TREES = [seed for seed in range(200) if needs_a_tree(seed)][:25]


def assert_open_or_right(packing: Packing, optimum: float | None, found: SearchResult) -> bool:
    """Bound and certificate hold; True when a real gap is left."""
    proved = recompute(found.certificate, packing)
    if optimum is None:
        assert found.picks is None
        return not proved.infeasible
    assert not found.infeasible
    assert not proved.infeasible
    assert proved.value >= optimum - 1e-12
    assert found.bound >= optimum - 1e-9
    value = value_of(found.picks, packing)
    if value is None:
        return True
    assert value <= optimum + 1e-9
    if value < optimum - 1e-9:
        assert proved.value > value + 1e-6  # a worse point never passes for the best
        assert found.bound > value + 1e-6
    return proved.value > value + 1e-6


def test_there_are_toys_with_trees() -> None:
    assert len(TREES) >= 15


def test_nodes_that_cannot_be_split_leave_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._Search, "_choose", lambda *_: None)
    gaps = 0
    for seed in TREES:
        packing = tight_packing(seed)
        found = price_tree(packing)
        gaps += assert_open_or_right(packing, brute_force(packing), found)
        assert all(node["node"] != "split" for node in found.certificate["nodes"])
    assert gaps == len(TREES)  # all of them need a split


@pytest.mark.parametrize("after", [0, 1, 2, 5])
def test_branching_that_fails_later_leaves_a_gap_or_the_answer(
    after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose = module._Search._choose
    for seed in TREES:
        calls = [0]

        def fails_later(*arguments: Any, calls: list[int] = calls) -> Any:
            calls[0] += 1
            return choose(*arguments) if calls[0] <= after else None

        with monkeypatch.context() as patch:
            patch.setattr(module._Search, "_choose", fails_later)
            packing = tight_packing(seed)
            assert_open_or_right(packing, brute_force(packing), price_tree(packing))


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_an_lp_without_an_answer_closes_nothing(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    solve = ColumnLP.solve
    rng = np.random.default_rng(7)
    monkeypatch.setattr(ColumnLP, "solve", lambda lp, s: None if rng.random() < share else solve(lp, s))
    gaps = 0
    for seed in TREES:
        packing = tight_packing(seed)
        gaps += assert_open_or_right(packing, brute_force(packing), price_tree(packing))
    assert gaps > 0
    for seed in range(40):
        packing = random_packing(seed, classes=True, supply=True)
        assert_open_or_right(packing, brute_force(packing), price_tree(packing))
    for seed in range(20):
        packing = box_packing(seed)
        assert_open_or_right(packing, brute_force(listed(packing)), price_tree(packing))


def test_without_incumbents_nothing_is_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    # No core problem, no rounding: only whole LP points become incumbents, the proofs must be as good.
    monkeypatch.setattr(module, "solve_core", lambda *_: None)
    monkeypatch.setattr(module, "round_prices", lambda *_: None)
    monkeypatch.setattr(module, "round_point", lambda *_: None)
    for seed in range(60):
        packing = tight_packing(seed)
        optimum = brute_force(packing)
        open_gap = assert_open_or_right(packing, optimum, price_tree(packing))
        assert not open_gap


def test_a_wrong_lp_point_does_not_become_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # Prices and weights from the LP are made wrong: slower, weaker perhaps, never false.
    solve = ColumnLP.solve
    rng = np.random.default_rng(3)

    def wrong(lp: ColumnLP, seconds: float) -> Any:
        point = solve(lp, seconds)
        if point is not None:
            object.__setattr__(point, "prices", point.prices * rng.uniform(0.5, 2.0))
            object.__setattr__(point, "weights", np.rint(point.weights + rng.uniform(-0.3, 0.3)))
        return point

    monkeypatch.setattr(ColumnLP, "solve", wrong)
    for seed in TREES[:10]:
        packing = tight_packing(seed)
        found = price_tree(packing, module.SearchLimits(nodes=200))
        assert_open_or_right(packing, brute_force(packing), found)
