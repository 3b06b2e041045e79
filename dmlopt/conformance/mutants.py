"""Changed copies of a JSON document: every number, text, element and key is a place where one thing can go wrong."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dmlopt.strict_json import canonical

Path = tuple[Any, ...]
ROOTS: tuple[Any, ...] = (None, "x", 0, [], {})


@dataclass(frozen=True)
class Mutant:
    """A changed document and what was changed."""

    what: str
    document: Any


def mutants(document: Any, most: int = 200, seed: int = 0) -> list[Mutant]:
    """Copies with one change each; where there are more than `most`, a random choice of them. None is the original."""
    original = canonical(document)
    changes = list(_changes(document))
    if len(changes) > most:
        changes = random.Random(seed).sample(changes, most)
    found = [Mutant(f"the whole becomes {root!r}", copy.deepcopy(root)) for root in ROOTS]
    for path, action, value in changes:
        whole = [copy.deepcopy(document)]
        _apply(whole, (0, *path), action, value)
        found.append(Mutant(f"{action} at {_spelled(path)}", whole[0]))
    return [each for each in found if canonical(each.document) != original]


def _changes(value: Any, path: Path = ()) -> Iterator[tuple[Path, str, Any]]:
    """All single changes, as (where, what to do, with which value)."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key), "drop", None
            yield (*path, key), "rename", None
            yield from _changes(each, (*path, key))
        yield path, "add", None
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield (*path, index), "drop", None
            yield (*path, index), "repeat", None
            if index:
                yield (*path, index), "swap", None
            yield from _changes(each, (*path, index))
    else:
        yield from ((path, f"{value!r:.20} becomes {new!r:.20}", new) for new in _others(value))


def _others(value: Any) -> list[Any]:
    """Values to put in place of one."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, 0, 2 * value, -value, str(value), None, value + 0.5, 2**60]
    if isinstance(value, float):
        return [value + 1, value - 1, 0.0, 2 * value, -value, str(value), None, value * (1 + 1e-6), 1e300]
    if isinstance(value, str):
        return [f"{value}x", "", None, 0]
    return [0, "x"]


def _apply(whole: Any, path: Path, action: str, value: Any) -> None:
    holder = whole
    for step in path[:-1]:
        holder = holder[step]
    key = path[-1]
    if action == "drop":
        del holder[key]
    elif action == "rename":
        holder[f"{key}x"] = holder.pop(key)
    elif action == "add":
        holder[key]["unknown"] = 0
    elif action == "repeat":
        holder.insert(key, copy.deepcopy(holder[key]))
    elif action == "swap":
        holder[key - 1], holder[key] = holder[key], holder[key - 1]
    else:
        holder[key] = value


def _spelled(path: Path) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path) or "the root"
