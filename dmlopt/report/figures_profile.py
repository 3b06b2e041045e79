"""The figure of a performance profile (Dolan and More 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.report.canvas import below, finish, inner_markers, line_style, new_figure, plain
from dmlopt.report.canvas import say_nothing_to_show as say_nothing
from dmlopt.report.measured import Measured
from dmlopt.report.profiles import OBJECTIVE, Profile
from dmlopt.report.selection import methods_of
from dmlopt.report.settings import Settings
from dmlopt.report.summary import plural
from dmlopt.report.tables_time import profile_for, without_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST_FACTOR = 1e4  # what is slower than that is not drawn
SMALLEST_EXCESS = 1e-4  # objectives worse than the best by less are drawn at the left edge


def profile_curves(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """Share of problems (upwards) within a factor of the best method shown (across, logarithmic).

    Times: the factor itself. Objectives: by how many per cent worse than the best, for their factors crowd at 1.
    """
    shown = without_bounds(rows)
    methods = methods_of(shown)
    places = {name: place for place, name in enumerate(methods_of(rows))}
    profile = profile_for(shown, settings)
    figure, axes = new_figure(9.0, 4.8)
    what = profile.what.partition(",")[0]
    axes.set_title(f"Profile of the {what}, {plural(profile.units, 'problem')}", loc="left", fontsize=11)
    drawn = [name for name in methods if profile.curve(name)]
    if not drawn:
        why = "no problem that every method ran on" if not profile.units else "no method solved any problem"
        say_nothing(axes, why)
    else:
        largest = max(profile.curve(name)[-1][0] for name in drawn)
        excess = settings.measure == OBJECTIVE
        left, right = (
            _excess_range(largest) if excess else (1.0, min(LARGEST_FACTOR, max(1.1, 1.15 * largest)))
        )
        for name in drawn:
            points = _points(profile, name, left, right, 1.0 if excess else 0.0)
            across, upwards = zip(*points, strict=True)
            style = line_style(places[name])
            marked = inner_markers(len(points))
            axes.plot(across, upwards, drawstyle="steps-post", label=plain(name), markevery=marked, **style)
        axes.set_xscale("log")
        axes.set_xlim(left, right)
        (_excess_ticks if excess else _factor_ticks)(axes, right)
        axes.set_ylim(-0.02, 1.03)
        axes.set_ylabel("share of problems")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9, handlelength=3.0)
    never = [name for name in methods if name not in drawn]
    remark = f"Ratios of the {profile.what}." + (f" Never: {', '.join(never)}." if drawn and never else "")
    below(figure, remark)
    return finish(figure, path)


def _points(
    profile: Profile, name: str, left: float, right: float, origin: float
) -> list[tuple[float, float]]:
    """The curve inside the frame, over tau - origin; what lies left of the frame is counted at its edge."""
    inside = [(tau - origin, share) for tau, share in profile.curve(name) if left < tau - origin <= right]
    return [(left, profile.share(name, left + origin)), *inside, (right, profile.share(name, right + origin))]


def _excess_range(largest: float) -> tuple[float, float]:
    return SMALLEST_EXCESS, max(20 * SMALLEST_EXCESS, min(LARGEST_FACTOR, 1.3 * (largest - 1.0)))


def _excess_ticks(axes: Axes, right: float) -> None:
    ticks = [10.0**power for power in range(-4, 5) if 10.0**power <= right * 1.0001]
    axes.set_xticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
    axes.set_xlabel("worse than the best method shown (0.01 % and less at the left edge)")


def _factor_ticks(axes: Axes, right: float) -> None:
    """Ticks that are read as factors: 1, 2, 5, 10, ..., near 1 in even steps."""
    from matplotlib.ticker import NullLocator

    if right > 1000:
        ticks = [10.0**power for power in range(5)]
    elif right > 12:
        ticks = [scale * 10.0**power for power in range(3) for scale in (1, 2, 5)]
    elif right >= 3:
        ticks = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]
    else:
        step = next(each for each in (0.02, 0.05, 0.1, 0.2, 0.5) if (right - 1) / each <= 8)
        ticks = [1 + step * k for k in range(9)]
    ticks = [tick for tick in ticks if tick <= right * 1.0001]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("factor to the best method shown")
