"""Column generation: the LP of (P) over plans that are priced in as they are needed.

Two sides take turns. The column LP over the plans known so far gives prices; the planner answers with the best plan of
every agent at prices, which is a bound on (P) by itself (bound(p), valid for every p >= 0) and brings new columns. The LP's
value rises, the best bound falls, and the search may stop at any time with the best bound seen.

The prices of a young LP are wild. So the planner is mostly asked at a point between them and the prices of the best bound so
far (dual smoothing); where that brings nothing new for the LP (mis-pricing), the point moves towards the LP's own prices,
until the planner is asked exactly there. Only that answer may say that no column is missing. With many rows the LP is the
dear side: a few subgradient steps that aim at its value then use the time between two LPs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.cells import Cell
from dmlopt.engine.column_lp import ColumnLP, ColumnPoint
from dmlopt.engine.evaluate import DualPoint, evaluate
from dmlopt.packing import FloatArray, IntArray, Packing, Part
from dmlopt.table import PlanTable

SMOOTHING = 0.5
"""Weight of the best prices so far against the LP's own."""
LEAST_SMOOTHING = 0.1
"""Below this weight the planner is asked at the LP's own prices."""
STEPS = 20
"""Subgradient steps between two LPs where there are many rows: an LP then costs as much as many evaluations."""
COLUMNS_EVERY = 10
"""Steps between two that bring columns: one step brings nearly the plans of the step before."""
MANY_ROWS = 200
"""From this many rows on a step along a subgradient is worth more than an exact model of bound(p)."""
AGREED = 1e-10
"""LP value and bound this close (relative): more columns would change nothing."""
ELASTIC_USE = 1e-9
"""Bought capacity beyond this share means that the LP lacks columns, or that there is no point."""

Tell = Callable[[float, float], None]
"""Hears the LP's value and the best bound of every round (values of (P))."""


@runtime_checkable
class OffersSeveral(Protocol):
    """A planner that can give more columns than the best plan of each agent; optional."""

    def several(
        self, prices: FloatArray, within: Mapping[int, Part] | None = None
    ) -> tuple[IntArray, IntArray]:
        """Good plans at these prices beside the best ones: (agents, ids)."""
        ...


@dataclass
class Rounds:
    """What the rounds cost: how many, and the seconds of both sides."""

    rounds: int = 0
    evaluations: int = 0
    lp_seconds: float = 0.0
    pricing_seconds: float = 0.0

    def statistics(self, lp: ColumnLP) -> dict[str, float]:
        """As statistics of a method."""
        return {
            "rounds": self.rounds,
            "evaluations": self.evaluations,
            "columns": len(lp.ids),
            "lp_seconds": self.lp_seconds,
            "pricing_seconds": self.pricing_seconds,
        }


@dataclass(frozen=True)
class Generated:
    """Where column generation ended.

    `best` has the best bound and its prices; `point` is the last point of the column LP (None: there was no time for one).
    `complete`: the planner has no plan that would change the LP, or both sides agree. `stopped`: `closed` said so.
    """

    best: DualPoint
    point: ColumnPoint | None
    complete: bool
    stopped: bool = False

    @property
    def gap(self) -> float:
        """Relative distance of bound and LP value."""
        return np.inf if self.point is None else relative(self.best.bound, self.point.value)


def relative(bound: float, value: float) -> float:
    """How far a bound is above a value, relative to the bound."""
    return (bound - value) / max(abs(bound), 1e-9)


@dataclass
class ColumnGeneration:
    """The rounds on one kept column LP. The same object serves many nodes of a search."""

    packing: Packing
    lp: ColumnLP
    clock: Clock = field(default_factory=Clock)
    smoothing: float = SMOOTHING
    gap: float = AGREED
    steps: int = 0
    tell: Tell | None = None
    cost: Rounds = field(default_factory=Rounds)

    def run(self, cells: Mapping[int, Cell], known: DualPoint, closed: Callable[[float], bool]) -> Generated:
        """Rounds under the limits of `cells`, from a first evaluation, until complete, closed or out of time."""
        best, point = known, None
        weight, value = self.smoothing, -np.inf
        while not self.clock.expired():
            began = time.perf_counter()
            found = self.lp.solve(self.clock.remaining())
            self.cost.lp_seconds += time.perf_counter() - began
            if found is None:
                break
            point = found
            self.cost.rounds += 1
            if self.tell and point.elastic <= ELASTIC_USE:
                self.tell(point.value, best.bound)
            if self._agree(best, point):
                return Generated(best, point, complete=True)
            weight = self.smoothing if point.value > value + 1e-12 * abs(value) else self._less(weight)
            value = point.value
            while True:
                shift = weight * (best.prices - point.prices)
                offered = self._evaluate(np.maximum(point.prices + shift, 0.0), cells)
                added = self._add(offered, cells)
                best = offered if offered.bound < best.bound else best
                if added and point.elastic <= ELASTIC_USE and not closed(best.bound):
                    best = self._walk(offered, best, point.value, cells)
                if closed(best.bound):
                    return Generated(best, point, complete=False, stopped=True)
                if added or weight == 0.0 or self.clock.expired():
                    break
                weight = self._less(weight)
            if (not added and weight == 0.0) or self._agree(best, point):
                return Generated(best, point, complete=True)
        return Generated(best, point, complete=False)

    def _walk(self, at: DualPoint, best: DualPoint, floor: float, cells: Mapping[int, Cell]) -> DualPoint:
        """Subgradient steps that aim at the LP's value, below which no bound can fall; the best bound of them and `best`."""
        scale = self.lp.price_scale
        for step in range(1, self.steps + 1):
            if relative(best.bound, floor) <= self.gap or self.clock.expired():
                break
            slope = at.subgradient(self.packing.capacity) * scale
            slope[(at.prices <= 0.0) & (slope > 0.0)] = 0.0
            length = float(slope @ slope)
            if length == 0.0:
                break
            move = (at.bound - floor) / length * slope * scale
            at = self._evaluate(np.maximum(at.prices - move, 0.0), cells)
            best = at if at.bound < best.bound else best
            if step % COLUMNS_EVERY == 0:
                self._add(at, cells)
        return best

    def _agree(self, best: DualPoint, point: ColumnPoint) -> bool:
        return relative(best.bound, point.value) <= self.gap

    def _less(self, weight: float) -> float:
        return 0.5 * weight if weight > 2 * LEAST_SMOOTHING else 0.0

    def _evaluate(self, prices: FloatArray, cells: Mapping[int, Cell]) -> DualPoint:
        began = time.perf_counter()
        found = evaluate(self.packing, prices, cells)
        self.cost.evaluations += 1
        self.cost.pricing_seconds += time.perf_counter() - began
        return found

    def _add(self, offered: DualPoint, cells: Mapping[int, Cell]) -> int:
        """New columns from an evaluation; the limits of the node are set for them too."""
        added = self.lp.add(offered.picks.agents, offered.picks.ids) + self.lp.add(*offered.extra)
        planner = self.packing.planner
        if added and isinstance(planner, OffersSeveral):
            parts = {agent: cell.only.part for agent, cell in cells.items() if cell.only is not None}
            self.lp.add(*planner.several(offered.prices, parts))
        if added:
            self.lp.apply(cells)
        return added


def rounds_for(
    packing: Packing, lp: ColumnLP, clock: Clock, gap: float = AGREED, tell: Tell | None = None
) -> ColumnGeneration:
    """The rounds that suit a packing: listed plans are in the LP from the start, its prices need no smoothing."""
    if isinstance(packing.planner, PlanTable):
        return ColumnGeneration(packing, lp, clock, 0.0, gap, 0, tell)
    return ColumnGeneration(packing, lp, clock, SMOOTHING, gap, steps_for(packing), tell)


def steps_for(packing: Packing) -> int:
    """Subgradient steps between two LPs."""
    return STEPS if packing.row_count >= MANY_ROWS else 0
