"""Algorithm 2: the best schedule of one job at given prices, by dynamic programming over work, with fixed ties.

    C_t[d] = min over y of  C_{t-1}[d - gain(y)] + COST_t(y)         d work units left to do are the state
    payoff(t) = f(t - a) - C_t[all work]

One forward pass serves every completion slot. In `chunks` a slot that does more than is left ends at 0: C_t[d] never
falls with d, so of all numbers of chunks that cost the same, the most is never worse.

Ties, all needed for reproducible runs: (a) the earliest finish, unless a later one is better by more than 1e-9 max(1, f);
(b) going back from the finish, in every slot the least work whose cost is within 1e-9 (relative) of the best, so
equal-price work goes to the earlier slots; (c) places by (price to 12 digits, index).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.kernel_tables import fast_tables

TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Task:
    """One job's planning problem: cost[t][y] by slot (from its arrival), limits on y, work, values by finishing slot.

    `low[t]` and `high[t]` limit y; slots from `score_from` on may be the finish. `exact`: work may not be exceeded (a
    surplus never pays).
    """

    cost: FloatArray
    low: IntArray
    high: IntArray
    gain: IntArray
    work: int
    value: FloatArray
    score_from: int
    exact: bool


@dataclass(frozen=True, eq=False)
class Schedule:
    """Workers per slot, the slot index at which it was scored, and its payoff."""

    workers: IntArray
    finish: int
    payoff: float


def actions(task: Task, slot: int) -> IntArray:
    """Numbers of workers worth trying beyond the forced ones: the least y for every amount of work."""
    low, high = int(task.low[slot]), int(task.high[slot])
    y = np.arange(low, high + 1)
    first = np.ones(len(y), dtype=bool)
    first[1:] = task.gain[low + 1 : high + 1] > task.gain[low:high]
    return y[first & np.isfinite(task.cost[slot, low : high + 1])]


def remaining_work(task: Task) -> int:
    """Work beyond what the forced workers do; below 0 no exact schedule exists."""
    left = task.work - int(task.gain[task.low].sum())
    return left if task.exact else max(left, 0)


def best_schedule(task: Task, compiled: bool = False) -> Schedule | None:
    """The best schedule with the ties above; None when there is none. `compiled` tables are the same numbers, sooner."""
    left = remaining_work(task)
    if left < 0 or (task.low > task.high).any():
        return None
    if compiled:
        slots = len(task.value)
        tables = fast_tables(task.cost, task.low, task.high, task.gain, slots, left, task.exact)
    else:
        tables = work_tables(task, left)
    best, finish = -np.inf, -1
    for slot in range(task.score_from, len(task.value)):
        payoff = task.value[slot] - tables[slot + 1][left]
        if payoff > (best if finish < 0 else best + TIE * max(1.0, task.value[slot])):
            best, finish = payoff, slot
    if finish < 0:
        return None
    return Schedule(_walk_back(task, tables, finish, left), finish, float(best))


def work_tables(task: Task, left: int) -> FloatArray:
    """C_t[d] for d = 0..left after every slot, the start included."""
    table = np.full(left + 1, np.inf)
    table[0] = 0.0
    tables = [table]
    for slot in range(len(task.value)):
        tried = actions(task, slot)
        after = np.full(left + 1, np.inf)
        base = task.gain[task.low[slot]]
        for y in tried.tolist():
            gain, cost = int(task.gain[y] - base), task.cost[slot, y]
            if gain <= left:
                np.minimum(after[gain:], table[: left + 1 - gain] + cost, out=after[gain:])
            if gain and not task.exact:
                np.minimum(after[:gain], table[0] + cost, out=after[:gain])
        table = after
        tables.append(table)
    return np.array(tables)


def _walk_back(task: Task, tables: FloatArray, finish: int, left: int) -> IntArray:
    """In every slot the least work, then the least y, that keeps the cost; see tie rule (b)."""
    workers = np.zeros(len(task.value), dtype=np.int64)
    for slot in range(finish, -1, -1):
        tried = actions(task, slot)
        gains = task.gain[tried] - task.gain[task.low[slot]]
        before, enough = tables[slot], tables[slot + 1][left] * (1 + TIE)
        # What is done in the slot: 0..left units, each by the least y that does at least that much.
        done = np.arange(min(left, int(gains[-1])) + 1)
        by = np.searchsorted(gains, done)
        if task.exact:  # where an amount of work cannot be done exactly, it is not an action
            reached = gains[by] == done
            done, by = done[reached], by[reached]
        good = np.flatnonzero(before[left - done] + task.cost[slot, tried[by]] <= enough)
        pick = int(good[0])
        workers[slot] = tried[by[pick]]
        left -= int(done[pick])
    return workers
