"""Figures. matplotlib is imported late and used without pyplot, so that nothing global changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.report.tables import Row
from dmlopt.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito: distinguishable with every common colour-vision deficiency.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
FLOOR = 1e-9  # gaps at or below it are drawn on the line "proved"


def _new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


def _finish(figure: Figure, path: str | None) -> Figure:
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure


# -------------------------------------------------------------------- one run over time


def plot_trace(result: Result, path: str | None = None) -> Any:
    """Incumbent and bound over time; the space between them is what is not yet known."""
    figure, axes = _new_figure(7.0, 4.0)
    end = max([result.seconds["total"], *(point.seconds for point in result.trace)])
    incumbents = [(point.seconds, point.incumbent) for point in result.trace if point.incumbent is not None]
    bounds = [(point.seconds, point.bound) for point in result.trace if point.bound is not None]
    # The last word is the checked one.
    if result.objective is not None:
        incumbents.append((end, result.objective))
    if result.bound is not None:
        bounds.append((end, result.bound))
    for points, name, colour, marker in (
        (incumbents, "incumbent", COLOURS[0], "o"),
        (bounds, "bound", COLOURS[1], "s"),
    ):
        if points:
            times, values = zip(*_steps(points, end), strict=True)
            axes.step(times, values, where="post", color=colour, linewidth=1.8, label=name)
            shown = points if len(points) <= 40 else [points[0], points[-1]]
            axes.plot(*zip(*shown, strict=True), marker, color=colour, markersize=4)
    if incumbents or bounds:
        axes.legend(frameon=False)
    else:
        axes.text(
            0.5, 0.5, "no solution and no bound", transform=axes.transAxes, ha="center", color="#666666"
        )
    axes.set_xlim(left=0.0)
    axes.set_xlabel("seconds")
    axes.set_ylabel(f"objective ({'minimise' if result.sense == 'min' else 'maximise'})")
    axes.set_title(f"{result.formulation}, {result.method}: {result.status}", loc="left", fontsize=11)
    return _finish(figure, path)


def _steps(points: list[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Points in time order, the last value held until the end of the run."""
    ordered = sorted(points, key=lambda point: point[0])
    return [*ordered, (end, ordered[-1][1])]


# -------------------------------------------------------------------- many methods


def plot_gap_against_time(rows: Sequence[Row], path: str | None = None) -> Any:
    """Every run as a point: seconds across, gap to the best certified bound upwards, both logarithmic."""
    figure, axes = _new_figure(8.0, 5.0)
    drawn = [row for row in rows if row.gap is not None and row.seconds is not None]
    for position, name in enumerate(dict.fromkeys(row.method for row in drawn)):
        own = [row for row in drawn if row.method == name]
        axes.scatter(
            [max(row.seconds or 0.0, 1e-4) for row in own],
            [max(row.gap or 0.0, FLOOR) for row in own],
            s=46,
            marker=MARKERS[(position + position // len(COLOURS)) % len(MARKERS)],
            color=COLOURS[position % len(COLOURS)],
            edgecolors="white",
            linewidths=0.6,
            label=f"{name} ({own[0].kind})",
            zorder=3,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=FLOOR / 3)
    axes.axhline(FLOOR, color="#555555", linewidth=1.0, linestyle="--", zorder=1)
    axes.annotate(
        "proved",
        (1.0, FLOOR),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 4),
        textcoords="offset points",
        ha="right",
        color="#555555",
    )
    axes.set_xlabel("seconds, building and checking included")
    axes.set_ylabel("relative gap to the best certified bound")
    axes.set_title("How far from proven, and how fast", loc="left", fontsize=11)
    if drawn:
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _finish(figure, path)
