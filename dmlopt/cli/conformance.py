"""`dmlopt conformance`: does a formulation, with all its methods, do what every one must do?"""

from __future__ import annotations

import argparse
from typing import Any

from rich.text import Text

from dmlopt import registry
from dmlopt.cli.common import FINE, NOT_VERIFIED, console, seconds
from dmlopt.conformance.cases import Check, Finding
from dmlopt.conformance.suite import ALL_CHECKS
from dmlopt.conformance.suite import run as run_suite
from dmlopt.control import Progress
from dmlopt.library import SIZES
from dmlopt.report.progress import ProgressLine
from dmlopt.report.tables import plain_table

EXAMPLES = """\
examples:
  dmlopt conformance optimus
  dmlopt conformance optimus --method greedy --method exact --size small

Instances come from the formulation's library; where it has none, from its generator. The formulation may be one of
your own package, see CONTRIBUTING.md. Exit code 1 if anything was found.
"""
MOST_SHOWN = 40  # findings that are printed


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt conformance`."""
    parser = commands.add_parser(
        "conformance",
        help="test a formulation and its methods against what all must do",
        description="Files, seeds, limits, checker, certificates, options: what every formulation must do.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("formulation", metavar="FORMULATION")
    parser.add_argument(
        "--method", "-m", metavar="M", action="append", default=[], help="only this method; may be repeated"
    )
    parser.add_argument("--size", choices=SIZES, default="toy", help="library instances (default toy)")
    parser.add_argument(
        "--time-limit", metavar="S", type=seconds, default=10.0, help="seconds per run (default 10)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Make all checks, print a line for each and one for every finding."""
    registry.formulation(arguments.formulation)
    made: dict[str, tuple[Check, int, list[Finding]]] = {each.name: (each, 0, []) for each in ALL_CHECKS}
    with ProgressLine("conformance", console(stderr=True)) as line:
        pairs = run_suite(
            arguments.formulation,
            arguments.method,
            arguments.size,
            arguments.time_limit,
            lambda text: line.update(Progress(text)),
        )
        for check, found in pairs:
            _, count, findings = made[check.name]
            made[check.name] = (check, count + 1, findings + found)
    rows = [
        (check.name, check.about, str(count), _outcome(count, len(findings)))
        for check, count, findings in made.values()
    ]
    out = console()
    out.print(plain_table(("check", "what is checked", "cases", "outcome"), rows, right="0010"))
    every = [finding for _, _, findings in made.values() for finding in findings]
    shown = [(each.check, each.where, each.message) for each in every[:MOST_SHOWN]]
    if not every:
        out.print(f"[green]{arguments.formulation} conforms[/]")
        return FINE
    out.print(plain_table(("check", "where", "what was found"), shown))
    if len(every) > MOST_SHOWN:
        out.print(f"and {len(every) - MOST_SHOWN} more")
    out.print(f"[bold red]{arguments.formulation} does not conform[/]: {len(every)} findings")
    return NOT_VERIFIED


def _outcome(cases: int, found: int) -> Text:
    if not cases:
        return Text("nothing to check", style="yellow")
    return Text(f"{found} found", style="bold red") if found else Text("holds", style="green")
