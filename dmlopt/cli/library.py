"""`dmlopt library`: the frozen instances and the best that is known about them. List, verify, improve, make."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.text import Text

from dmlopt import registry
from dmlopt.checking import FAILS, CheckReport
from dmlopt.cli.common import (
    FINE,
    INTERRUPTED,
    NOT_VERIFIED,
    add_limits,
    console,
    emit,
    say,
    settings,
)
from dmlopt.errors import NotApplicableError
from dmlopt.library import SIZES, LibraryEntry, improve, make, read_table, select, verify
from dmlopt.library.improve import Change
from dmlopt.library.verify import strays
from dmlopt.report import numbers
from dmlopt.report.progress import ProgressLine
from dmlopt.report.tables import plain_table
from dmlopt.result import Limit, relative_gap
from dmlopt.strict_json import compact

EXAMPLES = """\
examples:
  dmlopt library list
  dmlopt library verify                                  recomputes every value and every bound
  dmlopt library improve --method exact --time-limit 60
  dmlopt compare $(dmlopt library list optimus --size small --paths) --methods greedy,exact

A value is the checker's, a bound is recomputed from a certificate; both files are in the library.
"""
NAMES = "formulations, instances or formulation/instance; none: all libraries"
NAME_WIDTH = 28


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt library` and its commands."""
    parser = commands.add_parser(
        "library",
        help="frozen instances and the best known of each",
        description="Frozen instances, with the best checked value and the best certified bound of each.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listed = _action(actions, "list", "what there is, and the best known", list_entries)
    form = listed.add_mutually_exclusive_group()
    form.add_argument("--paths", action="store_true", help="print the instance files, one per line")
    form.add_argument("--json", action="store_true", help="print one JSON object")
    verified = _action(actions, "verify", "recompute everything that the tables say", verify_entries)
    verified.add_argument("--json", action="store_true", help="print one JSON object")
    improved = _action(actions, "improve", "run a method; keep what is strictly better", improve_entries)
    improved.add_argument("--method", "-m", metavar="M", required=True, help="see `dmlopt list FORMULATION`")
    add_limits(improved)
    improved.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="an option of the method"
    )
    _action(actions, "make", "write instance files that are missing, from their recipes", make_entries)


def _action(actions: Any, name: str, text: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text.capitalize() + ".")
    if name == "make":
        parser.add_argument("names", metavar="FORMULATION", nargs="*", help="none: all libraries")
    else:
        parser.add_argument("names", metavar="NAME", nargs="*", help=NAMES)
        parser.add_argument("--size", choices=SIZES, help="only instances of this size")
    parser.set_defaults(run=run)
    return parser


# -------------------------------------------------------------------- list


def list_entries(arguments: argparse.Namespace) -> int:
    """Print the instances with the best known."""
    chosen = select(arguments.names, arguments.size)
    if arguments.paths:
        emit("".join(f"{each.path}\n" for each in chosen))
        return FINE
    if arguments.json:
        emit(compact({"format": "dmlopt-library/1", "instances": [_as_json(each) for each in chosen]}) + "\n")
        return FINE
    out = console()
    for formulation, group in groupby(chosen, key=lambda each: each.formulation):
        rows = [_cells(each) for each in group]
        header = ("name", "what it is", "best value", "certified\nbound", "gap", "method", "date")
        sense = registry.formulation(formulation).sense
        out.print(plain_table(header, rows, f"{formulation} ({sense}imise)", right="0011100"))
    return FINE


def _cells(entry: LibraryEntry) -> tuple[str, ...]:
    row = read_table(entry.folder).get(entry.name)
    if row is None:
        return (entry.name, entry.about, *[numbers.DASH] * 5)
    value = "infeasible" if row.status == "infeasible" else numbers.number(row.value)
    bound, gap = numbers.number(row.bound), numbers.gap(row.gap)
    return (entry.name, entry.about, value, bound, gap, row.methods or numbers.DASH, row.date)


def _as_json(entry: LibraryEntry) -> dict[str, Any]:
    row = read_table(entry.folder).get(entry.name)
    head = {"formulation": entry.formulation, "instance": entry.name, "about": entry.about}
    return {**head, "path": str(entry.path), **({} if row is None else asdict(row))}


# -------------------------------------------------------------------- verify


def verify_entries(arguments: argparse.Namespace) -> int:
    """Recompute, print a line per instance and one per failure."""
    chosen = select(arguments.names, arguments.size)
    reports = [(each.full_name, verify(each)) for each in chosen]
    lost = _strays(arguments.names)
    ok = not lost and all(report.ok for _, report in reports)
    if arguments.json:
        found = [
            {"instance": name, "verified": report.ok, "failed": report.failed()} for name, report in reports
        ]
        emit(compact({"verified": ok, "instances": found, "strays": lost}) + "\n")
    else:
        _print_reports(reports, lost)
    return FINE if ok else NOT_VERIFIED


def _strays(names: Sequence[str]) -> list[str]:
    """Files and rows that belong to nothing, of the libraries that are verified whole."""
    libraries = [each for each in registry.library_names() if not names or each in names]
    return [f"{each}: {text}" for each in libraries for text in strays(each, select([each]))]


def _print_reports(reports: Sequence[tuple[str, CheckReport]], lost: Sequence[str]) -> None:
    out = console()
    wrong = [
        (Text(FAILS, style="bold red"), name, line.name, line.message)
        for name, report in reports
        for line in report.lines
        if line.outcome == FAILS
    ]
    wrong += [(Text(FAILS, style="bold red"), "library", "files", text) for text in lost]
    if wrong:
        out.print(plain_table(("outcome", "instance", "statement", "what was found"), wrong))
        failed = sum(not report.ok for _, report in reports)
        out.print(f"[bold red]not verified[/]: {failed} of {len(reports)} instances")
        return
    statements = sum(len(report.lines) for _, report in reports)
    out.print(f"[green]verified[/]: {statements} statements about {len(reports)} instances, all recomputed")


# -------------------------------------------------------------------- improve and make


def improve_entries(arguments: argparse.Namespace) -> int:
    """Run the method on each instance; say what changed."""
    chosen = select(arguments.names, arguments.size)
    options = settings(arguments.set)
    for entry in chosen:  # names and options are judged before anything runs
        known = registry.find_method(entry.formulation, arguments.method)
        registry.read_options(known.options, options)
    code = FINE
    for entry in chosen:
        with ProgressLine(entry.name, console(stderr=True)) as line:
            try:
                found = improve(
                    entry,
                    arguments.method,
                    time_limit=arguments.time_limit,
                    gap=arguments.gap,
                    threads=arguments.threads,
                    seed=arguments.seed,
                    progress=line.update,
                    **options,
                )
            except NotApplicableError as error:
                emit(f"{entry.full_name:{NAME_WIDTH}} {error!s:.60}\n")
                continue
        outcome = "; ".join(map(_spelled, found.changes)) or "nothing better"
        if found.trouble:
            outcome = f"kept as it was: what {arguments.method} answers does not hold"
        spent = numbers.seconds(found.result.seconds["total"])
        emit(f"{entry.full_name:{NAME_WIDTH}} {spent:>8}  {outcome}\n")
        if found.trouble:
            code = NOT_VERIFIED
            emit(textwrap.indent(textwrap.fill(found.trouble, 96), "  ") + "\n")
        if found.result.limit is Limit.INTERRUPTED:
            return code or INTERRUPTED
    return code


def _spelled(change: Change) -> str:
    if change.new is None:
        return "proven infeasible"
    text = f"{change.what} {numbers.number(change.new)}"
    better = relative_gap(change.new, change.old)
    return f"first {text}" if better is None else f"{text}, {numbers.gap(better)} better"


def make_entries(arguments: argparse.Namespace) -> int:
    """Write what is missing."""
    for name in arguments.names or registry.library_names():
        made = make(name)
        for each in made:
            if each.written:
                say(f"wrote {each.entry.path}")
        say(f"{name}: {len(made)} instances, {sum(each.written for each in made)} written now")
    return FINE
