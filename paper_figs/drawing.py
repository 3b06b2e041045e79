"""What the scripts share: rows of a store in, PNG and PDF (or a table) out. Nothing is computed again."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import dmlopt
from dmlopt.batch.row import CellRow
from dmlopt.batch.store import Store
from dmlopt.errors import DmloptError
from dmlopt.files import instance_hash
from dmlopt.report.measured import Measured, measure
from dmlopt.report.render import comma_separated, latex, markdown
from dmlopt.report.table import Table
from dmlopt.strict_json import write

WRONG_INPUT = 2
Draw = Callable[[list[Measured]], Figure | Table] | Callable[[list[Measured], Store], Figure | Table]


def run(name: str, experiment: str, draw: Draw, argv: list[str] | None = None) -> int:
    """The command line of a script: the store of its experiment in, files called NAME out.

    `draw` takes the measured rows and, if it has a second parameter, the open store: for kept results and recipes.
    """
    parser = argparse.ArgumentParser(description=f"{name}, from the store of experiments/{experiment}.toml.")
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("out") / f"{experiment}.db",
        metavar="FILE.db",
        help="the store (default %(default)s)",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("out/figures"), metavar="DIR", help="folder (default %(default)s)"
    )
    arguments = parser.parse_args(argv)
    try:
        with Store(arguments.store, readonly=True) as store:
            rows = measure(store.rows(experiment))
            if not rows:
                raise ValueError(f"{arguments.store}: no finished cells of the experiment '{experiment}'")
            given = (rows, store)[: len(inspect.signature(draw).parameters)]
            drawn = draw(*given)
        arguments.out.mkdir(parents=True, exist_ok=True)
        written = save(drawn, arguments.out / name)
    except (OSError, ValueError, DmloptError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return WRONG_INPUT
    print(f"wrote {', '.join(written)} to {arguments.out}")
    return 0


def save(drawn: Figure | Table, path: Path) -> list[str]:
    """Write a figure as PNG and PDF, a table as Markdown, CSV and LaTeX; the names of the files."""
    if isinstance(drawn, Table):
        texts = {"md": markdown(drawn), "csv": comma_separated(drawn), "tex": latex(drawn)}
        for ending, text in texts.items():
            write(text, f"{path}.{ending}")
        return [f"{path.name}.{ending}" for ending in texts]
    for ending in ("png", "pdf"):
        # No date in the file: equal stores give equal figures.
        metadata = {"CreationDate": None} if ending == "pdf" else None
        drawn.savefig(f"{path}.{ending}", dpi=160, metadata=metadata)
    return [f"{path.name}.{ending}" for ending in ("png", "pdf")]


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


def above_bound(row: Measured) -> float | None:
    """How far above the certified bound of a minimised objective: 0.1 is 10 %."""
    ratio = row.ratio_to_bound
    return None if ratio is None else max(0.0, ratio - 1.0)


def problem_of(row: CellRow, store: Store) -> Any:
    """The instance of a row, made again from its recipe."""
    recipe = store.recipe(row.instance_hash)
    if "generator" not in recipe:
        raise ValueError(f"{row.instance}: not from a generator")
    problem = dmlopt.generate(recipe["generator"], seed=recipe["seed"], **recipe["options"])
    if instance_hash(problem) != row.instance_hash:
        raise ValueError(f"{row.instance}: the generator makes another instance today")
    return problem
