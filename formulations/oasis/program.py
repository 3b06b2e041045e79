"""The compact program of `reference.py` as arrays: the same columns and rows by name, many times faster to build.

Solvers get this one; the PuLP form is what one reads, exports, and compares it with (tests/formulations).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.sparse import csc_array, vstack

from dmlopt.backends.program import Program
from dmlopt.control import Clock
from dmlopt.packing import IntArray
from formulations.oasis.problem import Job, OasisProblem
from formulations.oasis.reference import chunk_ratio, place_room, served_ratio, slots_per_chunk

_Entries = list[tuple[IntArray, IntArray, float]]


class _Block:
    """Columns and own rows of one job. Columns: u_t, y_th, z_tk, d_t. Rows: once, width, served, ps count, chunks, work."""

    def __init__(self, problem: OasisProblem, index: int, job: Job) -> None:
        slots = np.arange(job.arrival, problem.horizon + 1)
        n = len(slots)
        rooms = [
            np.array(
                [min(job.chunks, place_room(problem, job, side, place)) for place in range(places.count)]
            )
            for side, places in enumerate((problem.worker_places, problem.ps_places))
        ]
        self.slots = slots
        self.places = [np.flatnonzero(room > 0) for room in rooms]
        sizes = [len(each) for each in self.places]
        chunks = problem.work == "chunks"
        starts = np.cumsum([0, n, n * sizes[0], n * sizes[1], n if chunks else 0])
        u, y, z, d = (np.arange(a, b) for a, b in itertools.pairwise(starts))
        self.tasks = [y.reshape(n, sizes[0]), z.reshape(n, sizes[1])]
        self.column_count = int(starts[-1])
        m = slots_per_chunk(problem, job)
        utility = [-job.utility.value(int(t) - job.arrival) for t in slots]
        self.cost = np.concatenate([utility, np.zeros(self.column_count - n)])
        most = [np.tile(room[at], n) for room, at in zip(rooms, self.places, strict=True)]
        limit = [math.floor(job.chunks / m)] * len(d)
        self.upper = np.concatenate([np.ones(n), *most, limit]).astype(np.float64)
        self.column_names = [f"u_{index}_{t}" for t in slots.tolist()]
        for letter, at in zip("yz", self.places, strict=True):
            self.column_names += [
                f"{letter}_{index}_{t}_{place}" for t in slots.tolist() for place in at.tolist()
            ]
        self.column_names += [f"d_{index}_{t}" for t in slots[: len(d)].tolist()]
        self._rows(index, job, u, d, m)

    def _rows(self, index: int, job: Job, u: IntArray, d: IntArray, m: Fraction) -> None:
        slots, n = self.slots.tolist(), len(self.slots)
        y, z = self.tasks
        each = np.arange(n)
        width, served, ps_count = 1 + each, 1 + n + each, 1 + 2 * n + each
        names = [f"{kind}_{index}_{t}" for kind in ("width", "served", "ps_count") for t in slots]
        b, big_b = served_ratio(job)
        now, later = np.triu_indices(n)
        entries: _Entries = [
            (np.zeros(n, dtype=np.int64), u, 1.0),
            (width[now], u[later], -float(job.chunks)),
        ]
        for rows, columns, weight in (
            (width, y, 1),
            (served, y, b),
            (served, z, -big_b),
            (ps_count, y, -1),
            (ps_count, z, 1),
        ):
            entries.append((np.repeat(rows, columns.shape[1]), columns.ravel(), float(weight)))
        worked, needed = y.ravel(), math.ceil(job.epochs * job.chunks * m)
        if len(d):
            chunks, by = chunk_ratio(job, m)
            rows = 1 + 3 * n + each
            entries.append((rows, d, float(by)))
            entries.append((np.repeat(rows, y.shape[1]), y.ravel(), -float(chunks)))
            names += [f"chunks_{index}_{t}" for t in slots]
            worked, needed = d, job.epochs * job.chunks
        last = 1 + len(names)
        entries.append((np.full(len(worked), last), worked, 1.0))
        entries.append((np.full(n, last), u, -float(needed)))
        self.row_names = [f"once_{index}", *names, f"work_{index}"]
        self.row_lower = np.full(last + 1, -np.inf)
        self.row_upper = np.zeros(last + 1)
        self.row_upper[0], self.row_upper[last], self.row_lower[last] = 1.0, np.inf, 0.0
        self.entries = entries


def compact_arrays(problem: OasisProblem, clock: Clock | None = None) -> Program:
    """The compact program to be minimised; raises OutOfTime when the clock runs out meanwhile."""
    clock = clock or Clock()
    blocks = []
    for index, job in enumerate(problem.jobs):
        clock.check()
        blocks.append(_Block(problem, index, job))
    first_column = np.cumsum([0] + [block.column_count for block in blocks])
    first_row = np.cumsum([0] + [len(block.row_names) for block in blocks])
    rows, columns, weights = [], [], []
    for block, column, row in zip(blocks, first_column, first_row, strict=False):
        for at, own, weight in block.entries:
            rows.append(at + row)
            columns.append(own + column)
            weights.append(np.full(len(own), weight))
    shape = (int(first_row[-1]), int(first_column[-1]))
    own_rows = csc_array(
        (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    )
    clock.check()
    shared, names, capacity = _capacity_rows(problem, blocks, first_column)
    lower = np.concatenate([*(block.row_lower for block in blocks), np.full(len(names), -np.inf)])
    matrix = csc_array(vstack([own_rows, shared]))
    matrix.eliminate_zeros()
    count = shape[1]
    return Program(
        cost=np.concatenate([block.cost for block in blocks]),
        matrix=matrix,
        row_lower=lower,
        row_upper=np.concatenate([*(block.row_upper for block in blocks), capacity]),
        lower=np.zeros(count),
        upper=np.concatenate([block.upper for block in blocks]),
        integral=np.ones(count, dtype=bool),
        column_names=tuple(name for block in blocks for name in block.column_names),
        row_names=(*(name for block in blocks for name in block.row_names), *names),
    )


def _capacity_rows(
    problem: OasisProblem, blocks: list[_Block], first_column: IntArray
) -> tuple[csc_array, list[str], IntArray]:
    """(4) and (5), only where some job can use the place: matrix, names, capacities."""
    kinds = problem.resource_count
    sides = (problem.worker_places, problem.ps_places)
    codes, columns, weights = [], [], []
    offset = (0, problem.worker_places.count)
    places = sum(offset) + problem.ps_places.count
    for job, block, column in zip(problem.jobs, blocks, first_column, strict=False):
        for side, demand in enumerate((job.worker, job.ps)):
            at = (block.slots[:, None] - 1) * places + offset[side] + block.places[side]
            for r, need in enumerate(demand):
                if need:
                    codes.append(at.ravel() * kinds + r)
                    columns.append(block.tasks[side].ravel() + column)
                    weights.append(np.full(at.size, float(need)))
    used, rows = np.unique(np.concatenate(codes), return_inverse=True)
    shape = (len(used), int(first_column[-1]))
    matrix = csc_array((np.concatenate(weights), (rows, np.concatenate(columns))), shape=shape)
    names, capacity = [], []
    for code in used.tolist():
        at, r = divmod(code, kinds)
        t, place = divmod(at, places)
        side = int(place >= offset[1])
        names.append(f"capacity_{t + 1}_{side}_{place - offset[side]}_{r}")
        capacity.append(int(sides[side].capacity[place - offset[side], r]))
    return matrix, names, np.array(capacity, dtype=np.int64)
