"""Writing a program in the LP format of CPLEX, which people can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np
from scipy.sparse import csr_array

from dmlopt.backends.names import file_names
from dmlopt.backends.program import Program

TERMS_PER_LINE = 6  # readers limit the length of a line


def write_lp(program: Program, file: TextIO) -> None:
    """Columns and rows are called by their own names where these will do; numbers keep all their digits."""
    for line in _lines(program, *file_names(program)):
        file.write(line)
        file.write("\n")


def _lines(program: Program, columns: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    yield "Minimize"
    priced = np.flatnonzero(program.cost)
    yield from _sum(
        "cost", priced.tolist(), program.cost[priced].tolist(), columns, _constant(program.offset)
    )
    yield "Subject To"
    matrix = csr_array(program.matrix)
    for row, name in enumerate(rows):
        inside = slice(matrix.indptr[row], matrix.indptr[row + 1])
        places, weights = matrix.indices[inside].tolist(), matrix.data[inside].tolist()
        low, high = float(program.row_lower[row]), float(program.row_upper[row])
        if low == high:
            yield from _sum(name, places, weights, columns, f" = {low!r}")
            continue
        both = np.isfinite(low) and np.isfinite(high)  # not every reader knows two-sided rows
        if np.isfinite(high):
            yield from _sum(name, places, weights, columns, f" <= {high!r}")
        if np.isfinite(low):
            yield from _sum(f"low_{name}" if both else name, places, weights, columns, f" >= {low!r}")
    yield "Bounds"
    for name, low, high in zip(columns, program.lower.tolist(), program.upper.tolist(), strict=True):
        if np.isneginf(low) and np.isposinf(high):
            yield f" {name} free"
        else:
            least = "-inf" if np.isneginf(low) else repr(low)
            yield f" {least} <= {name}" + ("" if np.isposinf(high) else f" <= {high!r}")
    whole = [columns[place] for place in np.flatnonzero(program.integral).tolist()]
    if whole:
        yield "General"
        for first in range(0, len(whole), TERMS_PER_LINE):
            yield " " + " ".join(whole[first : first + TERMS_PER_LINE])
    yield "End"


def _constant(offset: float) -> str:
    return f" {_signed(offset)}" if offset else ""


def _sum(
    name: str, places: list[int], weights: list[float], columns: Sequence[str], ending: str
) -> Iterator[str]:
    """`name: + 2.0 x + 3.0 y <= 4.0`, over several lines if it is long. A sum without terms has a zero one."""
    terms = [f"{_signed(weight)} {columns[place]}" for place, weight in zip(places, weights, strict=True)]
    terms = terms or [f"+ 0.0 {columns[0]}"]
    for first in range(0, len(terms), TERMS_PER_LINE):
        head = f" {name}: " if first == 0 else "   "
        last = first + TERMS_PER_LINE >= len(terms)
        yield head + " ".join(terms[first : first + TERMS_PER_LINE]) + (ending if last else "")


def _signed(number: float) -> str:
    return f"- {-number!r}" if number < 0 else f"+ {float(number)!r}"
