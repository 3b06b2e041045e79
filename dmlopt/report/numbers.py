"""How numbers are spelled for people; None is a dash everywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dmlopt.report.fits import loglog_fit

DASH = "-"
CLOSED = 1e-12  # a smaller gap is rounding


def number(value: float | None, digits: int = 8) -> str:
    """A number with so many significant digits, without a useless exponent."""
    if value is None:
        return DASH
    size = abs(value)
    if size == 0:
        return "0"
    if not 1e-4 <= size < 1e15:
        return f"{value:.{min(digits, 4)}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def gap(value: float | None) -> str:
    """A relative gap: per cent where that is readable, else a power of ten."""
    if value is None:
        return DASH
    if value < CLOSED:
        return "0"
    if value < 1e-5:
        return f"{value:.1e}"
    return f"{100 * value:,.2g} %" if value < 0.1 else f"{100 * value:,.0f} %"


def seconds(value: float | None) -> str:
    """A duration."""
    if value is None:
        return DASH
    if value < 0.001:
        return f"{1e6 * value:.0f} us"
    if value < 1:
        return f"{1000 * value:.0f} ms" if value >= 0.01 else f"{1000 * value:.1f} ms"
    return f"{value:.2f} s" if value < 100 else f"{value:,.0f} s"


def loglog_slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent b of the least-squares line log value = a + b log size: 1 means linear growth; nan of one size."""
    fit = loglog_fit(sizes, values)
    return math.nan if fit is None else fit.slope
