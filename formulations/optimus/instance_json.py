"""Optimus problems as JSON.

    {"resources": [{"name": "cpu", "unit": "core"}, ...], "capacity": [112, ...],
     "jobs": [{"mode": "sync", "theta": [5 numbers], "M": 40, "Q": 1000, "worker": [2, ...], "ps": [3, ...],
               "p_max": 16, "w_max": null}, ...],
     "waiting": null or {"cost": number, or one number per job}}

"async" has 4 numbers in theta and no M; "table" has `speed` (row p-1, column w-1, 0: not measured) instead
of theta and M.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dmlopt.cluster import ResourceKind
from dmlopt.fields import Fields
from formulations.optimus.problem import OptimusProblem
from formulations.optimus.speed import ASYNC, MODES, SYNC, TABLE, THETA_COUNT
from formulations.optimus.validate import MOST_AMOUNT, MOST_COUNT

COMMON = ("mode", "Q", "worker", "ps", "p_max", "w_max")
KNOWN = {SYNC: {*COMMON, "theta", "M"}, ASYNC: {*COMMON, "theta", "M"}, TABLE: {*COMMON, "speed"}}


class _Columns:
    """The jobs read so far, as the columns of a problem."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.mode: list[int] = []
        self.theta: list[list[float]] = []
        self.batch: list[int] = []
        self.steps: list[float] = []
        self.worker: list[list[int]] = []
        self.server: list[list[int]] = []
        self.server_max: list[int] = []
        self.worker_max: list[int] = []
        self.speeds: dict[int, list[list[float]]] = {}

    def read(self, job: Fields) -> None:
        """Read one job; problems are recorded and a neutral value kept."""
        named = job.get("mode").text(choices=MODES)
        mode = MODES.index(named) if named else SYNC
        theta, batch = [0.0] * THETA_COUNT[SYNC], 0
        if named and mode == TABLE:
            self.speeds[len(self.mode)] = _read_speed(job.get("speed"))
        elif named:
            given = job.get("theta").items(length=THETA_COUNT[mode])
            for index, each in enumerate(given):
                theta[index] = each.number(minimum=0)
            if given and not any(each != 0 for each in theta):
                job.get("theta").complain("expected at least one coefficient > 0, got only zeros")
        if named and mode == SYNC:
            batch = job.get("M").integer(minimum=1, maximum=MOST_AMOUNT)
        elif mode == ASYNC and not job.get("M", None).is_null():
            job.get("M").error("expected null, because an asynchronous job has no global batch")
        self.mode.append(mode)
        self.theta.append(theta)
        self.batch.append(batch)
        self.steps.append(job.get("Q").number(exclusive_minimum=0))
        for name, column in (("worker", self.worker), ("ps", self.server)):
            demands = job.get(name).items(length=self.width)
            column.append([each.integer(minimum=0, maximum=MOST_AMOUNT) for each in demands])
        for name, limits in (("p_max", self.server_max), ("w_max", self.worker_max)):
            limit = job.get(name, None)
            limits.append(0 if limit.value is None else limit.integer(minimum=1, maximum=MOST_COUNT))
        job.no_unknown(KNOWN[mode] if named else set().union(*KNOWN.values()))


def _read_speed(field: Fields) -> list[list[float]]:
    rows = field.items(min_length=1)
    width = len(rows[0].items(min_length=1)) if rows else 0
    table = [[each.number(minimum=0) for each in row.items(length=width)] for row in rows]
    if table and not any(each != 0 for row in table for each in row):
        field.complain("expected at least one measured pair (a speed > 0), got only zeros")
    return table


def problem_from_json(data: Mapping[str, Any]) -> OptimusProblem:
    """The problem in `data`; raises InputError with every wrong field."""
    root = Fields(dict(data) if isinstance(data, Mapping) else data)
    kinds = []
    for each in root.get("resources").items(min_length=1):
        name = each.get("name")
        if name.value == "":
            name.error("expected a name")
        kinds.append(ResourceKind(name.text(), each.get("unit").text()))
        each.no_unknown({"name", "unit"})
    if len({kind.name for kind in kinds}) < len(kinds):
        root.get("resources").complain(f"expected different names, got {', '.join(k.name for k in kinds)}")
    listed = root.get("capacity").items(length=len(kinds))
    capacity = [each.integer(minimum=0, maximum=MOST_AMOUNT) for each in listed]
    columns = _Columns(len(kinds))
    for job in root.get("jobs").items(min_length=1):
        columns.read(job)
    waiting = _read_waiting(root.get("waiting", None), len(columns.mode))
    root.no_unknown({"resources", "capacity", "jobs", "waiting"})
    root.finish()
    return OptimusProblem(
        resources=tuple(kinds),
        capacity=np.array(capacity, dtype=np.int64),
        mode=np.array(columns.mode, dtype=np.int64),
        theta=np.array(columns.theta, dtype=np.float64),
        batch=np.array(columns.batch, dtype=np.int64),
        steps=np.array(columns.steps, dtype=np.float64),
        worker_demand=np.array(columns.worker, dtype=np.int64),
        server_demand=np.array(columns.server, dtype=np.int64),
        server_max=np.array(columns.server_max, dtype=np.int64),
        worker_max=np.array(columns.worker_max, dtype=np.int64),
        speeds={job: np.array(table) for job, table in columns.speeds.items()},
        waiting=waiting,
    )


def _read_waiting(field: Fields, job_count: int) -> Any:
    if field.value is None:
        return None
    cost = field.get("cost")
    field.no_unknown({"cost"})
    if isinstance(cost.value, list):
        return np.array([each.number(minimum=0) for each in cost.items(length=job_count)])
    return cost.number(minimum=0)


def problem_to_json(problem: OptimusProblem) -> dict[str, Any]:
    """The fields of an instance file."""
    waiting: dict[str, Any] | None = None
    if problem.waiting is not None:
        costs = problem.waiting.tolist()
        waiting = {"cost": costs[0] if len(set(costs)) == 1 else costs}
    return {
        "resources": [{"name": kind.name, "unit": kind.unit} for kind in problem.resources],
        "capacity": problem.capacity.tolist(),
        "jobs": _jobs_to_json(problem),
        "waiting": waiting,
    }


def _jobs_to_json(problem: OptimusProblem) -> list[dict[str, Any]]:
    columns = zip(
        problem.mode.tolist(),
        problem.theta.tolist(),
        problem.batch.tolist(),
        problem.steps.tolist(),
        problem.worker_demand.tolist(),
        problem.server_demand.tolist(),
        problem.server_max.tolist(),
        problem.worker_max.tolist(),
        strict=True,
    )
    jobs = []
    for index, (mode, theta, batch, steps, worker, server, server_max, worker_max) in enumerate(columns):
        job: dict[str, Any] = {"mode": MODES[mode]}
        if mode == TABLE:
            job["speed"] = problem.speeds[index].tolist()
        else:
            job["theta"] = theta[: THETA_COUNT[mode]]
        if mode == SYNC:
            job["M"] = batch
        job |= {"Q": steps, "worker": worker, "ps": server}
        job |= {"p_max": server_max or None, "w_max": worker_max or None}
        jobs.append(job)
    return jobs
