"""Figures of how fast the answers come: share within a gap over time, primal integral, scaling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.report.canvas import (
    COLOURS,
    GREY,
    below,
    finish,
    inner_markers,
    line_style,
    log_ticks,
    name_rows,
    new_figure,
    new_panels,
    plain,
    row_height,
)
from dmlopt.report.canvas import say_nothing_to_show as say_nothing
from dmlopt.report.growth import growth
from dmlopt.report.integrals import integral_of, longest_runs
from dmlopt.report.means import mean, quantile
from dmlopt.report.measured import Measured
from dmlopt.report.selection import methods_of
from dmlopt.report.settings import Settings
from dmlopt.report.summary import plural
from dmlopt.report.tables_time import without_bounds
from dmlopt.report.traces import AGAINST_TEXT, time_to_gap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# -------------------------------------------------------------------- over time


def within_gap_curves(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """Share of runs within the target gap after so many seconds; a panel for the target and for a tenth of it."""
    shown = without_bounds(rows)
    methods = methods_of(shown)
    places = {name: place for place, name in enumerate(methods_of(rows))}
    targets = (settings.target, settings.target / 10) if settings.target > 0 else (0.0,)
    figure, panels = new_panels(3.6 + 4.0 * len(targets), 4.6, len(targets))
    times = {
        (name, target): [
            time_to_gap(each, target, settings.against) for each in shown if each.row.method == name
        ]
        for name in methods
        for target in targets
    }
    moments = [each for own in times.values() for each in own if math.isfinite(each)]
    limits = [each.row.time_limit for each in shown if each.row.time_limit is not None]
    for axes, target in zip(panels, targets, strict=True):
        axes.set_title(f"within {100 * target:g} %", loc="left", fontsize=11)
        if not moments:
            say_nothing(axes, "no run comes within the gap")
            continue
        left, right = max(min(moments), 1e-5) / 1.3, max([*moments, *limits]) * 1.05
        for name in methods:
            own = times[name, target]
            reached = sorted(max(each, 1e-5) for each in own if math.isfinite(each))
            if not reached:
                continue
            points = [(left, 0.0), *((each, (k + 1) / len(own)) for k, each in enumerate(reached))]
            points.append((right, len(reached) / len(own)))
            across, upwards = zip(*points, strict=True)
            marked = inner_markers(len(points))
            axes.plot(
                across,
                upwards,
                drawstyle="steps-post",
                label=plain(name),
                markevery=marked,
                **line_style(places[name]),
            )
        axes.set_xscale("log")
        axes.set_xlim(left, right)
        axes.set_ylim(-0.02, 1.03)
        axes.set_xlabel("seconds")
        log_ticks(axes.xaxis)
    if moments:
        panels[0].set_ylabel("share of runs")
        _one_legend(figure, panels)
    never = [
        name for name in methods if not any(math.isfinite(each) for t in targets for each in times[name, t])
    ]
    text = f"Gap {AGAINST_TEXT[settings.against]}."
    below(figure, text + (f" Never: {', '.join(never)}." if moments and never else ""))
    return finish(figure, path)


def _one_legend(figure: Any, panels: Sequence[Axes]) -> None:
    found: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(found.values(), found.keys(), frameon=False, loc="outside right center", fontsize=9)


def integral_bars(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """Mean primal integral by method as a bar; the line reaches from the first to the third quartile."""
    shown = without_bounds(rows)
    methods = methods_of(shown)
    places = {name: place for place, name in enumerate(methods_of(rows))}
    longest = longest_runs(shown)
    found = {
        name: [integral_of(each, longest) for each in shown if each.row.method == name] for name in methods
    }
    values = {name: [each for each in own if each is not None] for name, own in found.items()}
    figure, axes = new_figure(8.0, row_height(len(methods)))
    axes.set_title("Primal integral: 0 is the best value at once", loc="left", fontsize=11)
    if not any(values.values()):
        say_nothing(axes, "no instance has a checked solution")
        return finish(figure, path)
    for place, name in enumerate(methods):
        own = values[name]
        height = mean(own)
        if height is None:
            axes.text(0.0, place, "  not applicable", va="center", color=GREY, fontsize=9)
            continue
        axes.barh(place, height, height=0.62, color=COLOURS[places[name] % len(COLOURS)], alpha=0.55)
        low, high = quantile(own, 0.25) or 0.0, quantile(own, 0.75) or 0.0
        axes.plot([low, high], [place, place], color="black", linewidth=1.4, marker="|", markersize=7)
        axes.annotate(
            f"{height:.3f}",
            (max(height, high), place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=GREY,
        )
    name_rows(axes, methods)
    axes.set_xlim(0.0, 1.12 * max(axes.get_xlim()[1], 1e-3))
    axes.set_xlabel("mean primal gap over the time limit, against the best known value")
    return finish(figure, path)


# -------------------------------------------------------------------- growth


def scaling_lines(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """Seconds against the size, both logarithmic, with the fitted lines; slopes and their intervals in the legend."""
    axis = settings.size_axis(rows)
    found = growth(rows, ("method",), axis)
    figure, axes = new_figure(9.5, 5.0)
    axes.set_title(f"Growth of time with {axis}" if axis else "Growth of time", loc="left", fontsize=11)
    drawn = [(place, each) for place, each in enumerate(found.groups) if each.sizes]
    if not drawn:
        why = "no numeric axis takes two values" if axis is None else "no run ended on its own"
        say_nothing(axes, why)
        return finish(figure, path)
    for place, each in drawn:
        style, fit = line_style(place), each.fit
        label = str(each.key[0])
        axes.plot(each.sizes, each.seconds, **{**style, "linestyle": "none"}, alpha=0.8)
        if fit is not None:
            ends = (min(each.sizes), max(each.sizes))
            axes.plot(ends, [fit.at(end) for end in ends], **{**style, "marker": "none"})
            label += f": {fit.slope:.2f}"
            label += "" if fit.low is None else f" [{fit.low:.2f}, {fit.high:.2f}]"
        axes.plot([], [], **style, label=plain(label))
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted({size for _, each in drawn for size in each.sizes})
    if len(sizes) <= 8:
        axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
        axes.set_xticks([], minor=True)
    if len(sizes) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)
    log_ticks(axes.yaxis)
    axes.set_xlabel(plain(str(axis)))
    axes.set_ylabel("seconds, building and checking included")
    legend = axes.legend(
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        fontsize=9,
        handlelength=3.0,
        title="slope [95 % interval]",
    )
    legend.set_alignment("left")
    left = found.failed + found.stopped
    below(figure, f"{plural(left, 'run')} failed or stopped at a limit, left out." if left else "")
    return finish(figure, path)
