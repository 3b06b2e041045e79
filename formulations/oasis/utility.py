"""Utilities f_i(d): what a job is worth when it finishes d slots after its arrival. Non-negative, non-increasing.

    sigmoid:  f(d) = gamma1 / (1 + exp(gamma2 (d - gamma3)))      gamma1 priority, gamma2 decay, gamma3 target time
    table:    f(d) = values[d], the last entry for every later d

exp(gamma2 (d - gamma3)) overflows for time-critical jobs, so a sigmoid is computed from its logarithm,
ln f = ln gamma1 - ln(1 + exp(gamma2 (d - gamma3))), which stays exact where f itself is 0 in floating point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Sigmoid:
    """The paper's utility; decay 0 means indifferent to time: gamma1 / 2 always."""

    priority: float
    decay: float
    target: float

    def log_value(self, elapsed: int) -> float:
        """ln f(elapsed)."""
        x = self.decay * (elapsed - self.target)
        softplus = x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(x))
        return math.log(self.priority) - softplus

    def value(self, elapsed: int) -> float:
        """f(elapsed)."""
        x = self.decay * (elapsed - self.target)
        return self.priority / (1.0 + math.exp(x)) if x < 700 else math.exp(self.log_value(elapsed))


@dataclass(frozen=True)
class TableUtility:
    """Any non-increasing utility, by elapsed slots; the last entry holds for all later ones."""

    values: tuple[float, ...]

    def value(self, elapsed: int) -> float:
        """f(elapsed)."""
        return self.values[min(elapsed, len(self.values) - 1)]

    def log_value(self, elapsed: int) -> float:
        """ln f(elapsed); -inf where f is 0."""
        value = self.value(elapsed)
        return math.log(value) if value > 0 else -math.inf


Utility: TypeAlias = Sigmoid | TableUtility
