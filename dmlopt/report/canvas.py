"""What all figures share: a clean canvas, styles that can be told apart without colour, files without dates.

matplotlib is imported late and used without pyplot, so that nothing global changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dmlopt.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Okabe and Ito: distinguishable with every common colour-vision deficiency.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (9, 2)))
FIGURE_FORMATS = ("png", "pdf", "svg")
GREY = "#555555"


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure with one panel."""
    figure, panels = new_panels(width, height, 1)
    return figure, panels[0]


def new_panels(width: float, height: float, columns: int) -> tuple[Figure, list[Axes]]:
    """A figure with panels side by side that share the axis upwards."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels: list[Axes] = list(figure.subplots(1, columns, squeeze=False, sharey=True)[0])
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(True, which="major", color="#e4e4e4", linewidth=0.8)
        axes.set_axisbelow(True)
    return figure, panels


def require_figure(path: str) -> None:
    """Raise InputError unless the name ends in a format that figures can be written in."""
    ending = path.rpartition(".")[2].lower() if "." in path else ""
    if ending not in FIGURE_FORMATS:
        raise UnknownNameError("figure format", ending, FIGURE_FORMATS)


def finish(figure: Figure, path: str | None) -> Figure:
    """Write the figure if there is a path; no date and no random name in the file: equal data give equal files."""
    if path is None:
        return figure
    import matplotlib

    ending = path.rpartition(".")[2].lower()
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(ending)
    try:
        with matplotlib.rc_context({"svg.hashsalt": "dmlopt"}):
            figure.savefig(path, dpi=160, metadata=metadata)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path) from None
    return figure


def plain(text: str) -> str:
    """Text that matplotlib shows as it is, without reading formulas into it."""
    return text.replace("$", r"\$")


def point_style(position: int) -> dict[str, Any]:
    """Colour and marker of the method at a position; 56 of them differ."""
    marker = MARKERS[(position + position // len(COLOURS)) % len(MARKERS)]
    return {"color": COLOURS[position % len(COLOURS)], "marker": marker}


def line_style(position: int) -> dict[str, Any]:
    """Colour, marker and dashes of the curve at a position: neighbours differ in all three."""
    return {
        **point_style(position),
        "linestyle": LINES[position % len(LINES)],
        "linewidth": 1.6,
        "markersize": 5,
    }


def say_nothing_to_show(axes: Axes, why: str) -> None:
    """A panel without data says why it is empty."""
    axes.text(0.5, 0.5, plain(why), transform=axes.transAxes, ha="center", va="center", color=GREY)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.grid(False)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Methods down the left side, the first one on top."""
    axes.set_yticks(range(len(names)), [plain(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(False, axis="y")


def row_height(count: int) -> float:
    """The height of a figure with a line per method."""
    return 1.5 + 0.36 * max(count, 2)


def below(figure: Figure, text: str) -> None:
    """A remark under the figure, in lines that fit its width."""
    import textwrap

    if text:
        wide = int(figure.get_size_inches()[0] * 15)
        figure.supxlabel(plain(textwrap.fill(text, wide)), fontsize=8, color=GREY, x=0.01, ha="left")


def log_ticks(axis: Axis, spell: Callable[[float], str] = "{:g}".format) -> None:
    """Plain numbers on a logarithmic axis: powers of ten, and 2 and 5 between them where the range is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    short = high / low < 150
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: spell(value)))
    axis.set_minor_formatter(NullFormatter())


def inner_markers(count: int, most: int = 8) -> list[int]:
    """Which points of a curve carry a marker: at most so many, not the two ends, which lie on the frame."""
    every = max(1, (count - 2) // most + 1)
    return list(range(1, count - 1, every)) or [0]
