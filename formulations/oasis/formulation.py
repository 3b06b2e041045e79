"""OASiS as dmlopt's registry sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dmlopt.check import Verdict
from dmlopt.control import Clock
from dmlopt.packing import FloatArray, Packing
from dmlopt.registry import Method
from formulations.oasis import online
from formulations.oasis.checker import check
from formulations.oasis.constants import alpha
from formulations.oasis.instance_json import problem_from_json, problem_to_json
from formulations.oasis.plain import plain_packing
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import quantities
from formulations.oasis.reference import reference_program
from formulations.oasis.solution import Schedules


class OasisFormulation:
    """The admission and scheduling problem (1)-(13) of the OASiS paper."""

    name: str = "oasis"
    title: str = "OASiS: which jobs to admit, workers and ps per slot, most total utility (INFOCOM 2018)"
    sense: str = "max"
    problem_type: type = OasisProblem

    def problem_from_json(self, data: Mapping[str, Any]) -> OasisProblem:
        """Validated problem from instance JSON."""
        return problem_from_json(data)

    def problem_to_json(self, problem: OasisProblem) -> dict[str, Any]:
        """The instance fields."""
        return problem_to_json(problem)

    def solution_from_json(self, problem: OasisProblem, data: Any) -> Schedules:
        """Schedules of the problem's jobs from JSON."""
        return Schedules.from_json(data, problem.job_count)

    def solution_to_json(self, solution: Schedules) -> dict[str, Any]:
        """JSON form of schedules."""
        return solution.to_json()

    def check(self, problem: OasisProblem, solution: Any) -> Verdict:
        """Objective and violated constraints."""
        return check(problem, solution)

    def plain_packing(self, problem: OasisProblem) -> Packing:
        """Problem (P) over every schedule, for certificates."""
        return plain_packing(problem)

    def packing(self, problem: OasisProblem) -> Packing:
        """Problem (P) with the fast planner."""
        from formulations.oasis.planner import packing

        return packing(problem)

    def reference_program(self, problem: OasisProblem, clock: Clock) -> Any:
        """The compact program in PuLP."""
        return reference_program(problem, clock)

    def methods(self) -> Sequence[Method]:
        """The engine's methods; loaded late: they pull in solver libraries."""
        from formulations.oasis.methods import METHODS

        return METHODS

    def prepare(self) -> None:
        """Compile the planner, or load what was compiled before."""
        from formulations.oasis.prepare import prepare

        prepare()

    def describe(self, problem: OasisProblem) -> str:
        """Sizes, view, the share of jobs that have any schedule, and ln(U/L)."""
        derived = quantities(problem)
        possible = sum(each.schedulable for each in derived)
        need = sum(each.worker_slots for each in derived if each.schedulable)
        workers, hosts = (
            sum(group.count for group in groups) for groups in (problem.worker_servers, problem.ps_hosts)
        )
        return (
            f"{problem.job_count} jobs, {possible / problem.job_count:.0%} schedulable alone ({need} worker-slots), "
            f"{problem.horizon} slots, {workers} worker servers and {hosts} ps hosts, {problem.view}, "
            f"work in {problem.work}; ln(U/L) {alpha(problem.prices):.3g}"
        )

    # ---------------------------------------------------------------- for online methods

    def arrival_order(self, problem: OasisProblem) -> list[int]:
        """Jobs in the order in which an online method meets them."""
        return online.arrival_order(problem)

    def price_constants(self, problem: OasisProblem) -> tuple[FloatArray, FloatArray]:
        """ln L and ln U per row of the packing."""
        return online.row_constants(problem)

    def admitted_from(self, value: float) -> float:
        """The payoff that a plan of this value must exceed to be admitted."""
        return online.admitted_from(value)

    def with_later_changed(self, problem: OasisProblem, position: int, seed: int) -> OasisProblem:
        """The problem with all jobs behind `position` in the arrival order changed."""
        return online.with_later_changed(problem, position, seed)

    def decision(self, solution: Schedules, job: int) -> Any:
        """What a solution decides for one job, as JSON data."""
        return online.decision(solution, job)
