"""Figures of one run over time and of methods side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.compare import FAILED, FAILED_CHECK, CompareRow
from dmlopt.report.canvas import COLOURS, finish, log_ticks, new_figure, plain, point_style
from dmlopt.report.selection import KIND_ORDER
from dmlopt.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR = 1e-9  # gaps at or below it are drawn in the band "proved"
NOTHING = 10.0  # from here on upwards is where runs without a solution and without a bound are drawn


# -------------------------------------------------------------------- one run over time


def plot_trace(result: Result, path: str | None = None) -> Any:
    """Incumbent and bound over time; the space between them is what is not yet known."""
    figure, axes = new_figure(7.0, 4.0)
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
    return finish(figure, path)


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
    figure, axes = new_figure(9.0, 5.0)
    drawn = [row for row in rows if row.seconds is not None and not _only_claims_a_bound(row)]
    names = sorted(dict.fromkeys((KIND_ORDER.get(row.kind, 9), row.kind, row.method) for row in drawn))
    for position, (_, kind, name) in enumerate(names):
        own = [row for row in drawn if row.method == name]
        share = 0.12 + 0.76 * position / max(1, len(names) - 1)
        style = point_style(position)
        axes.scatter(
            [max(row.seconds or 0.0, 1e-4) for row in own],
            [_height(row.gap, share) for row in own],
            s=90 if style["marker"] == "*" else 46,
            **style,
            edgecolors="white",
            linewidths=0.6,
            label=plain(f"{name} ({kind})"),
            zorder=3,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    if drawn:
        log_ticks(axes.xaxis)
    missing = [row for row in drawn if row.gap is None]
    unbounded = any(row.objective is not None and row.mark not in (FAILED, FAILED_CHECK) for row in missing)
    _mark_bands(axes, nothing=bool(missing), why="no answer or no bound" if unbounded else "no answer")
    axes.set_xlabel("seconds, building and checking included")
    axes.set_ylabel("relative gap to the best certified bound")
    axes.set_title("How far from proven, and how fast", loc="left", fontsize=11)
    if drawn:
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return finish(figure, path)


def _height(gap: float | None, share: float) -> float:
    """Where a gap is drawn; `share` is the method's place inside the two bands."""
    if gap is None:
        return NOTHING * 10**share
    return min(gap, 0.8 * NOTHING) if gap > FLOOR else FLOOR / 10**share


def _mark_bands(axes: Axes, nothing: bool, why: str) -> None:
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
        _label(axes, why, NOTHING, below=True)


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
