"""The planner that certificates call: every schedule, integer arithmetic, plain dynamic programming in numpy.

It shares the data and the boxes with the fast planner, but none of its algorithms: no hulls, no multipliers, no floating
point. The answer is max over all plans of ceil(f 2^bits) - (priced use), exactly, as long as priced use stays below 2^60;
what is dearer is counted as 2^60, which can only weaken a bound.

Plans have the fewest ps and exactly the work the job needs (in `chunks`: at least that). Every other feasible schedule
uses more and is worth no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dmlopt.packing import BoolArray, Cut, FloatArray, IntArray, Packing, Part
from formulations.oasis import box as boxes
from formulations.oasis.box import Box
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import Quantities, quantities
from formulations.oasis.rows import build_rows

DEAR = 2**60
"""Scaled costs from here on count as this much; sums of two stay inside 64 bits."""
BLOCK = 500_000
"""Numbers that one step of the dynamic program handles at once."""
NEVER = 4 * DEAR
"""The cost of what cannot be done; more than any two costs together."""


class PlainSchedules:
    """A PlainPlanner over all schedules of a problem."""

    def __init__(self, problem: OasisProblem) -> None:
        self.problem = problem
        self.derived = quantities(problem)
        self.rows = build_rows(problem, self.derived)

    @property
    def agent_count(self) -> int:
        """Number of jobs."""
        return self.problem.job_count

    @property
    def row_count(self) -> int:
        """Number of capacity rows."""
        return self.rows.count

    def headroom(self, prices: FloatArray) -> float:
        """The largest value of a schedule; none supplies capacity. Jobs without a schedule do not count."""
        pairs = zip(self.problem.jobs, self.derived, strict=True)
        return max((job.utility.value(0) for job, each in pairs if each.schedulable), default=0.0)

    def halves(self, agent: int, part: Part, cut: Cut) -> tuple[Part, Part]:
        """The two halves of a box; raises InputError when the cut is malformed."""
        slots = (self.problem.jobs[agent].arrival, self.problem.horizon)
        return boxes.halves(part or boxes.whole_box(*slots), cut, slots, self.rows.place_count, agent)

    def scaled_best_all(
        self, prices: IntArray, bits: int, agents: IntArray | None = None, valued: bool = True
    ) -> tuple[IntArray, BoolArray]:
        """Best scaled reduced value per agent, and whether the agent has a plan at all."""
        chosen = range(self.agent_count) if agents is None else agents.tolist()
        found = [self.scaled_best(agent, prices, bits, None, valued) for agent in chosen]
        best = np.array([0 if each is None else each for each in found], dtype=np.int64)
        return best, np.array([each is not None for each in found], dtype=bool)

    def scaled_best(
        self, agent: int, prices: IntArray, bits: int, within: Part = None, valued: bool = True
    ) -> int | None:
        """Best scaled reduced value of one agent inside a box; None when the box is empty."""
        job, each = self.problem.jobs[agent], self.derived[agent]
        part: Box = within or boxes.whole_box(job.arrival, self.problem.horizon)
        if not each.schedulable or part.empty:
            return None
        spread = np.zeros(self.rows.at.shape, dtype=np.int64)
        spread[self.rows.at >= 0] = prices
        done = _Table(each.work, each.gain, self.problem.work == "slots")
        best: int | None = None
        for slot in range(job.arrival, part.last + 1):
            costs = self._slot_costs(each, job.worker, job.ps, slot, spread[slot - 1], part)
            low, high = part.workers.get(slot, (0, each.width))
            costs[:low], costs[max(high + 1, 0) :] = NEVER, NEVER
            done.advance(costs)
            if slot >= part.first and done.cost[-1] < NEVER and not _forced_after(part, slot):
                value = _ceiling(job.utility.value(slot - job.arrival), bits) if valued else 0
                payoff = value - int(done.cost[-1])
                best = payoff if best is None else max(best, payoff)
        return best

    def _slot_costs(
        self,
        each: Quantities,
        worker: tuple[int, ...],
        ps: tuple[int, ...],
        slot: int,
        prices: IntArray,
        part: Box,
    ) -> IntArray:
        """Cost of y = 0..width workers with their ps in one slot; NEVER where they cannot be placed."""
        split = self.rows.worker_places
        sides = []
        for offset, limit, demand, places, most in (
            (0, each.worker_limit, worker, prices[:split], each.width),
            (split, each.ps_limit, ps, prices[split:], int(each.ps_count[-1])),
        ):
            least, room = [0] * len(limit), limit.tolist()
            for (t, place), (low, high) in part.tasks.items():
                if t == slot and 0 <= place - offset < len(limit):
                    least[place - offset], room[place - offset] = low, min(high, room[place - offset])
            sides.append(_cheapest(_unit_prices(places, demand), room, least, most))
        workers, servers = sides[0], sides[1][each.ps_count]
        possible = (workers < NEVER) & (servers < NEVER)
        costs: IntArray = np.where(
            possible, np.minimum(workers + np.where(possible, servers, 0), DEAR), NEVER
        )
        return costs


class _Table:
    """C_t[d]: least scaled cost of d units of work up to the present slot, NEVER where that is impossible."""

    def __init__(self, work: int, gain: IntArray, exact: bool) -> None:
        self.cost = np.full(work + 1, NEVER, dtype=np.int64)
        self.cost[0] = 0
        self.gain = gain.tolist()
        self.exact = exact

    def advance(self, costs: IntArray) -> None:
        """One more slot, in which y workers cost costs[y] and do gain[y]; work beyond the end counts only if not exact."""
        before, work = self.cost, len(self.cost) - 1
        after = np.full(work + 1, NEVER, dtype=np.int64)
        possible = np.flatnonzero(costs < NEVER)
        if self.exact:
            # Row y of `shifted` is C[d - y]: the work of y workers is y, and all d of many y are done at once.
            most = len(costs) - 1
            padded = np.concatenate([np.full(most, NEVER, dtype=np.int64), before])
            shifted = sliding_window_view(padded, work + 1)[::-1]
            size = max(1, BLOCK // (work + 1))
            first, last = (int(possible[0]), int(possible[-1])) if len(possible) else (0, -1)
            for y in range(first, last + 1, size):  # what can be placed has no holes: forced to fitting
                rows = slice(y, min(y + size, last + 1))
                np.minimum(after, (shifted[rows] + costs[rows, None]).min(axis=0), out=after)
        else:
            for y in possible.tolist():
                step, cost = self.gain[y], int(costs[y])
                if step <= work:
                    np.minimum(after[step:], before[: work + 1 - step] + cost, out=after[step:])
                if step:
                    after[-1] = min(int(after[-1]), int(before[max(work - step, 0) :].min()) + cost)
        self.cost = np.where(after < NEVER, np.minimum(after, DEAR), NEVER)


def _unit_prices(prices: IntArray, demand: tuple[int, ...]) -> list[int]:
    """Scaled price of one task on each place, exactly."""
    used = [(r, need) for r, need in enumerate(demand) if need]
    return [min(sum(row[r] * need for r, need in used), DEAR) for row in prices.tolist()]


def _cheapest(units: Sequence[int], room: Sequence[int], least: Sequence[int], most: int) -> IntArray:
    """Cost of n = 0..most tasks: the forced ones, then the cheapest places; NEVER where they cannot be placed."""
    costs = np.full(most + 1, NEVER, dtype=np.int64)
    forced = sum(least)
    if forced > most or any(low > high for low, high in zip(least, room, strict=True)):
        return costs
    total = min(sum(unit * n for unit, n in zip(units, least, strict=True)), DEAR)
    costs[forced] = total
    count = forced
    for place in sorted(range(len(units)), key=lambda at: units[at]):
        more = min(room[place] - least[place], most - count)
        if total + more * units[place] < DEAR:
            costs[count + 1 : count + more + 1] = total + np.arange(1, more + 1) * units[place]
        else:
            costs[count + 1 : count + more + 1] = [
                min(total + n * units[place], DEAR) for n in range(1, more + 1)
            ]
        total = min(total + more * units[place], DEAR)
        count += more
    return costs


def _ceiling(value: float, bits: int) -> int:
    """value 2^bits, rounded up."""
    scaled: int = math.ceil(Fraction(value) * 2**bits)
    return scaled


def _forced_after(part: Box, slot: int) -> bool:
    """Whether the box puts a task into a slot after this one: then no schedule ends here."""
    later = [low for t, (low, _) in part.workers.items() if t > slot]
    later += [low for (t, _), (low, _) in part.tasks.items() if t > slot]
    return any(later)


def plain_packing(problem: OasisProblem) -> Packing:
    """Problem (P) over all schedules, with the planner that certificates are recomputed with."""
    planner = PlainSchedules(problem)
    none = np.zeros(problem.job_count, dtype=np.int64)
    return Packing(
        planner=planner,  # type: ignore[arg-type]
        capacity=planner.rows.row_capacity(),
        lo=none,
        hi=none + 1,
        row_names=planner.rows.names,
        row_units=planner.rows.units,
    )
