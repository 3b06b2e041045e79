"""COST_t(y): the cheapest placement of y workers and ps_i(y) ps in one slot, for every y at once (Algorithm 2, step 1).

Copies are identical, so the y cheapest free places are optimal; fewest ps are optimal because prices are not negative.
Places are visited by (price rounded to 12 significant digits, index): the notes' tie rule (c). Lower limits of a box are
placed first, whatever they cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.box import Box


@dataclass(frozen=True, eq=False)
class Side:
    """What one kind of task (workers or ps) of one job sees in its slots: unit prices, rooms, forced counts."""

    price: FloatArray  # [slot, place]
    room: IntArray  # [slot, place]: most tasks
    least: IntArray  # [slot, place]: forced by a box


def side_of(
    prices: FloatArray,
    limit: IntArray,
    demand: tuple[int, ...],
    room: IntArray | None,
    box: Box,
    first: int,
    offset: int,
) -> Side:
    """`prices` and `room` by (slot from `first` on, place, resource); `offset` is the number of the first place."""
    need = np.array(demand)
    unit = prices @ need.astype(np.float64)
    most = np.broadcast_to(limit, unit.shape).copy()
    if room is not None:
        for r in np.flatnonzero(need):
            most = np.minimum(most, room[:, :, r] // need[r])
    least = np.zeros_like(most)
    for (slot, place), (low, high) in box.tasks.items():
        at = place - offset
        if 0 <= at < most.shape[1] and 0 <= slot - first < len(most):
            least[slot - first, at] = low
            most[slot - first, at] = min(most[slot - first, at], high)
    return Side(unit, most, least)


def rounded(prices: FloatArray) -> FloatArray:
    """12 significant digits."""
    out = np.zeros_like(prices)
    big = np.abs(prices) > 0
    scale = 10.0 ** (11 - np.floor(np.log10(np.abs(prices[big]))))
    finite = np.isfinite(scale) & (scale > 0)
    out[big] = np.where(finite, np.rint(prices[big] * scale) / scale, prices[big])
    return out


def visiting_order(side: Side, slot: int) -> IntArray:
    """Places by (price, index)."""
    return np.argsort(rounded(side.price[slot]), kind="stable")


def cumulative(side: Side, slot: int, most: int) -> FloatArray | None:
    """Cost of 0..most tasks; infinity for fewer than forced and for more than fit. None: the forced ones do not fit."""
    price, room, least = side.price[slot], side.room[slot], side.least[slot]
    if (least > room).any():
        return None
    order = visiting_order(side, slot)
    free = np.minimum((room - least)[order], most)
    forced = int(least.sum())
    units = np.repeat(price[order], free)[: max(most - forced, 0)]
    cost = np.full(most + 1, np.inf)
    if forced <= most:
        cost[forced : forced + len(units) + 1] = float(price @ least) + np.concatenate(
            [[0.0], np.cumsum(units)]
        )
    return cost


def slot_costs(workers: Side, ps: Side, ps_count: IntArray, slot: int) -> FloatArray | None:
    """COST_t(y) for y = 0..width. None: what a box forces does not fit."""
    own = cumulative(workers, slot, len(ps_count) - 1)
    served = cumulative(ps, slot, int(ps_count[-1]))
    if own is None or served is None:
        return None
    return own + served[ps_count]


def place(side: Side, slot: int, count: int) -> IntArray:
    """How many of `count` tasks go to each place: the forced ones, then the cheapest places."""
    taken: IntArray = side.least[slot].copy()
    missing = count - int(taken.sum())
    for at in visiting_order(side, slot):
        more = min(missing, int(side.room[slot, at] - taken[at]))
        taken[at] += more
        missing -= more
    return taken
