"""Time against jobs and against resources, with log-log slopes, and peak memory."""

from __future__ import annotations

import sys
from typing import Any

from drawing import new_figure, run
from matplotlib.figure import Figure

from dmlopt.report.canvas import COLOURS, MARKERS
from dmlopt.report.fits import loglog_fit
from dmlopt.report.measured import Measured

NAME, EXPERIMENT = "scaling", "scaling"
SERIES = {"jobs": "jobs", "resources": "resources", "tasks": "jobs"}  # sweep -> the axis that grows in it


def draw(rows: list[Measured]) -> Figure:
    """Four panels: time by jobs, memory by jobs, time by resources, the greedy rule at the paper's sizes."""
    figure, (by_jobs, memory, by_resources, by_tasks) = new_figure(15.0, 3.8, 4)
    panels = {"jobs": by_jobs, "resources": by_resources, "tasks": by_tasks}
    done = [row for row in rows if row.ok]
    for place, method in enumerate(dict.fromkeys(row.row.method for row in done)):
        style: dict[str, Any] = {"color": COLOURS[place], "marker": MARKERS[place], "markersize": 5}
        for sweep, axes in panels.items():
            points = _points(done, sweep, method)
            if not points:
                continue
            sizes, seconds, megabytes = (list(each) for each in zip(*points, strict=True))
            fit = loglog_fit(sizes, seconds)
            label = method if fit is None else f"{method}, slope {fit.slope:.2f}"
            line = "none" if sweep == "tasks" else "-"
            axes.plot(sizes, seconds, label=label, linestyle=line, linewidth=1.6, **style)
            if sweep == "jobs":
                memory.plot(sizes, [each / 1000 for each in megabytes], label=method, linewidth=1.6, **style)
    titles = ("Time by jobs", "Peak memory by jobs", "Time by resources", "Time of the greedy rule")
    across = ("jobs", "jobs", "resources", "jobs")
    for axes, title, name in zip((by_jobs, memory, by_resources, by_tasks), titles, across, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(title, loc="left", fontsize=11)
        axes.set_xlabel(name)
        axes.set_ylabel("GB" if axes is memory else "seconds, all included")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, fontsize=9)
    for sweep, axes in panels.items():
        if sweep != "jobs":
            sizes = sorted({row.row.axes[SERIES[sweep]] for row in done if row.row.sweep == sweep})
            axes.set_xticks(sizes, [f"{each:,}" for each in sizes])
            axes.set_xticks([], minor=True)
    return figure


def _points(rows: list[Measured], sweep: str, method: str) -> list[tuple[float, float, float]]:
    """(size, seconds, peak megabytes), by size."""
    own = [row for row in rows if (row.row.sweep, row.row.method) == (sweep, method)]
    axis = SERIES[sweep]
    return sorted((float(row.row.axes[axis]), row.seconds, row.row.peak_megabytes or 0.0) for row in own)


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
