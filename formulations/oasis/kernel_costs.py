"""Compiled: COST_t(y) of one job for all its slots, with room, box limits and placement. The twin of `slot_costs.py`."""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.compiled import compiled
from formulations.oasis.kernel_data import BoxArrays, JobArrays


@compiled
def offers(
    jobs: JobArrays,
    job: int,
    slot: int,
    side: int,
    prices: FloatArray,
    room: IntArray,
    boxes: BoxArrays,
    asked: int,
    price: FloatArray,
    most: IntArray,
    least: IntArray,
    order: IntArray,
) -> int:
    """Fill price, most, least and order (by price, then index) of one side's places; the number of places, -1:
    impossible.
    """
    begin = 0 if side == 0 else jobs.worker_places
    end = jobs.worker_places if side == 0 else jobs.limit.shape[1]
    kinds = jobs.demand.shape[2]
    for place in range(begin, end):
        at = place - begin
        unit = 0.0
        fits = jobs.limit[job, place]
        for r in range(kinds):
            need = jobs.demand[job, side, r]
            if need > 0:
                unit += prices[slot, place, r] * need
                if room.shape[0] > 0:
                    fits = min(fits, room[slot, place, r] // need)
        price[at], most[at], least[at] = unit, fits, 0
    for e in range(boxes.entry[asked], boxes.entry[asked + 1]):
        place = boxes.limits[e, 1]
        if boxes.limits[e, 0] == slot and begin <= place < end:
            least[place - begin] = boxes.limits[e, 2]
            most[place - begin] = min(most[place - begin], boxes.limits[e, 3])
    count = end - begin
    for at in range(count):
        if least[at] > most[at]:
            return -1
        spot = at
        while spot > 0 and price[order[spot - 1]] > price[at]:
            order[spot] = order[spot - 1]
            spot -= 1
        order[spot] = at
    return count


@compiled
def cumulate(
    count: int,
    price: FloatArray,
    most: IntArray,
    least: IntArray,
    order: IntArray,
    wanted: int,
    cost: FloatArray,
) -> tuple[int, int]:
    """Fill cost[n] of n = forced..fitting tasks (at most `wanted`); returns (forced, fitting)."""
    forced = 0
    base = 0.0
    for at in range(count):
        forced += least[at]
        base += price[at] * least[at]
    if forced > wanted:
        return forced, wanted
    cost[forced] = base
    n = forced
    for k in range(count):
        at = order[k]
        free = min(most[at] - least[at], wanted - n)
        for _ in range(free):
            base += price[at]
            n += 1
            cost[n] = base
        if n == wanted:
            break
    return forced, n


@compiled
def job_costs(
    jobs: JobArrays,
    job: int,
    last: int,
    prices: FloatArray,
    room: IntArray,
    boxes: BoxArrays,
    asked: int,
    cost: FloatArray,
    low: IntArray,
    high: IntArray,
) -> bool:
    """Fill cost[k, y], low[k], high[k] for the job's slots k = 0.. (up to slot `last`); False when a box is impossible.

    cost[k, y] is set for low[k] <= y <= high[k] only.
    """
    first, width, start = jobs.first[job], jobs.width[job], jobs.start[job]
    places = jobs.limit.shape[1]
    price, most = np.empty(places), np.empty(places, dtype=np.int64)
    least, order = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    served = np.empty(jobs.ps_count[start + width] + 1)
    for slot in range(first, last + 1):
        k = slot - first
        count = offers(jobs, job, slot, 0, prices, room, boxes, asked, price, most, least, order)
        if count < 0:
            return False
        y_low, y_high = cumulate(count, price, most, least, order, width, cost[k])
        count = offers(jobs, job, slot, 1, prices, room, boxes, asked, price, most, least, order)
        if count < 0:
            return False
        wanted = jobs.ps_count[start + y_high] if y_low <= y_high else 0
        z_low, z_high = cumulate(count, price, most, least, order, wanted, served)
        for e in range(boxes.entry[asked], boxes.entry[asked + 1]):
            if boxes.limits[e, 0] == slot and boxes.limits[e, 1] < 0:
                y_low, y_high = max(y_low, boxes.limits[e, 2]), min(y_high, boxes.limits[e, 3])
        while y_low <= y_high and jobs.ps_count[start + y_low] < z_low:
            y_low += 1
        while y_low <= y_high and jobs.ps_count[start + y_high] > z_high:
            y_high -= 1
        if y_low > y_high:
            return False
        low[k], high[k] = y_low, y_high
        for y in range(y_low, y_high + 1):
            cost[k, y] += served[jobs.ps_count[start + y]]
    return True


@compiled
def place_tasks(
    jobs: JobArrays,
    job: int,
    workers: IntArray,
    prices: FloatArray,
    room: IntArray,
    boxes: BoxArrays,
    asked: int,
    codes: IntArray,
    counts: IntArray,
    at: int,
) -> int:
    """Write (code, count) of a schedule from position `at` on, codes ascending; returns the position after it."""
    places = jobs.limit.shape[1]
    price, most = np.empty(places), np.empty(places, dtype=np.int64)
    least, order = np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64)
    first = jobs.first[job]
    for k in range(len(workers)):
        if workers[k] == 0:
            continue
        for side in range(2):
            count = offers(jobs, job, first + k, side, prices, room, boxes, asked, price, most, least, order)
            missing = workers[k] if side == 0 else jobs.ps_count[jobs.start[job] + workers[k]]
            for place in range(count):
                missing -= least[place]
            for rank in range(count):
                place = order[rank]
                more = min(missing, most[place] - least[place])
                least[place] += more
                missing -= more
            begin = 0 if side == 0 else jobs.worker_places
            for place in range(count):
                if least[place] > 0:
                    codes[at] = (first + k) * places + begin + place
                    counts[at] = least[place]
                    at += 1
    return at
