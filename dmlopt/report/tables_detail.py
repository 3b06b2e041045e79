"""Two more views: mean gaps spread over the values of one axis, and every run that failed with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from dmlopt.report.means import mean
from dmlopt.report.measured import Measured
from dmlopt.report.selection import axis_names, groups, spelled
from dmlopt.report.settings import Settings
from dmlopt.report.summary import counted, group_cell, group_columns
from dmlopt.report.table import GAP, SECONDS, TEXT, Cell, Column, Table
from dmlopt.report.tables_quality import BAD_ENDINGS, GAP_NOTE, ending, without_gap

MOST_VALUES = 10  # an axis with more values is no column heading


def spread_axes(rows: Sequence[Measured]) -> list[str]:
    """The axes that take a few values, so that a table can have a column for each; repetitions are no axis to read along."""
    counts = {name: len(groups(rows, (f"axes.{name}",))) for name in axis_names(rows)}
    return [name for name, count in counts.items() if name != "repetition" and 1 < count <= MOST_VALUES]


def gaps_by(rows: Sequence[Measured], settings: Settings, axis: str) -> Table:
    """The mean gap of every method for every value of an axis."""
    by = tuple(name for name in settings.columns(rows) if name != axis)
    columns = list(groups(rows, (f"axes.{axis}",)))
    found = groups(rows, by)
    body: list[tuple[Cell, ...]] = []
    for key, own in found.items():
        here = groups(own, (f"axes.{axis}",))
        cells = [
            mean([each.gap for each in here.get(value, []) if each.gap is not None]) for value in columns
        ]
        body.append((*map(group_cell, key), *cells))
    heads = [Column("-" if value is None else spelled(value), GAP) for (value,) in columns]
    notes = (counted(rows), *without_gap(rows), GAP_NOTE)
    return Table(
        f"gaps-by-{axis}",
        f"Mean gap by {axis}",
        (*group_columns(by, list(found)), *heads),
        tuple(body),
        notes,
    )


def failures(rows: Sequence[Measured], settings: Settings) -> Table:
    """Every run that failed: a failed check, an error, a crash, out of time or of memory."""
    failed = [each for each in rows if ending(each) in BAD_ENDINGS]
    body = tuple(
        (each.row.instance, each.row.method, ending(each), each.seconds, each.message)
        for own in groups(failed, ("formulation", "sweep", "instance", "method", "seed")).values()
        for each in own
    )
    columns = (
        Column("instance", TEXT),
        Column("method", TEXT),
        Column("ending", TEXT),
        Column("time", SECONDS),
        Column("reason", TEXT),
    )
    return Table(
        "failures", "Runs that failed", columns, body, (f"{len(failed)} of {len(rows)} runs failed.",)
    )
