"""Means and quantiles that the tables use; each says what it is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

SHORT_SHIFT, LONG_SHIFT = 0.1, 10.0  # seconds
LONG_LIMIT = 60.0  # seconds: runs that may take longer than this are long


def shifted_geometric_mean(values: Sequence[float], shift: float) -> float | None:
    """(prod_i (v_i + s))^(1/n) - s, for v_i >= 0 and s >= 0; None of nothing (Achterberg 2007, section A.3).

    The geometric mean judges factors, not seconds; the shift keeps runs far below it from deciding the mean.
    """
    if not values:
        return None
    logarithms = [math.log(value + shift) if value + shift > 0 else -math.inf for value in values]
    mean = math.fsum(sorted(logarithms)) / len(values) if -math.inf not in logarithms else -math.inf
    found = math.exp(mean) - shift
    return min(max(found, min(values)), max(values))  # what rounding adds is taken away again


def shift_for(limits: Iterable[float | None], seconds: Iterable[float]) -> tuple[float, str]:
    """The shift for runs with these time limits and durations, and a sentence that says which and why.

    0.1 s for short runs, 10 s for long ones; the largest time limit decides, without any the longest run.
    """
    known = [limit for limit in limits if limit is not None]
    longest, what = (
        (max(known), "the time limit is") if known else (max(seconds, default=0.0), "the longest run is")
    )
    shift = LONG_SHIFT if longest > LONG_LIMIT else SHORT_SHIFT
    kind = "more than" if longest > LONG_LIMIT else "at most"
    return shift, f"shifted geometric mean with shift {shift:g} s ({what} {kind} {LONG_LIMIT:g} s)"


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None of nothing."""
    return math.fsum(sorted(values)) / len(values) if values else None


def quantile(values: Sequence[float], share: float) -> float | None:
    """The value below which `share` of the values lie, interpolated linearly; None of nothing. Infinities are allowed."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    if place == low or ordered[low] == ordered[high]:
        return ordered[low]
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def median(values: Sequence[float]) -> float | None:
    """The value in the middle; None of nothing."""
    return quantile(values, 0.5)


def finite(value: float | None) -> float | None:
    """The number, or None where it is infinite: what never happened has no number in a table."""
    return value if value is not None and math.isfinite(value) else None
