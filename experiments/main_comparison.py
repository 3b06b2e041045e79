"""All Optimus methods against the best certified bound, from small to 2,000 jobs: what `make run` shows."""

from __future__ import annotations

import argparse
import platform
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import dmlopt
from dmlopt.api import library_versions
from dmlopt.compare import FAILED, FAILED_CHECK, NOT_APPLICABLE, CompareRow, Step, rows_of
from dmlopt.errors import DmloptError
from dmlopt.registry import formulation_of
from dmlopt.report.figures import plot_gap_against_time
from dmlopt.report.tables import comma_separated, comparison_table, markdown
from dmlopt.strict_json import require_writable, write

CLUSTERS = {"cpu-7x16": "CPU cluster", "gpu-8x8-a100": "modelled GPU cluster"}
SIZES = (12, 60, 400, 2000)
TIME_LIMIT = 6.0
ERROR, INTERRUPTED = 1, 130


@dataclass
class Report:
    """What has been found so far."""

    rows: list[CompareRow] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def broken(self) -> list[CompareRow]:
        """Runs that failed, or delivered something that does not hold."""
        return [row for row in self.rows if row.mark in (FAILED, FAILED_CHECK)]


def main(argv: list[str] | None = None) -> int:
    """Run the comparison; 0 if everything that was delivered held."""
    arguments = _parse(argv)
    out = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        require_writable(arguments.out / "main_comparison.md")
    except (OSError, DmloptError) as error:
        print(f"main_comparison: {error}", file=sys.stderr)
        return 2
    report = Report()
    try:
        _run_all(arguments, report, out)
    except KeyboardInterrupt:
        report.interrupted = True
    _write(report, arguments.out, out)
    for row in report.broken:
        out.print(f"[bold red]{row.mark}[/]: {row.instance}, {row.method}: {row.message}")
    if report.interrupted:
        out.print("interrupted: the report holds what was finished")
        return INTERRUPTED
    return ERROR if report.broken else 0


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="where to write (default out)"
    )
    parser.add_argument(
        "--jobs", type=_sizes, default=SIZES, metavar="N,N", help="numbers of jobs (default %(default)s)"
    )
    parser.add_argument(
        "--load", type=float, default=0.5, help="how tight the clusters are (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the instances (default %(default)s)")
    return parser.parse_args(argv)


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(int(each) for each in text.split(","))
    if min(sizes) < 1:
        raise argparse.ArgumentTypeError(f"expected numbers of jobs >= 1, got {text}")
    return sizes


def _run_all(arguments: argparse.Namespace, report: Report, out: Console) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    cases = [(cluster, jobs) for cluster in CLUSTERS for jobs in arguments.jobs]
    methods = list(dmlopt.methods("optimus"))
    shown = Console(stderr=True)
    with Progress(
        *columns,
        console=shown,
        transient=True,
        disable=not shown.is_terminal,
        redirect_stdout=False,
    ) as bar:
        task = bar.add_task("generating", total=len(cases) * len(methods))
        for number, (cluster, jobs) in enumerate(cases):
            options = {"cluster": cluster, "jobs": jobs, "load": arguments.load}
            problem = dmlopt.generate("optimus", seed=arguments.seed, **options)

            def tell(step: Step, before: int = number * len(methods)) -> None:
                name = f"{step.instance}: {step.method}"
                bar.update(task, description=name, completed=before + step.done)

            label = f"{cluster}, {jobs} jobs"
            table = dmlopt.compare({label: problem}, methods, time_limit=TIME_LIMIT, progress=tell)
            bar.stop()
            report.interrupted = table.attrs["interrupted"]
            rows = [row for row in rows_of(table) if row.mark != NOT_APPLICABLE]
            _add_section(report, rows, f"{CLUSTERS[cluster]} {cluster}", problem, out)
            if report.interrupted:
                return
            bar.start()


def _add_section(report: Report, rows: list[CompareRow], title: str, problem: Any, out: Console) -> None:
    if not rows:
        return
    report.rows += rows
    described = formulation_of(problem).describe(problem)
    report.sections.append(f"## {rows[0].instance}\n\n{title}: {described}\n\n{markdown(rows)}")
    out.print(comparison_table(f"{title}: {described}", rows))


def _write(report: Report, folder: Path, out: Console) -> None:
    versions = ", ".join(f"{name} {version}" for name, version in library_versions().items())
    head = (
        "# Optimus: every method against the best certified bound\n\n"
        "`gap`: distance of the objective to the best certified bound on that instance; for bound methods,\n"
        f"of the bound to the best objective. One thread, a limit of {TIME_LIMIT:g} s per run.\n\n"
        f"{versions}; {platform.system()} {platform.machine()}\n\n"
        "![gap against time](gap_against_time.png)\n"
    )
    write("\n".join([head, *report.sections]), folder / "main_comparison.md")
    write(comma_separated(report.rows), folder / "main_comparison.csv")
    plot_gap_against_time(report.rows, str(folder / "gap_against_time.png"))
    out.print(f"wrote main_comparison.md, main_comparison.csv and gap_against_time.png to {folder}")


if __name__ == "__main__":
    sys.exit(main())
