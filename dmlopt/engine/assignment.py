"""An integer point of (P) under construction: who has which plan, and the room that is left. Needs usage >= 0.

Agents that may hold several plans have several seats; the first lo of them must be filled. Plans are taken and dropped
one by one, room and value follow incrementally.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, IntArray, Packing, Picks, Plan


class Assignment:
    """Seats, the plans on them, the room left, the value so far."""

    def __init__(self, packing: Packing) -> None:
        if not packing.pure:
            raise InputError("plans that supply capacity cannot be placed one by one")
        self.packing = packing
        self.agents: IntArray = np.repeat(np.arange(packing.agent_count), packing.hi)
        first = np.repeat(np.cumsum(packing.hi) - packing.hi, packing.hi)
        self.must = np.arange(len(self.agents)) - first < packing.lo[self.agents]
        self.plans: list[Plan | None] = [None] * len(self.agents)
        self.room: IntArray = packing.capacity.copy()
        self.value = packing.offset

    def copy(self) -> Assignment:
        """The same point, to go on from."""
        other = Assignment.__new__(Assignment)
        other.packing, other.agents, other.must = self.packing, self.agents, self.must
        other.plans, other.room, other.value = list(self.plans), self.room.copy(), self.value
        return other

    def fits(self, plan: Plan) -> bool:
        """Whether there is room for this plan."""
        return bool((self.room[plan.rows] >= plan.amounts).all())

    def take(self, seat: int, plan: Plan) -> None:
        """Put a plan on an empty seat."""
        self.plans[seat] = plan
        self.room[plan.rows] -= plan.amounts
        self.value += plan.value

    def drop(self, seat: int) -> Plan | None:
        """Empty a seat."""
        plan = self.plans[seat]
        if plan is not None:
            self.plans[seat] = None
            self.room[plan.rows] += plan.amounts
            self.value -= plan.value
        return plan

    def taken(self) -> IntArray:
        """Seats with a plan."""
        return np.array([seat for seat, plan in enumerate(self.plans) if plan is not None], dtype=np.int64)

    def empty(self) -> IntArray:
        """Seats without one."""
        return np.array([seat for seat, plan in enumerate(self.plans) if plan is None], dtype=np.int64)

    def unserved(self) -> int:
        """Seats that must be filled and are not."""
        return sum(1 for seat in np.flatnonzero(self.must) if self.plans[seat] is None)

    def best_plans(self, seats: IntArray, prices: FloatArray) -> list[tuple[float, Plan | None]]:
        """For each seat the best plan that fits the room, with its payoff; None when nothing fits or pays."""
        batch = self.packing.planner.best_all(
            prices,
            agents=self.agents[seats],
            room=self.room,
            floor=np.where(self.must[seats], -np.inf, 0.0),
        )
        plan = self.packing.planner.plan
        return [
            (payoff, plan(id) if id >= 0 else None)
            for payoff, id in zip(batch.reduced.tolist(), batch.ids.tolist(), strict=True)
        ]

    def place(self, seats: Iterable[int], prices: FloatArray) -> None:
        """Fill these seats in this order, each with its best plan in the room that is left for it."""
        order = np.fromiter(seats, dtype=np.int64)
        found = self.best_plans(order, prices)
        for at, (seat, (_, plan)) in enumerate(zip(order.tolist(), found, strict=True)):
            if plan is not None and not self.fits(plan):
                plan = self.best_plans(order[at : at + 1], prices)[0][1]
            if plan is not None:
                self.take(seat, plan)

    def picks(self) -> Picks | None:
        """The point; None while a seat that must be filled is empty."""
        if self.unserved():
            return None
        held = self.taken()
        ids = np.array([plan.id for plan in self.plans if plan is not None], dtype=np.int64)
        return Picks(self.agents[held], ids, np.ones(len(ids), dtype=np.int64))
