"""A table as data: title, typed columns, rows, notes. How it is shown is another file's matter (`render`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dmlopt.report import numbers

# What the numbers of a column are; decides how they are spelled and on which side they stand.
TEXT, COUNT, NUMBER, GAP, SECONDS, SHARE, RATIO = (
    "text",
    "count",
    "number",
    "gap",
    "seconds",
    "share",
    "ratio",
)
KINDS = (TEXT, COUNT, NUMBER, GAP, SECONDS, SHARE, RATIO)

Cell: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True)
class Column:
    """A column's heading and what stands in it."""

    name: str
    kind: str = TEXT


@dataclass(frozen=True)
class Table:
    """`name` is for files, `title` for people. Cells keep all digits, None is missing; `notes` say what was left out.

    The first `grouped` columns are the same for many lines in a row; where people read, they may be shown once.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    grouped: int = 0

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: a row of {len(row)} cells under {len(self.columns)} columns")

    @property
    def header(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.name for column in self.columns)

    def texts(self) -> list[tuple[str, ...]]:
        """The rows as people read them."""
        kinds = [column.kind for column in self.columns]
        return [tuple(spell(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in self.rows]


def spell(cell: Cell, kind: str) -> str:
    """A cell as people read it; missing is a dash."""
    if cell is None or cell == "":
        return numbers.DASH
    if isinstance(cell, str):
        return " ".join(cell.split())
    if isinstance(cell, bool):
        return str(cell).lower()
    if kind == GAP:
        return numbers.gap(cell)
    if kind == SECONDS:
        return numbers.seconds(cell)
    if kind == SHARE:
        return f"{100 * cell:.0f} %" if cell in (0, 1) else f"{100 * cell:.1f} %"
    if kind == RATIO:
        return f"{cell:,.3f}" if abs(cell) < 1e6 else numbers.number(cell, 4)
    return numbers.number(cell) if isinstance(cell, float) else f"{cell:,}" if kind == COUNT else str(cell)
