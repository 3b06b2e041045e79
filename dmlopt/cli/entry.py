"""The parser, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from dmlopt import __version__
from dmlopt.cli import (
    check,
    compare,
    conformance,
    export,
    generate,
    library,
    listing,
    report,
    results,
    run,
    solve,
)
from dmlopt.cli.common import BACKEND_FAILED, BROKEN_PIPE, INTERRUPTED, say
from dmlopt.errors import DmloptError, nearest

DESCRIPTION = "Exact optimisation and certified bounds for scheduling distributed machine-learning jobs."
EXAMPLES = """\
examples:
  dmlopt list optimus                                    methods, options, clusters
  dmlopt generate optimus --cluster cpu-7x16 --jobs 12 --seed 1 -o jobs.json
  dmlopt solve jobs.json --method exact -o result.json   proven optimal, with a certificate
  dmlopt check jobs.json result.json                     recomputes everything the result states
  dmlopt compare jobs.json --methods greedy,exact        gaps to the best certified bound
  dmlopt export jobs.json --format mps -o jobs.mps       for any other solver
  dmlopt run experiments/main.toml --workers 2           a batch experiment, into a store
  dmlopt results out/main.db --table gaps                tables of an experiment; --figure draws them
  dmlopt report out/main.db --out out/report             all its tables and figures in a folder
  dmlopt library list                                    frozen instances, the best known of each

exit codes:
  0 fine   1 something does not hold   2 wrong input   3 infeasible, or no answer found
  4 a solver library is missing or failed   130 interrupted, after writing the best so far
"""


def build_parser() -> argparse.ArgumentParser:
    """All commands."""
    parser = Parser(
        prog="dmlopt",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dmlopt {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (
        listing,
        generate,
        solve,
        check,
        compare,
        export,
        run,
        results,
        report,
        library,
        conformance,
    ):
        command.add_parser(commands)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser that answers unknown commands and options with the nearest valid one."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, exit with 2."""
        wrong = re.search(r"(?:invalid choice: '|unrecognized arguments: )(-{0,2}[\w-]+)", message)
        hint = nearest(wrong.group(1), _words(self)) if wrong else ""
        super().error(f"{message}.{hint}" if hint else message)


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """Commands and long options, of the parser and of its commands."""
    found: list[str] = []
    for action in parser._actions:
        found += [each for each in action.option_strings if each.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                found += [name, *_words(command)]
    return list(dict.fromkeys(found))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        arguments = build_parser().parse_args(argv)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except DmloptError as error:
        for line in str(error).splitlines():
            say(line)
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except MemoryError:
        say("out of memory")
        return BACKEND_FAILED
    except Exception as error:
        if os.environ.get("DMLOPT_TRACEBACK"):
            raise
        say(f"internal error: {type(error).__name__}: {error} (DMLOPT_TRACEBACK=1 shows where)")
        return BACKEND_FAILED
    return code


def _reader_left() -> int:
    """Whoever read our output has gone: be quiet, also when Python flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return BROKEN_PIPE
