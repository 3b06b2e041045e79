"""How a cost grows with a size: the least-squares line through (log size, log value)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Fit:
    """log value = intercept + slope log size (natural logarithms), so value = e^intercept size^slope.

    `r_squared` is the explained share of the variation of log value; [low, high] is the interval that holds the slope with
    `CONFIDENCE` if the errors of log value are independent and normal (Student's t with points - 2 degrees of freedom).
    """

    points: int
    slope: float
    intercept: float
    r_squared: float | None
    low: float | None
    high: float | None

    def at(self, size: float) -> float:
        """The value on the fitted line."""
        return math.exp(self.intercept + self.slope * math.log(size))


def loglog_fit(sizes: Sequence[float], values: Sequence[float]) -> Fit | None:
    """The fit through positive points; None unless there are two different sizes, no interval below three points."""
    pairs = sorted((math.log(x), math.log(y)) for x, y in zip(sizes, values, strict=True) if x > 0 and y > 0)
    if len({x for x, _ in pairs}) < 2:
        return None
    count = len(pairs)
    mean_x, mean_y = (math.fsum(column) / count for column in zip(*pairs, strict=True))
    spread = math.fsum((x - mean_x) ** 2 for x, _ in pairs)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in pairs) / spread
    intercept = mean_y - slope * mean_x
    total = math.fsum((y - mean_y) ** 2 for _, y in pairs)
    rest = math.fsum((y - intercept - slope * x) ** 2 for x, y in pairs)
    explained = max(0.0, 1.0 - rest / total) if total > 0 else None
    if count < 3:
        return Fit(count, slope, intercept, explained, None, None)
    from scipy.stats import t

    reach = float(t.ppf(0.5 + CONFIDENCE / 2, count - 2)) * math.sqrt(rest / (count - 2) / spread)
    return Fit(count, slope, intercept, explained, slope - reach, slope + reach)
