"""From the column LP to a feasible answer: lp-round, dive, restricted-master. All report the LP's certificate beside."""

from __future__ import annotations

import math

from dmlopt.backends.program import SolverLimits
from dmlopt.engine import reduction
from dmlopt.engine.column_generation import AGREED
from dmlopt.engine.diving import greedy_orders
from dmlopt.engine.incumbents import plan_again
from dmlopt.engine.node_solver import NodeBound
from dmlopt.engine.presolve import steepness
from dmlopt.engine.proof import Proof
from dmlopt.engine.restricted_master import restricted_master
from dmlopt.engine.root_lp import RootLP, solve_root
from dmlopt.engine.rounding import fill_room, round_point, round_prices
from dmlopt.method_run import Run
from dmlopt.packing import Packing, Picks
from dmlopt.result import Answer, relative_gap
from dmlopt.table import PlanTable

ROOT_SHARE = 0.4
"""Share of the time limit that a heuristic gives to the LP before it."""


def root(run: Run, share: float = 1.0) -> tuple[reduction.Reduced, RootLP]:
    """The column LP at the root, within a share of the time that is left."""
    reduced = reduction.begin(run.packing)
    remaining = run.clock.remaining()
    clock = run.clock.part(share * remaining) if math.isfinite(remaining) and share < 1 else run.clock
    found = solve_root(
        reduced.packing,
        clock,
        run.request.options.get("tolerance", AGREED),
        run.start_prices(),
        lambda value, bound: run.tell(None, bound, 0),
    )
    if found.node.kind == "leaf":
        run.tell(None, found.node.bound, 0)
    return reduced, found


def root_answer(run: Run, reduced: reduction.Reduced, found: RootLP) -> Answer:
    """What the LP proves."""
    proof = Proof(reduced.classes.listed() if reduced.classes else ())
    found.prove(proof)
    return Answer(
        certificate=proof.certificate_or_none(reduced.fitting, steepness(reduced.merged)),
        claimed_infeasible=found.node.kind != "leaf",
        limit=run.limit(),
        prices=run.named(found.node.prices) if found.node.kind == "leaf" else {},
        statistics=found.statistics(),
    )


def _with_picks(
    run: Run, reduced: reduction.Reduced, found: RootLP, picks: Picks | None, **statistics: float
) -> Answer:
    """The LP's answer with a point beside."""
    answer = root_answer(run, reduced, found)
    answer.statistics = {**answer.statistics, **statistics}
    if picks is not None:
        merged = reduced.to_merged(picks)
        run.tell(merged.value(reduced.merged), found.node.bound, 0)
        answer.solution = run.solution(reduced.to_whole(merged))
    return answer


def _rounded(packing: Packing, node: NodeBound) -> Picks | None:
    """The LP point rounded, its fractional agents planned again; where that fails, prices raised until plans fit."""
    picks = None
    if node.point is not None:
        point = node.point
        picks = round_point(packing, node.prices, point.agents, point.ids, point.weights)
    if picks is None:
        picks = round_prices(packing, node.prices)
    if picks is not None and isinstance(packing.planner, PlanTable):
        picks = fill_room(packing, packing.planner, node.prices, picks)
    return picks


def lp_round_step(run: Run) -> Answer:
    """Listed plans: round the LP point. Generated ones: plan under room in several orders."""
    reduced, found = root(run, ROOT_SHARE)
    packing = reduced.packing
    if found.node.kind != "leaf" or not packing.pure:
        return root_answer(run, reduced, found)
    picks = _rounded(packing, found.node)
    if not isinstance(packing.planner, PlanTable):
        planned = greedy_orders(packing, found.node.prices, found.node.point, run.clock).picks()
        picks = _best(packing, picks, planned)
    return _with_picks(run, reduced, found, picks)


def dive_step(run: Run) -> Answer:
    """The best of several orders and of a dive with adapted prices, improved by ruin and recreate."""
    reduced, found = root(run, ROOT_SHARE)
    packing = reduced.packing
    if found.node.kind != "leaf" or not packing.pure:
        return root_answer(run, reduced, found)
    prices, bound = found.node.prices, found.node.bound

    def enough(value: float) -> bool:
        report = packing.report
        gap = relative_gap(report(value), report(bound))
        return gap is not None and gap <= 0.5 * run.request.gap

    improved = plan_again(
        packing,
        prices,
        found.node.point,
        run.clock,
        run.request.seed,
        run.request.options.get("tries"),
        enough,
        run.row_groups(),
        lambda value: run.tell(value, bound, 0),
    )
    picks = _best(packing, improved.assignment.picks(), _rounded(packing, found.node))
    return _with_picks(run, reduced, found, picks, **improved.statistics())


def restricted_master_step(run: Run) -> Answer:
    """The MIP over the LP's columns."""
    reduced, found = root(run, ROOT_SHARE)
    if found.node.kind != "leaf":
        return root_answer(run, reduced, found)
    request = run.request
    limits = SolverLimits(run.clock, request.gap, request.threads, request.seed)
    return _with_picks(run, reduced, found, restricted_master(reduced.packing, found.lp, limits, run.start()))


def _best(packing: Packing, first: Picks | None, second: Picks | None) -> Picks | None:
    """The better of two points, where there are two."""
    fitting = [picks for picks in (first, second) if picks is not None and picks.fits(packing)]
    return max(fitting, key=lambda picks: picks.value(packing), default=None)
