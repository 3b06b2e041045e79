"""What a formulation's checker answers: the objective and every violated constraint."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Violation:
    """One constraint that a solution breaks.

    `constraint` names the paper's constraint ("capacity (7)"), `where` the place ("gpu", "jobs[3]"), `amount` by how
    much, in the unit of that constraint.
    """

    constraint: str
    where: str
    amount: float
    message: str

    def __str__(self) -> str:
        return f"{self.constraint} at {self.where}: {self.message}"


@dataclass(frozen=True)
class Verdict:
    """The checker's answer, computed from problem data and solution alone.

    `objective` is in the paper's own terms; None when the solution is too broken to be evaluated.
    """

    objective: float | None
    violations: tuple[Violation, ...] = field(default=())

    @property
    def feasible(self) -> bool:
        """True when no constraint is violated and the objective could be computed."""
        return not self.violations and self.objective is not None
