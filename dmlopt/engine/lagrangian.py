"""Prices with the best Lagrangian bound, by cutting planes in price space.

bound(p) is convex and piecewise linear; every evaluation gives a linear piece under it. A small LP over (p, level) minimises
the largest piece; its value is a floor under every Lagrangian bound, which tells when to stop. Plain cutting planes jump
about, so each new point is taken between the best prices known and the LP's proposal (in-out stabilisation). Prices are
capped, and the cap grows only when the LP leans on it: an infeasible problem shows as prices that grow without end.

Inside, prices are measured as shares of the total value (price x capacity / value), so that all rows look alike to the LP.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from dmlopt.backends.highs import KeptLinearProgram
from dmlopt.control import Clock
from dmlopt.engine.evaluate import DualPoint, evaluate
from dmlopt.packing import FloatArray, Packing

LARGEST_CAP = 1e7
"""Prices beyond this many times (total value / capacity) mean that the rows cannot be met."""
STALLED = 40
"""Evaluations without progress after which the cutting planes give up."""


@dataclass(frozen=True)
class LagrangianResult:
    """The best prices found, their bound, and the floor that no prices can go below (both values of (P))."""

    point: DualPoint
    floor: float
    evaluations: int
    runaway: bool  # prices grew to the largest cap: a sign that (P) has no feasible point


class _PriceModel:
    """The cutting-plane LP: min level s.t. level >= piece_k(q), 0 <= q <= cap."""

    def __init__(self, rows: int, cap: float) -> None:
        self.rows = rows
        self.cap = cap
        self._lp = KeptLinearProgram(np.empty(0), np.empty(0))
        cost = np.append(np.zeros(rows), 1.0)
        lower = np.append(np.zeros(rows), -np.inf)
        upper = np.append(np.full(rows, cap), np.inf)
        self._lp.add_columns(cost, csc_array((0, rows + 1)), lower, upper)

    def add_piece(self, q: FloatArray, level: float, slope: FloatArray) -> None:
        columns = np.arange(self.rows + 1, dtype=np.int64)
        self._lp.add_row(columns, np.append(-slope, 1.0), level - float(slope @ q), np.inf)

    def raise_cap(self) -> None:
        self.cap *= 10.0
        columns = np.arange(self.rows, dtype=np.int64)
        self._lp.set_column_bounds(columns, np.zeros(self.rows), np.full(self.rows, self.cap))

    def minimise(self) -> tuple[float, FloatArray] | None:
        answer = self._lp.solve()
        if answer.x is None or answer.objective is None:
            return None
        return answer.objective, np.clip(answer.x[: self.rows], 0.0, self.cap)


def price_scale(packing: Packing) -> tuple[float, FloatArray]:
    """A typical total value V, and per row the price at which the whole capacity is worth V."""
    batch = packing.planner.best_all(np.zeros(packing.row_count))
    counted = np.where(batch.ids >= 0, np.abs(batch.values), 0.0) @ np.maximum(packing.hi, 1)
    value = max(float(counted), 1e-12)
    return value, value / np.maximum(np.abs(packing.capacity.astype(np.float64)), 1.0)


def lagrangian(
    packing: Packing,
    clock: Clock | None = None,
    tolerance: float = 1e-8,
    start: FloatArray | None = None,
    limit: int = 500,
    tell: Callable[[DualPoint], None] | None = None,
) -> LagrangianResult:
    """Minimise bound(p) until it is within `tolerance` (relative) of the floor, or the clock or `limit` ends it.

    `tell` hears of every evaluation: its plans are good columns for what comes next.
    """
    clock = clock or Clock()
    value, scale = price_scale(packing)
    model = _PriceModel(packing.row_count, cap=10.0)
    centre = np.zeros(packing.row_count) if start is None else np.clip(start / scale, 0.0, model.cap)
    best: DualPoint | None = None
    point, floor, count, runaway = centre, -np.inf, 0, False
    narrowest, since = np.inf, 0  # the LP's tolerance can stall the last digits
    while True:
        found = evaluate(packing, point * scale)
        count += 1
        if best is None or found.bound < best.bound:
            best, centre = found, point
        if tell:
            tell(found)
        if found.bound == -np.inf:
            break
        slope = found.subgradient(packing.capacity) * scale / value
        model.add_piece(point, found.bound / value, slope)
        proposal = model.minimise()
        if proposal is None:
            break
        level, corner = proposal
        capped = bool((corner >= model.cap * (1 - 1e-9)).any())
        if capped and best.bound / value - level > tolerance:
            if model.cap >= LARGEST_CAP:
                runaway = True
                break
            model.raise_cap()
        elif not capped:
            floor = max(floor, level * value)
        if best.bound - level * value <= tolerance * max(abs(best.bound), 1e-9):
            break
        since = 0 if best.bound - level * value < 0.9 * narrowest else since + 1
        narrowest = min(narrowest, best.bound - level * value)
        if count >= limit or since >= STALLED or clock.expired():
            break
        point = corner if count == 1 or capped else 0.5 * (centre + corner)
    return LagrangianResult(best, floor, count, runaway)
