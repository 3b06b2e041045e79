"""Boxes: the subsets of one job's schedules that a search branches on, and how they are cut, as JSON.

A plan is a schedule together with the completion slot it claims, which is never before its last active slot. It is worth
f at the claimed slot. So "claims at most c" and "claims at least c + 1" hold every schedule between them, without forcing
a worker into the last slot.

    {"completion": c}                     claims <= c             | claims >= c + 1
    {"slot": t, "workers": n}             y(t) <= n               | y(t) >= n + 1
    {"slot": t, "place": p, "tasks": n}   tasks on p in t <= n    | >= n + 1        p: worker places, then ps places

Each kind of limit halves the integers, so the two halves together always hold every plan of the part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from dmlopt.errors import InputError

Limits: TypeAlias = tuple[int, int]
NO_LIMIT = 2**40


@dataclass(frozen=True)
class Box:
    """Limits on the claimed completion (slots first..last), on workers per slot, and on tasks per slot and place."""

    first: int
    last: int
    workers: Mapping[int, Limits] = field(default_factory=dict)
    tasks: Mapping[tuple[int, int], Limits] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether some limits contradict each other at sight: crossed, or a task forced into a slot after the last claim."""
        every = [(self.first, self.last), *self.workers.values(), *self.tasks.values()]
        late = [low for slot, (low, _) in self.workers.items() if slot > self.last]
        late += [low for (slot, _), (low, _) in self.tasks.items() if slot > self.last]
        return any(low > high for low, high in every) or any(late)


def whole_box(arrival: int, horizon: int) -> Box:
    """Every schedule of a job."""
    return Box(arrival, horizon)


def halves(box: Box, cut: Any, slots: Limits, places: int, agent: int) -> tuple[Box, Box]:
    """The two halves of a box; `slots` is the range of slots of the job, `places` the number of places."""
    if not isinstance(cut, dict):
        raise InputError(f"cut of agent {agent}: expected an object")
    if set(cut) == {"completion"}:
        at = _whole(cut, "completion", slots[0], slots[1], agent)
        return replace(box, last=min(box.last, at)), replace(box, first=max(box.first, at + 1))
    if set(cut) == {"slot", "workers"}:
        slot = _whole(cut, "slot", *slots, agent)
        low, high = box.workers.get(slot, (0, NO_LIMIT))
        at = _whole(cut, "workers", 0, NO_LIMIT, agent)
        return (
            replace(box, workers={**box.workers, slot: (low, min(high, at))}),
            replace(box, workers={**box.workers, slot: (max(low, at + 1), high)}),
        )
    if set(cut) == {"slot", "place", "tasks"}:
        key = (_whole(cut, "slot", *slots, agent), _whole(cut, "place", 0, places - 1, agent))
        low, high = box.tasks.get(key, (0, NO_LIMIT))
        at = _whole(cut, "tasks", 0, NO_LIMIT, agent)
        return (
            replace(box, tasks={**box.tasks, key: (low, min(high, at))}),
            replace(box, tasks={**box.tasks, key: (max(low, at + 1), high)}),
        )
    raise InputError(f"cut of agent {agent}: expected completion, slot and workers, or slot, place and tasks")


def _whole(cut: dict[str, Any], name: str, least: int, most: int, agent: int) -> int:
    value = cut[name]
    if type(value) is not int or not least <= value <= most:
        raise InputError(
            f"cut of agent {agent}: {name}: expected an integer from {least} to {most}, got {value!r}"
        )
    return value
