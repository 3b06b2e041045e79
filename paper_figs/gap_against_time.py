"""Every run of the main comparison as a point: gap to the best certified bound against time."""

from __future__ import annotations

import sys

from drawing import run
from matplotlib.figure import Figure

from dmlopt.compare import NOT_APPLICABLE
from dmlopt.report.figures import plot_gap_against_time
from dmlopt.report.measured import Measured, compare_rows

NAME, EXPERIMENT = "gap_against_time", "main"


def draw(rows: list[Measured]) -> Figure:
    """All runs; a method that is not for an instance has no place here."""
    figure: Figure = plot_gap_against_time([row for row in compare_rows(rows) if row.mark != NOT_APPLICABLE])
    return figure


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
