"""`dmlopt solve`: run one method on one instance, check the answer, show it, write it."""

from __future__ import annotations

import argparse
from typing import Any

from dmlopt import registry
from dmlopt.api import solve
from dmlopt.cli.common import (
    add_limits,
    console,
    emit,
    exit_code,
    read_problem,
    say,
    settings,
)
from dmlopt.errors import InputError
from dmlopt.files import encode, save
from dmlopt.report.progress import ProgressLine
from dmlopt.report.text import WIDTH, summarise
from dmlopt.strict_json import compact, require_writable

EXAMPLES = """\
examples:
  dmlopt solve jobs.json --method exact --time-limit 60 -o result.json
  dmlopt solve jobs.json --method greedy --json
  dmlopt generate optimus --jobs 50 | dmlopt solve - --method lagrangian

Ctrl-C ends the run with the best answer so far; pressed twice, it stops at once.
"""
RESERVED = ("time_limit", "gap", "threads", "seed", "start", "prices", "progress")


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt solve`."""
    parser = commands.add_parser(
        "solve",
        help="solve or bound an instance",
        description="Run a method on an instance. Everything it answers is checked from the instance data.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="instance file; - is stdin")
    parser.add_argument("--method", "-m", metavar="M", required=True, help="see `dmlopt list FORMULATION`")
    add_limits(parser)
    parser.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="an option of the method"
    )
    parser.add_argument("--json", action="store_true", help="print the whole result as one JSON object")
    parser.add_argument("-o", "--output", metavar="RESULT", help="write the result to a file; .gz compresses")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Solve, show, write."""
    options: dict[str, Any] = dict(settings(arguments.set))
    for name in RESERVED:
        if name in options:
            raise InputError(f"--set: '{name}' is not an option of a method; use --{name.replace('_', '-')}")
    to_file = arguments.output not in (None, "-")
    if to_file:
        require_writable(arguments.output)
    problem = read_problem(arguments.file)
    formulation = registry.formulation_of(problem)
    method = registry.find_method(formulation.name, arguments.method)
    registry.read_options(method.options, options)
    with ProgressLine(method.name, console(stderr=True)) as line:
        result = solve(
            problem,
            method.name,
            time_limit=arguments.time_limit,
            gap=arguments.gap,
            threads=arguments.threads,
            seed=arguments.seed,
            progress=line.update,
            **options,
        )
    if to_file:
        save(result, arguments.output)
    if arguments.json or arguments.output == "-":
        emit(compact(encode(result)) + "\n")
    else:
        emit(summarise(result, formulation.describe(problem), min(WIDTH, console().width)) + "\n")
    if to_file:
        say(f"wrote {arguments.output}")
    return exit_code(result)
