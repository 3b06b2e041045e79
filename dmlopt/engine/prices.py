"""Price functions: the price of a row as a function of how much of it is used. Online methods post such prices.

`ExponentialPrices`   p(g) = L (U / L)^(g / c)             L while the row is empty, U when it is full
`PowerPrices`         p(g) = sigma (theta^(g / c) - 1)     0 while the row is empty

Both are computed from logarithms: L can be smaller than the smallest float64. Use beyond the capacity counts as full, a row
without capacity is always full, and a row can have no price at all (nobody uses it): that is price 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dmlopt.packing import FloatArray, IntArray


class PriceFunction(Protocol):
    """Prices from use, row by row."""

    def at(self, use: IntArray, rows: IntArray | None = None) -> FloatArray:
        """Prices of `rows` (all rows if None) when these amounts of them are used; same length as `use`."""
        ...


def filled_share(use: IntArray, capacity: IntArray) -> FloatArray:
    """g / c, clamped to [0, 1]; 1 where there is no capacity."""
    share = np.ones(len(use))
    np.divide(use, capacity, out=share, where=capacity > 0)
    clamped: FloatArray = np.clip(share, 0.0, 1.0)
    return clamped


@dataclass(frozen=True)
class ExponentialPrices:
    """L (U / L)^(g / c), with ln L and ln U per row; a row where one of them is not finite has no price."""

    capacity: IntArray
    log_low: FloatArray
    log_high: FloatArray

    def at(self, use: IntArray, rows: IntArray | None = None) -> FloatArray:
        """Prices of `rows` (all rows if None) when these amounts of them are used."""
        taken = slice(None) if rows is None else rows
        low, high = self.log_low[taken], self.log_high[taken]
        priced = np.isfinite(low) & np.isfinite(high)
        share = filled_share(use, self.capacity[taken])[priced]
        prices = np.zeros(len(use))
        prices[priced] = np.exp(low[priced] + share * (high[priced] - low[priced]))
        return prices

    def competitive_exponent(self) -> float:
        """alpha = max(1, ln(U / L) over all rows): the proven ratio of the online method is 2 alpha, for small demands."""
        priced = np.isfinite(self.log_low) & np.isfinite(self.log_high)
        return float(max(1.0, (self.log_high[priced] - self.log_low[priced]).max(initial=1.0)))


@dataclass(frozen=True)
class PowerPrices:
    """sigma (theta^(g / c) - 1), with sigma and ln theta per row; sigma = 0 means no price."""

    capacity: IntArray
    sigma: FloatArray
    log_base: FloatArray

    def at(self, use: IntArray, rows: IntArray | None = None) -> FloatArray:
        """Prices of `rows` (all rows if None) when these amounts of them are used."""
        taken = slice(None) if rows is None else rows
        share = filled_share(use, self.capacity[taken])
        prices: FloatArray = self.sigma[taken] * np.expm1(share * self.log_base[taken])
        return prices
