"""A forger changes certificates at random and keeps what lowers the proven bound: never below the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlopt.packing import Packing
from tests.engine.forgery import (
    ANY_BOUND,
    Forged,
    add_reduction,
    add_split,
    assert_sound,
    change_all_prices,
    change_classes,
    change_end,
    changed,
    fold,
    optimum_of,
    solved,
    unfold,
    verdict,
)
from tests.engine.toys import random_packing, table_packing, tight_packing


def duplicated_packing(seed: int) -> Packing:
    """Equal and dominated plans, equal agents, agents that may take nothing at all, an agent without a plan."""
    rng = np.random.default_rng(seed)
    kinds: list[list[tuple[float, list[int]]]] = []
    for _ in range(int(rng.integers(1, 4))):
        plans = [
            (float(rng.integers(-9, 12)), rng.integers(-1, 5, 2).tolist())
            for _ in range(int(rng.integers(1, 3)))
        ]
        plans += [plans[0]] * int(rng.integers(0, 2))
        plans += [(plans[0][0] - 1.0, plans[0][1])] * int(rng.integers(0, 2))
        kinds.append(plans)
    agents = [kinds[int(rng.integers(len(kinds)))] for _ in range(int(rng.integers(2, 5)))]
    counts = [[(0, 0), (0, 1), (1, 1), (0, 2), (2, 2)][int(rng.integers(5))] for _ in agents]
    if rng.random() < 0.3:
        agents.append([])
        counts.append((0, 1))
    return table_packing(agents, rng.integers(-2, 9, 2).tolist(), counts)


def toy(seed: int) -> Packing:
    kind = seed % 4
    if kind == 0:
        return tight_packing(seed)
    if kind == 1:
        return random_packing(seed, classes=True)
    if kind == 2:
        return random_packing(seed, classes=True, supply=True)
    return duplicated_packing(seed)


def proven(certificate: Forged, packing: Packing, optimum: float | None) -> float:
    """The proven bound as a number to be lowered; +inf when the certificate is refused."""
    found = assert_sound(certificate, packing, optimum)
    return np.inf if found is None else found.value


def climb(rng: Any, packing: Packing, form: Forged, steps: int) -> int:
    """Random changes, kept while the bound does not rise (and sometimes when it does); how many were accepted proofs."""
    optimum = optimum_of(packing)
    best = proven(fold(form), packing, optimum)
    accepted = 0
    for _ in range(steps):
        other = changed(rng, form, packing)
        value = proven(fold(other), packing, optimum)
        accepted += value < np.inf
        if value <= best or (value < np.inf and rng.random() < 0.1):
            form, best = other, value
    return accepted


@pytest.mark.parametrize("seed", range(40))
def test_forging_a_solved_certificate_proves_nothing_false(seed: int) -> None:
    packing = toy(seed)
    climb(np.random.default_rng(seed), packing, unfold(solved(packing)), 25)


def from_nothing(rng: Any, packing: Packing) -> Forged:
    """A certificate without any honest part: random prices, reductions, classes and splits."""
    tree = {"node": "leaf", "prices": [0] * packing.row_count, "bound": ANY_BOUND}
    form: Forged = {"bits": int(rng.integers(20, 57)), "classes": [], "chain": [], "tree": tree}
    for change in (
        change_all_prices,
        add_reduction,
        add_reduction,
        change_classes,
        add_split,
        add_split,
        change_end,
    ):
        if rng.random() < 0.6:
            change(rng, form, packing)
    return form


@pytest.mark.parametrize("seed", range(40))
def test_certificates_from_nothing_prove_nothing_false(seed: int) -> None:
    packing, rng = toy(100 + seed), np.random.default_rng(seed)
    climb(rng, packing, from_nothing(rng, packing), 25)


def test_the_forger_gets_past_the_first_checks() -> None:
    # Guards the tests above: forgeries that are all refused would say nothing about soundness.
    accepted = sum(
        climb(np.random.default_rng(seed), toy(seed), unfold(solved(toy(seed))), 25) for seed in range(12)
    )
    assert accepted >= 50


@pytest.mark.parametrize("seed", range(40))
def test_random_certificates_are_sound_and_some_are_accepted(seed: int) -> None:
    packing, rng = toy(500 + seed), np.random.default_rng(seed)
    optimum = optimum_of(packing)
    for _ in range(25):
        assert_sound(fold(from_nothing(rng, packing)), packing, optimum)


def test_unfolding_and_folding_keeps_the_proof() -> None:
    for seed in range(12):
        certificate = solved(toy(seed))
        again = fold(unfold(certificate))
        assert len(again["nodes"]) == len(certificate["nodes"])
        assert verdict(again, toy(seed)) == verdict(certificate, toy(seed)) is not None


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_long_forging(seed: int) -> None:
    packing, rng = toy(seed), np.random.default_rng(seed)
    climb(rng, packing, unfold(solved(packing)), 300)
    climb(rng, packing, from_nothing(rng, packing), 300)
