"""Bounding one node of the tree: column LP and planner in turn, until they agree or the node is closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.cells import Cell
from dmlopt.engine.column_lp import ColumnLP, ColumnPoint
from dmlopt.engine.evaluate import evaluate
from dmlopt.packing import FloatArray, Packing, Planner

AGREED = 1e-10
"""LP value and bound this close (relative): more columns would change nothing."""
ELASTIC_USE = 1e-9
LARGE = 1e7


@dataclass(frozen=True)
class NodeBound:
    """What is known of a node: a bound with its prices, and the LP's point. `kind`: leaf, ray (prices are the ray) or empty."""

    kind: str
    bound: float
    prices: FloatArray
    point: ColumnPoint | None


class NodeSolver:
    """Solves nodes on one kept column LP."""

    def __init__(self, packing: Packing, lp: ColumnLP, clock: Clock) -> None:
        self.packing = packing
        self.lp = lp
        self.clock = clock
        self._zero = self._unvalued()

    def solve(
        self, cells: Mapping[int, Cell], prices: FloatArray, closed: Callable[[float], bool]
    ) -> NodeBound:
        """Bound the node, starting from its parent's prices; stops as soon as `closed(bound)` says it suffices."""
        known = evaluate(self.packing, prices, cells)
        if known.bound == -np.inf:
            return NodeBound("empty", -np.inf, prices, None)
        best = NodeBound("leaf", known.bound, prices, None)
        if closed(best.bound):
            return best
        self.lp.add(*known.extra)  # every cell that must hold a plan has a column, so the LP cannot lack one
        self.lp.apply(cells)
        while not self.clock.expired():
            point = self.lp.solve(self.clock.remaining())
            if point is None:
                break
            found = evaluate(self.packing, point.prices, cells)
            if found.bound < best.bound:
                best = NodeBound("leaf", found.bound, point.prices, point)
            best = replace(best, point=point)
            if closed(best.bound):
                break
            added = self.lp.add(found.picks.agents, found.picks.ids) + self.lp.add(*found.extra)
            if added:
                self.lp.apply(cells)
            agreed = best.bound - point.value <= AGREED * max(abs(best.bound), 1e-9)
            if point.elastic > ELASTIC_USE and (agreed or not added):
                ray = self._ray(cells, point.prices)
                if ray is not None:
                    return NodeBound("ray", -np.inf, ray, None)
                if not self.lp.raise_elastic_cost():
                    break
            elif agreed or not added:
                break
        return best

    # ---------------------------------------------------------------- infeasibility

    def _unvalued(self) -> Packing | None:
        build = getattr(self.packing.planner, "unvalued", None)
        return replace(self.packing, planner=cast(Planner, build()), offset=0.0) if build else None

    def _ray(self, cells: Mapping[int, Cell], prices: FloatArray) -> FloatArray | None:
        """The direction in which prices grow when bought capacity gets dearer, if it proves infeasibility."""
        before = self.lp.elastic_cost
        if not self.lp.raise_elastic_cost():
            return None
        point = self.lp.solve(self.clock.remaining())
        if point is None or point.elastic <= ELASTIC_USE:
            return None
        ray = np.maximum(point.prices - prices, 0.0) / (self.lp.elastic_cost - before)
        if not ray.any():
            return None
        ray[ray < 1e-9 * ray.max()] = 0.0
        capacity = float(np.abs(self.packing.capacity) @ ray)
        if self._zero is not None:
            margin = evaluate(self._zero, ray, cells).bound
            return ray if margin < -1e-12 * max(capacity, 1e-300) else None
        far = evaluate(self.packing, ray * LARGE, cells)
        return ray if far.bound < -1e-3 * capacity * LARGE else None
