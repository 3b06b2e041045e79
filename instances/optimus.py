"""Random Optimus problems on a named cluster.

Jobs. Each job draws a model from the catalogue and a mode. Its coefficients are the model's, each times a
log-normal factor exp(theta_sigma z); coefficients that are 0 stay 0. Remaining steps: Q = steps per epoch x
epochs left, epochs log-normal with median 30 and exp(steps_sigma z); an asynchronous job takes M/m worker
steps for each global one. Measured tables are the formula times exp(0.05 z), one pair in five not measured,
never (1, 1).

Cluster. load = max_r sum_j (O_j^r + N_j^r) / C_r is the share of the most wanted resource that (1, 1) for
every job takes. The number of jobs is fixed; the number of servers follows: every server type of the cluster
is multiplied by the least factor that brings the load down to the asked one, then rounded up. So the load
that results is at most the asked one; up to 1 every job can run, above 1 some must wait. `load=0` keeps the
cluster as it is in the catalogue.

Resources. `resources` sets how many kinds count (1 to 6), for studies of how methods depend on it: the first ones of
the cluster, then modelled kinds that the catalogue does not have (network, disk, io, ports), of which every task of a
job uses a whole amount drawn from 1 to 8, and whose capacity is such that (1, 1) for every job takes the asked load
(0.4 with `load=0`) of them. These are drawn from a generator of their own: everything else stays as it is without them.

Equal seeds and options give equal bytes: numpy Generators, drawn from in a fixed order; figures are
rounded to 6 digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dmlopt.cluster import Cluster, ResourceKind
from dmlopt.errors import InputError
from dmlopt.packing import FloatArray, IntArray
from dmlopt.registry import Option, read_options
from formulations.optimus.problem import OptimusProblem, remaining_time
from formulations.optimus.speed import (
    ASYNC,
    SYNC,
    TABLE,
    THETA_COUNT,
    asynchronous_seconds,
    synchronous_seconds,
)
from instances import catalogue
from instances.catalogue import JobModel

EPOCHS_LEFT = 30.0
MEASUREMENT_SIGMA = 0.05
UNMEASURED_SHARE = 0.2
TABLE_SIDE = 8  # of a measured table when p_max or w_max is not set
MOST_JOBS = 1_000_000
MOST_RESOURCES = 6
MODELLED_KINDS = (
    ResourceKind("network", "Gbit/s"),
    ResourceKind("disk", "GB"),
    ResourceKind("io", "MB/s"),
    ResourceKind("ports", "port"),
)
MODELLED_DEMAND = 8  # largest amount of a modelled kind that one task uses
MODELLED_LOAD = 0.4  # of the modelled kinds, where the cluster stays as named

OPTIONS = (
    Option("cluster", str, "cpu-7x16", "named cluster; its number of servers follows from the load"),
    Option("jobs", int, 12, "number of jobs"),
    Option("load", float, 0.4, "share of the most wanted resource that (1, 1) for all takes; 0: as named"),
    Option("async_share", float, 0.5, "probability that a job is asynchronous"),
    Option("table_share", float, 0.0, "probability that a job's speed is a measured table"),
    Option("p_max", int, 16, "most parameter servers per job; 0: no limit but capacity"),
    Option("w_max", int, 16, "most workers per job (synchronous: never more than M); 0: no limit"),
    Option("waiting", bool, False, "allow jobs to wait"),
    Option("waiting_cost", float, None, "cost of a waiting job; default: sum of all t(1, 1)"),
    Option("models", str, "", "models to draw from, separated by commas; default: what suits the cluster"),
    Option("kinds", int, 0, "number of different jobs, of which the others are copies; 0: all differ"),
    Option("resources", int, 0, "number of resource kinds, 1 to 6; 0: those of the cluster"),
    Option("theta_sigma", float, 0.25, "spread of the speed coefficients around the catalogue"),
    Option("steps_sigma", float, 0.8, "spread of the remaining steps"),
)


@dataclass(frozen=True)
class _Jobs:
    """Columns of the drawn jobs, before the cluster is sized."""

    mode: IntArray
    theta: FloatArray
    batch: IntArray
    steps: FloatArray
    worker: IntArray
    server: IntArray


class OptimusGenerator:
    """Random problems of the Optimus formulation."""

    formulation: str = "optimus"
    options: tuple[Option, ...] = OPTIONS

    def clusters(self) -> Mapping[str, str]:
        """Named clusters with a line about each."""
        return {name: each.summary for name, each in catalogue.clusters().items()}

    def generate(self, seed: int, **options: Any) -> OptimusProblem:
        """A random problem; equal seeds and options give equal problems."""
        given = read_options(self.options, options)
        _check(given, seed)
        cluster = catalogue.cluster(given["cluster"])
        models = _models(given["models"], cluster)
        random = np.random.default_rng(seed)
        cluster, more = _counted(cluster, given["resources"])
        jobs = _draw_jobs(random, models, cluster, given, np.random.default_rng([seed, 1]), len(more))
        server_max = np.full(given["jobs"], given["p_max"])
        worker_max = np.full(given["jobs"], given["w_max"])
        if given["w_max"]:  # fewer than one example per worker has no meaning
            worker_max = np.where(jobs.mode == SYNC, np.minimum(worker_max, jobs.batch), worker_max)
        mode, speeds = _measure(random, jobs, given)
        problem = OptimusProblem(
            resources=cluster.resources + more,
            capacity=_capacity(cluster, (jobs.worker + jobs.server).sum(axis=0), given["load"]),
            mode=mode,
            theta=np.where((mode == TABLE)[:, None], 0.0, jobs.theta),
            batch=np.where(mode == SYNC, jobs.batch, 0),
            steps=jobs.steps,
            worker_demand=jobs.worker,
            server_demand=jobs.server,
            server_max=server_max,
            worker_max=worker_max,
            speeds=speeds,
            waiting=np.asarray(given["waiting_cost"] or 0.0) if given["waiting"] else None,
        )
        if given["waiting"] and given["waiting_cost"] is None:
            return _with_waiting_cost(problem)
        return problem


def _check(given: Mapping[str, Any], seed: int) -> None:
    limits = {
        "jobs": (1, MOST_JOBS),
        "load": (0.0, 1000.0),
        "async_share": (0.0, 1.0),
        "table_share": (0.0, 1.0),
        "p_max": (0, 1000),
        "w_max": (0, 1000),
        "kinds": (0, MOST_JOBS),
        "resources": (0, MOST_RESOURCES),
        "theta_sigma": (0.0, 5.0),
        "steps_sigma": (0.0, 5.0),
    }
    found = [
        f"{name}: expected a number from {low} to {high}, got {given[name]}"
        for name, (low, high) in limits.items()
        if not low <= given[name] <= high
    ]
    cost = given["waiting_cost"]
    if cost is not None and not 0 <= cost < math.inf:
        found.append(f"waiting_cost: expected a finite number >= 0, got {cost}")
    if seed < 0:
        found.append(f"seed: expected an integer >= 0, got {seed}")
    if found:
        raise InputError(found)


def _models(names: str, cluster: Cluster) -> list[JobModel]:
    """The named models, or all that are drawn on this kind of cluster."""
    kinds = {kind.name for kind in cluster.resources}
    listed = [catalogue.model(name.strip()) for name in names.split(",") if name.strip()]
    for model in listed:
        missing = sorted({*model.worker, *model.server} - kinds)
        if missing:
            text = f"{model.name} needs {missing[0]}, which cluster {cluster.name} does not have"
            raise InputError(f"models: {text}")
    where = "gpu" if "gpu" in kinds else "cpu"
    return listed or [model for model in catalogue.models().values() if model.where == where]


def _counted(cluster: Cluster, count: int) -> tuple[Cluster, tuple[ResourceKind, ...]]:
    """The cluster with its first `count` kinds (0: all), and the modelled kinds that it takes to reach `count`."""
    own = len(cluster.resources)
    if count == 0:
        return cluster, ()
    return replace(cluster, resources=cluster.resources[:count]), MODELLED_KINDS[: max(0, count - own)]


def _draw_jobs(
    random: np.random.Generator,
    models: list[JobModel],
    cluster: Cluster,
    given: Mapping[str, Any],
    modelled: np.random.Generator,
    modelled_count: int,
) -> _Jobs:
    count = given["kinds"] or given["jobs"]
    width = THETA_COUNT[SYNC]
    model = random.integers(0, len(models), count)
    mode = np.where(random.random(count) < given["async_share"], ASYNC, SYNC)
    factors = np.exp(given["theta_sigma"] * random.standard_normal((count, width)))
    epochs = EPOCHS_LEFT * np.exp(given["steps_sigma"] * random.standard_normal(count))
    copies = random.integers(0, count, given["jobs"]) if given["kinds"] else np.arange(count)

    published = np.zeros((2, len(models), width))
    for index, each in enumerate(models):
        published[SYNC, index] = each.sync
        published[ASYNC, index, : THETA_COUNT[ASYNC]] = each.asynchronous
    batch = np.array([each.batch for each in models])[model]
    per_epoch = np.array([each.steps_per_epoch for each in models])[model].astype(np.float64)
    per_epoch *= np.where(mode == ASYNC, batch / np.array([each.mini_batch for each in models])[model], 1.0)
    names = [kind.name for kind in cluster.resources]
    worker = np.array([[each.worker.get(name, 0) for name in names] for each in models])[model]
    server = np.array([[each.server.get(name, 0) for name in names] for each in models])[model]
    more = modelled.integers(1, MODELLED_DEMAND + 1, (2, modelled_count, count))
    worker, server = np.column_stack([worker, *more[0]]), np.column_stack([server, *more[1]])
    return _Jobs(
        mode=mode[copies],
        theta=_rounded(published[mode, model] * factors)[copies],
        batch=batch[copies],
        steps=np.maximum(1.0, np.rint(per_epoch * epochs))[copies],
        worker=worker[copies],
        server=server[copies],
    )


def _measure(
    random: np.random.Generator, jobs: _Jobs, given: Mapping[str, Any]
) -> tuple[IntArray, dict[int, FloatArray]]:
    """Modes and tables after some jobs were given a measured table in place of their formula."""
    measured = random.random(len(jobs.mode)) < given["table_share"]
    servers = np.arange(1, (given["p_max"] or TABLE_SIDE) + 1)[:, None]
    workers = np.arange(1, (given["w_max"] or TABLE_SIDE) + 1)
    speeds: dict[int, FloatArray] = {}
    for job in np.flatnonzero(measured).tolist():
        theta = jobs.theta[job]
        if jobs.mode[job] == SYNC:
            seconds = synchronous_seconds(theta, int(jobs.batch[job]), servers, workers)
        else:
            seconds = asynchronous_seconds(theta, servers, workers)
        noise = np.exp(MEASUREMENT_SIGMA * random.standard_normal(seconds.shape))
        absent = random.random(seconds.shape) < UNMEASURED_SHARE
        absent[0, 0] = False
        speeds[job] = np.where(absent, 0.0, _rounded(noise / seconds))
    return np.where(measured, TABLE, jobs.mode), speeds


def _rounded(values: FloatArray) -> FloatArray:
    """Six significant digits: files stay short, and the last bits of exp() do not differ between machines."""
    flat = [float(f"{value:.6g}") for value in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)


def _capacity(cluster: Cluster, need: IntArray, load: float) -> IntArray:
    """C_r of the cluster, its servers multiplied so that the load is at most `load` (0: not multiplied).

    Modelled kinds come last in `need`; they belong to no server.
    """
    own = len(cluster.resources)
    modelled = [math.ceil(amount / (load or MODELLED_LOAD)) for amount in need[own:].tolist()]
    need = need[:own]
    counts = [count for _, count in cluster.servers]
    if load > 0:
        factor = max(n / (load * c) for n, c in zip(need.tolist(), cluster.capacity(), strict=True))
        # A hair below, so that a factor that is whole but for rounding does not cost a server.
        counts = [max(1, math.ceil(factor * count * (1 - 1e-12))) for count in counts]
    servers = tuple((server, count) for (server, _), count in zip(cluster.servers, counts, strict=True))
    capacity = Cluster(cluster.name, cluster.resources, servers).capacity()
    return np.array([*capacity, *modelled], dtype=np.int64)


def _with_waiting_cost(problem: OptimusProblem) -> OptimusProblem:
    """The problem with the sum of all t(1, 1) as the cost: then waiting is the last resort."""
    ones = np.ones(problem.job_count, dtype=np.int64)
    cost = math.ceil(math.fsum(remaining_time(problem, ones, ones).tolist()))
    fields = {name: getattr(problem, name) for name in problem.__dataclass_fields__}
    return OptimusProblem(**{**fields, "waiting": np.asarray(float(cost))})


GENERATOR = OptimusGenerator()
