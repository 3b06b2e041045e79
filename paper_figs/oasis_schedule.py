"""One admitted job's elastic schedule, and what the whole cluster does meanwhile."""

from __future__ import annotations

import sys

import numpy as np
from drawing import new_figure, problem_of, run
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from oasis_online import is_online

from dmlopt.batch.store import Store
from dmlopt.packing import FloatArray
from dmlopt.report.canvas import COLOURS, LINES
from dmlopt.report.measured import Measured
from formulations.oasis.problem import OasisProblem
from formulations.oasis.solution import JobSchedule, Schedules

NAME, EXPERIMENT = "oasis_schedule", "oasis_online"


def draw(rows: list[Measured], store: Store) -> Figure:
    """Left: workers and ps per slot of the most elastic job. Right: used share of every worker resource per slot.

    Of the online runs with the most jobs, the job with the most different numbers of workers, then the longest.
    """
    online = [row for row in rows if is_online(row) and row.objective]
    if not online:
        raise ValueError("no run of primal-dual admitted a job")
    jobs = max(row.row.axes["jobs"] for row in online)
    candidates = []
    for row in online:
        if row.row.axes["jobs"] == jobs:
            stored = store.result(row.row.key).solution
            found = Schedules.from_json(stored.data, jobs)
            candidates += [(_elasticity(found.jobs[i]), -i, row.row.key, row, found) for i in found.admitted]
    _, negative, _, best, solution = max(candidates, key=lambda each: each[:3])
    job = -negative
    problem = problem_of(best.row, store)
    figure, (left, right) = new_figure(12.0, 4.0, 2)
    workers, ps = (_tasks(solution.jobs[job], side) for side in (0, 1))
    slots = range(min(workers), max(workers) + 1)
    for place, (name, counts) in enumerate((("workers", workers), ("parameter servers", ps))):
        across = [slot + (place - 0.5) * 0.4 for slot in slots]
        left.bar(across, [counts.get(slot, 0) for slot in slots], 0.4, color=COLOURS[place], label=name)
    arrival = problem.jobs[job].arrival
    left.axvline(arrival - 0.5, color="#555555", linestyle=":", linewidth=1.2, label="arrival")
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.yaxis.set_major_locator(MaxNLocator(integer=True))
    left.set_ylabel("tasks")
    left.set_title(f"Job {job + 1} of {problem.job_count}", loc="left", fontsize=11)
    used = worker_use(problem, solution)
    total = problem.worker_places.capacity.sum(axis=0)
    for r, kind in enumerate(problem.resources):
        if total[r]:
            right.step(
                range(1, problem.horizon + 1),
                100 * used[:, r] / total[r],
                where="mid",
                color=COLOURS[r % len(COLOURS)],
                linestyle=LINES[r % len(LINES)],
                linewidth=1.6,
                label=kind.name,
            )
    right.axvspan(min(slots) - 0.5, max(slots) + 0.5, color="#eeeeee", zorder=0)
    right.set_ylim(0, 104)
    right.set_ylabel("per cent of the worker servers' capacity")
    right.set_title(
        f"All {len(solution.admitted)} admitted jobs (the job on the left in grey)", loc="left", fontsize=11
    )
    for axes in (left, right):
        axes.set_xlabel("slot")
        axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def worker_use(problem: OasisProblem, solution: Schedules) -> FloatArray:
    """Amounts in use on all worker servers, by (slot, resource)."""
    used = np.zeros((problem.horizon, problem.resource_count))
    for job, schedule in zip(problem.jobs, solution.jobs, strict=True):
        for slot, count in _tasks(schedule, 0).items():
            used[slot - 1] += count * np.array(job.worker)
    return used


def _elasticity(schedule: JobSchedule | None) -> tuple[int, int]:
    """How many different numbers of workers a job has, and for how many slots it runs."""
    counts = _tasks(schedule, 0)
    return len(set(counts.values())), len(counts)


def _tasks(schedule: JobSchedule | None, side: int) -> dict[int, int]:
    """{slot: tasks}; side 0 is workers, 1 ps."""
    return {slot: sum(sides[side].values()) for slot, sides in (schedule or {}).items()}


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
