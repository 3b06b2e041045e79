"""Online primal-dual pricing over any planner without supply: agents come one by one, decisions are final.

Each agent sees the prices that the use so far has made, takes its best plan among those that fit the room that is left,
and is admitted if that plan pays: value minus priced use above a tolerance. Its use then raises the prices of the rows
it touches. Nobody looks ahead: what later agents are changes no earlier decision.

The prices at the end prove a bound on (P), as any prices do. The dual value of the run itself (payoffs fixed at
admission plus capacity at the last prices) is reported too, but it is a bound only under the assumptions of the paper's
theorem.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlopt.control import Clock
from dmlopt.engine.evaluate import evaluate
from dmlopt.engine.presolve import steepness
from dmlopt.engine.prices import PriceFunction
from dmlopt.engine.proof import Proof
from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, IntArray, Packing, Picks, Plan


def strictly_positive(plan: Plan) -> float:
    """The default tolerance of admission: a payoff of 0 is computed as 1e-16 by one formula and as -1e-16 by another."""
    return 1e-9 * max(1.0, abs(plan.value))


@dataclass(frozen=True)
class Posted:
    """A run. `payoffs[k]` (mu) and `payments[k]` (priced use at the prices it met) belong to arrival `order[k]`; rejected
    arrivals have 0 in both and -1 in `ids`. `decided`: how many arrivals were handled before the clock ended; `seconds`
    is how long each of these took, until its use and the new prices stood.
    """

    order: IntArray
    ids: IntArray
    payoffs: FloatArray
    payments: FloatArray
    use: IntArray
    prices: FloatArray
    first_dual: float  # D_0: the capacity at the prices of an empty system
    decided: int
    unserved: tuple[int, ...]  # agents that must run and had no plan that fits
    seconds: FloatArray

    @property
    def picks(self) -> Picks:
        """The admitted plans."""
        taken = self.ids >= 0
        return Picks(self.order[taken], self.ids[taken], np.ones(int(taken.sum()), dtype=np.int64))

    def last_dual(self, packing: Packing) -> float:
        """D_end: payoffs as fixed at admission plus the capacity at the last prices. No bound by itself."""
        return packing.offset + float(self.payoffs.sum() + packing.capacity @ self.prices)

    def certificate(self, packing: Packing) -> tuple[float, dict[str, Any] | None]:
        """The bound that the last prices prove, and its certificate."""
        bound = evaluate(packing, self.prices).bound
        proof = Proof()
        if bound == -np.inf:
            proof.empty(0)
        else:
            proof.leaf(0, self.prices, bound)
        return bound, proof.certificate_or_none(packing.planner, steepness(packing))


def primal_dual(
    packing: Packing,
    price: PriceFunction,
    order: IntArray | None = None,
    tolerance: Callable[[Plan], float] = strictly_positive,
    clock: Clock | None = None,
    tell: Callable[[int, float], None] | None = None,
) -> Posted:
    """Handle the agents in `order` (an agent that may have n plans arrives n times; default: in their own order).

    `tell` hears how many arrivals are decided and the value so far. Agents that must run are admitted whatever they pay,
    if anything fits.
    """
    if not packing.pure:
        raise InputError("primal-dual pricing needs plans that supply no capacity")
    clock = clock or Clock()
    arrivals = np.repeat(np.arange(packing.agent_count), packing.hi) if order is None else order
    use = np.zeros(packing.row_count, dtype=np.int64)
    prices = price.at(use)
    first = packing.offset + float(packing.capacity @ prices)
    ids = np.full(len(arrivals), -1, dtype=np.int64)
    payoffs, payments = np.zeros(len(arrivals)), np.zeros(len(arrivals))
    seconds = np.zeros(len(arrivals))
    value, decided, unserved = packing.offset, 0, []
    for at, agent in enumerate(arrivals.tolist()):
        if clock.expired():
            break
        began = time.perf_counter()
        must = bool(packing.lo[agent] > 0)
        plan = packing.planner.best(
            agent, prices, room=packing.capacity - use, floor=-np.inf if must else 0.0
        )
        payment = 0.0 if plan is None else float(plan.amounts @ prices[plan.rows])
        admitted = plan is not None and (must or plan.value - payment > tolerance(plan))
        if plan is not None and admitted:
            ids[at], payoffs[at], payments[at] = plan.id, plan.value - payment, payment
            use[plan.rows] += plan.amounts
            prices[plan.rows] = price.at(use[plan.rows], plan.rows)
            value += plan.value
        elif must:
            unserved.append(agent)
        seconds[at] = time.perf_counter() - began
        decided += 1
        if admitted and tell:
            tell(decided, value)
    return Posted(
        *(arrivals, ids, payoffs, payments, use, prices, first, decided, tuple(unserved)), seconds[:decided]
    )
