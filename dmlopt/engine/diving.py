"""From LP prices to an integer point, by planning again under room instead of fixing the LP's columns.

A column of the LP is one of very many nearly equal plans; insisting on it wastes room. What the LP knows is in its
prices: agents take the best plan *that fits* at these prices, one after the other. Which agent goes first matters, so
several orders are tried. At the end the prices are lowered to almost nothing, and whoever still finds room or a better
plan takes it.

`greedy_orders` (lp-round) does that once per order; `dive` decides a share of the agents at a time and adapts the
prices of the rest to the room that is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.assignment import Assignment
from dmlopt.engine.column_lp import ColumnPoint
from dmlopt.packing import FloatArray, IntArray, Packing, Plan

NEARLY_FREE = 1e-3
"""Prices at the end, as a share of the LP's: low enough to sell all room, high enough to prefer cheap slots."""
SHARE = 0.25
"""Share of the open agents that a dive decides before prices are adapted."""
ADAPTING_STEPS = 15
"""Subgradient steps that adapt prices to the room that is left."""
RAISES = (1.0, 2.0, 5.0, 20.0)
"""Factors on prices where agents that must run do not all find room: dear rows make plans modest."""

Score = Callable[[int, float, Plan, float], float]
"""(seat, payoff, plan, priced use) -> who goes first: the highest."""


def by_payoff(seat: int, payoff: float, plan: Plan, cost: float) -> float:
    """Who gains most goes first."""
    return payoff


def by_payoff_per_use(seat: int, payoff: float, plan: Plan, cost: float) -> float:
    """Who gains most per priced use goes first."""
    return payoff / max(cost, 1e-9 * abs(plan.value) + 1e-300)


def by_value(seat: int, payoff: float, plan: Plan, cost: float) -> float:
    """Who is worth most goes first."""
    return plan.value


def by_weight(assignment: Assignment, point: ColumnPoint | None) -> Score:
    """Whom the LP serves most goes first, then who gains most."""
    weight = np.zeros(assignment.packing.agent_count)
    if point is not None:
        np.add.at(weight, point.agents, point.weights)
    served = weight[assignment.agents]
    return lambda seat, payoff, plan, cost: float(served[seat]) + 1e-6 * payoff / (1.0 + abs(payoff))


def fill_greedily(
    assignment: Assignment, seats: IntArray, prices: FloatArray, score: Score, limit: int | None = None
) -> list[int]:
    """Fill seats, the highest score first (seats that must be filled before all others); returns those filled.

    Scores fall as room shrinks, so a plan is only planned again when its turn has come and it does not fit any more.
    """

    def entry(seat: int, payoff: float, plan: Plan) -> tuple[bool, float, int, Plan]:
        cost = plan.value - payoff
        return not assignment.must[seat], -score(seat, payoff, plan, cost), seat, plan

    heap = [
        entry(seat, payoff, plan)
        for seat, (payoff, plan) in zip(seats.tolist(), assignment.best_plans(seats, prices), strict=True)
        if plan is not None
    ]
    heapq.heapify(heap)
    filled: list[int] = []
    while heap and (limit is None or len(filled) < limit):
        _, _, seat, plan = heapq.heappop(heap)
        if assignment.fits(plan):
            assignment.take(seat, plan)
            filled.append(seat)
            continue
        payoff, again = assignment.best_plans(np.array([seat]), prices)[0]
        if again is not None:
            heapq.heappush(heap, entry(seat, payoff, again))
    return filled


def fill_up(assignment: Assignment, prices: FloatArray, clock: Clock) -> None:
    """Sell what room is left at almost no price: first to the waiting, then to whoever has a better plan for it."""
    cheap = NEARLY_FREE * prices
    fill_greedily(assignment, assignment.empty(), cheap, by_value)
    for seat in assignment.taken().tolist():
        if clock.expired():
            return
        old = assignment.drop(seat)
        assert old is not None
        _, plan = assignment.best_plans(np.array([seat]), cheap)[0]
        assignment.take(seat, plan if plan is not None and plan.value > old.value else old)


def greedy_orders(
    packing: Packing, prices: FloatArray, point: ColumnPoint | None, clock: Clock
) -> Assignment:
    """The best of several orders at LP prices; the one with the fewest unserved if agents that must run do not fit."""
    best: Assignment | None = None
    for raised in RAISES:
        start = Assignment(packing)
        for score in (by_weight(start, point), by_payoff, by_payoff_per_use, by_value):
            trial = start.copy()
            fill_greedily(trial, trial.empty(), raised * prices, score)
            fill_up(trial, prices, clock)
            best = trial if best is None else better(best, trial)
            if clock.expired():
                return best
        assert best is not None
        if not best.unserved():
            break
    assert best is not None
    return best


def dive(packing: Packing, prices: FloatArray, clock: Clock, score: Score = by_payoff_per_use) -> Assignment:
    """Decide a share of the agents, adapt the prices to the room that is left, go on with the rest."""
    assignment = Assignment(packing)
    waiting = assignment.empty()
    while len(waiting) and not clock.expired():
        filled = fill_greedily(assignment, waiting, prices, score, limit=max(1, int(SHARE * len(waiting))))
        if not filled:
            break
        waiting = np.setdiff1d(waiting, filled)
        prices = adapted_prices(assignment, waiting, prices, clock)
    fill_up(assignment, prices, clock)
    return assignment


def adapted_prices(assignment: Assignment, waiting: IntArray, prices: FloatArray, clock: Clock) -> FloatArray:
    """Prices at which the waiting, planning under the room that is left, ask for about that room."""
    packing = assignment.packing
    room = np.maximum(assignment.room, 0)
    scale = np.maximum(packing.capacity, 1).astype(np.float64)
    best, lowest, size = prices, np.inf, 0.05
    for _ in range(ADAPTING_STEPS):
        if not len(waiting) or clock.expired():
            break
        batch = packing.planner.best_all(prices, agents=assignment.agents[waiting], room=room)
        pays = (batch.reduced > 0) & (batch.ids >= 0)
        bound = float(room @ prices + batch.reduced[pays].sum())
        size = size if bound < lowest else 0.7 * size
        if bound < lowest:
            best, lowest = prices, bound
        use = packing.planner.total_usage(batch.ids[pays], np.ones(int(pays.sum()), dtype=np.int64))
        slope = (room - use) / scale
        slope[(prices <= 0.0) & (slope > 0.0)] = 0.0
        length = float(slope @ slope)
        if length == 0.0:
            break
        prices = np.maximum(prices - size * abs(bound) / length * slope / scale, 0.0)
    return best


def better(first: Assignment, second: Assignment) -> Assignment:
    """The one with fewer unserved seats, then with more value."""
    ahead = (second.unserved(), -second.value) < (first.unserved(), -first.value)
    return second if ahead else first
