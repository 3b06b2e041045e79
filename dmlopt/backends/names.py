"""Names of rows and columns that every reader of MPS and LP files understands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dmlopt.backends.program import Program

LONGEST = 200
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Names that our files use themselves, and words of the LP format.
_TAKEN = re.compile(
    r"cost|rhs|rng|bnd|s|t|st|subject|such|that|to|min(imi[sz]e|imum)?|max(imi[sz]e|imum)?|bounds?|free|inf(inity)?"
    r"|gen(erals?)?|int(egers?)?|bin(ary|aries)?|semis?|sec|sos[12]?|name"
)


def numbered(program: Program) -> tuple[list[str], list[str]]:
    """x0, x1, ... for the columns, r0, r1, ... for the rows."""
    return [f"x{k}" for k in range(program.column_count)], [f"r{k}" for k in range(program.row_count)]


def file_names(program: Program) -> tuple[Sequence[str], Sequence[str]]:
    """The program's own names for columns and rows; where one of them will not do, all are numbered instead."""
    columns, rows = numbered(program)
    return (
        program.column_names if _usable(program.column_names, len(columns)) else columns,
        program.row_names if _usable(program.row_names, len(rows)) else rows,
    )


def _usable(names: Sequence[str], count: int) -> bool:
    return len(names) == count == len(set(names)) and all(map(_is_plain, names))


def _is_plain(name: str) -> bool:
    # A name that starts with e may be read as an exponent.
    short = len(name) <= LONGEST and name[:1] not in "eE"
    return short and _PLAIN.match(name) is not None and _TAKEN.fullmatch(name.lower()) is None
