"""The exact method against brute force, through tables and through a planner that lists nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dmlopt.engine.certificate import recompute
from dmlopt.engine.price_tree import SearchLimits, price_tree
from dmlopt.packing import Packing
from dmlopt.result import Limit
from tests.engine.toys import (
    box_packing,
    brute_force,
    listed,
    random_packing,
    table_packing,
    tight_packing,
    value_of,
)


def assert_solved(packing: Packing, optimum: float | None) -> None:
    found = price_tree(packing)
    proved = recompute(found.certificate, packing)
    assert found.limit is Limit.NONE
    if optimum is None:
        assert found.infeasible
        assert proved.infeasible
        assert found.picks is None
        return
    assert value_of(found.picks, packing) == pytest.approx(optimum, abs=1e-9)
    assert not proved.infeasible
    assert proved.value == pytest.approx(optimum, abs=1e-7)
    assert proved.value >= optimum - 1e-12


@pytest.mark.parametrize("seed", range(150))
def test_tables_match_brute_force(seed: int) -> None:
    packing = random_packing(seed)
    assert_solved(packing, brute_force(packing))


@pytest.mark.parametrize("seed", range(200))
def test_tight_tables_match_brute_force(seed: int) -> None:
    packing = tight_packing(seed)
    assert_solved(packing, brute_force(packing))


def test_the_random_toys_reach_every_kind_of_certificate_node() -> None:
    # Guards the tests above: toys that never split, fix, round or prove infeasibility by a ray would prove little.
    kinds: Counter[str] = Counter()
    for seed in range(200):
        for node in price_tree(tight_packing(seed)).certificate["nodes"]:
            kinds[node["node"]] += 1
    assert all(kinds[kind] >= 20 for kind in ("split", "leaf", "fix", "keep", "round", "ray")), kinds


@pytest.mark.parametrize("seed", range(150))
def test_classes_of_identical_agents_match_brute_force(seed: int) -> None:
    packing = random_packing(1000 + seed, classes=True)
    assert_solved(packing, brute_force(packing))


@pytest.mark.parametrize("seed", range(150))
def test_supplying_agents_match_brute_force(seed: int) -> None:
    packing = random_packing(2000 + seed, classes=True, supply=True)
    assert_solved(packing, brute_force(packing))


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("supply", [False, True])
def test_planner_without_a_list_matches_its_list(seed: int, supply: bool) -> None:
    packing = box_packing(seed, supply)
    assert_solved(packing, brute_force(listed(packing)))


def test_value_step_rounds_the_bound() -> None:
    # Three plans of weight 2 in capacity 5: LP 2.5 agents, integers 2. With step 1 the root bound 2.5 already proves 2.
    packing = table_packing([[(1.0, [2])]] * 3, [5], [(0, 1)] * 3, value_step=1.0)
    found = price_tree(packing)
    assert found.value == 2.0
    assert recompute(found.certificate, packing).value == 2.0


def test_forty_agents_of_three_kinds_need_few_nodes() -> None:
    kinds = [
        [(-10.0, [1, 1]), (-6.0, [2, 3]), (-4.5, [4, 4])],
        [(-9.0, [1, 2]), (-5.0, [3, 2]), (-4.0, [3, 5])],
        [(-12.0, [2, 1]), (-7.0, [3, 3]), (-3.0, [5, 4])],
    ]
    packing = table_packing([kinds[i % 3] for i in range(40)], [101, 103])
    found = price_tree(packing)
    assert recompute(found.certificate, packing).value == pytest.approx(found.value, rel=1e-9)
    assert len(recompute_classes(found.certificate)) == 3
    assert found.nodes < 500


def recompute_classes(certificate: dict[str, object]) -> list[object]:
    classes = certificate["classes"]
    assert isinstance(classes, list)
    return classes


def test_a_node_limit_leaves_a_certified_gap() -> None:
    rng = np.random.default_rng(5)
    plans = [
        [(-float(rng.integers(50, 100)), [1, 1])]
        + [(-float(rng.integers(10, 50)), rng.integers(2, 9, 2).tolist()) for _ in range(4)]
        for _ in range(15)
    ]
    packing = table_packing(plans, [41, 43])
    whole = price_tree(packing)
    cut_short = price_tree(packing, SearchLimits(nodes=3))
    assert whole.nodes > 3
    assert cut_short.limit is Limit.NODES
    proved = recompute(cut_short.certificate, packing)
    assert whole.value is not None
    assert cut_short.value is not None
    assert cut_short.value <= whole.value <= proved.value + 1e-9
    assert proved.value > whole.value + 1e-6


def test_warm_start_is_kept_when_nothing_better_is_found_in_time() -> None:
    packing = table_packing([[(-5.0, [1]), (-1.0, [3])], [(-6.0, [1]), (-2.0, [3])]], [4])
    best = price_tree(packing)
    again = price_tree(packing, SearchLimits(start=best.picks, prices=best.prices))
    assert again.value == best.value
