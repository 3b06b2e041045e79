"""Why an Optimus problem without waiting has no solution: one server and one worker for every job do not fit."""

from __future__ import annotations

from dmlopt.result import Shortage
from formulations.optimus.problem import OptimusProblem


def start_shortage(problem: OptimusProblem) -> Shortage | None:
    """The resources of which (1, 1) for every job needs more than there is."""
    need = (problem.worker_demand + problem.server_demand).sum(axis=0)
    missing = (need - problem.capacity).tolist()
    short = [(kind, amount) for kind, amount in zip(problem.resources, missing, strict=True) if amount > 0]
    if not short:
        return None
    text = ", ".join(f"{amount} {kind.unit} of {kind.name}" for kind, amount in short)
    names, amounts = tuple(kind.name for kind, _ in short), tuple(float(amount) for _, amount in short)
    message = f"one server and one worker for every job need {text} more than there is"
    return Shortage("row", names, amounts, message)
