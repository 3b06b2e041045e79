"""The methods that every formulation gets from the engine.

`plan_methods` needs only its packing: exact, lagrangian, lp, lp-round, dive; restricted-master where plans are generated.
`packing_methods` adds its reference program handed to solvers: mip-highs, mip-cbc, mip-scip, cp-sat, lp-compact.
`dmlopt.online_methods` adds primal-dual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dmlopt.engine import reduction
from dmlopt.engine.column_generation import MANY_ROWS
from dmlopt.engine.evaluate import DualPoint
from dmlopt.engine.lagrangian import lagrangian
from dmlopt.engine.presolve import steepness
from dmlopt.engine.price_tree import SearchLimits, price_tree
from dmlopt.engine.proof import Proof
from dmlopt.engine.subgradient import subgradient
from dmlopt.method_run import Border, Run, Step, border_run
from dmlopt.packing import IntArray, Packing, Picks
from dmlopt.program_methods import program_method, relaxation_method
from dmlopt.registry import Method, Option
from dmlopt.result import Answer
from dmlopt.rounding_methods import dive_step, lp_round_step, restricted_master_step, root, root_answer
from dmlopt.table import PlanTable

_NODES = Option("nodes", int, None, "stop after this many tree nodes")
_CLOSE = "LP and bound this close (relative) are close enough"
_TIGHT = Option("tolerance", float, 1e-8, _CLOSE)  # a bound is what one wants to know
_TOLERANCE = Option("tolerance", float, 1e-4, _CLOSE)  # a heuristic only needs good prices
_TRIES = Option("tries", int, 2000, "tries of ruin and recreate after the dive")
LONG_PATIENCE = 40
"""Steps without progress before a bound method's subgradient search lowers its aim: four times those of a first guess."""
MOST_STEPS = 5000


def plan_methods(
    packing: Callable[[Any], Packing],
    solution: Callable[[Any, Packing, Picks], Any],
    picks: Callable[[Any, Packing, Any], Picks | None],
    generated: bool = False,
    row_groups: Callable[[Any], IntArray] | None = None,
) -> tuple[Method, ...]:
    """Methods of a formulation from its packing alone.

    `generated`: its planner generates plans instead of listing them; bounds then stop at a tolerance. `row_groups(problem)`
    gives a number per row; rows with the same number (one slot, say) share their noise in local search.
    """
    border = Border(packing, solution, picks, row_groups)
    tolerance, tight = ((_TOLERANCE,), (_TIGHT,)) if generated else ((), ())

    def method(name: str, kind: str, summary: str, step: Step, *options: Option) -> Method:
        return Method(name, kind, summary, border_run(border, step), options)

    methods = (
        method("exact", "exact", "price tree over plans, with a certificate", _exact, _NODES),
        method("lagrangian", "bound", _LAGRANGIAN[generated], _lagrangian),
        method("lp", "bound", "column LP, its duals re-evaluated as prices", _lp, *tight),
        method("lp-round", "heuristic", _LP_ROUND[generated], lp_round_step, *tolerance),
        method("dive", "heuristic", _DIVE, dive_step, *tolerance, _TRIES),
    )
    if not generated:
        return methods
    comparison = "MIP over the columns of the LP: a comparison, usually weaker than planning again"
    return (
        *methods,
        method("restricted-master", "heuristic", comparison, restricted_master_step, *tolerance),
    )


_LAGRANGIAN = {
    False: "best Lagrangian bound, by cutting planes in price space",
    True: "Lagrangian bound, by subgradient steps where there are many rows",
}
_LP_ROUND = {
    False: "column LP rounded, room filled up",
    True: "at the prices of the column LP, agents plan under room in several orders; room filled up",
}
_DIVE = "decides a share of the agents at a time at adapted LP prices, under room; then ruin and recreate"


def packing_methods(
    packing: Callable[[Any], Packing],
    solution: Callable[[Any, Packing, Picks], Any],
    picks: Callable[[Any, Packing, Any], Picks | None],
    program: Callable[..., Any],
    program_solution: Callable[[Any, dict[str, float]], Any],
    program_rows: Callable[[Any], list[str]],
    generated: bool = False,
    row_groups: Callable[[Any], IntArray] | None = None,
    sense: str = "min",
) -> tuple[Method, ...]:
    """Methods of a formulation from its packing and its reference program (PuLP, called with problem and clock).

    `program_rows(problem)` names the rows of the reference program that are the rows of the packing, in their order.
    The program minimises; where the paper's objective is maximised (`sense`), it has the sign turned.
    """
    return (
        *plan_methods(packing, solution, picks, generated, row_groups),
        program_method("mip-highs", "highs", program, program_solution, sense),
        program_method("mip-cbc", "cbc", program, program_solution, sense),
        program_method("mip-scip", "scip", program, program_solution, sense),
        program_method("cp-sat", "cp-sat", program, program_solution, sense),
        relaxation_method("lp-compact", program, program_rows, packing, sense),
    )


def _exact(run: Run) -> Answer:
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
            row_groups=run.row_groups(),
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


def _lagrangian(run: Run) -> Answer:
    reduced = reduction.begin(run.packing)
    packing = reduced.packing
    seen: list[float] = []

    def tell(point: DualPoint) -> None:
        seen.append(point.bound)
        if len(seen) == 1 or point.bound < run.lowest:
            run.tell(None, point.bound, 0)

    if packing.row_count >= MANY_ROWS and not isinstance(packing.planner, PlanTable):
        best = subgradient(packing, run.clock, run.start_prices(), MOST_STEPS, 1e-5, LONG_PATIENCE, tell)
        lost = best.bound == -np.inf
    else:
        found = lagrangian(packing, run.clock, start=run.start_prices(), tell=tell)
        best, lost = found.point, found.point.bound == -np.inf or found.runaway
    if lost:
        return root_answer(run, *root(run))
    proof = Proof(reduced.classes.listed() if reduced.classes else ())
    proof.leaf(0, best.prices, best.bound)
    return Answer(
        certificate=proof.certificate_or_none(reduced.fitting, steepness(reduced.merged)),
        limit=run.limit(),
        prices=run.named(best.prices),
        statistics={"evaluations": len(seen)},
    )


def _lp(run: Run) -> Answer:
    return root_answer(run, *root(run))
