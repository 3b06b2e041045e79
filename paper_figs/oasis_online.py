"""The online algorithm's value as a share of the certified bound: by number of jobs, and by the floor of L."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import numpy as np
from drawing import new_figure, run
from matplotlib.figure import Figure

from dmlopt.report.canvas import COLOURS, MARKERS
from dmlopt.report.measured import Measured

NAME, EXPERIMENT = "oasis_online", "oasis_online"


def draw(rows: list[Measured]) -> Figure:
    """Medians with quartiles. Left: a line per price floor. Right: a line per number of jobs."""
    found: dict[tuple[int, float], list[float]] = {}
    for row in rows:
        if is_online(row) and row.objective is not None and row.best_bound:
            at = (int(row.row.axes["jobs"]), float(row.row.axes["price_floor"]))
            found.setdefault(at, []).append(row.objective / row.best_bound)
    if not found:
        raise ValueError("no run of primal-dual has a bound beside it")
    jobs, floors = sorted({at[0] for at in found}), sorted({at[1] for at in found})
    figure, (by_jobs, by_floor) = new_figure(12.0, 4.4, 2)
    for place, floor in enumerate(floors):
        _line(by_jobs, place, len(floors), floor_name(floor), [found.get((each, floor)) for each in jobs])
    for place, count in enumerate(jobs):
        _line(by_floor, place, len(jobs), f"{count} jobs", [found.get((count, each)) for each in floors])
    by_jobs.set_xticks(range(len(jobs)), [str(each) for each in jobs])
    by_jobs.set_xlabel("jobs (more jobs, more load)")
    by_floor.set_xticks(range(len(floors)), [floor_name(each) for each in floors])
    by_floor.set_xlabel("floor of L, in medians of utility per unit-slot")
    by_jobs.set_title("By load, a line per floor of L", loc="left", fontsize=11)
    by_floor.set_title("By floor of L, a line per load", loc="left", fontsize=11)
    for axes in (by_jobs, by_floor):
        axes.set_ylim(0, 1.02)
        axes.set_ylabel("online value / certified bound")
        axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def is_online(row: Measured) -> bool:
    """Whether a row is a run of the online algorithm with the safe U."""
    return (row.row.sweep, row.row.method) == ("floors", "primal-dual") and row.ok


def floor_name(floor: float) -> str:
    """A floor as people call it."""
    return "none" if floor == 0 else f"{floor:g}"


def _line(axes: object, place: int, lines: int, label: str, groups: Iterable[list[float] | None]) -> None:
    """Medians, joined, with quartiles as bars; lines stand a little beside each other so that bars do not cover."""
    points = [
        (at + (place - (lines - 1) / 2) * 0.06, *np.quantile(each, (0.25, 0.5, 0.75)))
        for at, each in enumerate(groups)
        if each
    ]
    across, low, middle, high = np.array(points).T
    axes.errorbar(  # type: ignore[attr-defined]
        across,
        middle,
        yerr=[middle - low, high - middle],
        color=COLOURS[place % len(COLOURS)],
        marker=MARKERS[place % len(MARKERS)],
        markersize=5,
        linewidth=1.6,
        elinewidth=0.9,
        label=label,
    )


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
