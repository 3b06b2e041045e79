"""Schedules that a planner has found, in flat arrays, each once. A plan's id is its place in the arena.

A schedule is a list of (code, count): `count` tasks at code = (t - 1) (P + Q) + place, codes ascending. Worker places come
first, ps places after them.
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import FloatArray, IntArray


class Arena:
    """Growing storage of plans: agent, claimed completion slot, value, and the (code, count) entries."""

    def __init__(self) -> None:
        self._agent = np.empty(64, dtype=np.int64)
        self._claim = np.empty(64, dtype=np.int64)
        self._value = np.empty(64)
        self._start = np.zeros(65, dtype=np.int64)
        self._code = np.empty(1024, dtype=np.int64)
        self._count = np.empty(1024, dtype=np.int64)
        self._known: dict[tuple[int, int, bytes], int] = {}
        self.size = 0

    def add(self, agent: int, claim: int, value: float, codes: IntArray, counts: IntArray) -> int:
        """The id of this plan, new or known."""
        key = (agent, claim, codes.tobytes() + counts.tobytes())
        known = self._known.get(key)
        if known is not None:
            return known
        at = self.size
        if at == len(self._agent):
            self._agent, self._claim = _doubled(self._agent), _doubled(self._claim)
            self._value, self._start = _doubled(self._value), _doubled(self._start)
        first = int(self._start[at])
        last = first + len(codes)
        while last > len(self._code):
            self._code, self._count = _doubled(self._code), _doubled(self._count)
        self._agent[at], self._claim[at], self._value[at] = agent, claim, value
        self._code[first:last], self._count[first:last] = codes, counts
        self._start[at + 1] = last
        self._known[key] = at
        self.size += 1
        return at

    def agents(self, ids: IntArray) -> IntArray:
        """The agents of plans."""
        return self._agent[ids]

    def claims(self, ids: IntArray) -> IntArray:
        """Claimed completion slots of plans."""
        return self._claim[ids]

    def values(self, ids: IntArray) -> FloatArray:
        """Values of plans."""
        return self._value[ids]

    def entries(self, ids: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """All entries of these plans: (position in `ids`, code, count)."""
        ids = np.asarray(ids, dtype=np.int64)
        sizes = self._start[ids + 1] - self._start[ids]
        ends = np.cumsum(sizes)
        owner = np.repeat(np.arange(len(ids)), sizes)
        total = int(ends[-1]) if len(ids) else 0
        at = np.arange(total) + np.repeat(self._start[ids] - (ends - sizes), sizes)
        return owner, self._code[at], self._count[at]


def _doubled(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, np.zeros_like(array)])
