"""Good prices fast, for many rows: steps along subgradients of bound(p).

A cutting-plane model of bound(p) needs about as many pieces as there are rows, and an LP over thousands of them; a step
along the subgradient (capacity minus use) costs one evaluation. The length of a step aims at a level a little below the
best bound (Polyak's step with a target that comes closer whenever it proves out of reach). It comes within a few
thousandths of the best bound and then crawls: column generation takes over from there.

Inside, prices are measured as shares of the total value, as in lagrangian.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.evaluate import DualPoint, evaluate
from dmlopt.engine.lagrangian import price_scale
from dmlopt.packing import FloatArray, Packing

FIRST_LEVEL = 0.1
"""The first target lies this share of the bound below it."""
LAST_LEVEL = 1e-4
"""A target closer than this ends the search."""
PATIENCE = 10
"""Steps without much progress after which the target comes closer: more of them take longer and end lower."""
CLOSER = 0.7


def subgradient(
    packing: Packing,
    clock: Clock | None = None,
    start: FloatArray | None = None,
    limit: int = 300,
    last_level: float = LAST_LEVEL,
    patience: int = PATIENCE,
    tell: Callable[[DualPoint], None] | None = None,
) -> DualPoint:
    """The best evaluation of at most `limit` steps; -inf in its bound means that some agent cannot meet its counts."""
    clock = clock or Clock()
    value, scale = price_scale(packing)
    point = np.zeros(packing.row_count) if start is None else np.maximum(start / scale, 0.0)
    best: DualPoint | None = None
    level, idle = FIRST_LEVEL, 0
    for _ in range(limit):
        found = evaluate(packing, point * scale)
        if tell:
            tell(found)
        gained = np.inf if best is None else best.bound - found.bound
        if best is None or gained > 0:
            best = found
        if best.bound == -np.inf or clock.expired():
            break
        size = max(abs(best.bound), 1e-12 * value)
        idle = 0 if gained > 0.01 * level * size else idle + 1
        if idle >= patience:
            level, idle = CLOSER * level, 0
            if level < last_level:
                break
        slope = found.subgradient(packing.capacity) * scale / value
        slope[(point <= 0.0) & (slope > 0.0)] = 0.0  # the price cannot fall further
        length = float(slope @ slope)
        if length == 0.0:  # no price wants to move: the bound is the best there is
            break
        step = (found.bound - best.bound + level * size) / value / length
        point = np.maximum(point - step * slope, 0.0)
    assert best is not None
    return best
