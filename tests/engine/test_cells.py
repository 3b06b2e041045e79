"""Count limits on nested parts: payoff and tightening against trying every count vector."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from dmlopt.engine.cells import Cell, payoff


def random_cell(rng: Any, depth: int, top: int = 4) -> Cell:
    """A random tree; parts are leaf numbers, limits may contradict each other."""
    lo = int(rng.integers(0, 3)) * int(rng.random() < 0.5)
    cell = Cell(int(rng.integers(1000)), lo, int(rng.integers(0, top + 1)))
    if depth == 0 or rng.random() < 0.25:
        return cell
    halves = (random_cell(rng, depth - 1, top), random_cell(rng, depth - 1, top))
    return Cell(None, cell.lo, cell.hi, ["cut"], halves)


def all_leaves(cell: Cell, path: str = "") -> list[str]:
    if cell.halves is None:
        return [path]
    return [*all_leaves(cell.halves[0], path + "0"), *all_leaves(cell.halves[1], path + "1")]


def allowed(cell: Cell, counts: dict[str, int], path: str = "") -> bool:
    """Whether the leaf counts respect the limits of every cell."""
    total = sum(count for leaf, count in counts.items() if leaf.startswith(path))
    if not cell.lo <= total <= cell.hi:
        return False
    if cell.halves is None:
        return True
    return all(allowed(half, counts, path + str(step)) for step, half in enumerate(cell.halves))


def vectors(cell: Cell, top: int = 4) -> set[tuple[int, ...]]:
    """Every count vector over the leaves that the limits allow."""
    leaves = all_leaves(cell)
    every = itertools.product(range(top + 1), repeat=len(leaves))
    return {counts for counts in every if allowed(cell, dict(zip(leaves, counts, strict=True)))}


def best_total(cell: Cell, values: dict[str, Any]) -> dict[int, Any]:
    """For every total count, the best sum of values; leaves without a value hold no plan."""
    leaves = all_leaves(cell)
    found: dict[int, Any] = {}
    for counts in vectors(cell):
        if any(n and values[leaf] is None for leaf, n in zip(leaves, counts, strict=True)):
            continue
        total = sum(n * values[leaf] for leaf, n in zip(leaves, counts, strict=True) if n)
        found[sum(counts)] = max(found.get(sum(counts), total), total)
    return found


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(150))
def test_payoff_is_the_best_total_of_every_count(seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    cell = random_cell(rng, 2)
    values: dict[str, Any] = {}
    for leaf in all_leaves(cell):
        value = int(rng.integers(-9, 10)) if whole else float(rng.normal())
        values[leaf] = None if rng.random() < 0.15 else value
    truth = best_total(cell, values)
    loose = payoff(cell, lambda path, _: values[path])
    function = payoff(cell.tightened(), lambda path, _: values[path])
    if not truth:
        assert function is None
        return
    assert loose == function
    assert function is not None
    assert function.best() == pytest.approx(max(truth.values()), abs=1e-12)
    assert function.lo == min(truth)
    value = function.base
    assert value == pytest.approx(truth[function.lo], abs=1e-12)
    count = function.lo
    for slope, length in function.slopes:
        for _ in range(length):
            count, value = count + 1, value + slope
            assert value == pytest.approx(truth[count], abs=1e-12)
    assert count == max(truth)


def test_integers_stay_exact() -> None:
    large = 3**60
    cell = Cell(None, 0, 5, ["cut"], (Cell(0, 2, 3), Cell(1, 0, 5)))
    function = payoff(cell, lambda path, _: {"0": -large, "1": large + 1}[path])
    assert function is not None
    assert function.best() == 3 * (large + 1) - 2 * large


@pytest.mark.parametrize("seed", range(300))
def test_tightening_keeps_the_count_vectors(seed: int) -> None:
    cell = random_cell(np.random.default_rng(seed), 2)
    tight = cell.tightened()
    assert vectors(tight) == vectors(cell)
    if vectors(cell):
        totals = [sum(counts) for counts in vectors(cell)]
        assert (tight.lo, tight.hi) == (min(totals), max(totals)) or tight.halves is None


@pytest.mark.parametrize("seed", range(200))
def test_the_two_sides_of_a_split_share_the_vectors_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cell = random_cell(rng, 2)
    path = [*all_leaves(cell), ""][int(rng.integers(len(all_leaves(cell)) + 1))]
    count = int(rng.integers(0, 4))
    at = cell.at(path)
    low = cell.changed(
        path, lambda each: Cell(each.part, each.lo, min(each.hi, count), each.cut, each.halves)
    )
    high = cell.changed(
        path, lambda each: Cell(each.part, max(each.lo, count + 1), each.hi, each.cut, each.halves)
    )
    assert vectors(low) | vectors(high) == vectors(cell)
    assert not vectors(low) & vectors(high)
    assert cell.at(path) is at


def test_leaves_that_may_hold_nothing_are_left_out() -> None:
    cell = Cell(None, 0, 2, ["cut"], (Cell("a", 0, 0), Cell("b", 0, 2)))
    assert [path for path, _ in cell.leaves()] == ["1"]
    assert cell.only is not None
    assert cell.only.part == "b"
    assert list(Cell("c", 0, 0).leaves()) == []


def test_paths_that_lead_nowhere_are_refused() -> None:
    with pytest.raises(KeyError):
        Cell(None, 0, 1).at("0")
    with pytest.raises(KeyError):
        Cell(None, 0, 1).changed("01", lambda each: each)
