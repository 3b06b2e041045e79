"""Honest certificates hold whatever units values and usages come in."""

from __future__ import annotations

import numpy as np
import pytest

from dmlopt.engine.certificate import recompute
from dmlopt.engine.price_tree import price_tree
from dmlopt.packing import Packing
from tests.engine.toys import table_packing


def in_units(seed: int, unit: int, worth: float) -> Packing:
    """Six agents that must run, plans of about `unit` per row and values of about `worth`."""
    rng = np.random.default_rng(seed)
    plans = []
    for _ in range(6):
        cheap = (-worth * float(rng.uniform(1, 2)), [1, 1])
        others = [
            (-worth * float(rng.uniform(0.1, 1)), rng.integers(unit // 2, 3 * unit, 2).tolist())
            for _ in range(5)
        ]
        plans.append([cheap, *others])
    return table_packing(plans, [6 * unit, 5 * unit])


@pytest.mark.parametrize("unit", [10**4, 10**5, 10**6, 10**7, 10**8])
@pytest.mark.parametrize("worth", [1e3, 1.0, 1e-2])
def test_an_honest_certificate_is_accepted(unit: int, worth: float) -> None:
    for seed in range(10):
        packing = in_units(seed, unit, worth)
        found = price_tree(packing)
        proved = recompute(found.certificate, packing)
        assert found.value is not None
        assert found.value <= proved.value


def test_a_plan_that_cannot_fit_does_not_break_the_certificate() -> None:
    plans = [[(1e3, [10**12]), (900.0, [2]), (1.0, [1])]] * 3 + [[(500.0, [2]), (1.0, [1])]]
    packing = table_packing(plans, [5])
    found = price_tree(packing)
    assert recompute(found.certificate, packing).value == pytest.approx(903.0)
