"""A good integer point from LP prices: the best of several orders and of a dive, improved by ruin and recreate."""

from __future__ import annotations

from collections.abc import Callable

from dmlopt.control import Clock
from dmlopt.engine.column_lp import ColumnPoint
from dmlopt.engine.diving import better, dive, greedy_orders
from dmlopt.engine.ruin_recreate import Improved, ruin_recreate
from dmlopt.packing import FloatArray, IntArray, Packing


def plan_again(
    packing: Packing,
    prices: FloatArray,
    point: ColumnPoint | None,
    clock: Clock,
    seed: int = 0,
    tries: int | None = None,
    enough: Callable[[float], bool] | None = None,
    groups: IntArray | None = None,
    tell: Callable[[float], None] | None = None,
) -> Improved:
    """Needs usage >= 0. The arguments from `seed` on are those of `ruin_recreate`."""
    first = greedy_orders(packing, prices, point, clock)
    if not clock.expired():
        first = better(first, dive(packing, prices, clock))
    return ruin_recreate(first, prices, clock, seed, tries, enough, groups, tell)
