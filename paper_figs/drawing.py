"""What the figure scripts share: reading a table that an experiment wrote, a clean figure, PNG and PDF."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

Rows = list[dict[str, str]]


def read_rows(path: Path, needed: set[str]) -> Rows:
    """The rows of a CSV file; a ValueError names what it lacks."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = sorted(needed - set(reader.fieldnames or ()))
        rows = list(reader)
    if missing:
        raise ValueError(f"{path}: no column {missing[0]}")
    if not rows:
        raise ValueError(f"{path}: has no rows")
    return rows


def new_figure(width: float, height: float, columns: int) -> tuple[Figure, list[Any]]:
    """A figure with panels side by side, apart from matplotlib's global state."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = list(figure.subplots(1, columns, squeeze=False)[0])
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(True, which="major", color="#e4e4e4", linewidth=0.8)
        axes.set_axisbelow(True)
    return figure, panels


def run(name: str, needed: set[str], draw: Callable[[Rows], Figure], argv: list[str] | None = None) -> int:
    """The command line of a figure script: NAME.csv of a folder in, NAME.png and NAME.pdf beside it."""
    parser = argparse.ArgumentParser(description=f"Draw {name} from the table that its experiment wrote.")
    parser.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="folder (default out)")
    folder = parser.parse_args(argv).out
    try:
        figure = draw(read_rows(folder / f"{name}.csv", needed))
        for ending in ("png", "pdf"):
            # No date in the file: equal tables give equal figures.
            metadata = {"CreationDate": None} if ending == "pdf" else None
            figure.savefig(folder / f"{name}.{ending}", dpi=160, metadata=metadata)
    except (OSError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    print(f"wrote {name}.png and {name}.pdf to {folder}")
    return 0
