"""best_known.csv: per instance the best checked value and the best certified bound, and where they come from.

| column | holds |
|---|---|
| instance, size, instance_hash, sense | what the row is about; the hash ties it to the content of the file |
| status | optimal (the certified gap is closed), infeasible (proven), open |
| value, value_method | best objective, from the checker, and the method that found the solution |
| bound, bound_method | best bound, recomputed from the certificate, and the method that found it |
| gap | between the two; empty where one is missing |
| seconds, date, version | of the run that changed the row last |
| solution, certificate | files in answers/; empty where there is none |
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from dmlopt.errors import InputError
from dmlopt.result import relative_gap
from dmlopt.strict_json import read_bytes, write

TABLE = "best_known.csv"
ANSWERS = "answers"
OPTIMAL, INFEASIBLE, OPEN = "optimal", "infeasible", "open"
CLOSED = 1e-9  # the largest certified gap that counts as closed
NUMBERS = ("value", "bound", "gap", "seconds")


@dataclass(frozen=True)
class BestKnown:
    """One row of the table; the fields are its columns."""

    instance: str
    size: str
    instance_hash: str
    sense: str
    status: str = OPEN
    value: float | None = None
    value_method: str = ""
    bound: float | None = None
    bound_method: str = ""
    gap: float | None = None
    seconds: float | None = None
    date: str = ""
    version: str = ""
    solution: str = ""
    certificate: str = ""

    @property
    def methods(self) -> str:
        """Who found value and bound, in a word."""
        return " / ".join(dict.fromkeys(filter(None, (self.value_method, self.bound_method))))


COLUMNS = tuple(each.name for each in fields(BestKnown))


def status_of(value: float | None, bound: float | None, infeasible: bool) -> str:
    """What value, bound and proof make of an instance."""
    if infeasible:
        return INFEASIBLE
    gap = relative_gap(value, bound)
    return OPTIMAL if gap is not None and gap <= CLOSED else OPEN


def read_table(folder: Path) -> dict[str, BestKnown]:
    """The rows by instance; empty when there is no table yet."""
    source = folder / TABLE
    if not source.exists():
        return {}
    try:
        text = read_bytes(source).decode()
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", str(source)) from None
    lines = list(csv.reader(io.StringIO(text)))
    if not lines or tuple(lines[0]) != COLUMNS:
        raise InputError(f"expected the columns {', '.join(COLUMNS)}", str(source))
    problems: list[str] = []
    rows: dict[str, BestKnown] = {}
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(COLUMNS):
            problems.append(f"line {number}: expected {len(COLUMNS)} cells, got {len(cells)}")
            continue
        row = _read_row(dict(zip(COLUMNS, cells, strict=True)), number, problems)
        if row.instance in rows:
            problems.append(f"line {number}: a second row for '{row.instance}'")
        rows[row.instance] = row
    if problems:
        raise InputError(problems, str(source))
    return rows


def _read_row(cells: Mapping[str, str], number: int, problems: list[str]) -> BestKnown:
    numbers: dict[str, float | None] = {}
    for name in NUMBERS:
        try:
            numbers[name] = float(cells[name]) if cells[name] else None
        except ValueError:
            numbers[name] = math.nan
        if numbers[name] is not None and not math.isfinite(numbers[name] or 0.0):
            problems.append(f"line {number}: {name}: expected a finite number, got '{cells[name]}'")
    for name in ("solution", "certificate"):  # a table may not point outside its folder
        if Path(cells[name]).name != cells[name]:
            problems.append(f"line {number}: {name}: expected a file name, got '{cells[name]}'")
    texts = {name: text for name, text in cells.items() if name not in NUMBERS}
    return BestKnown(**texts, **numbers)  # type: ignore[arg-type]


def write_table(folder: Path, rows: Iterable[BestKnown]) -> None:
    """Replace the table in one step."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = [getattr(row, name) for name in COLUMNS]
        writer.writerow(
            ["" if each is None else repr(each) if isinstance(each, float) else each for each in cells]
        )
    write(text.getvalue(), folder / TABLE)
