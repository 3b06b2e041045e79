"""How a search tells fractional schedules of one job apart: which box cut separates them best."""

from __future__ import annotations

from typing import Any

import numpy as np

from dmlopt.packing import FloatArray, IntArray
from formulations.oasis.arena import Arena
from formulations.oasis.rows import Rows


def separating_cut(arena: Arena, rows: Rows, ids: IntArray, weights: FloatArray) -> dict[str, Any] | None:
    """A cut at the weighted mean of the quantity in which these plans differ; None when they are all alike.

    Completion first, because it decides the value; then workers in the slot, then tasks on the place and slot, with the
    largest weighted variance.
    """
    if len(ids) < 2:
        return None
    weights = np.maximum(np.asarray(weights, dtype=np.float64), 1e-12)
    weights = weights / weights.sum()
    claims = arena.claims(ids)
    if claims.min() < claims.max():
        return {"completion": _middle(claims, weights)}
    owner, codes, counts = arena.entries(ids)
    slot, place = np.divmod(codes, rows.place_count)
    worker = place < rows.worker_places
    found = _most_varied(owner[worker], slot[worker], counts[worker], weights)
    if found is not None:
        return {"slot": found[0] + 1, "workers": found[1]}
    found = _most_varied(owner, codes, counts, weights)
    if found is not None:
        t, at = divmod(found[0], rows.place_count)
        return {"slot": t + 1, "place": at, "tasks": found[1]}
    return None


def _middle(amounts: IntArray, weights: FloatArray) -> int:
    """The weighted mean, rounded so that some plan lies on either side of it."""
    mean = int(np.floor(float(amounts @ weights) + 1e-9))
    return int(min(max(mean, amounts.min()), amounts.max() - 1))


def _most_varied(
    owner: IntArray, key: IntArray, counts: IntArray, weights: FloatArray
) -> tuple[int, int] | None:
    """The key whose counts vary most over the plans, and their middle."""
    keys, column = np.unique(key, return_inverse=True)
    table = np.zeros((len(weights), len(keys)), dtype=np.int64)
    np.add.at(table, (owner, column), counts)
    mean = weights @ table
    spread = weights @ (table - mean) ** 2
    spread[table.min(axis=0) == table.max(axis=0)] = 0.0
    if not len(keys) or not spread.max() > 0:
        return None
    best = int(np.argmax(spread))
    return int(keys[best]), _middle(table[:, best], weights)
