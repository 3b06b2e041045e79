"""The rows of (P): one capacity per (slot, place, resource) that some schedule can use.

Places are the worker places 0..P-1 followed by the ps places P..P+Q-1. A row that no job can use is left out; so are
slots before the first arrival. Leaving out a row could only weaken a bound, never falsify it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import Quantities


@dataclass(frozen=True, eq=False)
class Rows:
    """`at[t - 1, place, r]` is the row, -1 where there is none; `capacity[place, r]` what an empty place has."""

    at: IntArray
    capacity: IntArray
    worker_places: int
    names: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.names)

    @property
    def place_count(self) -> int:
        """Number of worker and ps places."""
        return len(self.capacity)

    def row_capacity(self) -> IntArray:
        """Capacity of every row."""
        whole = np.broadcast_to(self.capacity, self.at.shape)
        return np.ascontiguousarray(whole[self.at >= 0])

    def spread_prices(self, prices: FloatArray) -> FloatArray:
        """Prices by (slot, place, resource), 0 where there is no row."""
        spread = np.zeros(self.at.shape)
        spread[self.at >= 0] = prices
        return spread

    def spread_room(self, room: IntArray) -> IntArray:
        """Remaining capacity by (slot, place, resource), the whole capacity where there is no row."""
        spread = np.array(np.broadcast_to(self.capacity, self.at.shape))
        spread[self.at >= 0] = np.maximum(room, 0)
        return spread


def build_rows(problem: OasisProblem, derived: list[Quantities]) -> Rows:
    """The rows of a problem, by slot, then place, then resource."""
    workers, hosts = problem.worker_places, problem.ps_places
    capacity = np.concatenate([workers.capacity, hosts.capacity])
    first = np.full(capacity.shape, problem.horizon + 1, dtype=np.int64)  # first slot with a possible user
    for job, each in zip(problem.jobs, derived, strict=True):
        if not each.schedulable:
            continue
        limits = np.concatenate([each.worker_limit, each.ps_limit])
        demand = np.array([job.worker] * workers.count + [job.ps] * hosts.count)
        used = (limits[:, None] > 0) & (demand > 0)
        first[used] = np.minimum(first[used], job.arrival)
    slots = np.arange(1, problem.horizon + 1)[:, None, None]
    exists = slots >= first[None]
    at = np.full(exists.shape, -1, dtype=np.int64)
    at[exists] = np.arange(int(exists.sum()))
    places = [f"worker {name}" for name in workers.names] + [f"ps {name}" for name in hosts.names]
    where = np.argwhere(exists).tolist()
    names = tuple(f"slot {t + 1} {places[place]} {problem.resources[r].name}" for t, place, r in where)
    units = tuple(problem.resources[r].unit for _, _, r in where)
    return Rows(at, capacity, workers.count, names, units)
