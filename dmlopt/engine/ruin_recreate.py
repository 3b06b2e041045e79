"""Ruin and recreate: improve an integer point of (P) by planning a few agents again, many times.

Each try empties a few seats whose plans meet in the rows they use, and plans them again together with some of the
waiting, at the LP's prices scaled down or up and blurred by noise: the noise makes agents choose other plans than
before, the prices keep these choices sensible. What is not worse stays. Works for planners of any kind, needs usage >=
0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.assignment import Assignment
from dmlopt.packing import FloatArray, IntArray, Plan

MOST_RUINED = 8
MOST_WAITING = 6
LARGEST_SCALE = 1.5
"""Prices are scaled by a factor drawn from 0 to this."""
NOISE = 0.3
"""Standard deviation of the logarithm of the noise on prices."""
FRESH_NOISE = 64
"""Noise vectors drawn at once; drawing them one by one would cost as much as a try."""


@dataclass(frozen=True)
class Improved:
    """The improved point, and how it was come by."""

    assignment: Assignment
    tries: int
    kept: int
    seconds: float

    def statistics(self) -> dict[str, float]:
        """As statistics of a method."""
        return {
            "tries": self.tries,
            "tries_kept": self.kept,
            "tries_per_second": self.tries / max(self.seconds, 1e-9),
        }


class _Overlap:
    """Which seats use which rows, as a matrix that is kept up to date."""

    def __init__(self, assignment: Assignment) -> None:
        self.uses = np.zeros((len(assignment.agents), assignment.packing.row_count), dtype=bool)
        for seat, plan in enumerate(assignment.plans):
            self.set(seat, plan)

    def set(self, seat: int, plan: Plan | None) -> None:
        self.uses[seat] = False
        if plan is not None:
            self.uses[seat, plan.rows] = True

    def of(self, plan: Plan) -> IntArray:
        """Seats that use a row of this plan."""
        return np.flatnonzero(self.uses[:, plan.rows].any(axis=1))


def ruin_recreate(
    assignment: Assignment,
    prices: FloatArray,
    clock: Clock,
    seed: int = 0,
    tries: int | None = None,
    enough: Callable[[float], bool] | None = None,
    groups: IntArray | None = None,
    tell: Callable[[float], None] | None = None,
) -> Improved:
    """Improve until the clock, the number of tries or `enough(value)` ends it. The assignment given is not changed.

    `groups[m]`: rows of one group share their noise (default: each row has its own). Seats that must be filled and are not
    count more than any value. `tell` hears of every better value.
    """
    rng = np.random.default_rng(seed)
    now = assignment.copy()
    overlap = _Overlap(now)
    names = np.arange(now.packing.row_count) if groups is None else groups
    count = int(names.max(initial=-1)) + 1
    began, done, kept = clock.elapsed(), 0, 0
    noise = np.empty((0, count))
    while (tries is None or done < tries) and not clock.expired():
        if enough is not None and not now.unserved() and enough(now.value):
            break
        if done % FRESH_NOISE == 0:
            noise = np.exp(rng.normal(0.0, NOISE, (FRESH_NOISE, count)))
        at = rng.uniform(0.0, LARGEST_SCALE) * prices * noise[done % FRESH_NOISE][names]
        done += 1
        ruined, waiting = _choose(now, overlap, rng)
        if not len(ruined) and not len(waiting):
            break
        before = now.value, now.unserved()
        old = [(seat, now.drop(seat)) for seat in ruined]
        now.place(rng.permutation(np.concatenate([ruined, waiting]).astype(np.int64)).tolist(), at)
        after = now.value, now.unserved()
        if (after[1], -after[0]) <= (before[1], -before[0] + 1e-12 * abs(before[0])):
            kept += 1
            for seat in (*ruined, *waiting):
                overlap.set(seat, now.plans[seat])
            if tell and after[0] > before[0] + 1e-9 * abs(before[0]) and not after[1]:
                tell(now.value)
            continue
        for seat in (*ruined, *waiting):
            now.drop(seat)
        for seat, plan in old:
            if plan is not None:
                now.take(seat, plan)
        now.value = before[0]
    return Improved(now, done, kept, clock.elapsed() - began)


def _choose(now: Assignment, overlap: _Overlap, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Seats to empty (they meet in the rows they use), and empty seats that may try again."""
    waiting = now.empty()
    must = [int(seat) for seat in waiting if now.must[seat]]
    if len(waiting) > MOST_WAITING:
        waiting = rng.choice(waiting, MOST_WAITING, replace=False)
    chosen = list(dict.fromkeys([*must[:MOST_WAITING], *waiting.tolist()]))
    taken = now.taken()
    if not len(taken):
        return [], chosen
    first = int(rng.choice(taken))
    plan = now.plans[first]
    assert plan is not None
    near = overlap.of(plan)
    near = near[near != first]
    more = min(int(rng.integers(0, MOST_RUINED)), len(near))
    return [first, *rng.choice(near, more, replace=False).tolist()], chosen
