"""Why the online algorithm loses: who gets the room, and how full the cluster is before prices say anything."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass

import numpy as np
from drawing import problem_of, run
from oasis_online import floor_name

from dmlopt.batch.store import Store
from dmlopt.files import read_solution
from dmlopt.report.measured import Measured
from dmlopt.report.table import COUNT, NUMBER, SHARE, Column, Table
from formulations.oasis.online import arrival_order
from formulations.oasis.problem import OasisProblem
from formulations.oasis.quantities import fits_in_slots, quantities
from formulations.oasis.solution import Schedules

NAME, EXPERIMENT = "oasis_admissions", "oasis_online"
WORTHLESS = 1.0  # utility below this is next to nothing: priorities go from 1 to 100


@dataclass(frozen=True)
class Admissions:
    """One online run. Densities are utility per slot of the whole worker cluster (of a job's scarcest resource), at best.

    `silent`: how full a place is before its price reaches the median density of the jobs that are worth something.
    `wasted`: share of the cluster-slots given out that went to jobs which are then worth less than `WORTHLESS`.
    `hopeless`: likewise, to jobs that are worth less than that even if they run at once as wide as they can.
    `full`: how full the scarcest worker resource was, over the slots in which a refused job could have run at its best.
    """

    admitted: float
    silent: float | None
    wasted: float | None
    hopeless: float | None
    taken_density: float | None
    refused_density: float | None
    full: float | None


def admissions(problem: OasisProblem, solution: Schedules) -> Admissions:
    """Replay a run's admissions in order of arrival."""
    derived = quantities(problem)
    total = problem.worker_places.capacity.sum(axis=0).astype(float)
    used = np.zeros((problem.horizon, problem.resource_count))
    taken, refused, full, logs = [], [], [], []
    given = wasted = hopeless = 0.0
    possible = 0
    for i in arrival_order(problem):
        job, each, schedule = problem.jobs[i], derived[i], solution.jobs[i]
        if not fits_in_slots(each):
            continue
        possible += 1
        demand = np.array(job.worker, dtype=float)
        share = float((demand[total > 0] / total[total > 0]).max())
        best = job.utility.value(each.least_slots - 1)
        density = best / (each.worker_slots * share)
        if best >= WORTHLESS:
            logs.append(np.log(best / (each.worker_slots * demand.sum())))
        if schedule is not None:
            cluster_slots = share * sum(sum(workers.values()) for workers, _ in schedule.values())
            given += cluster_slots
            if job.utility.value(max(schedule) - job.arrival) < WORTHLESS:
                wasted += cluster_slots
            if best < WORTHLESS:
                hopeless += cluster_slots
            for slot, (workers, _) in schedule.items():
                used[slot - 1] += sum(workers.values()) * demand
            taken.append(density)
        elif best >= WORTHLESS:
            window = used[job.arrival - 1 : job.arrival - 1 + each.least_slots].mean(axis=0)
            full.append(float((window[total > 0] / total[total > 0]).max()))
            refused.append(density)
    low = [each for each in problem.prices.worker_low or () if each is not None]
    high = [each for each in problem.prices.worker_high or () if each is not None]
    silent = None
    if logs and low and max(high) > min(low):
        # L is one number for all resources; U that of the resource with the largest.
        reached = (statistics.median(logs) - min(low)) / (max(high) - min(low))
        silent = float(np.clip(reached, 0.0, 1.0))
    return Admissions(
        admitted=len(taken) / possible if possible else 0.0,
        silent=silent,
        wasted=wasted / given if given else None,
        hopeless=hopeless / given if given else None,
        taken_density=_median(taken),
        refused_density=_median(refused),
        full=_median(full),
    )


def draw(rows: list[Measured], store: Store) -> Table:
    """A line per number of jobs and floor: medians over instances."""
    groups: dict[tuple[str, int, float], list[tuple[Measured, Admissions]]] = {}
    for row in rows:
        if row.row.method == "primal-dual" and row.ok and row.best_bound:
            problem = problem_of(row.row, store)
            solution = read_solution(problem, store.result(row.row.key).solution)
            at = (row.row.sweep, int(row.row.axes["jobs"]), float(row.row.axes["price_floor"]))
            groups.setdefault(at, []).append((row, admissions(problem, solution)))
    if not groups:
        raise ValueError("no run of primal-dual has a bound beside it")
    columns = (
        Column("sweep"),
        Column("jobs", COUNT),
        Column("floor of L"),
        Column("instances", COUNT),
        Column("bound / value", NUMBER),
        Column("largest", NUMBER),
        Column("2 alpha", NUMBER),
        Column("above 2 alpha", COUNT),
        Column("jobs admitted", SHARE),
        Column("prices silent until full to", SHARE),
        Column("paid of value", SHARE),
        Column("room to worthless jobs", SHARE),
        Column("worthless even at best", SHARE),
        Column("density admitted", NUMBER),
        Column("density refused", NUMBER),
        Column("full at refusal", SHARE),
    )
    body = []
    for (sweep, jobs, floor), found in sorted(groups.items()):
        # A run that admits nothing has no ratio: infinitely far.
        ratios = [row.best_bound / row.objective if row.objective else np.inf for row, _ in found]  # type: ignore[operator]
        alphas = [2 * float(row.row.statistics["alpha"]) for row, _ in found]
        own = [each for _, each in found]
        paid = [float(row.row.statistics["payments"]) / row.objective for row, _ in found if row.objective]
        body.append(
            (
                sweep,
                jobs,
                floor_name(floor),
                len(found),
                _finite(statistics.median(ratios)),
                _finite(max(ratios)),
                statistics.median(alphas),
                sum(ratio > alpha for ratio, alpha in zip(ratios, alphas, strict=True)),
                statistics.median(each.admitted for each in own),
                _median([each.silent for each in own if each.silent is not None]),
                _median(paid),
                *(
                    _median([value for each in own if (value := getattr(each, name)) is not None])
                    for name in ("wasted", "hopeless", "taken_density", "refused_density", "full")
                ),
            )
        )
    notes = (
        "Medians over instances with a bound above 0; largest: of bound / value, a dash where a run is worth 0.",
        f"Jobs: with a schedule in the empty cluster; refused, silent: those worth {WORTHLESS:g} or more at best.",
        "Density: best utility per slot of the whole worker cluster, by the job's scarcest worker resource.",
    )
    return Table(NAME, "Who gets the room online, and when prices speak", columns, tuple(body), notes)


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
