"""The constants L and U of the online prices p = L (U / L)^(used / capacity), from a job list, as logarithms.

Over the jobs I' that have any schedule in the empty cluster (judged in `slots` mode, so that the work mode does not matter):

    U1^r    = max_i f_i(Dmin_i - 1) / w_i^r           the largest utility per unit of r: "full" then means "rejected"
    om1_i   = W_i sum_r w_i^r
    1/eta1  = min_i om1_i / (T sum_{h,r} c_h^r)
    L1      = min_i f_i(T - a_i) / (4 eta1 om1_i)     D_0 is then at most half the optimum

and U2, L2 likewise with s, c_k. This is the rule `safe`. The rule `paper` has f_i(Dmin_i) in U, as the paper is remembered:
off by one, since a job that starts in its arrival slot and takes Dmin slots has elapsed Dmin - 1.

Time-critical sigmoids make L absurdly small (1e-500 happens), so only logarithms are kept. `floor` x the median of
f_i(Dmin_i - 1) / om1_i is an optional lower limit; the guarantee is then no longer the theorem's.

sum_r adds GPUs to gigabytes and one L serves all resources. With `normalise` amounts are first divided by the cluster's
total of that resource on that side, which makes the constants independent of units; off by default, as in the paper and
its worked numbers.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dmlopt.errors import InputError
from formulations.oasis.problem import OasisProblem, PriceConstants
from formulations.oasis.quantities import Quantities, fits_in_slots, quantities

if TYPE_CHECKING:
    from formulations.oasis.problem import Job, ServerGroup

RULES = ("safe", "paper", "explicit")


def price_constants(
    problem: OasisProblem, rule: str = "safe", floor: float = 0.0, normalise: bool = False
) -> PriceConstants:
    """The constants of a problem's whole job list."""
    if rule not in ("safe", "paper"):
        raise InputError(f"prices.rule: '{rule}' needs its numbers; only safe and paper compute them")
    jobs = [
        (job, each)
        for job, each in zip(problem.jobs, quantities(problem), strict=True)
        if fits_in_slots(each)
    ]
    early = 1 if rule == "safe" else 0
    sides = []
    for groups, demands in (
        (problem.worker_servers, [job.worker for job, _ in jobs]),
        (problem.ps_hosts, [job.ps for job, _ in jobs]),
    ):
        sides.append(_side(problem.horizon, groups, jobs, demands, early, floor, normalise))
    (worker_low, worker_high), (ps_low, ps_high) = sides
    return PriceConstants(rule, floor, normalise, worker_low, worker_high, ps_low, ps_high)


def _side(
    horizon: int,
    groups: Sequence[ServerGroup],
    jobs: Sequence[tuple[Job, Quantities]],
    demands: Sequence[tuple[int, ...]],
    early: int,
    floor: float,
    normalise: bool,
) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    """(ln L, ln U) per resource of one side of the cluster."""
    kinds = range(len(groups[0].capacity))
    total = [sum(group.count * group.capacity[r] for group in groups) for r in kinds]
    unit = [float(each) if normalise and each else 1.0 for each in total]
    everything = math.fsum(each / size for each, size in zip(total, unit, strict=True))
    high: list[float | None] = [None for _ in kinds]
    measure, last, typical = [], [], []
    for (job, each), demand in zip(jobs, demands, strict=True):
        best = job.utility.log_value(max(each.least_slots - early, 0))
        for r in kinds:
            if demand[r] and best > -math.inf:
                high[r] = max(high[r] if high[r] is not None else -math.inf, best - math.log(demand[r]))  # type: ignore[type-var]
        used = math.fsum(need / size for need, size in zip(demand, unit, strict=True))
        if used:
            measure.append(math.log(each.worker_slots) + math.log(used))
            last.append(job.utility.log_value(horizon - job.arrival))
            typical.append(job.utility.log_value(max(each.least_slots - 1, 0)) - measure[-1])
    if not measure or not everything:
        nothing = tuple(None for _ in kinds)
        return nothing, nothing
    low = min(f - om for f, om in zip(last, measure, strict=True))
    low += min(measure) - math.log(horizon * everything) - math.log(4)
    if floor > 0:
        low = max(low, math.log(floor) + statistics.median(typical))
    if low == -math.inf:
        raise InputError(
            "prices: L is 0, because some job is worth nothing in the last slot; give prices.floor or explicit numbers"
        )
    lows = [None if high[r] is None else low - math.log(unit[r]) for r in kinds]
    highs = [None if top is None else max(top, bottom) for top, bottom in zip(high, lows, strict=True)]  # type: ignore[type-var]
    return tuple(lows), tuple(highs)


def alpha(constants: PriceConstants) -> float:
    """max(1, ln(U / L)) over all resources: half the competitive ratio of the theorem."""
    spread = [1.0]
    for lows, highs in (
        (constants.worker_low, constants.worker_high),
        (constants.ps_low, constants.ps_high),
    ):
        for low, high in zip(lows or (), highs or (), strict=True):
            if low is not None and high is not None:
                spread.append(high - low)
    return max(spread)
