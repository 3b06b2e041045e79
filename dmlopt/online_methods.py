"""primal-dual: the engine's online pricing as a method of a formulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dmlopt.engine.prices import ExponentialPrices, PriceFunction
from dmlopt.engine.primal_dual import primal_dual, strictly_positive
from dmlopt.method_run import Border, Run, border_run
from dmlopt.packing import IntArray, Packing, Picks, Plan
from dmlopt.registry import Method, Option
from dmlopt.result import Answer, Limit


def primal_dual_method(
    packing: Callable[[Any], Packing],
    solution: Callable[[Any, Packing, Picks], Any],
    order: Callable[[Any], IntArray],
    price: Callable[[Any, Packing, dict[str, Any]], PriceFunction],
    tolerance: Callable[[Plan], float] = strictly_positive,
    options: tuple[Option, ...] = (),
    summary: str = "posted prices that rise with use; agents in arrival order, decisions final",
    name: str = "primal-dual",
) -> Method:
    """The online method of a formulation.

    `order(problem)` lists the agents as they arrive; `price(problem, packing, options)` is the price function, from the
    problem's price constants and the method's own `options`. The answer carries the certificate at the last prices.
    """

    def step(run: Run) -> Answer:
        chosen = price(run.problem, run.packing, dict(run.request.options))
        found = primal_dual(
            run.packing,
            chosen,
            order(run.problem),
            tolerance,
            run.clock,
            lambda decided, value: run.tell(value, float("inf"), decided),
        )
        bound, certificate = found.certificate(run.packing)
        picks = found.picks
        if picks.fits(run.packing):
            run.tell(picks.value(run.packing), bound, found.decided)
        statistics = {
            "arrivals": len(found.order),
            "decided": found.decided,
            "admitted": len(picks.ids),
            "first_dual": found.first_dual,
            "last_dual": found.last_dual(run.packing),
            "payments": float(found.payments.sum()),
            "payoffs": float(found.payoffs.sum()),
        }
        if found.decided:
            statistics["decision_seconds_median"] = float(np.median(found.seconds))
            statistics["decision_seconds_max"] = float(found.seconds.max())
        if isinstance(chosen, ExponentialPrices):
            statistics["alpha"] = chosen.competitive_exponent()
        return Answer(
            solution=run.solution(picks) if picks.fits(run.packing) else None,
            certificate=certificate,
            limit=run.limit() if found.decided < len(found.order) else Limit.NONE,
            prices=run.named(found.prices),
            statistics=statistics,
        )

    return Method(name, "online", summary, border_run(Border(packing, solution), step), options)
