"""OASiS problems as JSON. SI units: seconds, bytes, bit/s.

    {"resources": [{"name": "gpu", "unit": "GPU"}, ...], "horizon": 100, "slot_seconds": 3600.0,
     "worker_servers": [{"class": "p2.8xlarge", "capacity": [8, 32, 488], "count": 50}, ...], "ps_hosts": [...],
     "view": "per-server" or "pooled", "pool_rooms": false, "work": "slots" or "chunks",
     "jobs": [{"arrival": 1, "E": 50, "N": 20, "M": 10, "tau_seconds": 7.2, "e_bytes": 3e7, "b_bits_per_second": 1e9,
               "B_bits_per_second": 1e10, "worker": [1, 4, 16], "ps": [0, 4, 16],
               "utility": {"sigmoid": [gamma1, gamma2, gamma3]} or {"table": [f(0), f(1), ...]}}, ...],
     "prices": {"rule": "safe", "floor": 0.0, "normalise": false,
                "worker": [[ln L, ln U] or null, ...], "ps": [...]}}

`view`, `pool_rooms`, `work` and `prices` may be left out. Without `worker` and `ps`, the price constants are computed by the
rule; with them they are taken as they stand, whatever the jobs are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dmlopt.cluster import ResourceKind
from dmlopt.fields import Fields
from formulations.oasis.constants import RULES
from formulations.oasis.problem import (
    VIEWS,
    WORK,
    Job,
    OasisProblem,
    PriceConstants,
    ServerGroup,
)
from formulations.oasis.utility import Sigmoid, TableUtility, Utility
from formulations.oasis.validate import MOST_AMOUNT, MOST_COUNT, MOST_NUMBER, MOST_SERVERS, MOST_SLOTS

FIELDS = (
    "resources",
    "horizon",
    "slot_seconds",
    "worker_servers",
    "ps_hosts",
    "view",
    "pool_rooms",
    "work",
    "jobs",
    "prices",
)
JOB_FIELDS = (
    "arrival",
    "E",
    "N",
    "M",
    "tau_seconds",
    "e_bytes",
    "b_bits_per_second",
    "B_bits_per_second",
    "worker",
    "ps",
    "utility",
)
_Bounds = tuple[tuple[float | None, ...], tuple[float | None, ...]]


def problem_from_json(data: Mapping[str, Any]) -> OasisProblem:
    """The problem in `data`; raises InputError with every wrong field."""
    root = Fields(dict(data) if isinstance(data, Mapping) else data)
    kinds = _read_kinds(root.get("resources"))
    problem = {
        "resources": kinds,
        "horizon": root.get("horizon").integer(minimum=1, maximum=MOST_SLOTS),
        "slot_seconds": root.get("slot_seconds").number(exclusive_minimum=0, maximum=MOST_NUMBER),
        "worker_servers": _read_groups(root.get("worker_servers"), len(kinds)),
        "ps_hosts": _read_groups(root.get("ps_hosts"), len(kinds)),
        "view": root.get("view", "per-server").text(choices=VIEWS),
        "pool_rooms": root.get("pool_rooms", False).flag(),
        "work": root.get("work", "slots").text(choices=WORK),
        "jobs": tuple(_read_job(each, len(kinds)) for each in root.get("jobs").items(min_length=1)),
        "prices": _read_prices(root.get("prices", {}), len(kinds)),
    }
    root.no_unknown(FIELDS)
    root.finish()
    return OasisProblem(**problem)  # type: ignore[arg-type]


def _read_kinds(field: Fields) -> tuple[ResourceKind, ...]:
    kinds = []
    for each in field.items(min_length=1):
        name = each.get("name")
        if name.value == "":
            name.error("expected a name")
        kinds.append(ResourceKind(name.text(), each.get("unit").text()))
        each.no_unknown({"name", "unit"})
    return tuple(kinds)


def _read_amounts(field: Fields, width: int) -> tuple[int, ...]:
    return tuple(each.integer(minimum=0, maximum=MOST_AMOUNT) for each in field.items(length=width))


def _read_groups(field: Fields, width: int) -> tuple[ServerGroup, ...]:
    groups = []
    for each in field.items(min_length=1):
        capacity = _read_amounts(each.get("capacity"), width)
        count = each.get("count", 1).integer(minimum=1, maximum=MOST_SERVERS)
        groups.append(ServerGroup(each.get("class").text(), capacity, count))
        each.no_unknown({"class", "capacity", "count"})
    return tuple(groups)


def _read_job(field: Fields, width: int) -> Job:
    field.no_unknown(JOB_FIELDS)
    counts = [field.get(name).integer(minimum=1, maximum=MOST_COUNT) for name in ("E", "N", "M")]
    return Job(
        arrival=field.get("arrival").integer(minimum=1, maximum=MOST_SLOTS),
        epochs=counts[0],
        chunks=counts[1],
        minibatches=counts[2],
        minibatch_seconds=field.get("tau_seconds").number(minimum=0),
        gradient_bytes=field.get("e_bytes").number(minimum=0),
        worker_bits_per_second=field.get("b_bits_per_second").number(exclusive_minimum=0),
        ps_bits_per_second=field.get("B_bits_per_second").number(exclusive_minimum=0),
        worker=_read_amounts(field.get("worker"), width),
        ps=_read_amounts(field.get("ps"), width),
        utility=_read_utility(field.get("utility")),
    )


def _read_utility(field: Fields) -> Utility:
    field.no_unknown({"sigmoid", "table"})
    given = field.value if isinstance(field.value, dict) else {}
    if len(given) > 1:
        field.complain("expected a sigmoid or a table, not both")
    if "table" in given:
        values = field.get("table").items(min_length=1)
        return TableUtility(tuple(each.number(minimum=0) for each in values))
    gammas = [each.number(minimum=0) for each in field.get("sigmoid").items(length=3)]
    return Sigmoid(*gammas) if len(gammas) == 3 else Sigmoid(1.0, 0.0, 0.0)


def _read_prices(field: Fields, width: int) -> PriceConstants:
    rule = field.get("rule", "safe").text(choices=RULES)
    floor = field.get("floor", 0.0).number(minimum=0)
    normalise = field.get("normalise", False).flag()
    field.no_unknown({"rule", "floor", "normalise", "worker", "ps"})
    worker, ps = field.get("worker", None), field.get("ps", None)
    if worker.is_null() and ps.is_null():
        if rule == "explicit":
            field.complain("expected worker and ps, because the rule is explicit")
        return PriceConstants(rule or "safe", floor, normalise)
    (low, high), (ps_low, ps_high) = _read_bounds(worker, width), _read_bounds(ps, width)
    return PriceConstants(rule or "safe", floor, normalise, low, high, ps_low, ps_high)


def _read_bounds(field: Fields, width: int) -> _Bounds:
    lows: list[float | None] = []
    highs: list[float | None] = []
    for each in field.items(length=width):
        pair = [] if each.is_null() else [number.number() for number in each.items(length=2)]
        lows.append(pair[0] if len(pair) == 2 else None)
        highs.append(pair[1] if len(pair) == 2 else None)
    return tuple(lows), tuple(highs)


def problem_to_json(problem: OasisProblem) -> dict[str, Any]:
    """The fields of an instance file."""
    prices = problem.prices
    return {
        "resources": [{"name": kind.name, "unit": kind.unit} for kind in problem.resources],
        "horizon": problem.horizon,
        "slot_seconds": float(problem.slot_seconds),
        "worker_servers": _groups_to_json(problem.worker_servers),
        "ps_hosts": _groups_to_json(problem.ps_hosts),
        "view": problem.view,
        "pool_rooms": problem.pool_rooms,
        "work": problem.work,
        "jobs": [_job_to_json(job) for job in problem.jobs],
        "prices": {
            "rule": prices.rule,
            "floor": float(prices.floor),
            "normalise": prices.normalise,
            "worker": _bounds_to_json(prices.worker_low, prices.worker_high),
            "ps": _bounds_to_json(prices.ps_low, prices.ps_high),
        },
    }


def _groups_to_json(groups: tuple[ServerGroup, ...]) -> list[dict[str, Any]]:
    return [{"class": group.name, "capacity": list(group.capacity), "count": group.count} for group in groups]


def _job_to_json(job: Job) -> dict[str, Any]:
    utility = job.utility
    if isinstance(utility, Sigmoid):
        stated = {"sigmoid": [float(utility.priority), float(utility.decay), float(utility.target)]}
    else:
        stated = {"table": [float(value) for value in utility.values]}
    return {
        "arrival": job.arrival,
        "E": job.epochs,
        "N": job.chunks,
        "M": job.minibatches,
        "tau_seconds": float(job.minibatch_seconds),
        "e_bytes": float(job.gradient_bytes),
        "b_bits_per_second": float(job.worker_bits_per_second),
        "B_bits_per_second": float(job.ps_bits_per_second),
        "worker": list(job.worker),
        "ps": list(job.ps),
        "utility": stated,
    }


def _bounds_to_json(
    lows: tuple[float | None, ...] | None, highs: tuple[float | None, ...] | None
) -> list[list[float | None] | None]:
    pairs = zip(lows or (), highs or (), strict=True)
    return [None if low is None else [low, high] for low, high in pairs]
