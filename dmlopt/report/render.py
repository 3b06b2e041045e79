"""A `Table` for the terminal, Markdown, CSV, LaTeX and JSON."""

from __future__ import annotations

import csv
import io
import math
import textwrap
from collections.abc import Callable
from typing import Any

from rich.console import Group
from rich.markup import escape as as_it_is
from rich.text import Text

from dmlopt.report.latex import escape
from dmlopt.report.table import TEXT, Cell, Table
from dmlopt.report.tables import plain_table
from dmlopt.strict_json import compact

FORMAT = "dmlopt-table/1"
HEADING = 7  # characters that a heading may take even if the column is narrower
KEPT_WHOLE = 20  # characters of a cell that the terminal does not break


def terminal(table: Table) -> Group:
    """For a rich console; the notes stand below. Headings break at spaces and hyphens, short names never."""
    right = "".join("0" if column.kind == TEXT else "1" for column in table.columns)
    texts = _once(table)
    wide = (
        [max(map(len, column)) for column in zip(*texts, strict=True)] if texts else [0] * len(table.columns)
    )
    heads = [_broken(name, max(most, HEADING)) for name, most in zip(table.header, wide, strict=True)]
    shown = plain_table([as_it_is(head) for head in heads], texts, table.title, right)
    for column, head, most in zip(shown.columns, heads, wide, strict=True):
        column.no_wrap = max(map(len, head.split("\n"))) <= most <= KEPT_WHOLE
    return Group(shown, *(Text(note, style="dim") for note in table.notes), Text(""))


def _once(table: Table) -> list[tuple[str, ...]]:
    """The texts, without what the line before says as well in the grouped columns."""
    before: tuple[str, ...] = ()
    found = []
    for row in table.texts():
        same = 0
        while same < min(table.grouped, len(before)) and row[same] == before[same]:
            same += 1
        found.append(("",) * same + row[same:])
        before = row
    return found


def _broken(heading: str, width: int) -> str:
    return "\n".join(textwrap.wrap(heading, width, break_long_words=False)) or heading


def markdown(table: Table, heading: str = "##") -> str:
    """Title, table and notes in Markdown; without a `heading` only the table and the notes."""
    lines = [f"{heading} {_marked(table.title)}\n\n"] if heading else []
    marks = ["---" if column.kind == TEXT else "---:" for column in table.columns]
    for cells in (table.header, marks, *table.texts()):
        lines.append(f"| {' | '.join(map(_marked, cells))} |\n")
    if table.notes:
        lines.append("\n" + "".join(f"- {_marked(note)}\n" for note in table.notes))
    return "".join(lines)


def _marked(text: str) -> str:
    plain = " ".join(text.split())
    for character in "\\|*_<`":
        plain = plain.replace(character, "\\" + character)
    return plain


def comma_separated(table: Table) -> str:
    """Comma-separated values with all digits; missing is empty. Title and notes are not part of it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    for row in table.rows:
        writer.writerow([_exact(cell) for cell in row])
    return text.getvalue()


def _exact(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return repr(cell) if isinstance(cell, float) else str(cell)


def latex(table: Table) -> str:
    r"""A `table` with caption, `tabular` and notes; needs `\usepackage{booktabs}` and, for ", `[T1]{fontenc}`."""
    sides = "".join("l" if column.kind == TEXT else "r" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.title)}}}",
        rf"\label{{tab:{_label(table.name)}}}",
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _line(table.header),
        r"\midrule",
        *map(_line, table.texts()),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    lines += [rf"\par\smallskip\footnotesize {escape(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    return " & ".join(map(_protected, cells)) + r" \\"


def _protected(text: str) -> str:
    """A bracket at the start of a line would be read as an option of the line break before it."""
    plain = escape(text)
    return f"{{}}{plain}" if plain.startswith("[") else plain


def _label(name: str) -> str:
    return "".join(each if each.isalnum() and each.isascii() else "-" for each in name)


def as_json(table: Table) -> str:
    """One object: format, name, title, columns with their kinds, rows, notes."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "name": table.name,
        "title": table.title,
        "columns": [{"name": column.name, "kind": column.kind} for column in table.columns],
        "rows": [[_finite(cell) for cell in row] for row in table.rows],
        "notes": list(table.notes),
    }
    return compact(data) + "\n"


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


RENDERERS: dict[str, Callable[[Table], str]] = {
    "csv": comma_separated,
    "latex": latex,
    "markdown": markdown,
    "json": as_json,
}
