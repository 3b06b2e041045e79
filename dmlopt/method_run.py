"""What every engine method of a formulation shares: from the problem to (P) and back, limits, warm starts, trace, time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlopt.control import Clock, Progress
from dmlopt.engine.infeasible import explain
from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, IntArray, Packing, Picks
from dmlopt.registry import Request
from dmlopt.result import Answer, Limit, TracePoint


@dataclass(frozen=True)
class Border:
    """How a formulation turns a problem into (P) and back. Solutions are in the paper's own terms.

    `row_groups`: a number per row; rows that belong together (one slot, say) have the same.
    """

    packing: Callable[[Any], Packing]
    solution: Callable[[Any, Packing, Picks], Any]
    picks: Callable[[Any, Packing, Any], Picks | None] | None = None
    row_groups: Callable[[Any], IntArray] | None = None


Step = Callable[["Run"], Answer]


def border_run(border: Border, step: Step) -> Callable[[Any, Request], Answer]:
    """Build the packing, run the step, add what all steps share: build time, trace, the shortage if infeasible."""

    def run(problem: Any, request: Request) -> Answer:
        began = time.perf_counter()
        packing = border.packing(problem)
        build = time.perf_counter() - began
        work = Run(border, problem, packing, request)
        answer = step(work)
        answer.build_seconds = build
        answer.trace = work.trace
        if answer.claimed_infeasible:
            answer.shortage = explain(packing, Clock(min(10.0, max(1.0, request.clock.remaining()))))
        return answer

    return run


class Run:
    """One run of an engine method: problem, packing, request, and the trace so far."""

    def __init__(self, border: Border, problem: Any, packing: Packing, request: Request) -> None:
        self.border = border
        self.problem = problem
        self.packing = packing
        self.request = request
        self.clock = request.clock
        self.trace: list[TracePoint] = []
        self.lowest = np.inf  # the best bound told so far

    def solution(self, picks: Picks | None) -> Any | None:
        """Picks in the paper's own terms."""
        return None if picks is None else self.border.solution(self.problem, self.packing, picks)

    def start(self) -> Picks | None:
        """The warm start as picks."""
        if self.request.start is None or self.border.picks is None:
            return None
        try:
            return self.border.picks(self.problem, self.packing, self.request.start)
        except (TypeError, ValueError, AttributeError, LookupError):
            kind = type(self.request.start).__name__
            raise InputError(f"start: expected a solution of this problem, got {kind}") from None

    def row_groups(self) -> IntArray | None:
        """Which rows belong together."""
        return None if self.border.row_groups is None else self.border.row_groups(self.problem)

    def start_prices(self) -> FloatArray | None:
        """Prices to start from, by row; rows that are not named start at 0."""
        given = self.request.prices
        if not given:
            return None
        try:
            prices = np.array([float(given.get(name, 0.0)) for name in self.packing.row_names])
        except (TypeError, ValueError, AttributeError, OverflowError):
            raise InputError("prices: expected a mapping from rows to finite numbers >= 0") from None
        if not np.isfinite(prices).all() or (prices < 0).any():
            raise InputError("prices: expected finite numbers >= 0")
        return prices

    def named(self, prices: FloatArray) -> dict[str, float]:
        """Prices by row name."""
        return dict(zip(self.packing.row_names, prices.tolist(), strict=True))

    def limit(self) -> Limit:
        """The limit that the clock stands for, if it is over."""
        if self.clock.interrupted:
            return Limit.INTERRUPTED
        return Limit.TIME if self.clock.expired() else Limit.NONE

    def tell(self, value: float | None, bound: float, nodes: int) -> None:
        """Record incumbent and bound, in objective units, and show them."""
        self.lowest = min(self.lowest, bound)
        report = self.packing.report
        incumbent = None if value is None else report(value)
        limit = report(bound) if np.isfinite(bound) else None
        last = self.trace[-1] if self.trace else None
        if last is None or (last.incumbent, last.bound) != (incumbent, limit):
            self.trace.append(TracePoint(self.clock.elapsed(), incumbent, limit))
        self.request.progress(Progress("search", incumbent, limit, nodes))
