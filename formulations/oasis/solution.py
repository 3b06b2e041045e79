"""A solution in the paper's own terms: y_ih(t) and z_ik(t) of every admitted job.

JSON: {"jobs": [null or [[t, [[h, y], ...], [[k, z], ...]], ...], ...]}, one entry per job, null where it is rejected. h
and k count servers, or classes of servers in the pooled view, from 0; slots count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dmlopt.errors import InputError
from dmlopt.fields import Fields

Tasks: TypeAlias = Mapping[int, int]
JobSchedule: TypeAlias = Mapping[int, tuple[Tasks, Tasks]]
"""{slot: ({worker place: y}, {ps place: z})}"""
MOST = 2**40


@dataclass(frozen=True)
class Schedules:
    """`jobs[i]` is the schedule of job i, None where it is rejected (x_i = 0)."""

    jobs: tuple[JobSchedule | None, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", tuple(self.jobs))
        for index, schedule in enumerate(self.jobs):
            if schedule is not None and not _well_formed(schedule):
                raise InputError(
                    f"jobs[{index}]: expected {{slot: ({{place: workers}}, {{place: ps}})}} in whole numbers"
                )

    @property
    def admitted(self) -> list[int]:
        """The jobs that run."""
        return [index for index, schedule in enumerate(self.jobs) if schedule is not None]

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {"jobs": [None if each is None else _schedule_to_json(each) for each in self.jobs]}

    @classmethod
    def from_json(cls, data: Any, job_count: int) -> Schedules:
        """Schedules of `job_count` jobs; wrong fields are named by their path."""
        root = Fields(data)
        root.no_unknown({"jobs"})
        jobs = [_read_schedule(each) for each in root.get("jobs").items(length=job_count)]
        root.finish()
        return cls(tuple(jobs))


def _well_formed(schedule: Any) -> bool:
    def tasks(side: Any) -> bool:
        return isinstance(side, Mapping) and all(type(each) is int for item in side.items() for each in item)

    return isinstance(schedule, Mapping) and all(
        type(slot) is int and isinstance(sides, Sequence) and len(sides) == 2 and all(map(tasks, sides))
        for slot, sides in schedule.items()
    )


def _schedule_to_json(schedule: JobSchedule) -> list[Any]:
    return [
        [slot, *([[place, count] for place, count in sorted(side.items())] for side in sides)]
        for slot, sides in sorted(schedule.items())
    ]


def _read_schedule(field: Fields) -> JobSchedule | None:
    if field.is_null():
        return None
    found: dict[int, tuple[Tasks, Tasks]] = {}
    for each in field.items():
        parts = each.items(length=3)
        if len(parts) == 3:
            slot = parts[0].integer(minimum=-MOST, maximum=MOST)
            if slot in found:
                parts[0].error("expected every slot once")
            found[slot] = (_read_tasks(parts[1]), _read_tasks(parts[2]))
    return found


def _read_tasks(field: Fields) -> Tasks:
    found: dict[int, int] = {}
    for each in field.items():
        pair = [number.integer(minimum=-MOST, maximum=MOST) for number in each.items(length=2)]
        if len(pair) == 2:
            if pair[0] in found:
                each.error("expected every place once")
            found[pair[0]] = pair[1]
    return found
