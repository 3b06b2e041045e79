"""Figures. matplotlib is imported late and used without pyplot, so that nothing global changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.compare import CompareRow
from dmlopt.errors import UnknownNameError
from dmlopt.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito: distinguishable with every common colour-vision deficiency.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
FLOOR = 1e-9  # gaps at or below it are drawn in the band "proved"
NOTHING = 10.0  # from here on upwards is where runs without a solution and without a bound are drawn
FIGURE_FORMATS = ("png", "pdf", "svg")
KIND_ORDER = {"exact": 0, "bound": 1, "heuristic": 2, "online": 3}


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


def require_figure(path: str) -> None:
    """Raise InputError unless the name ends in a format that figures can be written in."""
    ending = path.rpartition(".")[2].lower() if "." in path else ""
    if ending not in FIGURE_FORMATS:
        raise UnknownNameError("figure format", ending, FIGURE_FORMATS)


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


def _only_claims_a_bound(row: CompareRow) -> bool:
    return row.kind == "bound" and row.gap is None and row.claimed_bound is not None


def plot_gap_against_time(rows: Sequence[CompareRow], path: str | None = None) -> Any:
    """Every run as a point: seconds across, gap to the best certified bound upwards, both logarithmic.

    Closed gaps lie in the band "proved", one height per method so that they do not hide each other; runs that
    found nothing lie in the band "no answer". Bounds that are a solver's word have no certified gap and no place here.
    """
    figure, axes = _new_figure(9.0, 5.0)
    drawn = [row for row in rows if row.seconds is not None and not _only_claims_a_bound(row)]
    names = sorted(dict.fromkeys((KIND_ORDER.get(row.kind, 9), row.kind, row.method) for row in drawn))
    for position, (_, kind, name) in enumerate(names):
        own = [row for row in drawn if row.method == name]
        share = 0.12 + 0.76 * position / max(1, len(names) - 1)
        marker = MARKERS[(position + position // len(COLOURS)) % len(MARKERS)]
        axes.scatter(
            [max(row.seconds or 0.0, 1e-4) for row in own],
            [_height(row.gap, share) for row in own],
            s=90 if marker == "*" else 46,
            marker=marker,
            color=COLOURS[position % len(COLOURS)],
            edgecolors="white",
            linewidths=0.6,
            label=f"{name} ({kind})".replace("$", r"\$"),
            zorder=3,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _mark_bands(axes, nothing=any(row.gap is None for row in drawn))
    axes.set_xlabel("seconds, building and checking included")
    axes.set_ylabel("relative gap to the best certified bound")
    axes.set_title("How far from proven, and how fast", loc="left", fontsize=11)
    if drawn:
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _finish(figure, path)


def _height(gap: float | None, share: float) -> float:
    """Where a gap is drawn; `share` is the method's place inside the two bands."""
    if gap is None:
        return NOTHING * 10**share
    return min(gap, 0.8 * NOTHING) if gap > FLOOR else FLOOR / 10**share


def _mark_bands(axes: Axes, nothing: bool) -> None:
    """The band of closed gaps at the bottom, the band of runs without an answer at the top."""
    top = 10 * NOTHING if nothing else max(axes.get_ylim()[1], 10 * FLOOR)
    axes.set_ylim(FLOOR / 10, top)
    axes.axhspan(FLOOR / 10, FLOOR, color="#eef3ee", zorder=0)
    axes.axhline(FLOOR, color="#555555", linewidth=1.0, linestyle="--", zorder=1)
    highest = NOTHING if nothing else top
    exponents = range(-9, math.ceil(math.log10(highest)) + 1)
    axes.set_yticks([10.0**exponent for exponent in exponents if 10.0**exponent <= highest])
    axes.set_yticks([], minor=True)
    _label(axes, "proved", FLOOR)
    if nothing:
        axes.axhspan(NOTHING, top, color="#f6eeee", zorder=0)
        axes.axhline(NOTHING, color="#555555", linewidth=1.0, linestyle="--", zorder=1)
        _label(axes, "no answer", NOTHING, below=True)


def _label(axes: Axes, text: str, height: float, below: bool = False) -> None:
    axes.annotate(
        text,
        (1.0, height),
        xycoords=("axes fraction", "data"),
        xytext=(-4, -4 if below else 4),
        textcoords="offset points",
        ha="right",
        va="top" if below else "bottom",
        color="#555555",
    )
