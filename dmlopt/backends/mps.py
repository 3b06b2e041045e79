"""Writing a program in free MPS form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np
from scipy.sparse import csc_array

from dmlopt.backends.names import file_names, numbered
from dmlopt.backends.program import Program
from dmlopt.control import Clock


def write_mps(program: Program, file: TextIO, clock: Clock | None = None, named: bool = False) -> None:
    """Columns are called x0, x1, ..., rows r0, r1, ..., or by their own names; numbers keep all their digits."""
    names = file_names(program) if named else numbered(program)
    for number, line in enumerate(_lines(program, *names)):
        if clock is not None and number % 10_000 == 0:
            clock.check()
        file.write(line)
        file.write("\n")


def _lines(program: Program, columns: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    kinds = [_row_kind(low, high) for low, high in zip(program.row_lower, program.row_upper, strict=True)]
    yield "NAME dmlopt FREE"  # CBC guesses the form otherwise, and guesses wrong when the first bound is FR or MI
    yield "ROWS"
    yield " N cost"
    yield from (f" {kind} {row}" for row, kind in zip(rows, kinds, strict=True))
    yield from _columns(program, columns, rows)
    yield "RHS"
    if program.offset:
        yield f" rhs cost {-program.offset!r}"  # MPS holds the constant of the objective with its sign turned
    for row, kind in enumerate(kinds):
        side = program.row_lower[row] if kind in "GE" else program.row_upper[row]
        if kind != "N" and side != 0:
            yield f" rhs {rows[row]} {float(side)!r}"
    yield "RANGES"
    for row, kind in enumerate(kinds):
        if kind == "L" and np.isfinite(program.row_lower[row]):
            yield f" rng {rows[row]} {float(program.row_upper[row] - program.row_lower[row])!r}"
    yield "BOUNDS"
    for column, low, high in zip(columns, program.lower, program.upper, strict=True):
        if np.isneginf(low) and np.isposinf(high):
            yield f" FR bnd {column}"
            continue
        yield f" MI bnd {column}" if np.isneginf(low) else f" LO bnd {column} {float(low)!r}"
        yield f" PL bnd {column}" if np.isposinf(high) else f" UP bnd {column} {float(high)!r}"
    yield "ENDATA"


def _row_kind(low: float, high: float) -> str:
    if low == high:
        return "E"
    if np.isfinite(high):
        return "L"
    return "G" if np.isfinite(low) else "N"


def _columns(program: Program, columns: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    matrix = csc_array(program.matrix)
    integral = False
    yield "COLUMNS"
    for column in range(program.column_count):
        if bool(program.integral[column]) != integral:
            integral = not integral
            yield f" marker{column} 'MARKER' '{'INTORG' if integral else 'INTEND'}'"
        yield f" {columns[column]} cost {float(program.cost[column])!r}"
        for at in range(matrix.indptr[column], matrix.indptr[column + 1]):
            yield f" {columns[column]} {rows[matrix.indices[at]]} {float(matrix.data[at])!r}"
    if integral:
        yield " markerlast 'MARKER' 'INTEND'"
