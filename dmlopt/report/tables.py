"""Tables of results: for the terminal (rich), Markdown and CSV, from one list of rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table
from rich.text import Text

from dmlopt.report import numbers
from dmlopt.result import Limit, Result, Status, relative_gap

STYLES: dict[str, str] = {
    Status.OPTIMAL: "green",
    Status.OPTIMAL_CLAIMED: "cyan",
    Status.BOUND: "cyan",
    Status.INFEASIBLE: "yellow",
    Status.UNKNOWN: "yellow",
    Status.ERROR: "bold red",
}
HEADER = ("method", "kind", "objective", "certified bound", "gap", "time", "status")


@dataclass(frozen=True)
class Row:
    """One method on one instance. `gap` is taken to the best certified bound that any method found there.

    For a bound method it is the distance of its bound to the best objective. `note`: why a run failed
    or was left out on purpose.
    """

    instance: str
    method: str
    kind: str
    objective: float | None
    bound: float | None
    gap: float | None
    seconds: float | None
    status: str
    note: str = ""


def compare_rows(instance: str, results: Iterable[Result]) -> list[Row]:
    """Rows for the results on one instance, measured against the best bound and the best objective."""
    known = list(results)
    usable = [each for each in known if each.status is not Status.ERROR]
    smaller = not usable or usable[0].sense == "min"
    best_bound = _pick([each.bound for each in usable], largest=smaller)
    best_value = _pick([each.objective for each in usable], largest=not smaller)
    return [_row(instance, each, best_bound, best_value) for each in known]


def _row(instance: str, result: Result, best_bound: float | None, best_value: float | None) -> Row:
    if result.status is Status.ERROR:
        gap = None
    elif result.objective is not None:
        gap = relative_gap(result.objective, best_bound)
    else:
        gap = relative_gap(best_value, result.bound)
    ended = str(result.status) + (f", {result.limit}" if result.limit is not Limit.NONE else "")
    return Row(
        instance=instance,
        method=result.method,
        kind=result.kind,
        objective=result.objective,
        bound=result.bound,
        gap=gap,
        seconds=result.seconds["total"],
        status=ended,
        note=result.message if result.status is Status.ERROR else "",
    )


def _pick(values: Sequence[float | None], largest: bool) -> float | None:
    present = [value for value in values if value is not None]
    return (max if largest else min)(present, default=None)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.method,
        row.kind,
        numbers.number(row.objective),
        numbers.number(row.bound),
        numbers.gap(row.gap),
        numbers.seconds(row.seconds),
    )


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


def comparison_table(title: str, rows: Sequence[Row]) -> Table:
    """Methods side by side on one instance; notes on runs without a result are below it."""
    header = [name.replace("certified bound", "certified\nbound") for name in HEADER]
    table = plain_table(header, (), title, right="0011110")
    for row in rows:
        style = STYLES.get(row.status.split(",")[0], "") if row.seconds is not None else "dim"
        table.add_row(*map(Text, _cells(row)), Text(row.status, style=style))
    notes = [f"{row.method}: {row.status}: {row.note}" for row in rows if row.note]
    if notes:
        table.caption = Text("\n".join(notes), style="dim")
    return table


# -------------------------------------------------------------------- files


def markdown(rows: Sequence[Row]) -> str:
    """The same table in Markdown."""
    lines = [" | ".join(HEADER), " | ".join(["---", "---", *["---:"] * 4, "---"])]
    for row in rows:
        ended = f"{row.status}: {row.note}" if row.note else row.status
        lines.append(" | ".join(cell.replace("|", "\\|") for cell in (*_cells(row), ended)))
    return "".join(f"| {line} |\n" for line in lines)


def comma_separated(rows: Iterable[Row]) -> str:
    """All rows with full precision."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ("instance", "method", "kind", "objective", "bound", "gap", "seconds", "status", "note")
    writer.writerow(names)
    for row in rows:
        values = [getattr(row, name) for name in names]
        writer.writerow(
            ["" if each is None else repr(each) if isinstance(each, float) else each for each in values]
        )
    return text.getvalue()
