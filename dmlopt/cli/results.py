"""`dmlopt results`: the rows of an experiment, selected, grouped, as a table or a figure."""

from __future__ import annotations

import argparse
from typing import Any

from dmlopt.cli.common import FINE, console, emit, say
from dmlopt.cli.stored import add_selection, read_measured, read_settings
from dmlopt.errors import InputError
from dmlopt.report.canvas import require_figure
from dmlopt.report.catalogue import figure_for, table_named
from dmlopt.report.profiles import PROOF
from dmlopt.report.render import RENDERERS, terminal
from dmlopt.report.tables_rows import full_rows
from dmlopt.strict_json import require_writable

EXAMPLES = """\
examples:
  dmlopt results study.db
  dmlopt results study.db --where 'method=greedy*' --where 'jobs>=30' --table gaps
  dmlopt results study.db --table gaps --group-by jobs,method --latex > gaps.tex
  dmlopt results study.db --table profile --measure objective --figure profile.png
  dmlopt results study.db --csv > rows.csv

tables: rows (default), overview (default with --group-by), gaps, times, outcomes, failures, wins, profile,
time-to-gap, primal-integral, scaling. Names for --where and --group-by are the columns of the rows
(method, kind, sweep, instance, ...), the axes of the experiment (jobs, ...) and options.NAME.
"""


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt results`."""
    parser = commands.add_parser(
        "results",
        help="tables and figures of a finished or running experiment",
        description="Show what an experiment has found so far, measured against the best certified bounds.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_selection(parser)
    parser.add_argument(
        "--group-by", metavar="A,B", help="columns or axes, a line per combination (default method)"
    )
    parser.add_argument("--table", metavar="NAME", help="which table, see below")
    parser.add_argument(
        "--measure",
        metavar="M",
        default=PROOF,
        help="what a profile compares: proof (time to it), gap (time to --target), objective (default proof)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print comma-separated values, all digits")
    form.add_argument("--latex", action="store_true", help="print a LaTeX table (booktabs)")
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    form.add_argument("--json", action="store_true", help="print one JSON object, all digits")
    parser.add_argument("--figure", metavar="OUT.png", help="draw the table, by method; also .pdf or .svg")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, select, show, draw."""
    settings = read_settings(arguments, arguments.group_by, arguments.measure)
    name = arguments.table or ("rows" if arguments.group_by is None else "overview")
    make = table_named(name)
    if arguments.figure is not None:
        require_figure(arguments.figure)
        require_writable(arguments.figure)
    rows = read_measured(arguments, settings)
    if arguments.figure is not None:
        formulations = sorted({each.row.formulation for each in rows})
        if len(formulations) > 1:
            found = ", ".join(formulations)
            raise InputError(f"--figure: rows of {found}; choose one with --where formulation=NAME")
    form = next((each for each in RENDERERS if getattr(arguments, each)), None)
    if name == "rows" and form in ("csv", "json"):
        make = full_rows
    table = make(rows, settings)
    if form is None:
        console().print(terminal(table))
    else:
        emit(RENDERERS[form](table))
    if arguments.figure is not None:
        figure_for(name)(rows, settings, arguments.figure)
        say(f"wrote {arguments.figure}")
    return FINE
