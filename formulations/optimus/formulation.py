"""Optimus as dmlopt's registry sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dmlopt.check import Verdict
from dmlopt.control import Clock
from dmlopt.packing import Packing
from dmlopt.registry import Method
from formulations.optimus.checker import check
from formulations.optimus.instance_json import problem_from_json, problem_to_json
from formulations.optimus.planner import packing
from formulations.optimus.problem import OptimusProblem
from formulations.optimus.reference import plain_packing, reference_program
from formulations.optimus.solution import Allocation
from formulations.optimus.speed import MODES


class OptimusFormulation:
    """The integer program (5)-(8) of the Optimus paper."""

    name: str = "optimus"
    title: str = "Optimus: servers and workers per job, least total remaining time (EuroSys 2018)"
    sense: str = "min"
    problem_type: type = OptimusProblem

    def problem_from_json(self, data: Mapping[str, Any]) -> OptimusProblem:
        """Validated problem from instance JSON."""
        return problem_from_json(data)

    def problem_to_json(self, problem: OptimusProblem) -> dict[str, Any]:
        """The instance fields."""
        return problem_to_json(problem)

    def solution_from_json(self, problem: OptimusProblem, data: Any) -> Allocation:
        """An allocation of the problem's jobs from JSON."""
        return Allocation.from_json(data, problem.job_count)

    def solution_to_json(self, solution: Allocation) -> dict[str, list[int]]:
        """JSON form of an allocation."""
        return solution.to_json()

    def check(self, problem: OptimusProblem, solution: Any) -> Verdict:
        """Objective and violated constraints."""
        return check(problem, solution)

    def plain_packing(self, problem: OptimusProblem) -> Packing:
        """Problem (P) over every pair, unpruned."""
        return plain_packing(problem)

    def packing(self, problem: OptimusProblem) -> Packing:
        """Problem (P) over the undominated pairs."""
        return packing(problem)

    def reference_program(self, problem: OptimusProblem, clock: Clock) -> Any:
        """The program (5)-(8) in PuLP."""
        return reference_program(problem, clock)

    def methods(self) -> Sequence[Method]:
        """The greedy's variants and the engine's methods; loaded late: they pull in solver libraries."""
        from formulations.optimus.methods import METHODS

        return METHODS

    def describe(self, problem: OptimusProblem) -> str:
        """Number of jobs by mode, capacities, and the load of (1, 1) on the most wanted resource."""
        counts = np.bincount(problem.mode, minlength=len(MODES)).tolist()
        modes = ", ".join(f"{count} {mode}" for count, mode in zip(counts, MODES, strict=True) if count)
        total = ", ".join(
            f"{amount} x {kind.unit} of {kind.name}"
            if kind.size != 1
            else f"{amount} {kind.unit} of {kind.name}"
            for kind, amount in zip(problem.resources, problem.capacity.tolist(), strict=True)
        )
        waiting = "" if problem.waiting is None else "; jobs may wait"
        return f"{problem.job_count} jobs ({modes}) on {total}; load {least_load(problem):.2f}{waiting}"


def least_load(problem: OptimusProblem) -> float:
    """max_r of the share of C_r that (1, 1) for every job takes; above 1 some job must wait."""
    need = (problem.worker_demand + problem.server_demand).sum(axis=0)
    shares = [
        n / c if c else float("inf")
        for n, c in zip(need.tolist(), problem.capacity.tolist(), strict=True)
        if n
    ]
    return max(shares, default=0.0)
