"""What a run knew when: time to a target gap, primal integral, both from its trace.

A trace is the method's own word. So incumbents count only if the run ended with a checked objective, and none counts as
better than that; own bounds count only as far as the run's final bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from dmlopt.report.measured import Measured
from dmlopt.result import relative_gap

OWN, BEST = "own", "best"  # the bound of the run itself; the tightest certified bound of the instance
AGAINST = (BEST, OWN)
AGAINST_TEXT = {
    BEST: "against the tightest certified bound of the instance",
    OWN: "against the run's own bound (a solver's claim where it has no certificate)",
}

Moment = tuple[float, float | None, float | None]  # seconds, best incumbent so far, best bound so far


def history(measured: Measured) -> list[Moment]:
    """Best incumbent and own bound so far, at every moment that brought news; the last one is what was checked.

    Empty for a run that failed.
    """
    if not measured.ok:
        return []
    row = measured.row
    better, tighter = (min, max) if row.sense == "min" else (max, min)
    final = row.bound if row.bound is not None else row.claimed_bound
    incumbent: float | None = None
    bound: float | None = None
    found: list[Moment] = []
    for seconds, value, claim in sorted(row.trace, key=lambda point: point[0]):
        incumbent = _news(incumbent, value, row.objective, better, tighter)
        bound = _news(bound, claim, final, tighter, better)
        if found and (incumbent, bound) == found[-1][1:]:
            continue
        found.append((seconds, incumbent, bound))
    end = max([measured.seconds, *(moment[0] for moment in found)])
    found.append((end, row.objective, final))
    return found


def _news(
    known: float | None,
    told: float | None,
    final: float | None,
    better: Callable[[float, float], float],
    worse: Callable[[float, float], float],
) -> float | None:
    """The better of what was known and what is told now, which is not believed beyond the final value."""
    if told is None or final is None or not math.isfinite(told):
        return known
    believed = worse(told, final)
    return believed if known is None else better(known, believed)


def time_to_gap(measured: Measured, target: float, against: str = BEST) -> float:
    """First moment at which incumbent and bound are within the relative gap `target`; infinity if they never are.

    `against`: BEST compares incumbents with the instance's tightest certified bound (fixed over time, perhaps found by
    another run), OWN with the bound that the run itself had at that moment.
    """
    for seconds, incumbent, own in history(measured):
        gap = relative_gap(incumbent, measured.best_bound if against == BEST else own)
        if gap is not None and gap <= target:
            return seconds
    return math.inf


def primal_gap(value: float | None, best: float | None) -> float:
    """Berthold's primal gap in [0, 1]: |x - x*| / max(|x|, |x*|); 0 if equal, 1 if the signs differ or x is missing."""
    if value is None or best is None:
        return 1.0
    if value == best:
        return 0.0
    if value * best < 0:
        return 1.0
    return min(1.0, abs(value - best) / max(abs(value), abs(best)))


def primal_integral(measured: Measured, horizon: float) -> float | None:
    """(1/T) times the integral of the primal gap p(t) over [0, T] (Berthold 2013), T = `horizon` seconds; in [0, 1].

    p is 1 before the first incumbent and keeps its last value after the run has ended. Measured against the instance's best
    checked objective; None if there is none, for then nobody can say how good a run is. A failed run has 1.
    """
    if measured.best_value is None or horizon <= 0:
        return None
    steps = [(0.0, 1.0)]
    for seconds, incumbent, _ in history(measured):
        steps.append((min(max(seconds, 0.0), horizon), primal_gap(incumbent, measured.best_value)))
    steps.append((horizon, 0.0))
    area = math.fsum(gap * (after - now) for (now, gap), (after, _) in pairwise(steps))
    return min(1.0, area / horizon)
