"""Compiled: a lower bound on the cost of a job's work for every completion slot, from convex hulls of COST_t.

Per slot the lower convex hull of (work, cost) falls into segments. As t advances they are merged into one list by slope;
filling the job's work from the cheap end is the cost LB(t) if slots could be used in fractions of a segment. The slope that
is reached is the multiplier lambda(t): LB(t) = lambda work + sum_s min_y (COST_s(y) - lambda gain(y)), so no schedule that
finishes by t costs less.
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.compiled import compiled


@compiled
def hull_of(
    cost: FloatArray, gain: IntArray, low: int, high: int, corner: IntArray, slope: FloatArray
) -> int:
    """Corners (numbers of workers) of the lower hull and the slopes between them; returns the number of corners.

    Of several y with equal gain only the first counts: costs never fall with y.
    """
    count = 1
    corner[0] = low
    for y in range(low + 1, high + 1):
        if gain[y] == gain[y - 1]:
            continue
        while True:
            last = corner[count - 1]
            rise = (cost[y] - cost[last]) / (gain[y] - gain[last])
            if count > 1 and slope[count - 2] >= rise:
                count -= 1
            else:
                break
        slope[count - 1] = rise
        corner[count] = y
        count += 1
    return count


@compiled
def lower_bounds(
    corner: IntArray,
    slope: FloatArray,
    corners: IntArray,
    gain: IntArray,
    work: int,
    base: float,
    bound: FloatArray,
    multiplier: FloatArray,
) -> None:
    """Fill bound[t] and multiplier[t] for all t; infinity where the work cannot be done by t."""
    slots = len(corners)
    segment_slope = np.empty(corner.shape[0] * corner.shape[1] + 1)
    segment_length = np.empty(len(segment_slope), dtype=np.int64)
    count = 0
    total = 0  # work that the list covers, cut at `work`
    for t in range(slots):
        for j in range(corners[t] - 1):
            rise = slope[t, j]
            if total >= work and (count == 0 or rise >= segment_slope[count - 1]):
                break
            length = gain[corner[t, j + 1]] - gain[corner[t, j]]
            spot = count
            while spot > 0 and segment_slope[spot - 1] > rise:
                segment_slope[spot] = segment_slope[spot - 1]
                segment_length[spot] = segment_length[spot - 1]
                spot -= 1
            segment_slope[spot], segment_length[spot] = rise, length
            count += 1
            total += length
            while total > work:  # what lies beyond the work is never needed again
                over = min(total - work, segment_length[count - 1])
                segment_length[count - 1] -= over
                total -= over
                if segment_length[count - 1] == 0:
                    count -= 1
        if total < work:
            bound[t], multiplier[t] = np.inf, 0.0
            continue
        cost = base
        for k in range(count):
            cost += segment_slope[k] * segment_length[k]
        bound[t] = cost
        multiplier[t] = segment_slope[count - 1] if count else 0.0
