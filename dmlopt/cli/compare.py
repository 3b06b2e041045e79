"""`dmlopt compare`: methods side by side on some instances, against the best certified bound of each."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console

from dmlopt import registry
from dmlopt.cli.common import (
    BACKEND_FAILED,
    FINE,
    INTERRUPTED,
    NO_ANSWER,
    NOT_VERIFIED,
    STDIN,
    add_limits,
    console,
    emit,
    read_problem,
    say,
)
from dmlopt.compare import FAILED, FAILED_CHECK, CompareRow, Step, compare, rows_of
from dmlopt.control import Progress
from dmlopt.errors import InputError
from dmlopt.report.canvas import require_figure
from dmlopt.report.figures import plot_gap_against_time
from dmlopt.report.latex import latex_table
from dmlopt.report.progress import ProgressLine
from dmlopt.report.tables import comma_separated, comparison_table, json_rows
from dmlopt.result import Status
from dmlopt.strict_json import require_writable

EXAMPLES = """\
examples:
  dmlopt compare jobs.json --methods greedy,greedy-skip,exact
  dmlopt compare a.json b.json --methods greedy,mip-highs,exact --time-limit 30 --figure gaps.png
  dmlopt compare jobs.json --methods greedy,exact --csv > table.csv
  dmlopt generate optimus --jobs 20 | dmlopt compare - --methods all --time-limit 10

gap: distance of the objective to the best certified bound on the instance; of a row without a solution,
the distance of its bound to the best objective. marks: proven (by a recomputed certificate), claimed (a
solver's word), bound, feasible, no answer, failed check (something delivered does not hold), failed.

Exit code 1 if anything failed a check, 4 if a method failed, 3 if an instance has no answer at all.
"""
ALL = "all"


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt compare`."""
    parser = commands.add_parser(
        "compare",
        help="methods side by side, against the best certified bound",
        description="Run several methods on one or more instances; everything they answer is checked.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="instance files; - is stdin")
    parser.add_argument(
        "--methods",
        "-m",
        metavar="A,B,C",
        required=True,
        help="names, or `all`; see `dmlopt list FORMULATION`",
    )
    add_limits(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print comma-separated values, all digits")
    form.add_argument("--latex", action="store_true", help="print a LaTeX table (booktabs)")
    parser.add_argument("--figure", metavar="OUT.png", help="draw gap against time; also .pdf or .svg")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare, show, draw."""
    if arguments.files.count(STDIN) > 1:
        raise InputError("FILE: stdin can be read only once")
    if arguments.figure is not None:
        require_figure(arguments.figure)
        require_writable(arguments.figure)
    problems = [("stdin" if name == STDIN else name, read_problem(name)) for name in arguments.files]
    names = _methods(arguments.methods, [problem for _, problem in problems])
    with ProgressLine("compare", console(stderr=True)) as line:
        table = compare(
            problems,
            names,
            time_limit=arguments.time_limit,
            gap=arguments.gap,
            threads=arguments.threads,
            seed=arguments.seed,
            progress=lambda step: line.update(_sign(step)),
        )
    rows, interrupted = rows_of(table), bool(table.attrs["interrupted"])
    if arguments.json:
        emit(json_rows(rows, interrupted))
    elif arguments.csv:
        emit(comma_separated(rows))
    elif arguments.latex:
        emit(latex_table(rows))
    else:
        _print(rows, dict(problems), console())
    if arguments.figure is not None:
        plot_gap_against_time(rows, arguments.figure)
        say(f"wrote {arguments.figure}")
    return _exit_code(rows, interrupted)


def _methods(text: str, problems: Sequence[Any]) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if names == [ALL]:
        return list(
            dict.fromkeys(
                name for each in problems for name in registry.methods(registry.formulation_of(each).name)
            )
        )
    if not all(names):
        raise InputError(f"--methods: expected names separated by commas, got '{text}'")
    return names


def _sign(step: Step) -> Progress:
    """A step as one line: how far, where, and what the running method says."""
    head = f"{step.done + 1}/{step.total} {step.instance}, {step.method}"
    if step.progress is None:
        return Progress(head)
    sign = step.progress
    return Progress(f"{head}, {sign.phase}", sign.incumbent, sign.bound, sign.nodes)


def _print(rows: Sequence[CompareRow], problems: dict[str, Any], out: Console) -> None:
    for instance, group in groupby(rows, key=lambda row: row.instance):
        problem = problems.get(instance)
        about = "" if problem is None else registry.formulation_of(problem).describe(problem)
        out.print(comparison_table(f"{instance}: {about}" if about else instance, list(group)))


def _exit_code(rows: Sequence[CompareRow], interrupted: bool) -> int:
    if any(row.mark == FAILED_CHECK for row in rows):
        return NOT_VERIFIED
    if interrupted:
        return INTERRUPTED
    if any(row.mark == FAILED for row in rows):
        return BACKEND_FAILED
    answered = (Status.OPTIMAL, Status.OPTIMAL_CLAIMED, Status.FEASIBLE, Status.BOUND)
    for _, group in groupby(rows, key=lambda row: row.instance):
        if not any(row.status in answered for row in group):
            return NO_ANSWER
    return FINE
