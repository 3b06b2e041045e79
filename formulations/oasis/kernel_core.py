"""Compiled: schedules from the hulls, and the small dynamic program that settles what the hulls leave open.

For a completion slot t with multiplier lambda, a schedule's cost is LB(t) plus the sum over slots of its losses
COST_s(y) - lambda gain(y) - min_y(...). Whoever wants to beat the best payoff so far can lose at most f(t) - LB(t) - best in
all, so only few y per slot remain, and the dynamic program runs over these alone. This is exact. Work beyond what is needed
(`chunks` only) was credited lambda per unit and costs as much again.
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.compiled import compiled


@compiled
def least_workers(gain: IntArray, low: int, high: int, target: int) -> int:
    """The least y in low..high with gain[y] >= target; high + 1 when there is none."""
    if gain[high] < target:
        return high + 1
    a, b = low, high
    while a < b:
        middle = (a + b) // 2
        if gain[middle] >= target:
            b = middle
        else:
            a = middle + 1
    return a


@compiled
def filled(
    corner: IntArray,
    slope: FloatArray,
    corners: IntArray,
    gain: IntArray,
    finish: int,
    lam: float,
    work: int,
    workers: IntArray,
) -> tuple[int, int, int]:
    """Set workers[0..finish] to hull corners that LB(finish) fills whole.

    Returns (slot, corner, rest): the segment that is cut, and how much work of it is needed; rest 0 when nothing is cut.
    """
    left = work
    for s in range(finish + 1):
        j = 0
        while j < corners[s] - 1 and slope[s, j] < lam:
            j += 1
        workers[s] = corner[s, j]
        left -= gain[corner[s, j]] - gain[corner[s, 0]]
    for s in range(finish + 1):
        if left <= 0:
            break
        j = 0
        while corner[s, j] != workers[s]:
            j += 1
        while j < corners[s] - 1 and slope[s, j] == lam:
            length = gain[corner[s, j + 1]] - gain[corner[s, j]]
            if length > left:
                return s, j, left
            workers[s] = corner[s, j + 1]
            left -= length
            j += 1
    return -1, 0, 0


@compiled
def repaired(
    cost: FloatArray,
    low: IntArray,
    high: IntArray,
    gain: IntArray,
    corner: IntArray,
    finish: int,
    cut_slot: int,
    cut_corner: int,
    rest: int,
    exact: bool,
    workers: IntArray,
) -> bool:
    """Make whole what `filled` left cut: the rest goes where it is cheapest, or the segment is finished and the surplus
    goes.

    False when neither is possible.
    """
    best = np.inf
    best_slot, best_y, whole = -1, 0, False
    for s in range(finish + 1):
        y = least_workers(gain, workers[s], high[s], gain[workers[s]] + rest)
        if y <= high[s] and (not exact or gain[y] == gain[workers[s]] + rest):
            more = cost[s, y] - cost[s, workers[s]]
            if more < best:
                best, best_slot, best_y, whole = more, s, y, False
    before = workers[cut_slot]
    after = corner[cut_slot, cut_corner + 1]
    surplus = gain[after] - gain[before] - rest
    extra = cost[cut_slot, after] - cost[cut_slot, before]
    for s in range(finish + 1):
        if s == cut_slot:
            continue  # taking it from here is the first way
        target = gain[workers[s]] - surplus
        if exact and target < gain[low[s]]:
            continue
        y = least_workers(gain, low[s], workers[s], target)
        more = extra - (cost[s, workers[s]] - cost[s, y])
        if (not exact or gain[y] == target) and more < best:
            best, best_slot, best_y, whole = more, s, y, True
    if best_slot < 0:
        return False
    if whole:
        workers[cut_slot] = after
    workers[best_slot] = best_y
    return True


@compiled
def core(
    cost: FloatArray,
    low: IntArray,
    high: IntArray,
    gain: IntArray,
    corner: IntArray,
    slope: FloatArray,
    corners: IntArray,
    finish: int,
    lam: float,
    work: int,
    slack: float,
    exact: bool,
    workers: IntArray,
) -> bool:
    """The cheapest schedule that finishes by `finish` among those that lose at most `slack`; False when there is none."""
    slots = finish + 1
    size = 0
    for s in range(slots):
        size += high[s] - low[s] + 1
    action, loss = np.empty(size, dtype=np.int64), np.empty(size)
    begin = np.zeros(slots + 1, dtype=np.int64)
    fixed, most = 0, 0  # work of the smallest and of the largest action of every slot
    at = 0
    for s in range(slots):
        j = 0
        while j < corners[s] - 1 and slope[s, j] < lam:
            j += 1
        least = cost[s, corner[s, j]] - lam * gain[corner[s, j]]
        for y in range(low[s], high[s] + 1):
            if y > low[s] and gain[y] == gain[y - 1]:
                continue
            lost = cost[s, y] - lam * gain[y] - least
            if lost <= slack:
                action[at], loss[at] = y, max(lost, 0.0)
                at += 1
        if at == begin[s]:
            return False
        begin[s + 1] = at
        fixed += gain[action[begin[s]]] - gain[low[s]]
        most += gain[action[at - 1]] - gain[low[s]]
    target = work - fixed
    if most < work or (target < 0 and exact):
        return False
    target = max(target, 0)
    ahead = most - fixed  # what the slots that are still to come can add
    now, after = np.full(target + 1, np.inf), np.full(target + 1, np.inf)
    now[0] = 0.0
    choice = np.full((slots, target + 1), -1, dtype=np.int32)
    came = np.zeros((1, 1), dtype=np.int32)
    if not exact:  # several states end at the target: remember where from
        came = np.zeros((slots, target + 1), dtype=np.int32)
    reach = 0
    for s in range(slots):
        smallest = gain[action[begin[s]]]
        ahead -= gain[action[begin[s + 1] - 1]] - smallest
        if begin[s + 1] - begin[s] == 1:
            continue
        after[:] = np.inf
        furthest = 0
        for d in range(reach + 1):
            if now[d] == np.inf:
                continue
            for k in range(begin[s], begin[s + 1]):
                to = d + gain[action[k]] - smallest
                total = now[d] + loss[k]
                if to > target:
                    if exact:
                        break
                    total += lam * (to - target)
                    to = target
                if to + ahead < target:
                    continue
                if total <= slack and total < after[to]:
                    after[to] = total
                    choice[s, to] = k
                    if not exact:
                        came[s, to] = d
                    furthest = max(furthest, to)
        reach = furthest
        now, after = after, now
    if now[target] == np.inf:
        return False
    d = target
    for s in range(slots - 1, -1, -1):
        if begin[s + 1] - begin[s] == 1:
            workers[s] = action[begin[s]]
            continue
        k = choice[s, d]
        workers[s] = action[k]
        d = came[s, d] if not exact else d - (gain[action[k]] - gain[action[begin[s]]])
    return True
