"""`dmlopt check`: recompute everything that a result states; exit 1 if anything does not hold."""

from __future__ import annotations

import argparse
from typing import Any

from rich.text import Text

from dmlopt.checking import CLAIMED, FAILS, HOLDS, CheckReport, check
from dmlopt.cli.common import FINE, NOT_VERIFIED, STDIN, console, emit, read_problem, read_result
from dmlopt.errors import InputError
from dmlopt.report.tables import plain_table
from dmlopt.strict_json import compact

EXAMPLES = """\
examples:
  dmlopt check jobs.json result.json
  dmlopt solve jobs.json --method exact --json | dmlopt check jobs.json - --json

Checked: that the result belongs to the instance and was not changed, feasibility and objective of the
solution, the certificate and the bound it proves, and that the status follows from these.
"""
STYLES = {HOLDS: "green", FAILS: "bold red", CLAIMED: "yellow"}


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt check`."""
    parser = commands.add_parser(
        "check",
        help="recompute everything that a result states",
        description="Check a result against its instance, trusting neither the solver nor the file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="instance file; - is stdin")
    parser.add_argument("result", metavar="RESULT", help="result, solution or certificate file; - is stdin")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Check and print a line per statement."""
    if arguments.file == STDIN and arguments.result == STDIN:
        raise InputError("only one of FILE and RESULT can be stdin")
    problem = read_problem(arguments.file)
    report = check(problem, read_result(arguments.result))
    if arguments.json:
        emit(compact(_as_json(report)) + "\n")
    else:
        _print(report)
    return FINE if report.ok else NOT_VERIFIED


def _as_json(report: CheckReport) -> dict[str, Any]:
    lines = [{"name": each.name, "outcome": each.outcome, "message": each.message} for each in report.lines]
    return {"verified": report.ok, "failed": report.failed(), "checks": lines}


def _print(report: CheckReport) -> None:
    rows = [
        (Text(each.outcome, style=STYLES[each.outcome]), each.name, each.message) for each in report.lines
    ]
    out = console()
    out.print(plain_table(("outcome", "statement", "what was found"), rows))
    if report.ok:
        out.print("[green]verified[/]")
    else:
        out.print(f"[bold red]not verified[/]: {', '.join(report.failed())}")
