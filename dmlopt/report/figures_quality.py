"""Figures of how good the answers are: boxes of gaps, stacked outcomes, who beats whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.batch.row import CRASH, ERROR, FAILED_CHECK, MEMORY_OUT, NOT_APPLICABLE, TIME_OUT
from dmlopt.compare import BOUND, CLAIMED, FEASIBLE, NO_ANSWER, PROVEN
from dmlopt.report.canvas import COLOURS, GREY, below, finish, name_rows, new_figure, plain, row_height
from dmlopt.report.canvas import say_nothing_to_show as say_nothing
from dmlopt.report.means import quantile
from dmlopt.report.measured import Measured, instance_of
from dmlopt.report.selection import methods_of
from dmlopt.report.settings import Settings
from dmlopt.report.summary import plural
from dmlopt.report.tables_quality import ENDINGS, ending
from dmlopt.report.wins import win_tie_loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLOSED = 1e-9  # gaps at or below it are closed
MOST_DOTS = 60  # of more runs than that, only those beyond the whiskers are drawn
# Light to dark as well as coloured, and hatched where something went wrong: readable in grey.
ENDING_STYLES = {
    PROVEN: ("#009E73", ""),
    CLAIMED: ("#56B4E9", ""),
    FEASIBLE: ("#BFD9EA", ""),
    BOUND: ("#E8E1C4", ""),
    NO_ANSWER: ("#EEEEEE", ""),
    NOT_APPLICABLE: ("#FFFFFF", "..."),
    FAILED_CHECK: ("#D55E00", "xxx"),
    ERROR: ("#CC79A7", "///"),
    CRASH: ("#999999", "\\\\\\"),
    TIME_OUT: ("#E69F00", "---"),
    MEMORY_OUT: ("#777777", "|||"),
}


def gap_boxes(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """Boxes of the gap by method, logarithmic: quartiles, whiskers from 5 to 95 %, runs as dots, the mean a diamond."""
    methods = methods_of(rows)
    found = {
        name: [each.gap for each in rows if each.row.method == name and each.gap is not None]
        for name in methods
    }
    figure, axes = new_figure(9.0, row_height(len(methods)))
    axes.set_title(f"Gap to the best certified bound, {_instances(rows)}", loc="left", fontsize=11)
    gaps = [gap for own in found.values() for gap in own]
    if not gaps:
        say_nothing(axes, "no run has a gap: no certified bound, or no solution")
        return finish(figure, path)
    opened = [gap for gap in gaps if gap > CLOSED]
    left = 10.0 ** math.floor(math.log10(min(opened, default=1e-3)) - 1e-9)
    edge = left / 10**0.5  # where closed gaps are drawn
    axes.set_xscale("log")
    right = max([10 * left, *(1.6 * gap for gap in opened)])
    axes.set_xlim(left / 10, right)
    closed = len(opened) < len(gaps)
    if closed:
        axes.axvspan(left / 10, left, color="#eef3ee", zorder=0)
    else:
        axes.set_xlim(left=left)
    for place, own in enumerate(found.values()):
        shown = [gap if gap > CLOSED else edge for gap in own]
        _box(axes, place, shown, sum(own) / len(own) if own else None, edge)
        text = f"n = {len(own)}" if own else "no gap"
        axes.annotate(
            text,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=GREY,
            fontsize=9,
            annotation_clip=False,
        )
    name_rows(axes, methods)
    _percent_ticks(axes, left, edge if closed else None)
    axes.set_xlabel("gap (logarithmic)")
    return finish(figure, path)


def _box(axes: Axes, place: int, gaps: list[float], mean: float | None, edge: float) -> None:
    if not gaps or mean is None:
        return
    colour = COLOURS[place % len(COLOURS)]
    if len(gaps) >= 5:
        drawn = axes.boxplot(
            [gaps],
            positions=[place],
            orientation="horizontal",
            whis=(5, 95),
            widths=0.6,
            patch_artist=True,
            showfliers=False,
            manage_ticks=False,
            medianprops={"color": "black", "linewidth": 1.6},
        )
        drawn["boxes"][0].set(facecolor=colour, alpha=0.45)
    if len(gaps) > MOST_DOTS:
        low, high = quantile(gaps, 0.05) or 0.0, quantile(gaps, 0.95) or 0.0
        gaps = [gap for gap in gaps if not low <= gap <= high]
    steps = [0.0] if len(gaps) == 1 else [0.36 * (k % 5) / 4 - 0.18 for k in range(len(gaps))]
    axes.plot(gaps, [place + step for step in steps], ".", color=colour, markersize=4, alpha=0.8, zorder=3)
    axes.plot(max(mean, edge), place, "D", color="white", markeredgecolor="black", markersize=5, zorder=4)


def _percent_ticks(axes: Axes, left: float, edge: float | None) -> None:
    """Per cent from `left` on; the closed gaps are drawn at `edge` and called so."""
    from matplotlib.ticker import NullLocator

    right = axes.get_xlim()[1]
    powers = range(round(math.log10(left)), math.floor(math.log10(right)) + 1)
    between = (1, 2, 5) if len(powers) <= 3 else (1,)
    ticks = [scale * 10.0**power for power in powers for scale in between if scale * 10.0**power <= right]
    labels = [f"{100 * tick:g} %" for tick in ticks]
    if edge is not None:
        ticks, labels = [edge, *ticks], ["closed", *labels]
    axes.set_xticks(ticks, labels)
    axes.xaxis.set_minor_locator(NullLocator())


def outcome_bars(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """How the runs of every method ended, as shares that add up to one."""
    methods = methods_of(rows)
    figure, axes = new_figure(9.0, row_height(len(methods)) + 0.4)
    axes.set_title(f"How the runs ended, {_instances(rows)}", loc="left", fontsize=11)
    if not rows:
        say_nothing(axes, "no runs")
        return finish(figure, path)
    ended = {name: [ending(each) for each in rows if each.row.method == name] for name in methods}
    starts = [0.0] * len(methods)
    for what in ENDINGS:
        shares = [ended[name].count(what) / len(ended[name]) for name in methods]
        if any(shares):
            colour, hatch = ENDING_STYLES[what]
            axes.barh(
                range(len(methods)),
                shares,
                left=starts,
                height=0.7,
                color=colour,
                hatch=hatch,
                edgecolor="#444444",
                linewidth=0.6,
                label=what,
            )
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
    for place, name in enumerate(methods):
        axes.annotate(
            f"n = {len(ended[name])}",
            (1.0, place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=GREY,
            fontsize=9,
            annotation_clip=False,
        )
    name_rows(axes, methods)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("share of runs")
    figure.legend(frameon=False, loc="outside right center", fontsize=9)
    return finish(figure, path)


def win_matrix(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """On how many problems the line's method has a better objective than the column's; the darker, the more often."""
    shown = [each for each in rows if each.row.kind != "bound"]
    methods = methods_of(shown)
    side = 0.45 * max(len(methods), 3)
    figure, axes = new_figure(3.2 + side, 2.2 + side)
    axes.set_title("Better than", loc="left", fontsize=11)
    if len(methods) < 2:
        say_nothing(axes, "fewer than two methods look for solutions")
        return finish(figure, path)
    scores = win_tie_loss(shown, settings.tolerance)
    for (first, second), score in scores.items():
        up, across = methods.index(first), methods.index(second)
        total = score.wins + score.ties + score.losses
        share = score.wins / total if total else 0.0
        axes.add_patch(_square(across, up, share))
        axes.text(
            across,
            up,
            str(score.wins),
            ha="center",
            va="center",
            fontsize=8,
            color="w" if share > 0.6 else "k",
        )
    name_rows(axes, methods)
    axes.set_xlim(-0.6, len(methods) - 0.4)
    axes.set_xticks(range(len(methods)), [plain(name) for name in methods], rotation=90)
    axes.grid(False)
    axes.set_aspect("equal")
    below(figure, f"Wins of the line over the column; ties within {settings.tolerance:g} (relative).")
    return finish(figure, path)


def _square(across: int, up: int, share: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (across - 0.5, up - 0.5), 1, 1, facecolor="#0072B2", alpha=0.05 + 0.9 * share, linewidth=0
    )


def _instances(rows: Sequence[Measured]) -> str:
    return plural(len({instance_of(each.row) for each in rows}), "instance")
