"""Performance profiles (Dolan and More 2002): on which share of problems is a method within a factor of the best?"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dmlopt.compare import CLAIMED, PROVEN
from dmlopt.report.measured import Measured, ratio
from dmlopt.report.traces import AGAINST_TEXT, BEST, time_to_gap
from dmlopt.verify import same_number

PROOF, TARGET, OBJECTIVE = "proof", "gap", "objective"
MEASURES = (PROOF, TARGET, OBJECTIVE)

Unit = tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """ratios[m]: the sorted ratios of method m to the best method of each of `units` problems, infinite where it failed.

    rho_m(tau) = |{p : r_pm <= tau}| / |problems|. Problems that no method solved stay in the denominator (`unsolved` counts
    them); those that some method has not run on are `left_out`.
    """

    what: str
    ratios: Mapping[str, tuple[float, ...]]
    units: int
    unsolved: int
    left_out: int

    def share(self, method: str, tau: float) -> float:
        """rho_m(tau): the share of problems on which the method is at most `tau` times the best."""
        return bisect_right(self.ratios[method], tau) / self.units if self.units else 0.0

    def solved(self, method: str) -> float:
        """The share of problems that the method solves at all: the height of its curve at the right end."""
        finite = sum(1 for each in self.ratios[method] if math.isfinite(each))
        return finite / self.units if self.units else 0.0

    def curve(self, method: str) -> list[tuple[float, float]]:
        """The steps (tau, rho_m(tau)) of the curve, one for every ratio that occurs."""
        finite = [each for each in self.ratios[method] if math.isfinite(each)]
        return [(tau, self.share(method, tau)) for tau in sorted(set(finite))]


def profile_of(what: str, ratios: Mapping[Unit, Mapping[str, float]], methods: Sequence[str]) -> Profile:
    """The profile over the problems on which every one of `methods` has a ratio, perhaps an infinite one."""
    common = [own for own in ratios.values() if all(name in own for name in methods)]
    unsolved = sum(1 for own in common if not any(math.isfinite(own[name]) for name in methods))
    columns = {name: tuple(sorted(own[name] for own in common)) for name in methods}
    return Profile(what, columns, len(common), unsolved, len(ratios) - len(common))


# -------------------------------------------------------------------- ratios


def cost_ratios(costs: Mapping[str, float]) -> dict[str, float]:
    """Costs of one problem by method -> ratios r = cost / least cost; infinite costs stay so, 0 / 0 is 1."""
    least = min(costs.values(), default=math.inf)
    if not math.isfinite(least):
        return dict.fromkeys(costs, math.inf)
    return {
        name: 1.0 if cost == least else cost / least if least > 0 else math.inf
        for name, cost in costs.items()
    }


def objective_ratios(values: Mapping[str, float | None], sense: str) -> dict[str, float]:
    """Objectives of one problem by method -> how many times worse than the best of them; infinite without a value."""
    known = [value for value in values.values() if value is not None]
    best = (min if sense == "min" else max)(known, default=None)
    found = {
        name: 1.0 if value is not None and same_number(value, best) else ratio(value, best)
        for name, value in values.items()
    }
    return {name: math.inf if each is None else each for name, each in found.items()}


# -------------------------------------------------------------------- from rows


def proved(measured: Measured, claims: bool = True) -> bool:
    """Whether the run ended the question: by its certificate or, with `claims`, by a solver's word that nothing refutes."""
    if not measured.ok or measured.row.status == "bound":
        return False
    return measured.mark == PROVEN or (claims and measured.mark == CLAIMED)


def time_to_proof(measured: Measured, claims: bool = True) -> float:
    """Seconds of a run that proved its answer; infinity of one that did not."""
    return measured.seconds if proved(measured, claims) else math.inf


def performance_profile(
    rows: Iterable[Measured],
    measure: str = PROOF,
    *,
    target: float = 0.01,
    against: str = BEST,
    claims: bool = True,
) -> Profile:
    """The profile of the methods in `rows`, relative to the best of these methods only.

    `measure`: PROOF is the time to proof, TARGET the time to the gap `target` (see `traces.time_to_gap`), OBJECTIVE the
    checked objective. A run that failed, found nothing or does not apply has an infinite ratio.
    """
    units: dict[Unit, dict[str, Measured]] = {}
    for each in rows:
        units.setdefault(each.unit, {})[each.row.method] = each
    methods = sorted({name for own in units.values() for name in own})
    found: dict[Unit, dict[str, float]] = {}
    for unit, own in units.items():
        if measure == OBJECTIVE:
            sense = next(iter(own.values())).row.sense
            found[unit] = objective_ratios({name: each.objective for name, each in own.items()}, sense)
        elif measure == TARGET:
            found[unit] = cost_ratios(
                {name: time_to_gap(each, target, against) for name, each in own.items()}
            )
        else:
            found[unit] = cost_ratios({name: time_to_proof(each, claims) for name, each in own.items()})
    return profile_of(describe(measure, target, against, claims), found, methods)


def describe(measure: str, target: float, against: str, claims: bool) -> str:
    """What a profile's ratios are ratios of."""
    if measure == OBJECTIVE:
        return "objective"
    if measure == TARGET:
        return f"time to a gap of {100 * target:g} %, {AGAINST_TEXT[against]}"
    return "time to proof, " + ("solvers' claims included" if claims else "by a recomputed certificate only")
