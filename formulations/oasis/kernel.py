"""Compiled: best schedules of many jobs at once, by hull and core. Exact, but with no promise about ties.

1. COST_t(y) of every slot, its lower hull, LB(t) for every completion slot (`kernel_costs`, `kernel_hull`).
2. Completion slots by falling f(t) - LB(t): a schedule made from the hull raises the best payoff, until no slot can beat it.
3. The few slots that still can: the core program (`kernel_core`).
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.compiled import compiled
from formulations.oasis.kernel_core import core, filled, repaired
from formulations.oasis.kernel_costs import job_costs, place_tasks
from formulations.oasis.kernel_data import BoxArrays, JobArrays
from formulations.oasis.kernel_hull import hull_of, lower_bounds

SHARP = 1e-13
"""Payoffs this close (relative to the job's largest value) are equal."""


@compiled
def _payoff(
    cost: FloatArray, value: FloatArray, earliest: int, finish: int, workers: IntArray
) -> tuple[float, int]:
    """Payoff of a schedule, and the slot it claims: its last active one, but not before `earliest`."""
    claim = earliest
    total = 0.0
    for s in range(finish + 1):
        total += cost[s, workers[s]]
        if workers[s] > 0:
            claim = max(claim, s)
    return value[claim] - total, claim


@compiled
def best_of(
    jobs: JobArrays,
    job: int,
    prices: FloatArray,
    room: IntArray,
    boxes: BoxArrays,
    asked: int,
    floor: float,
    workers: IntArray,
    profile: FloatArray,
) -> tuple[float, int]:
    """Best payoff above `floor` and its claimed slot index (from the arrival), -1 when there is none; fills `workers`.

    Where `profile` has room it becomes f(t) - LB(t) per completion slot.
    """
    first, width = jobs.first[job], jobs.width[job]
    last = boxes.last[asked]
    slots = last - first + 1
    if slots <= 0 or width == 0 or boxes.first[asked] > last:
        return -np.inf, -1
    gain = jobs.gain[jobs.start[job] : jobs.start[job] + width + 1]
    value = jobs.value[job, first : last + 1]
    cost = np.empty((slots, width + 1))
    low, high = np.empty(slots, dtype=np.int64), np.empty(slots, dtype=np.int64)
    if not job_costs(jobs, job, last, prices, room, boxes, asked, cost, low, high):
        return -np.inf, -1
    work, base, earliest = jobs.work[job], 0.0, boxes.first[asked] - first
    for s in range(slots):
        work -= gain[low[s]]
        base += cost[s, low[s]]
        if low[s] > 0:
            earliest = max(earliest, s)
    if work < 0:
        if jobs.exact:
            return -np.inf, -1
        work = 0
    corner = np.empty((slots, width + 1), dtype=np.int64)
    slope = np.empty((slots, width + 1))
    corners = np.empty(slots, dtype=np.int64)
    for s in range(slots):
        corners[s] = hull_of(cost[s], gain, low[s], high[s], corner[s], slope[s])
    bound, multiplier = np.empty(slots), np.empty(slots)
    lower_bounds(corner, slope, corners, gain, work, base, bound, multiplier)
    upper = np.full(slots, -np.inf)
    for t in range(earliest, slots):
        upper[t] = value[t] - bound[t]
    if len(profile) > 0:
        profile[first : last + 1] = upper
    best, claim = floor, -1
    sharp = SHARP * value[0]
    trial = np.zeros(slots, dtype=np.int64)
    open_slots = np.empty(slots, dtype=np.int64)
    still_open = 0
    ceiling = upper.copy()
    while True:
        t = int(np.argmax(ceiling))
        if ceiling[t] <= best + sharp or ceiling[t] == -np.inf:
            break
        ceiling[t] = -np.inf
        trial[t + 1 :] = 0
        cut, at, rest = filled(corner, slope, corners, gain, t, multiplier[t], work, trial)
        if rest > 0:
            open_slots[still_open] = t
            still_open += 1
            if not repaired(cost, low, high, gain, corner, t, cut, at, rest, jobs.exact, trial):
                continue
        payoff, claimed = _payoff(cost, value, earliest, t, trial)
        if payoff > best:
            best, claim = payoff, claimed
            workers[:slots] = trial
    for k in range(still_open):
        t = open_slots[k]
        if upper[t] <= best + sharp:
            continue
        trial[t + 1 :] = 0
        slack = upper[t] - best + sharp
        if core(
            cost, low, high, gain, corner, slope, corners, t, multiplier[t], work, slack, jobs.exact, trial
        ):
            payoff, claimed = _payoff(cost, value, earliest, t, trial)
            if payoff > best:
                best, claim = payoff, claimed
                workers[:slots] = trial
    return (best, claim) if claim >= 0 else (-np.inf, -1)


@compiled
def best_of_all(
    jobs: JobArrays,
    asked: IntArray,
    prices: FloatArray,
    room: IntArray,
    boxes: BoxArrays,
    floor: FloatArray,
) -> tuple[FloatArray, IntArray, IntArray, IntArray, IntArray]:
    """Best schedules of the asked jobs: (payoff, claimed slot, start, codes, counts); job k has entries start[k].."""
    horizon = jobs.value.shape[1]
    payoff = np.full(len(asked), -np.inf)
    claim = np.full(len(asked), -1, dtype=np.int64)
    start = np.zeros(len(asked) + 1, dtype=np.int64)
    codes, counts = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    nothing = np.empty(0)
    at = 0
    for k in range(len(asked)):
        job = asked[k]
        workers = np.zeros(horizon, dtype=np.int64)
        payoff[k], claim[k] = best_of(jobs, job, prices, room, boxes, k, floor[k], workers, nothing)
        if claim[k] >= 0:
            claim[k] += jobs.first[job]
            needed = at + 2 * workers.sum()
            if needed > len(codes):
                more_codes = np.empty(2 * needed, dtype=np.int64)
                more_counts = np.empty(2 * needed, dtype=np.int64)
                more_codes[:at], more_counts[:at] = codes[:at], counts[:at]
                codes, counts = more_codes, more_counts
            at = place_tasks(jobs, job, workers, prices, room, boxes, k, codes, counts, at)
        start[k + 1] = at
    return payoff, claim, start, codes, counts
