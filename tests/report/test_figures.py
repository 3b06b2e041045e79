"""Figures are drawn, labelled, and leave matplotlib's global state alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from toy import TIGHT

import dmlopt
from dmlopt.compare import CompareRow
from dmlopt.report.figures import FLOOR, plot_gap_against_time, plot_trace
from dmlopt.result import TracePoint

pytestmark = pytest.mark.usefixtures("toy")
PNG = b"\x89PNG"


def test_trace(tmp_path: Path) -> None:
    result = dmlopt.solve(TIGHT, "best")
    points = (TracePoint(0.0, None, 14.5), TracePoint(0.1, 8.0, 13.0), TracePoint(0.2, 11.0, None))
    figure = replace(result, trace=points).plot(str(tmp_path / "t.png"))
    assert (tmp_path / "t.png").read_bytes().startswith(PNG)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["incumbent", "bound"]
    assert axes.get_xlabel() == "seconds"


def test_trace_of_a_run_that_found_nothing() -> None:
    empty = replace(dmlopt.solve(TIGHT, "best"), trace=(), objective=None, bound=None, solution=None)
    assert plot_trace(empty).axes[0].get_legend() is None


def test_gap_against_time(tmp_path: Path) -> None:
    rows = [
        CompareRow("a", "exact", "exact", 1.0, 1.0, gap=0.0, seconds=0.5),
        CompareRow("b", "exact", "exact", 1.0, 1.0, gap=1e-4, seconds=5.0),
        CompareRow("a", "greedy", "heuristic", 1.1, None, gap=0.1, seconds=0.01),
        CompareRow("a", "mip", "exact", None, None, gap=None, seconds=9.0),
        CompareRow("b", "mip", "exact", None, None, gap=None, seconds=None),
    ]
    axes = plot_gap_against_time(rows, str(tmp_path / "g.png")).axes[0]
    assert (tmp_path / "g.png").read_bytes().startswith(PNG)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "exact (exact)",
        "mip (exact)",
        "greedy (heuristic)",
    ]
    lowest = min(point[1] for dots in axes.collections for point in dots.get_offsets())
    assert FLOOR / 10 < lowest < FLOOR
    assert [text.get_text() for text in axes.texts] == ["proved", "no answer"]
    plot_gap_against_time([])


def test_matplotlib_is_imported_late_and_pyplot_never() -> None:
    script = (
        "import sys, dmlopt, dmlopt.cli; assert 'matplotlib' not in sys.modules;"
        "from dmlopt.report.figures import plot_gap_against_time as plot; plot([]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
