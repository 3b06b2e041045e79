"""What the commands share: consoles, reading FILE or stdin, argument types, exit codes."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from dmlopt.errors import InputError
from dmlopt.files import decode
from dmlopt.result import Limit, Result, Status, StoredCertificate, StoredSolution
from dmlopt.strict_json import read_bytes

FINE, NOT_VERIFIED, WRONG_INPUT, NO_ANSWER, BACKEND_FAILED, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 4, 130, 141
PIPED_WIDTH = 100
PIECE = 1 << 15
STDIN = "-"


def console(stderr: bool = False) -> Console:
    """A rich console; output that goes to a file or a pipe is 100 columns wide and has no colours."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(
        file=stream, width=None if stream.isatty() else PIPED_WIDTH, highlight=False, soft_wrap=False
    )


def emit(text: str) -> None:
    """Machine-readable output, in pieces: an unbuffered stdout may drop the end of one large write."""
    for start in range(0, len(text), PIECE):
        sys.stdout.write(text[start : start + PIECE])


def say(message: str) -> None:
    """A remark for the person at the terminal, on stderr."""
    print(f"dmlopt: {message}", file=sys.stderr)


# -------------------------------------------------------------------- reading


def read_any(name: str) -> Any:
    """What a dmlopt file holds; `-` is stdin."""
    if name == STDIN:
        return decode(sys.stdin.buffer.read(), "stdin")
    return decode(read_bytes(name), name)


def read_problem(name: str) -> Any:
    """The problem in an instance file."""
    loaded = read_any(name)
    if isinstance(loaded, Result | StoredSolution | StoredCertificate):
        raise InputError(f"expected an instance, found a {_kind(loaded)}", _source(name))
    return loaded


def read_result(name: str) -> Result | StoredSolution | StoredCertificate:
    """The result (or the solution or certificate alone) in a file."""
    loaded = read_any(name)
    if isinstance(loaded, Result | StoredSolution | StoredCertificate):
        return loaded
    raise InputError("expected a result, found an instance", _source(name))


def _kind(loaded: Result | StoredSolution | StoredCertificate) -> str:
    return type(loaded).__name__.removeprefix("Stored").lower()


def _source(name: str) -> str:
    return "stdin" if name == STDIN else name


# -------------------------------------------------------------------- arguments


def seconds(text: str) -> float:
    """A time limit."""
    value = _float(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"expected a number of seconds > 0, got '{text}'")
    return value


def relative_gap(text: str) -> float:
    """A gap to ask for."""
    value = _float(text)
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"expected a number >= 0, got '{text}'")
    return value


def at_least_one(text: str) -> int:
    """A number of threads."""
    return _whole(text, 1)


def not_negative(text: str) -> int:
    """A seed."""
    return _whole(text, 0)


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value < 2**31:
        raise argparse.ArgumentTypeError(f"expected an integer >= {least} and < 2^31, got '{text[:40]}'")
    return value


def settings(pairs: Sequence[str]) -> dict[str, str]:
    """The `--set name=value` arguments as a mapping."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InputError(f"--set: expected name=value, got '{pair}'")
        if name in found:
            raise InputError(f"--set: '{name}' is given twice")
        found[name] = value
    return found


# -------------------------------------------------------------------- how a run ends


def exit_code(result: Result) -> int:
    """What `dmlopt solve` returns for a result."""
    if result.status is Status.ERROR:
        return NOT_VERIFIED
    if result.limit is Limit.INTERRUPTED:
        return INTERRUPTED
    if result.status in (Status.INFEASIBLE, Status.UNKNOWN):
        return NO_ANSWER
    if result.solution is None and result.kind != "bound":
        return NO_ANSWER
    return FINE


def add_limits(parser: argparse.ArgumentParser) -> None:
    """The limits that every command running methods takes; each holds for one run."""
    parser.add_argument("--time-limit", metavar="S", type=seconds, help="seconds per run (default: none)")
    parser.add_argument(
        "--gap",
        metavar="G",
        type=relative_gap,
        default=1e-9,
        help="relative gap that counts as proven (default 1e-9)",
    )
    parser.add_argument("--threads", metavar="N", type=at_least_one, default=1, help="threads (default 1)")
    parser.add_argument("--seed", metavar="S", type=not_negative, default=0, help="random seed (default 0)")
