"""What `dmlopt results` and `dmlopt report` share: reading an experiment's file, selecting rows, the settings."""

from __future__ import annotations

import argparse
import os

from dmlopt.cli.common import relative_gap
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.report.measured import Measured, measure
from dmlopt.report.profiles import MEASURES, PROOF
from dmlopt.report.selection import read_condition, require_columns, select, value_of
from dmlopt.report.settings import Settings, is_number
from dmlopt.report.traces import AGAINST, BEST
from dmlopt.report.wins import TOLERANCE


def add_selection(parser: argparse.ArgumentParser) -> None:
    """The file and the arguments that both commands take."""
    parser.add_argument("file", metavar="FILE.db", help="what `dmlopt run` wrote")
    parser.add_argument(
        "--where",
        metavar="NAME=PATTERN",
        action="append",
        default=[],
        help="only rows whose column or axis is like a shell pattern; also !=, and >=, <=, >, < with numbers; repeatable",
    )
    parser.add_argument(
        "--target", metavar="G", type=relative_gap, default=0.01, help="gap of time-to-gap (default 0.01)"
    )
    parser.add_argument(
        "--against",
        metavar="BOUND",
        default=BEST,
        help="that gap to the instance's best certified bound, or to the run's own: best, own (default best)",
    )
    parser.add_argument("--size", metavar="AXIS", help="axis of scaling fits (default jobs, or what varies)")
    parser.add_argument(
        "--tolerance",
        metavar="T",
        type=relative_gap,
        default=TOLERANCE,
        help="relative difference of objectives that is a tie (default 1e-6)",
    )
    parser.add_argument(
        "--certified-only", action="store_true", help="a solver's claim does not count as a proof"
    )


def read_settings(arguments: argparse.Namespace, by: str | None = None, measure_of: str = PROOF) -> Settings:
    """The settings that the arguments ask for; unknown names are answered with the nearest valid one."""
    for what, name, known in (("bound", arguments.against, AGAINST), ("measure", measure_of, MEASURES)):
        if name not in known:
            raise UnknownNameError(what, name, known)
    names = tuple(name.strip() for name in by.split(",")) if by is not None else ()
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"--group-by: expected different names separated by commas, got '{by}'")
    return Settings(
        by=names,
        target=arguments.target,
        against=arguments.against,
        measure=measure_of,
        claims=not arguments.certified_only,
        size=arguments.size,
        tolerance=arguments.tolerance,
    )


def read_measured(arguments: argparse.Namespace, settings: Settings) -> list[Measured]:
    """The rows asked for, measured against all rows of the file: bounds of methods that are not shown count."""
    conditions = [read_condition(text) for text in arguments.where]
    if not os.path.isfile(arguments.file):
        reason = "is a directory" if os.path.isdir(arguments.file) else "no such file"
        raise InputError(f"cannot be read: {reason}", arguments.file)
    from dmlopt.batch.store import read_rows

    rows = measure(read_rows(arguments.file))
    if not rows:
        raise InputError("has no finished rows", arguments.file)
    require_columns(settings.by, rows)
    if settings.size is not None:
        require_columns([settings.size], rows)
        if not any(is_number(value_of(each, settings.size)) for each in rows):
            raise InputError(f"--size: expected an axis of numbers, '{settings.size}' has none")
    shown = select(rows, conditions)
    if not shown:
        raise InputError(f"--where: none of {len(rows)} rows fulfils {' and '.join(arguments.where)}")
    return shown
