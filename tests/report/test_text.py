"""Numbers, summaries, tables and the progress line."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from rich.console import Console
from toy import SHORT, SLACK, TIGHT

import dmlopt
from dmlopt.compare import CompareRow, rows_of
from dmlopt.control import Progress
from dmlopt.report import numbers
from dmlopt.report.progress import ProgressLine, progress_text
from dmlopt.report.tables import comma_separated, comparison_table, markdown
from dmlopt.result import Limit, Status

pytestmark = pytest.mark.usefixtures("toy")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0"),
        (12.5, "12.5"),
        (1234567.891, "1,234,567.9"),
        (123456789.1, "123,456,789"),
        (-3.25, "-3.25"),
        (0.00012345, "0.00012345"),
        (1e-7, "1e-07"),
        (1e20, "1e+20"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert numbers.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0, "0"), (3e-10, "3.0e-10"), (1e-15, "0"), (0.0123, "1.2 %"), (0.5, "50 %")],
)
def test_gaps(value: float | None, text: str) -> None:
    assert numbers.gap(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (5e-5, "50 us"), (0.004, "4.0 ms"), (0.5, "500 ms"), (3.0, "3.00 s"), (500.0, "500 s")],
)
def test_seconds(value: float | None, text: str) -> None:
    assert numbers.seconds(value) == text


def test_summary_of_a_proven_result() -> None:
    lines = dmlopt.solve(SLACK, "best").summary().splitlines()
    assert lines[0] == "status     optimal: proven by a certificate that was recomputed"
    assert lines[1] == "method     best (exact) on toy"
    assert lines[2:5] == ["objective  14.5 (maximise)", "bound      14.5 (certified)", "gap        0"]
    assert lines[5].startswith("time       ")
    assert lines[6] == "prices     room 0 per unit"


def test_summary_of_other_endings() -> None:
    infeasible = dmlopt.solve(SHORT, "best").summary()
    assert "because    room is short by 1" in infeasible
    result = dmlopt.solve(TIGHT, "best")
    assert "stopped at the time limit" in replace(result, limit=Limit.TIME).summary()
    claimed = replace(result, status=Status.OPTIMAL_CLAIMED, bound=None, claimed_bound=12.0).summary()
    assert "bound      12 (claimed by the solver)" in claimed
    many = replace(result, prices={f"row {k}": float(k) for k in range(20)}).summary()
    assert "and 12 more" in many
    for status in Status:
        assert replace(result, status=status).summary()
    assert all(len(line) <= 100 for line in replace(result, message="long " * 100).summary().splitlines())


def test_tables_fit_the_terminal_and_files_keep_all_digits() -> None:
    rows = rows_of(dmlopt.compare({"tight": TIGHT}, ["best", "bound"]))
    rows.append(CompareRow("tight", "mip", "exact", message="too | large"))
    out = io.StringIO()
    Console(file=out, width=100).print(comparison_table("tight", rows))
    assert max(map(len, out.getvalue().splitlines())) <= 100
    assert "mip: failed: too | large" in out.getvalue()
    assert markdown(rows).count("\n") == len(rows) + 2
    assert "too \\| large" in markdown(rows)
    read = list(csv.DictReader(io.StringIO(comma_separated(rows))))
    assert float(read[0]["gap"]) == rows[0].gap
    assert read[2]["objective"] == ""


def test_progress_line() -> None:
    text = progress_text("exact", Progress("tree", 10.0, 9.0, 40), 1.25)
    assert text == "exact: tree, best 10, bound 9, gap 10 %, 40 nodes, 1.2 s"
    assert progress_text("exact", Progress("start"), 0.0) == "exact: start, 0.0 s"
    out = io.StringIO()
    with ProgressLine("exact", Console(file=out, force_terminal=True, width=80)) as line:
        line.update(Progress("root", 10.0, 9.0))
        line.update(Progress("tree", nodes=3))
    assert "tree, best 10, bound 9" in out.getvalue()
    quiet = io.StringIO()
    with ProgressLine("exact", Console(file=quiet)) as line:
        line.update(Progress("root"))
    assert quiet.getvalue() == ""
