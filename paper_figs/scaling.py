"""Total time against jobs and against resources, with log-log slopes, and peak memory; from scaling.csv."""

from __future__ import annotations

import sys

from drawing import Rows, new_figure, run
from matplotlib.figure import Figure

from dmlopt.report.canvas import COLOURS, MARKERS
from dmlopt.report.numbers import loglog_slope

LIMIT_GIGABYTES = 8.0


def draw(rows: Rows) -> Figure:
    """Three panels: time by jobs, memory by jobs, time by resources."""
    figure, (by_jobs, memory, by_resources) = new_figure(12.0, 3.8, 3)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for place, method in enumerate(methods):
        style = {"color": COLOURS[place], "marker": MARKERS[place], "linewidth": 1.6, "markersize": 5}
        for series, axes in (("jobs", by_jobs), ("resources", by_resources)):
            own = [row for row in rows if (row["method"], row["series"]) == (method, series)]
            sizes, seconds = ([float(row[key]) for row in own] for key in (series, "total_seconds"))
            if len(own) > 1:
                axes.plot(
                    sizes, seconds, label=f"{method}, slope {loglog_slope(sizes, seconds):.2f}", **style
                )
            if series == "jobs" and own:
                memory.plot(sizes, [float(row["peak_gigabytes"]) for row in own], label=method, **style)
    memory.axhline(LIMIT_GIGABYTES, color="#555555", linestyle="--", linewidth=1.0)
    memory.annotate(
        "8 GB",
        (0.0, LIMIT_GIGABYTES),
        xycoords=("axes fraction", "data"),
        xytext=(4, 3),
        textcoords="offset points",
    )
    jobs = max(int(row["jobs"]) for row in rows if row["series"] == "resources")
    resources = next(row["resources"] for row in rows if row["series"] == "jobs")
    titles = (f"Time, {resources} resources", f"Peak memory, {resources} resources", f"Time, {jobs:,} jobs")
    labels = (("jobs", "seconds, all included"), ("jobs", "GB"), ("resources", "seconds, all included"))
    for axes, title, (across, up) in zip((by_jobs, memory, by_resources), titles, labels, strict=True):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(title, loc="left", fontsize=11)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, fontsize=9)
    counts = sorted({int(row["resources"]) for row in rows if row["series"] == "resources"})
    by_resources.set_xticks(counts, [str(each) for each in counts])
    by_resources.set_xticks([], minor=True)
    return figure


NEEDED = {"series", "method", "jobs", "resources", "total_seconds", "peak_gigabytes"}

if __name__ == "__main__":
    sys.exit(run("scaling", NEEDED, draw))
