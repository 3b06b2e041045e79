"""The methods that every formulation gets from the engine, given its packing: exact, lagrangian, lp, lp-round, and its
reference program handed to solvers: mip-highs, mip-cbc, mip-scip, cp-sat, lp-compact.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlopt.control import Clock, Progress
from dmlopt.engine import reduction
from dmlopt.engine.column_lp import ColumnLP
from dmlopt.engine.core_problem import near_best
from dmlopt.engine.infeasible import explain
from dmlopt.engine.lagrangian import lagrangian, price_scale
from dmlopt.engine.node_solver import NodeBound, NodeSolver
from dmlopt.engine.presolve import steepness
from dmlopt.engine.price_tree import LP_PLANS, SearchLimits, price_tree
from dmlopt.engine.proof import Proof
from dmlopt.engine.rounding import fill_room, round_point, round_prices
from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, Packing, Picks
from dmlopt.program_methods import program_method, relaxation_method
from dmlopt.registry import Method, Option, Request
from dmlopt.result import Answer, Limit, TracePoint
from dmlopt.table import PlanTable


@dataclass(frozen=True)
class _Border:
    """How a formulation turns a problem into (P) and back. Solutions are in the paper's own terms."""

    packing: Callable[[Any], Packing]
    solution: Callable[[Any, Packing, Picks], Any]
    picks: Callable[[Any, Packing, Any], Picks | None]


def packing_methods(
    packing: Callable[[Any], Packing],
    solution: Callable[[Any, Packing, Picks], Any],
    picks: Callable[[Any, Packing, Any], Picks | None],
    program: Callable[..., Any],
    program_solution: Callable[[Any, dict[str, float]], Any],
    program_rows: Callable[[Any], list[str]],
    sense: str = "min",
) -> tuple[Method, ...]:
    """Methods of a formulation from its packing and its reference program (PuLP, called with problem and clock).

    `program_rows(problem)` names the rows of the reference program that are the rows of the packing, in their order.
    The program minimises; where the paper's objective is maximised (`sense`), it has the sign turned.
    """
    border = _Border(packing, solution, picks)
    nodes = Option("nodes", int, None, "stop after this many tree nodes")
    return (
        Method(
            "exact",
            "exact",
            "price tree over plans, with a certificate",
            border_run(border, _exact),
            (nodes,),
        ),
        Method(
            "lagrangian",
            "bound",
            "best Lagrangian bound, by cutting planes in price space",
            border_run(border, _lagrangian),
        ),
        Method("lp", "bound", "column LP, its duals re-evaluated as prices", border_run(border, _lp)),
        Method("lp-round", "heuristic", "column LP rounded, room filled up", border_run(border, _lp_round)),
        program_method("mip-highs", "highs", program, program_solution, sense),
        program_method("mip-cbc", "cbc", program, program_solution, sense),
        program_method("mip-scip", "scip", program, program_solution, sense),
        program_method("cp-sat", "cp-sat", program, program_solution, sense),
        relaxation_method("lp-compact", program, program_rows, packing, sense),
    )


_Step = Callable[["_Run"], Answer]


def border_run(border: _Border, step: _Step) -> Callable[[Any, Request], Answer]:
    """Build the packing, run the step, add what all steps share: build time, trace, the shortage if infeasible."""

    def run(problem: Any, request: Request) -> Answer:
        began = time.perf_counter()
        packing = border.packing(problem)
        build = time.perf_counter() - began
        work = _Run(border, problem, packing, request)
        answer = step(work)
        answer.build_seconds = build
        answer.trace = work.trace
        if answer.claimed_infeasible:
            answer.shortage = explain(packing, Clock(min(10.0, max(1.0, request.clock.remaining()))))
        return answer

    return run


class _Run:
    """One run of an engine method: problem, packing, request, and the trace so far."""

    def __init__(self, border: _Border, problem: Any, packing: Packing, request: Request) -> None:
        self.border = border
        self.problem = problem
        self.packing = packing
        self.request = request
        self.clock = request.clock
        self.trace: list[TracePoint] = []

    def solution(self, picks: Picks | None) -> Any | None:
        """Picks in the paper's own terms."""
        return None if picks is None else self.border.solution(self.problem, self.packing, picks)

    def start(self) -> Picks | None:
        """The warm start as picks."""
        if self.request.start is None:
            return None
        try:
            return self.border.picks(self.problem, self.packing, self.request.start)
        except (TypeError, ValueError, AttributeError, LookupError):
            kind = type(self.request.start).__name__
            raise InputError(f"start: expected a solution of this problem, got {kind}") from None

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
        report = self.packing.report
        incumbent = None if value is None else report(value)
        limit = report(bound) if np.isfinite(bound) else None
        last = self.trace[-1] if self.trace else None
        if last is None or (last.incumbent, last.bound) != (incumbent, limit):
            self.trace.append(TracePoint(self.clock.elapsed(), incumbent, limit))
        self.request.progress(Progress("search", incumbent, limit, nodes))


def _exact(run: _Run) -> Answer:
    request = run.request
    found = price_tree(
        run.packing,
        SearchLimits(
            clock=run.clock,
            gap=request.gap,
            nodes=request.options.get("nodes"),
            threads=request.threads,
            seed=request.seed,
            start=run.start(),
            prices=run.start_prices(),
            tell=run.tell,
        ),
    )
    return Answer(
        solution=run.solution(found.picks),
        certificate=found.certificate,
        claimed_infeasible=found.infeasible,
        limit=found.limit,
        prices=run.named(found.prices),
        statistics=found.statistics,
    )


def _lagrangian(run: _Run) -> Answer:
    reduced = reduction.begin(run.packing)
    found = lagrangian(
        reduced.packing, run.clock, start=run.start_prices(), tell=lambda p: run.tell(None, p.bound, 0)
    )
    if found.point.bound == -np.inf or found.runaway:
        return _root_answer(run, *_root_lp(run))
    proof = Proof(reduced.classes.listed() if reduced.classes else ())
    proof.leaf(0, found.point.prices, found.point.bound)
    return Answer(
        certificate=proof.certificate_or_none(reduced.fitting, steepness(reduced.merged)),
        limit=run.limit(),
        prices=run.named(found.point.prices),
        statistics={"evaluations": found.evaluations},
    )


def _root_lp(run: _Run) -> tuple[reduction.Reduced, NodeBound, ColumnLP]:
    """The column LP at the root: prices by cutting planes first, then columns until planner and LP agree."""
    reduced = reduction.begin(run.packing)
    packing = reduced.packing
    seen: dict[int, int] = {}
    found = lagrangian(
        packing,
        run.clock,
        tolerance=1e-6,
        start=run.start_prices(),
        tell=lambda p: seen.update(zip(p.picks.ids.tolist(), p.picks.agents.tolist(), strict=True)),
    )
    run.tell(None, found.point.bound, 0)
    lp = ColumnLP(packing, *price_scale(packing))
    if isinstance(packing.planner, PlanTable):
        count = packing.planner.plan_count
        extra = count if count <= LP_PLANS else 3 * packing.agent_count
        lp.add(*near_best(packing.planner, found.point.prices, extra))
    else:
        lp.add(np.fromiter(seen.values(), np.int64, len(seen)), np.fromiter(seen, np.int64, len(seen)))
    node = NodeSolver(packing, lp, run.clock).solve({}, found.point.prices, lambda bound: False)
    if node.kind == "leaf":
        run.tell(None, node.bound, 0)
    return reduced, node, lp


def _root_answer(run: _Run, reduced: reduction.Reduced, node: NodeBound, lp: ColumnLP) -> Answer:
    proof = Proof(reduced.classes.listed() if reduced.classes else ())
    if node.kind == "leaf":
        proof.leaf(0, node.prices, node.bound)
    elif node.kind == "ray":
        proof.ray(0, node.prices)
    else:
        proof.empty(0)
    return Answer(
        certificate=proof.certificate_or_none(reduced.fitting, steepness(reduced.merged)),
        claimed_infeasible=node.kind != "leaf",
        limit=run.limit(),
        prices=run.named(node.prices) if node.kind == "leaf" else {},
        statistics={"columns": len(lp.ids)},
    )


def _lp(run: _Run) -> Answer:
    return _root_answer(run, *_root_lp(run))


def _lp_round(run: _Run) -> Answer:
    reduced, node, lp = _root_lp(run)
    answer = _root_answer(run, reduced, node, lp)
    if node.kind != "leaf" or not reduced.packing.pure:
        return answer
    packing = reduced.packing
    picks = None
    if node.point is not None:
        point = node.point
        picks = round_point(packing, node.prices, point.agents, point.ids, point.weights)
    if picks is None:
        picks = round_prices(packing, node.prices)
    if picks is not None and isinstance(packing.planner, PlanTable):
        picks = fill_room(packing, packing.planner, node.prices, picks)
    if picks is not None:
        run.tell(reduced.to_merged(picks).value(reduced.merged), node.bound, 0)
        answer.solution = run.solution(reduced.to_whole(reduced.to_merged(picks)))
    return answer
