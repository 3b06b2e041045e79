"""How far each rule is from the certified optimum: boxes per method and cumulative shares."""

from __future__ import annotations

import sys

import numpy as np
from drawing import above_bound, new_figure, run
from matplotlib.figure import Figure

from dmlopt.report.canvas import COLOURS
from dmlopt.report.measured import Measured

NAME, EXPERIMENT = "greedy_quality", "greedy_quality"

FLOOR = 0.01  # per cent; what is closer to the bound is drawn here


def draw(rows: list[Measured]) -> Figure:
    """Left: boxes (quartiles, whiskers from 5 to 95 %, mean as a diamond). Right: share of instances within a gap."""
    heuristics = [row for row in rows if row.row.kind in ("heuristic", "online")]
    methods = list(dict.fromkeys(row.row.method for row in heuristics))
    if not methods:
        raise ValueError("no heuristic has a row")
    distances = [(row.row.method, above_bound(row)) for row in heuristics]
    gaps = [
        np.array([100 * gap for name, gap in distances if name == m and gap is not None]) for m in methods
    ]
    shown = [np.maximum(each, FLOOR) for each in gaps]
    figure, (boxes, shares) = new_figure(14.0, 4.8, 2)
    drawn = boxes.boxplot(
        shown,
        orientation="horizontal",
        whis=(5, 95),
        widths=0.6,
        patch_artist=True,
        showfliers=True,
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": "#888888", "markeredgecolor": "none"},
        medianprops={"color": "black", "linewidth": 1.4},
    )
    for place, (box, each) in enumerate(zip(drawn["boxes"], gaps, strict=True)):
        colour = COLOURS[place % len(COLOURS)]
        style = "-" if place < len(COLOURS) else "--"
        box.set(facecolor=colour, alpha=0.55)
        boxes.plot(
            max(each.mean(), FLOOR), place + 1, "D", color="white", markeredgecolor="black", markersize=5
        )
        ordered = np.sort(np.maximum(each, FLOOR))
        height = np.arange(1, len(ordered) + 1) / len(ordered)
        shares.step(
            ordered, height, where="post", color=colour, linestyle=style, linewidth=1.6, label=methods[place]
        )
    boxes.set_yticks(range(1, len(methods) + 1), methods)
    boxes.invert_yaxis()
    instances = len({row.row.instance for row in heuristics})
    for axes, title in (
        (boxes, f"Above the certified bound, {instances} instances"),
        (shares, "Share of instances within"),
    ):
        axes.set_xscale("log")
        axes.set_xlim(left=0.8 * FLOOR)
        axes.set_xlabel("per cent above the certified bound (0.01 and less at the left edge)")
        axes.set_title(title, loc="left", fontsize=11)
    shares.set_ylim(0, 1.01)
    shares.set_ylabel("share of instances")
    shares.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
