"""The catalogue of clusters and job models: TOML data beside this file, read into types."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from dmlopt.cluster import Cluster, ResourceKind, ServerType
from dmlopt.errors import UnknownNameError


@dataclass(frozen=True)
class JobModel:
    """A kind of training job: speed coefficients of eqs. 3 and 4, batch sizes, demands by resource name."""

    name: str
    where: str
    batch: int
    mini_batch: int
    steps_per_epoch: int
    sync: tuple[float, ...]
    asynchronous: tuple[float, ...]
    worker: Mapping[str, int]
    server: Mapping[str, int]


def _read(file: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("instances").joinpath(file).read_text(encoding="utf-8"))


@functools.cache
def clusters() -> dict[str, Cluster]:
    """All clusters by name. A cluster counts only the resources that some of its servers has."""
    data = _read("clusters.toml")
    units: dict[str, str] = data["resources"]
    types = {
        name: ServerType(name, {key: entry[key] for key in units if key in entry}, entry["origin"])
        for name, entry in data["servers"].items()
    }
    found = {}
    for name, entry in data["clusters"].items():
        servers = tuple((types[server], int(count)) for server, count in entry["servers"].items())
        kinds = tuple(
            ResourceKind(resource, unit)
            for resource, unit in units.items()
            if any(server.amount(resource) for server, _ in servers)
        )
        found[name] = Cluster(name, kinds, servers, entry["summary"])
    return found


@functools.cache
def models() -> dict[str, JobModel]:
    """All job models by name, in the order of the file.

    Where no asynchronous coefficients were published they follow from eq. 2: one worker's step on a
    mini-batch m takes m T_forward + T_back, so th0 = th0_sync m + th1_sync; the terms in w/p, w and p stay.
    """
    found = {}
    for name, entry in _read("models.toml").items():
        sync = tuple(map(float, entry["sync"]))
        derived = (sync[0] * entry["mini_batch"] + sync[1], sync[2], sync[3], sync[4])
        found[name] = JobModel(
            name=name,
            where=entry["where"],
            batch=entry["batch"],
            mini_batch=entry["mini_batch"],
            steps_per_epoch=entry["steps_per_epoch"],
            sync=sync,
            asynchronous=tuple(map(float, entry.get("async", derived))),
            worker=entry["worker"],
            server=entry["ps"],
        )
    return found


def cluster(name: str) -> Cluster:
    """The cluster of that name; an unknown name is answered with the nearest one."""
    if name not in clusters():
        raise UnknownNameError("cluster", name, clusters())
    return clusters()[name]


def model(name: str) -> JobModel:
    """The job model of that name."""
    if name not in models():
        raise UnknownNameError("model", name, models())
    return models()[name]
