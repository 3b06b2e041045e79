"""The whole report of an experiment as a folder: report.md, every table as CSV and LaTeX, every figure as PNG and PDF.

Nothing in it depends on when or where it is written: equal rows give equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dmlopt.errors import InputError
from dmlopt.report import render
from dmlopt.report.canvas import finish
from dmlopt.report.catalogue import FIGURES, TABLES
from dmlopt.report.measured import Measured, instance_of
from dmlopt.report.profiles import MEASURES
from dmlopt.report.selection import groups, methods_of, spelled
from dmlopt.report.settings import Settings
from dmlopt.report.summary import plural, seeds_per_instance
from dmlopt.report.table import Table
from dmlopt.report.tables_detail import gaps_by, spread_axes
from dmlopt.report.tables_rows import full_rows
from dmlopt.strict_json import write

FIGURE_ENDINGS = ("png", "pdf")
IN_A_SECTION = (
    "overview",
    "gaps",
    "times",
    "outcomes",
    "failures",
    "wins",
    "time-to-gap",
    "primal-integral",
    "scaling",
)
# Which figures stand below which table.
SHOWN_BELOW = {
    "overview": "gap-against-time",
    "gaps": "gaps",
    "outcomes": "outcomes",
    "wins": "wins",
    "time-to-gap": "time-to-gap",
    "primal-integral": "primal-integral",
    "scaling": "scaling",
}


def write_report(rows: Sequence[Measured], settings: Settings, folder: str | Path) -> list[str]:
    """Write everything into `folder`, which is made if it is not there; the names of the files, in order."""
    target = Path(folder)
    try:
        for part in (target, target / "tables", target / "figures"):
            part.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", str(folder)) from None
    written: list[str] = []
    text = [f"# {_title(rows)}\n\n", *(f"- {line}\n" for line in _about(rows)), "\n"]
    _write(render.comma_separated(full_rows(rows, settings)), target, "tables/rows.csv", written)
    text.append("Every run with all its numbers: [tables/rows.csv](tables/rows.csv).\n")
    formulations = groups(rows, ("formulation",))
    for (name,), own in formulations.items():
        prefix = "" if len(formulations) == 1 else f"{_safe(name)}-"
        if prefix:
            text.append(f"\n# {name}\n")
        for table, figure, chosen in _sections(own, settings):
            text.append("\n" + render.markdown(table))
            stem = prefix + _safe(table.name)
            _write(render.comma_separated(table), target, f"tables/{stem}.csv", written)
            _write(render.latex(table), target, f"tables/{stem}.tex", written)
            text.append(f"\n[CSV](tables/{stem}.csv), [LaTeX](tables/{stem}.tex)\n")
            if figure is not None:
                drawn = stem if figure == table.name or figure == "profile" else prefix + figure
                picture = FIGURES[figure](own, chosen, None)
                for ending in FIGURE_ENDINGS:
                    finish(picture, str(target / f"figures/{drawn}.{ending}"))
                    written.append(f"figures/{drawn}.{ending}")
                text.append(f"\n![{table.title}](figures/{drawn}.png)\n")
    _write("".join(text), target, "report.md", written)
    return sorted(written)


def _sections(rows: Sequence[Measured], settings: Settings) -> list[tuple[Table, str | None, Settings]]:
    """Tables in reading order, each with the figure below it and the settings of both."""
    found: list[tuple[Table, str | None, Settings]] = []
    for name in IN_A_SECTION:
        if name == "time-to-gap":
            for measure in MEASURES:
                chosen = replace(settings, measure=measure)
                table = TABLES["profile"](rows, chosen)
                found.append((replace(table, name=f"profile-{measure}"), "profile", chosen))
        found.append((TABLES[name](rows, settings), SHOWN_BELOW.get(name), settings))
        if name == "gaps":
            found += [(gaps_by(rows, settings, axis), None, settings) for axis in spread_axes(rows)]
    return found


def _title(rows: Sequence[Measured]) -> str:
    names = sorted({each.row.experiment for each in rows if each.row.experiment})
    return f"Experiment {', '.join(names)}" if names else "Experiment"


def _about(rows: Sequence[Measured]) -> list[str]:
    """What was run, where and within which limits."""
    instances = len({instance_of(each.row) for each in rows})
    methods = methods_of(rows)
    lines = [
        f"{plural(len(rows), 'run')}: {plural(len(methods), 'method')} on {plural(instances, 'instance')}",
        f"methods: {', '.join(methods)}",
    ]
    for what, values in (
        ("formulations", {each.row.formulation for each in rows}),
        ("sweeps", {each.row.sweep for each in rows}),
        ("time limits", {_limit(each.row.time_limit) for each in rows}),
        ("threads", {each.row.threads for each in rows}),
        ("seeds per instance", {seeds_per_instance(rows)}),
        ("dmlopt versions", {each.row.version for each in rows}),
        ("hosts", {each.row.host for each in rows}),
    ):
        shown = sorted(spelled(value) for value in values if value not in ("", None))
        if shown:
            more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
            lines.append(f"{what}: {', '.join(shown[:12])}{more}")
    return lines


def _limit(seconds: float | None) -> str:
    return "none" if seconds is None else f"{seconds:g} s"


def _safe(name: str) -> str:
    """A name that every file system takes."""
    return "".join(each if (each.isalnum() and each.isascii()) or each in "-_." else "-" for each in name)


def _write(text: str, target: Path, name: str, written: list[str]) -> None:
    write(text, target / name)
    written.append(name)
