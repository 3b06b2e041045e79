"""Tables of results: for the terminal (rich), Markdown, CSV and JSON, from one list of rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import fields

from rich import box
from rich.table import Table
from rich.text import Text

from dmlopt.compare import BOUND, CLAIMED, FAILED, FAILED_CHECK, NO_ANSWER, PROVEN, CompareRow
from dmlopt.report import numbers
from dmlopt.result import Limit
from dmlopt.strict_json import compact

STYLES = {
    PROVEN: "green",
    CLAIMED: "cyan",
    BOUND: "cyan",
    NO_ANSWER: "yellow",
    FAILED: "bold red",
    FAILED_CHECK: "bold red",
}
HEADER = ("method", "kind", "objective", "certified bound", "gap", "time", "mark")
COLUMNS = tuple(each.name for each in fields(CompareRow))


def cells(row: CompareRow) -> tuple[str, ...]:
    """A row as people read it, under HEADER."""
    stopped = "" if row.limit == Limit.NONE else f", {row.limit}"
    return (
        row.method,
        row.kind,
        numbers.number(row.objective),
        numbers.number(row.bound),
        numbers.gap(row.gap),
        numbers.seconds(row.seconds),
        row.mark + stopped,
    )


def notes(rows: Iterable[CompareRow]) -> list[str]:
    """A line for every row that has something to explain."""
    return [f"{row.method}: {row.mark}: {row.message}" for row in rows if row.message]


# -------------------------------------------------------------------- terminal


def plain_table(
    header: Sequence[str], rows: Iterable[Sequence[str | Text]], title: str = "", right: str = ""
) -> Table:
    """A light table; `right` names, by position ("0110"), the columns that are numbers."""
    table = Table(
        title=Text(title, style="bold") if title else None,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for position, name in enumerate(header):
        number = right[position : position + 1] == "1"
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def comparison_table(title: str, rows: Sequence[CompareRow]) -> Table:
    """Methods side by side on one instance; what has to be explained stands below it."""
    header = [name.replace("certified bound", "certified\nbound") for name in HEADER]
    table = plain_table(header, (), title, right="0011110")
    for row in rows:
        *texts, mark = cells(row)
        table.add_row(*map(Text, texts), Text(mark, style=STYLES.get(row.mark, "")))
    if notes(rows):
        table.caption = Text("\n".join(notes(rows)), style="dim")
    return table


# -------------------------------------------------------------------- files


def markdown(rows: Sequence[CompareRow]) -> str:
    """The same table in Markdown."""
    lines = [" | ".join(HEADER), " | ".join(["---", "---", *["---:"] * 4, "---"])]
    for row in rows:
        *texts, mark = cells(row)
        ended = f"{mark}: {row.message}" if row.message else mark
        spelled = [" ".join(text.split()).replace("|", "\\|") for text in (*texts, ended)]
        lines.append(" | ".join(spelled))
    return "".join(f"| {line} |\n" for line in lines)


def comma_separated(rows: Iterable[CompareRow]) -> str:
    """All columns with full precision."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = [getattr(row, name) for name in COLUMNS]
        writer.writerow(
            ["" if each is None else repr(each) if isinstance(each, float) else each for each in values]
        )
    return text.getvalue()


def json_rows(rows: Iterable[CompareRow], interrupted: bool = False) -> str:
    """All columns as one JSON object; null where there is no number."""
    found = [{name: getattr(row, name) for name in COLUMNS} for row in rows]
    return compact({"format": "dmlopt-comparison/1", "interrupted": interrupted, "rows": found}) + "\n"
