"""`dmlopt generate`: a random instance, the same for the same seed and options."""

from __future__ import annotations

import argparse
from typing import Any

from dmlopt import registry
from dmlopt.api import generate
from dmlopt.cli.common import FINE, emit, not_negative, say, settings
from dmlopt.errors import InputError
from dmlopt.files import encode, save
from dmlopt.strict_json import readable, require_writable

EXAMPLES = """\
examples:
  dmlopt generate optimus --cluster cpu-7x16 --jobs 12 --seed 1 -o jobs.json
  dmlopt generate optimus --jobs 2000 --load 1.2 | dmlopt solve - --method lagrangian
"""
SHORTCUTS = ("cluster", "jobs", "load")


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt generate`."""
    parser = commands.add_parser(
        "generate",
        help="write a random instance",
        description="Generate an instance. `dmlopt list FORMULATION` shows the clusters and all options.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("formulation", metavar="FORMULATION")
    parser.add_argument("--cluster", metavar="NAME", help="a cluster from the catalogue")
    parser.add_argument("--jobs", metavar="N", help="number of jobs")
    parser.add_argument("--load", metavar="X", help="how tight: demand against capacity")
    parser.add_argument("--seed", metavar="S", type=not_negative, default=0, help="random seed (default 0)")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help="any other option")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to write; .gz compresses (default: stdout)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Generate and write."""
    options = settings(arguments.set)
    for name in SHORTCUTS:
        value = getattr(arguments, name)
        if value is not None:
            if name in options:
                raise InputError(f"--{name}: also given by --set")
            options[name] = value
    to_file = arguments.output not in (None, "-")
    if to_file:
        require_writable(arguments.output)
    problem = generate(arguments.formulation, seed=arguments.seed, **options)
    if to_file:
        save(problem, arguments.output)
        say(f"wrote {arguments.output}: {registry.formulation_of(problem).describe(problem)}")
    else:
        emit(readable(encode(problem)))
    return FINE
