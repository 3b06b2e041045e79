"""Bounding one node of the tree: column LP and planner in turn, until they agree or the node is closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.cells import Cell
from dmlopt.engine.column_generation import AGREED, ELASTIC_USE, Tell, rounds_for
from dmlopt.engine.column_lp import ColumnLP, ColumnPoint
from dmlopt.engine.evaluate import DualPoint, evaluate
from dmlopt.packing import FloatArray, Packing, Planner

HUGE = 1e3
"""Prices beyond this many times (total value / capacity) are moderated where possible."""
RAY_WORTH = 2.0**20
LARGE = 1e7
"""Rays times this are prices beside which values count for nothing."""


@dataclass(frozen=True)
class NodeBound:
    """What is known of a node: a bound with its prices, and the LP's point.

    `kind`: "leaf", "ray" (the prices prove that it holds no point) or "empty".
    """

    kind: str
    bound: float
    prices: FloatArray
    point: ColumnPoint | None


class NodeSolver:
    """Solves nodes on one kept column LP."""

    def __init__(
        self,
        packing: Packing,
        lp: ColumnLP,
        clock: Clock,
        gap: float = AGREED,
        tell: Tell | None = None,
    ) -> None:
        self.packing = packing
        self.lp = lp
        self.clock = clock
        self.rounds = rounds_for(packing, lp, clock, gap, tell)
        self._zero = self._unvalued()

    def solve(
        self, cells: Mapping[int, Cell], prices: FloatArray, closed: Callable[[float], bool]
    ) -> NodeBound:
        """Bound the node, starting from its parent's prices; stops as soon as `closed(bound)` says it suffices."""
        known = evaluate(self.packing, prices, cells)
        if known.bound == -np.inf:
            return NodeBound("empty", -np.inf, prices, None)
        if closed(known.bound):
            return NodeBound("leaf", known.bound, prices, None)
        # Every cell that must hold a plan has a column then, so the LP cannot lack one.
        self.lp.add(known.picks.agents, known.picks.ids)
        self.lp.add(*known.extra)
        self.lp.apply(cells)
        while True:
            found = self.rounds.run(cells, known, closed)
            best = NodeBound("leaf", found.best.bound, found.best.prices, found.point)
            if not found.complete or found.point is None or found.point.elastic <= ELASTIC_USE:
                break
            ray = self._ray(cells)
            if ray is not None:
                return NodeBound("ray", -np.inf, ray, None)
            if self.clock.expired() or not self.lp.raise_elastic_cost():
                break
            known = found.best
        return self._moderate(best, cells, prices, closed)

    def finished(
        self, result: NodeBound, cells: Mapping[int, Cell], closed: Callable[[float], bool]
    ) -> NodeBound:
        """A node that stopped at a loose gap, to the last digits: its point looks whole and may close it."""
        gap = self.rounds.gap
        if gap <= AGREED or result.kind != "leaf" or closed(result.bound) or self.clock.expired():
            return result
        self.rounds.gap = AGREED
        try:
            again = self.solve(cells, result.prices, closed)
        finally:
            self.rounds.gap = gap
        return again if again.kind != "leaf" or again.bound <= result.bound else result

    def _moderate(
        self, found: NodeBound, cells: Mapping[int, Cell], near: FloatArray, closed: Callable[[float], bool]
    ) -> NodeBound:
        """Huge prices cost the certificate its precision: go no further from the parent's than closing the node takes."""
        if not closed(found.bound) or (found.prices <= HUGE * self.lp.price_scale).all():
            return found
        for share in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1):
            prices = near + share * (found.prices - near)
            bound = evaluate(self.packing, prices, cells).bound
            if closed(bound):
                return replace(found, bound=bound, prices=prices)
        return found

    # ---------------------------------------------------------------- infeasibility

    def _unvalued(self) -> Packing | None:
        build = getattr(self.packing.planner, "unvalued", None)
        return replace(self.packing, planner=cast(Planner, build()), offset=0.0) if build else None

    def _ray(self, cells: Mapping[int, Cell]) -> FloatArray | None:
        """Prices at which every choice costs more than the whole capacity is worth; None when there are none."""
        self.lp.look_for_shortage(True)
        try:
            while not self.clock.expired():
                point = self.lp.solve(self.clock.remaining())
                if point is None or point.elastic <= ELASTIC_USE or not point.prices.any():
                    return None
                ray = np.where(point.prices < 1e-9 * point.prices.max(), 0.0, point.prices)
                # A ray has no scale of its own; this one survives rounding to the certificate's integers.
                ray *= RAY_WORTH / float((ray * np.maximum(np.abs(self.packing.capacity), 1)).max())
                found = self._at_ray(cells, ray)
                if found is None:
                    return ray
                added = self.lp.add(found.picks.agents, found.picks.ids) + self.lp.add(*found.extra)
                if not added:
                    return None
                self.lp.apply(cells)
        finally:
            self.lp.look_for_shortage(False)
        return None

    def _at_ray(self, cells: Mapping[int, Cell], ray: FloatArray) -> DualPoint | None:
        """The cheapest choice at these prices; None when even that costs more than the capacity is worth."""
        worth = float(np.abs(self.packing.capacity) @ ray)
        if self._zero is not None:
            found = evaluate(self._zero, ray, cells)
            return None if found.bound < -1e-12 * max(worth, 1e-300) else found
        found = evaluate(self.packing, ray * LARGE, cells)
        return None if found.bound < -1e-3 * worth * LARGE else found
