"""A solution in the paper's own terms: p_j parameter servers and w_j workers for every job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlopt.errors import InputError
from dmlopt.fields import Fields
from dmlopt.packing import IntArray
from formulations.optimus.validate import MOST_AMOUNT


@dataclass(frozen=True, eq=False)
class Allocation:
    """`servers[j]` = p_j and `workers[j]` = w_j; both 0 where job j waits."""

    servers: IntArray
    workers: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", _counts(self.servers, "servers"))
        object.__setattr__(self, "workers", _counts(self.workers, "workers"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Allocation):
            return NotImplemented
        return np.array_equal(self.servers, other.servers) and np.array_equal(self.workers, other.workers)

    __hash__ = None  # type: ignore[assignment]

    def pairs(self) -> list[tuple[int, int]]:
        """(p_j, w_j) of every job."""
        return list(zip(self.servers.tolist(), self.workers.tolist(), strict=True))

    def to_json(self) -> dict[str, list[int]]:
        """JSON form."""
        return {"servers": self.servers.tolist(), "workers": self.workers.tolist()}

    @classmethod
    def from_json(cls, data: Any, job_count: int) -> Allocation:
        """Allocation of `job_count` jobs; wrong fields are named by their path."""
        root = Fields(data)
        root.no_unknown({"servers", "workers"})
        columns = []
        for name in ("servers", "workers"):
            entries = root.get(name).items(length=job_count)
            columns.append([entry.integer(minimum=-MOST_AMOUNT, maximum=MOST_AMOUNT) for entry in entries])
        root.finish()
        return cls(np.array(columns[0], dtype=np.int64), np.array(columns[1], dtype=np.int64))


def _counts(values: Any, name: str) -> IntArray:
    """Whole numbers as a read-only integer array; anything else is an InputError."""
    try:
        given = np.asarray(values)
        finite = given.dtype != np.bool_ and bool(np.isfinite(given).all())
        counts = given.astype(np.int64) if finite else np.zeros(given.shape, dtype=np.int64)
        exact = finite and bool((counts == given).all())
    except (TypeError, ValueError, OverflowError):
        exact = False
    if not exact or given.ndim != 1:
        raise InputError(f"{name}: expected a list of whole numbers, one per job")
    counts.flags.writeable = False
    return counts
