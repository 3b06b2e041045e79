"""Every run of the main comparison as a point, gap against time; from main_comparison.csv."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from drawing import read_rows

from dmlopt.compare import CompareRow
from dmlopt.report.figures import plot_gap_against_time

TEXTS = ("instance", "method", "kind", "status")
NUMBERS = ("objective", "bound", "gap", "seconds")


def row_of(cells: dict[str, str]) -> CompareRow:
    """A row of the comparison from its cells; an empty cell is None."""
    numbers = {name: float(cells[name]) if cells[name] else None for name in NUMBERS}
    return CompareRow(**{name: cells[name] for name in TEXTS}, **numbers)


def main(argv: list[str] | None = None) -> int:
    """main_comparison.csv of a folder in, gap_against_time.png and .pdf beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="folder (default out)")
    folder = parser.parse_args(argv).out
    try:
        rows = [row_of(each) for each in read_rows(folder / "main_comparison.csv", {*TEXTS, *NUMBERS})]
        for ending in ("png", "pdf"):
            plot_gap_against_time(rows, str(folder / f"gap_against_time.{ending}"))
    except (OSError, ValueError) as error:
        print(f"gap_against_time: {error}", file=sys.stderr)
        return 2
    print(f"wrote gap_against_time.png and gap_against_time.pdf to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
