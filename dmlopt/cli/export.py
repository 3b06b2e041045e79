"""`dmlopt export`: an instance as an integer program, for any other solver."""

from __future__ import annotations

import argparse
from typing import Any

from dmlopt.cli.common import FINE, emit, read_problem, say
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.export import FORMATS, MODELS, exported, format_of
from dmlopt.strict_json import require_writable, write

EXAMPLES = """\
examples:
  dmlopt export jobs.json --format mps -o jobs.mps
  dmlopt export jobs.json --format lp --model plans -o jobs.lp
  dmlopt export jobs.json --format json -o program.json.gz

Both models have the same optimum and are minimised. In files of optimus, x_j_p_w = 1 means: job j gets p
parameter servers and w workers.
"""


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt export`."""
    parser = commands.add_parser(
        "export",
        help="write an instance as an integer program (MPS, LP, JSON)",
        description="Write the integer program of an instance, for any other solver.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="instance file; - is stdin")
    parser.add_argument(
        "--format", metavar="F", help=f"{', '.join(FORMATS)} (default: from the ending of OUT)"
    )
    parser.add_argument(
        "--model",
        metavar="M",
        default=MODELS[0],
        help="reference: the paper's own program; plans: one column per plan worth keeping (default reference)",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="where to write; .gz compresses (default: stdout)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Build the program and write it."""
    to_file = arguments.output not in (None, "-")
    if arguments.format is None:
        if not to_file:
            raise InputError(f"--format: expected one of {', '.join(FORMATS)} when writing to stdout")
        chosen = format_of(arguments.output)
    else:
        chosen = arguments.format
    for what, name, known in (("format", chosen, FORMATS), ("model", arguments.model, MODELS)):
        if name not in known:
            raise UnknownNameError(what, name, known)
    if to_file:
        require_writable(arguments.output)
    text = exported(read_problem(arguments.file), chosen, arguments.model)
    if to_file:
        write(text, arguments.output)
        say(f"wrote {arguments.output}: the {arguments.model} model")
    else:
        emit(text)
    return FINE
