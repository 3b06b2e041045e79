"""The pattern of most tables: a line per group of rows, and below it n and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dmlopt.report.measured import Measured, instance_of
from dmlopt.report.selection import groups, spelled
from dmlopt.report.table import NUMBER, TEXT, Cell, Column, Table


def summary_table(
    name: str,
    title: str,
    rows: Sequence[Measured],
    by: Sequence[str],
    columns: Sequence[Column],
    cells: Callable[[list[Measured]], Sequence[Cell]],
    notes: Iterable[str] = (),
) -> Table:
    """A table with a line per group of `by`, filled by `cells`."""
    found = groups(rows, by)
    body = [(*map(group_cell, key), *cells(own)) for key, own in found.items()]
    heads = group_columns(by, list(found))
    return Table(name, title, (*heads, *columns), tuple(body), (counted(rows), *notes), max(0, len(by) - 1))


def group_columns(by: Sequence[str], keys: Sequence[Sequence[Any]]) -> list[Column]:
    """The columns of the groups; those whose values are all numbers stand on the right."""
    kinds = [
        NUMBER if keys and all(isinstance(key[place], int | float) for key in keys) else TEXT
        for place in range(len(by))
    ]
    return [Column(name, kind) for name, kind in zip(by, kinds, strict=True)]


def group_cell(value: Any) -> Cell:
    """A group's value as a cell."""
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return value
    return spelled(value)


def counted(rows: Sequence[Measured]) -> str:
    """The note that says n."""
    instances = len({instance_of(each.row) for each in rows})
    return f"n = {plural(len(rows), 'run')} on {plural(instances, 'instance')}."


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def left_out(count: int, total: int, why: str) -> list[str]:
    """The note that says how many were left out; nothing if none was."""
    return [f"{count:,} of {total:,} {why}."] if count else []


def seeds_per_instance(rows: Iterable[Measured]) -> int:
    """The most seeds that methods were run with on one instance; every instance may have seeds of its own."""
    found: dict[tuple[str, str], set[int]] = {}
    for each in rows:
        found.setdefault(instance_of(each.row), set()).add(each.row.seed)
    return max(map(len, found.values()), default=0)
