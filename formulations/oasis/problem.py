"""The data of the OASiS problem, equations (1)-(13). README.md has the mathematics.

Sets: slots t = 1..T (`horizon`), worker servers h, parameter-server (ps) hosts k, resources r, jobs i. Data and their names:

    a_i            arrival slot, the first in which the job may run      arrival
    E_i, N_i, M_i  epochs, chunks (= most workers), mini-batches/chunk   epochs, chunks, minibatches
    tau_i          time of one mini-batch on one worker, seconds         minibatch_seconds
    e_i            gradients exchanged per mini-batch, bytes             gradient_bytes
    b_i, B_i       bandwidth of one worker, of one ps, bit/s             worker_bits_per_second, ps_bits_per_second
    w_i^r, s_i^r   amount of r that one worker, one ps uses              worker, ps
    f_i            utility by elapsed slots                              utility
    c_h^r, c_k^r   capacities                                            worker_servers, ps_hosts

Seconds become slots in one place (`quantities.py`). What changes the feasible set or the objective is a field here:

    view        "per-server": (4) and (5) for every server; "pooled": for the sum over the servers of a class
    pool_rooms  pooled only: a job has no more workers in a class than its empty servers could hold one by one
    work        "slots": (2) as it stands, worker-slots; "chunks": the paper's algorithm, a chunk may not straddle slots
    prices      the constants L and U of the online prices (`constants.py`)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dmlopt.cluster import ResourceKind
from dmlopt.packing import IntArray
from formulations.oasis.utility import Utility

VIEWS = ("per-server", "pooled")
WORK = ("slots", "chunks")


@dataclass(frozen=True)
class Job:
    """One training job i; the fields' letters are in the module's docstring."""

    arrival: int
    epochs: int
    chunks: int
    minibatches: int
    minibatch_seconds: float
    gradient_bytes: float
    worker_bits_per_second: float
    ps_bits_per_second: float
    worker: tuple[int, ...]
    ps: tuple[int, ...]
    utility: Utility


@dataclass(frozen=True)
class ServerGroup:
    """`count` equal servers. Groups of the same class name share one pool in the pooled view."""

    name: str
    capacity: tuple[int, ...]
    count: int = 1


@dataclass(frozen=True)
class PriceConstants:
    """ln L and ln U of the price functions, per resource, for worker servers and for ps hosts.

    `rule` says where they come from: "safe", "paper" or "explicit"; `floor` is the share of the median utility per
    unit-slot below which L was not let fall (0: no floor); `normalise` whether amounts were first divided by the
    cluster's total. None: a resource without a price, because no schedulable job uses it.
    """

    rule: str = "safe"
    floor: float = 0.0
    normalise: bool = False
    worker_low: tuple[float | None, ...] | None = None
    worker_high: tuple[float | None, ...] | None = None
    ps_low: tuple[float | None, ...] | None = None
    ps_high: tuple[float | None, ...] | None = None

    @property
    def known(self) -> bool:
        """Whether the numbers are there, or only the rule that gives them."""
        return self.worker_low is not None


@dataclass(frozen=True)
class Places:
    """Where tasks of one kind go: servers, or pools of servers. `capacity[place, resource]`."""

    names: tuple[str, ...]
    capacity: IntArray
    groups: tuple[tuple[ServerGroup, ...], ...]

    @property
    def count(self) -> int:
        """Number of places."""
        return len(self.names)


@dataclass(frozen=True)
class OasisProblem:
    """An instance. Price constants that are not given are computed from the jobs when the problem is made."""

    resources: tuple[ResourceKind, ...]
    horizon: int
    slot_seconds: float
    worker_servers: tuple[ServerGroup, ...]
    ps_hosts: tuple[ServerGroup, ...]
    jobs: tuple[Job, ...]
    view: str = "per-server"
    pool_rooms: bool = False
    work: str = "slots"
    prices: PriceConstants = field(default_factory=PriceConstants)

    def __post_init__(self) -> None:
        from formulations.oasis.constants import price_constants
        from formulations.oasis.quantities import quantities, refuse_large
        from formulations.oasis.validate import validate

        for name in ("resources", "worker_servers", "ps_hosts", "jobs"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        validate(self)
        refuse_large(quantities(self))
        if not self.prices.known:
            found = price_constants(self, self.prices.rule, self.prices.floor, self.prices.normalise)
            object.__setattr__(self, "prices", found)

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.jobs)

    @property
    def resource_count(self) -> int:
        """Number of resource types."""
        return len(self.resources)

    @cached_property
    def worker_places(self) -> Places:
        """Worker servers, or their pools."""
        return _places(self.worker_servers, self.view == "pooled")

    @cached_property
    def ps_places(self) -> Places:
        """Ps hosts, or their pools."""
        return _places(self.ps_hosts, self.view == "pooled")

    def with_prices(self, rule: str = "safe", floor: float = 0.0, normalise: bool = False) -> OasisProblem:
        """The same problem with price constants by another rule."""
        return replace(self, prices=PriceConstants(rule, floor, normalise))


def _places(groups: tuple[ServerGroup, ...], pooled: bool) -> Places:
    names: list[str] = []
    members: list[tuple[ServerGroup, ...]] = []
    if pooled:
        for name in dict.fromkeys(group.name for group in groups):
            names.append(name)
            members.append(tuple(group for group in groups if group.name == name))
    else:
        for group in groups:
            for _ in range(group.count):
                names.append(f"{group.name}#{len(names)}")
                members.append((replace(group, count=1),))
    rows = [
        [sum(g.count * g.capacity[r] for g in each) for r in range(len(groups[0].capacity))]
        for each in members
    ]
    capacity = np.array(rows, dtype=np.int64)
    capacity.flags.writeable = False
    return Places(tuple(names), capacity, tuple(members))
