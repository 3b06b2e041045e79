"""The tables and figures that an experiment's rows can be shown as, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dmlopt.errors import UnknownNameError
from dmlopt.report import (
    figures_profile,
    figures_quality,
    figures_time,
    tables_detail,
    tables_quality,
    tables_rows,
    tables_time,
)
from dmlopt.report.figures import plot_gap_against_time
from dmlopt.report.measured import Measured, compare_rows
from dmlopt.report.settings import Settings
from dmlopt.report.table import Table

MakeTable = Callable[[Sequence[Measured], Settings], Table]
TABLES: dict[str, MakeTable] = {
    "rows": tables_rows.brief_rows,
    "overview": tables_quality.overview,
    "gaps": tables_quality.gaps,
    "times": tables_time.times,
    "outcomes": tables_quality.outcomes,
    "failures": tables_detail.failures,
    "wins": tables_quality.wins,
    "profile": tables_time.profile,
    "time-to-gap": tables_time.time_to_target,
    "primal-integral": tables_time.primal_integrals,
    "scaling": tables_time.scaling,
}


def table_named(name: str) -> MakeTable:
    """The function that makes a table; UnknownNameError with the nearest name."""
    if name not in TABLES:
        raise UnknownNameError("table", name, TABLES)
    return TABLES[name]


def gap_against_time(rows: Sequence[Measured], settings: Settings, path: str | None = None) -> Any:
    """Every run as a point, as `dmlopt compare` draws it."""
    return plot_gap_against_time(compare_rows(rows), path)


Draw = Callable[[Sequence[Measured], Settings, str | None], Any]
FIGURES: dict[str, Draw] = {
    "gap-against-time": gap_against_time,
    "gaps": figures_quality.gap_boxes,
    "outcomes": figures_quality.outcome_bars,
    "wins": figures_quality.win_matrix,
    "profile": figures_profile.profile_curves,
    "time-to-gap": figures_time.within_gap_curves,
    "primal-integral": figures_time.integral_bars,
    "scaling": figures_time.scaling_lines,
}


def figure_for(table: str) -> Draw:
    """The figure that shows what a table shows; tables without one of their own are shown as gap against time."""
    return FIGURES.get(table, gap_against_time)
