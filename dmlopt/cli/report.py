"""`dmlopt report`: everything that can be said about an experiment, as a folder of text, tables and figures."""

from __future__ import annotations

import argparse
from typing import Any

from dmlopt.cli.common import FINE, say
from dmlopt.cli.stored import add_selection, read_measured, read_settings
from dmlopt.report.book import write_report

EXAMPLES = """\
examples:
  dmlopt report study.db --out study
  dmlopt report study.db --out small --where 'jobs<=30' --target 0.001

Written: report.md, tables/*.csv and *.tex, figures/*.png and *.pdf. Equal experiments give equal files.
"""


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt report`."""
    parser = commands.add_parser(
        "report",
        help="write all tables and figures of an experiment into a folder",
        description="Write report.md, every table as CSV and LaTeX and every figure as PNG and PDF.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_selection(parser)
    parser.add_argument("--out", "-o", metavar="DIR", default="report", help="folder (default report)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, select, write."""
    settings = read_settings(arguments)
    rows = read_measured(arguments, settings)
    written = write_report(rows, settings, arguments.out)
    say(f"wrote report.md and {len(written) - 1} more files to {arguments.out}")
    return FINE
