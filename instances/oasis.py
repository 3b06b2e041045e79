"""Random OASiS problems after the paper's table of settings, as far as it is remembered.

Independent draws from that table with tau up to 0.1 slots give mostly hopeless jobs (at T = 100 four of five need more
slots than there are), so tau goes to `tau_max` = 0.005 slots here; `describe` reports the share of jobs that can be
scheduled at all. `scale=toy` has the same shape with few epochs and chunks, for exact solving.

Equal seeds and options give equal bytes: one numpy Generator, drawn from in a fixed order; figures are rounded to 6 digits.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from dmlopt.cluster import ResourceKind
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.registry import Option, read_options
from formulations.oasis.problem import VIEWS, WORK, Job, OasisProblem, PriceConstants, ServerGroup
from formulations.oasis.utility import Sigmoid
from instances.arrivals import PATTERNS, arrival_slots

SLOT_SECONDS = 3600.0
MOST_JOBS = 10_000
SCALES: dict[str, dict[str, tuple[float, float]]] = {
    # Inclusive ranges of whole numbers (E, N, M, demands) and of real ones (targets).
    "paper": {
        "E": (50, 200),
        "N": (5, 100),
        "M": (10, 100),
        "target": (1, 15),
        "gpu": (0, 4),
        "cpu": (1, 10),
    },
    "toy": {"E": (1, 3), "N": (1, 4), "M": (1, 2), "target": (0, 4), "gpu": (0, 2), "cpu": (1, 4)},
}
MEMORY = (2, 32)
STORAGE = (5, 10)
GRADIENT_MB = (30.0, 575.0)
WORKER_GBPS = (0.1, 5.0)
PS_GBPS = (5.0, 20.0)
PRIORITY = (1.0, 100.0)
DECAYS = ((0.10, (0.0, 0.0)), (0.55, (0.01, 1.0)), (0.35, (4.0, 6.0)))  # insensitive, sensitive, critical
TAU_MIN = 0.001

OPTIONS = (
    Option("cluster", str, "ec2-p2", "named cluster: the shapes of worker servers and ps hosts"),
    Option("jobs", int, 30, "number of jobs"),
    Option("horizon", int, 100, "number of slots T (of one hour)"),
    Option("servers", int, 50, "number of worker servers, and of ps hosts"),
    Option("scale", str, "paper", "ranges of epochs, chunks, mini-batches and targets", tuple(SCALES)),
    Option(
        "tau_max",
        float,
        0.005,
        "largest time of a mini-batch in slots; the paper's table is remembered as 0.1",
    ),
    Option("arrivals", str, "uniform", "pattern of arrivals", PATTERNS),
    Option("arrive_until", float, 1.0, "share of the horizon in which jobs arrive"),
    Option("view", str, "per-server", "capacity per server, or pooled by class", VIEWS),
    Option(
        "pool_rooms", bool, False, "pooled: no more tasks in a class than its empty servers hold one by one"
    ),
    Option("work", str, "slots", "work in worker-slots, or in whole chunks per slot", WORK),
    Option("bandwidth", bool, False, "count bandwidth as a resource too"),
    Option("prices", str, "safe", "rule of the price constants", ("safe", "paper")),
    Option("price_floor", float, 0.0, "lower limit of L, as a share of the median utility per unit-slot"),
    Option("normalise", bool, False, "price constants from shares of the cluster instead of raw amounts"),
)


class OasisGenerator:
    """Random problems of the OASiS formulation."""

    formulation: str = "oasis"
    options: tuple[Option, ...] = OPTIONS

    def clusters(self) -> Mapping[str, str]:
        """Named clusters with a line about each."""
        return {name: each["summary"] for name, each in _catalogue()["clusters"].items()}

    def generate(self, seed: int, **options: Any) -> OasisProblem:
        """A random problem; equal seeds and options give equal problems."""
        given = read_options(self.options, options)
        _check(given, seed)
        random = np.random.default_rng(seed)
        kinds = _kinds(given["bandwidth"])
        last = max(1, round(given["horizon"] * given["arrive_until"]))
        slots = arrival_slots(random, given["arrivals"], given["jobs"], last)
        jobs = tuple(_draw_job(random, given, int(slot), [kind.name for kind in kinds]) for slot in slots)
        return OasisProblem(
            resources=kinds,
            horizon=given["horizon"],
            slot_seconds=SLOT_SECONDS,
            worker_servers=_servers(given, "workers", kinds),
            ps_hosts=_servers(given, "ps", kinds),
            jobs=jobs,
            view=given["view"],
            pool_rooms=given["pool_rooms"],
            work=given["work"],
            prices=PriceConstants(given["prices"], given["price_floor"], given["normalise"]),
        )


@functools.cache
def _catalogue() -> dict[str, Any]:
    text = resources.files("instances").joinpath("oasis_clusters.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _check(given: Mapping[str, Any], seed: int) -> None:
    limits = {
        "jobs": (1, MOST_JOBS),
        "horizon": (1, 2000),
        "servers": (1, 2000),
        "tau_max": (TAU_MIN, 1.0),
        "arrive_until": (0.0, 1.0),
        "price_floor": (0.0, 1e6),
    }
    found = [
        f"{name}: expected a number from {low} to {high}, got {given[name]}"
        for name, (low, high) in limits.items()
        if not low <= given[name] <= high
    ]
    if given["pool_rooms"] and given["view"] != "pooled":
        found.append("pool_rooms: expected false, because the view is not pooled")
    if seed < 0:
        found.append(f"seed: expected an integer >= 0, got {seed}")
    if found:
        raise InputError(found)
    if given["cluster"] not in _catalogue()["clusters"]:
        raise UnknownNameError("cluster", given["cluster"], _catalogue()["clusters"])


def _kinds(bandwidth: bool) -> tuple[ResourceKind, ...]:
    kinds = [ResourceKind(name, unit) for name, unit in _catalogue()["resources"].items()]
    return (*kinds, ResourceKind("bandwidth", "Mbit/s")) if bandwidth else tuple(kinds)


def _servers(given: Mapping[str, Any], side: str, kinds: tuple[ResourceKind, ...]) -> tuple[ServerGroup, ...]:
    """The cluster's shares of server types, in whole servers: largest remainder, everybody in the total."""
    shares: dict[str, float] = _catalogue()["clusters"][given["cluster"]][side]
    exact = {name: share * given["servers"] for name, share in shares.items()}
    counts = {name: int(number) for name, number in exact.items()}
    missing = given["servers"] - sum(counts.values())
    for name in sorted(exact, key=lambda each: counts[each] - exact[each])[:missing]:
        counts[name] += 1
    types = _catalogue()["servers"]
    return tuple(
        ServerGroup(name, tuple(int(types[name].get(kind.name, 0)) for kind in kinds), count)
        for name, count in counts.items()
        if count
    )


def _draw_job(random: np.random.Generator, given: Mapping[str, Any], slot: int, kinds: list[str]) -> Job:
    ranges = SCALES[given["scale"]]

    def whole(low: float, high: float) -> int:
        return int(random.integers(int(low), int(high) + 1))

    def real(low: float, high: float) -> float:
        return float(f"{random.uniform(low, high):.6g}")

    epochs, chunks, minibatches = (whole(*ranges[name]) for name in ("E", "N", "M"))
    toy = given["scale"] == "toy"
    tau = real(0.1, 0.9) if toy else real(TAU_MIN, given["tau_max"])
    gradient, worker_gbps, ps_gbps = real(*GRADIENT_MB), real(*WORKER_GBPS), real(*PS_GBPS)
    if toy:  # so that one ps serves only few workers, as a small job needs more than one
        ps_gbps = real(worker_gbps, 3 * worker_gbps)
    worker = {"gpu": whole(*ranges["gpu"]), "cpu": whole(*ranges["cpu"])}
    ps = {"cpu": whole(*ranges["cpu"])}
    for demand in (worker, ps):
        demand["memory"], demand["storage"] = whole(*MEMORY), whole(*STORAGE)
    worker["bandwidth"], ps["bandwidth"] = round(1000 * worker_gbps), round(1000 * ps_gbps)
    kind = random.random()
    edges = np.cumsum([share for share, _ in DECAYS])
    decay = real(*DECAYS[min(int(np.searchsorted(edges, kind)), len(DECAYS) - 1)][1])
    return Job(
        arrival=slot,
        epochs=epochs,
        chunks=chunks,
        minibatches=minibatches,
        minibatch_seconds=float(f"{tau * SLOT_SECONDS:.6g}"),
        gradient_bytes=float(round(gradient * 1e6)),
        worker_bits_per_second=float(round(worker_gbps * 1e9)),
        ps_bits_per_second=float(round(ps_gbps * 1e9)),
        worker=tuple(worker.get(name, 0) for name in kinds),
        ps=tuple(ps.get(name, 0) for name in kinds),
        utility=Sigmoid(real(*PRIORITY), decay, real(*ranges["target"])),
    )


GENERATOR = OasisGenerator()
