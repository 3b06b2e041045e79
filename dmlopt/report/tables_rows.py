"""The rows themselves as a table: brief for people, full for programs."""

from __future__ import annotations

from collections.abc import Sequence

from dmlopt.batch.row import NOT_APPLICABLE
from dmlopt.report.measured import Measured
from dmlopt.report.selection import axis_names, groups, spelled, value_of
from dmlopt.report.settings import Settings
from dmlopt.report.summary import counted, group_cell, seeds_per_instance
from dmlopt.report.table import COUNT, GAP, NUMBER, RATIO, SECONDS, TEXT, Column, Table
from dmlopt.report.tables_quality import GAP_NOTE, ending, without_gap


def _sorted(rows: Sequence[Measured], settings: Settings) -> list[Measured]:
    """By the columns to group by, otherwise by instance, then by method."""
    by = settings.by or ("formulation", "sweep", "instance", "method", "seed")
    return [each for own in groups(rows, by).values() for each in own]


def brief_rows(rows: Sequence[Measured], settings: Settings) -> Table:
    """A line per run that fits a terminal; columns that are the same everywhere are left out."""
    varying = ["formulation"] if len({each.row.formulation for each in rows}) > 1 else []
    varying += ["seed"] if seeds_per_instance(rows) > 1 else []
    shown = [*settings.by, *(name for name in ("instance", "method", *varying) if name not in settings.by)]
    body = []
    for each in _sorted(rows, settings):
        keys = (group_cell(value_of(each, name)) for name in shown)
        stopped = "" if each.row.limit == "none" else f", {each.row.limit}"
        seconds = None if each.outcome == NOT_APPLICABLE else each.seconds
        body.append((*keys, each.objective, each.row.bound, each.gap, seconds, ending(each) + stopped))
    columns = [Column(name) for name in shown]
    columns += [Column("objective", NUMBER), Column("bound", NUMBER), Column("gap", GAP)]
    columns += [Column("time", SECONDS), Column("ending")]
    notes = (counted(rows), *without_gap(rows), GAP_NOTE)
    return Table("rows", "Runs", tuple(columns), tuple(body), notes, max(1, len(settings.by)))


def full_rows(rows: Sequence[Measured], settings: Settings) -> Table:
    """Every column of every run, all digits; traces stay in the store."""
    axes = axis_names(rows)
    stated = {
        "experiment": TEXT,
        "formulation": TEXT,
        "sweep": TEXT,
        "instance": TEXT,
        "instance_hash": TEXT,
        "method": TEXT,
        "method_name": TEXT,
        "kind": TEXT,
        "seed": COUNT,
        "time_limit": SECONDS,
        "asked_gap": GAP,
        "threads": COUNT,
        "status": TEXT,
        "limit": TEXT,
        "sense": TEXT,
        "objective": NUMBER,
        "bound": NUMBER,
        "claimed_bound": NUMBER,
        "verified": TEXT,
        "wall_seconds": SECONDS,
        "peak_megabytes": NUMBER,
        "version": TEXT,
        "host": TEXT,
        "finished": TEXT,
        "key": TEXT,
    }
    derived = {
        "outcome": TEXT,
        "mark": TEXT,
        "message": TEXT,
        "gap": GAP,
        "own_gap": GAP,
        "best_value": NUMBER,
        "best_bound": NUMBER,
        "ratio_to_best": RATIO,
        "ratio_to_bound": RATIO,
    }
    phases = sorted({name for each in rows for name in each.row.seconds})
    columns = [Column(name, kind) for name, kind in stated.items()]
    columns += [Column(f"axes.{name}") for name in axes]
    columns += [Column("options")]
    columns += [Column(f"{name}_seconds", SECONDS) for name in phases]
    columns += [Column(name, kind) for name, kind in derived.items()]
    body = []
    for each in _sorted(rows, settings):
        row = each.row
        options = ", ".join(f"{name}={spelled(value)}" for name, value in sorted(row.options.items()))
        body.append(
            (
                *(getattr(row, name) for name in stated),
                *(group_cell(value_of(each, f"axes.{name}")) for name in axes),
                options,
                *(row.seconds.get(name) for name in phases),
                *(getattr(each, name) for name in derived),
            )
        )
    return Table("rows", "Runs", tuple(columns), tuple(body), (counted(rows), GAP_NOTE))
