"""Compiled: the tables C_t[d] of `schedule.py`, number for number."""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.compiled import compiled


@compiled
def fast_tables(
    cost: FloatArray, low: IntArray, high: IntArray, gain: IntArray, slots: int, left: int, exact: bool
) -> FloatArray:
    """Row t + 1: least cost of d = 0..left units of work in slots 0..t; row 0 is the start."""
    tables = np.full((slots + 1, left + 1), np.inf)
    tables[0, 0] = 0.0
    for t in range(slots):
        before, after = tables[t], tables[t + 1]
        for y in range(low[t], high[t] + 1):
            price = cost[t, y]
            if price == np.inf or (y > low[t] and gain[y] == gain[y - 1]):
                continue
            step = gain[y] - gain[low[t]]
            for d in range(step, left + 1):
                total = before[d - step] + price
                if total < after[d]:
                    after[d] = total
            if not exact:
                for d in range(min(step, left + 1)):
                    total = before[0] + price
                    if total < after[d]:
                        after[d] = total
    return tables
