"""Writing a program in free MPS form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np
from scipy.sparse import csc_array

from dmlopt.backends.program import Program
from dmlopt.control import Clock


def write_mps(program: Program, file: TextIO, clock: Clock | None = None) -> None:
    """Columns are called x0, x1, ..., rows r0, r1, ...; numbers keep all their digits."""
    for number, line in enumerate(_lines(program)):
        if clock is not None and number % 10_000 == 0:
            clock.check()
        file.write(line)
        file.write("\n")


def _lines(program: Program) -> Iterator[str]:
    kinds = [_row_kind(low, high) for low, high in zip(program.row_lower, program.row_upper, strict=True)]
    yield "NAME dmlopt FREE"  # CBC guesses the form otherwise, and guesses wrong when the first bound is FR or MI
    yield "ROWS"
    yield " N cost"
    yield from (f" {kind} r{row}" for row, kind in enumerate(kinds))
    yield from _columns(program)
    yield "RHS"
    if program.offset:
        yield f" rhs cost {-program.offset!r}"  # MPS holds the constant of the objective with its sign turned
    for row, kind in enumerate(kinds):
        side = program.row_lower[row] if kind in "GE" else program.row_upper[row]
        if kind != "N" and side != 0:
            yield f" rhs r{row} {float(side)!r}"
    yield "RANGES"
    for row, kind in enumerate(kinds):
        if kind == "L" and np.isfinite(program.row_lower[row]):
            yield f" rng r{row} {float(program.row_upper[row] - program.row_lower[row])!r}"
    yield "BOUNDS"
    for column, (low, high) in enumerate(zip(program.lower, program.upper, strict=True)):
        if np.isneginf(low) and np.isposinf(high):
            yield f" FR bnd x{column}"
            continue
        yield f" MI bnd x{column}" if np.isneginf(low) else f" LO bnd x{column} {float(low)!r}"
        yield f" PL bnd x{column}" if np.isposinf(high) else f" UP bnd x{column} {float(high)!r}"
    yield "ENDATA"


def _row_kind(low: float, high: float) -> str:
    if low == high:
        return "E"
    if np.isfinite(high):
        return "L"
    return "G" if np.isfinite(low) else "N"


def _columns(program: Program) -> Iterator[str]:
    matrix = csc_array(program.matrix)
    integral = False
    yield "COLUMNS"
    for column in range(program.column_count):
        if bool(program.integral[column]) != integral:
            integral = not integral
            yield f" marker{column} 'MARKER' '{'INTORG' if integral else 'INTEND'}'"
        yield f" x{column} cost {float(program.cost[column])!r}"
        for at in range(matrix.indptr[column], matrix.indptr[column + 1]):
            yield f" x{column} r{matrix.indices[at]} {float(matrix.data[at])!r}"
    if integral:
        yield " markerlast 'MARKER' 'INTEND'"
