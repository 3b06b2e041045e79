"""The claims of the papers beside ours, as a table; ours computed again from the stores that are there."""

from __future__ import annotations

import argparse
import statistics
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from drawing import above_bound, save
from rich.console import Console

from dmlopt.batch.store import read_rows
from dmlopt.errors import DmloptError, InputError
from dmlopt.fields import Fields
from dmlopt.report import numbers
from dmlopt.report.measured import Measured, measure
from dmlopt.report.render import terminal
from dmlopt.report.selection import read_condition, select
from dmlopt.report.table import Column, Table

CLAIMS = Path(__file__).with_name("claims.toml")
MEASURES: dict[str, Callable[[Measured], float | None]] = {
    "seconds": lambda row: row.seconds if row.ok else None,
    "gap": lambda row: row.gap,
    "above_bound": above_bound,
    "ratio_to_bound": lambda row: row.ratio_to_bound,
    "ratio_to_best": lambda row: row.ratio_to_best,
}
STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "max": max,
    "min": min,
}


@dataclass(frozen=True)
class Claim:
    """One line: what a paper says, what we found, and how to find it again."""

    formulation: str
    claim: str
    source: str
    theirs: str
    ours: str
    experiment: str = ""
    where: tuple[str, ...] = ()
    measure: str = ""
    statistic: str = "median"


def read_claims(path: Path = CLAIMS) -> list[Claim]:
    """The claims in a file; InputError names what is wrong in it."""
    try:
        root = Fields(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", str(path)) from None
    found = []
    for each in root.get("claims").items():
        each.no_unknown([field.name for field in fields(Claim)])
        texts = {name: each.get(name).text() for name in ("formulation", "claim", "source", "theirs", "ours")}
        measured = each.get("measure", "")
        found.append(
            Claim(
                **texts,
                experiment=each.get("experiment", "").text(),
                where=tuple(condition.text() for condition in each.get("where", []).items()),
                measure=measured.text(choices=MEASURES) if measured.value else "",
                statistic=each.get("statistic", "median").text(choices=STATISTICS),
            )
        )
    root.finish(str(path))
    return found


def found_again(claim: Claim, folder: Path) -> str:
    """Our figure from the store; a dash where there is none."""
    store = folder / f"{claim.experiment}.db"
    if not claim.measure or not store.exists():
        return numbers.DASH
    rows = select(measure(read_rows(store, claim.experiment)), [read_condition(each) for each in claim.where])
    values = [value for row in rows if (value := MEASURES[claim.measure](row)) is not None]
    if not values:
        return numbers.DASH
    value = STATISTICS[claim.statistic](values)
    spelled = {"seconds": numbers.seconds, "gap": numbers.gap, "above_bound": numbers.gap}
    return f"{spelled.get(claim.measure, numbers.number)(value)} ({claim.statistic} of {len(values)})"


def claims_table(claims: list[Claim], folder: Path) -> Table:
    """All claims, ours as written and as found again from the stores in a folder."""
    names = ("paper", "claim", "theirs", "ours", "now, from the store", "experiment")
    body = tuple(
        (each.formulation, each.claim, each.theirs, each.ours, found_again(each, folder), each.experiment)
        for each in claims
    )
    note = "command: dmlopt run experiments/EXPERIMENT.toml, then python paper_figs/claims.py"
    return Table("claims", "What the papers say, and what we find", tuple(map(Column, names)), body, (note,))


def main(argv: list[str] | None = None) -> int:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--stores", type=Path, default=Path("out"), metavar="DIR", help="folder of the stores (default out)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("out/figures"), metavar="DIR", help="folder (default %(default)s)"
    )
    arguments = parser.parse_args(argv)
    try:
        table = claims_table(read_claims(), arguments.stores)
        arguments.out.mkdir(parents=True, exist_ok=True)
        written = save(table, arguments.out / "claims")
    except (OSError, DmloptError) as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    Console(width=None if sys.stdout.isatty() else 100, highlight=False).print(terminal(table))
    print(f"wrote {', '.join(written)} to {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
