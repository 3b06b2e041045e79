"""How far the greedy variants, DRF and Tetris are from the certified optimum, over hundreds of Optimus instances.

Every finished instance is written at once: a run that is killed loses none, and --resume goes on behind the last one.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quality_summary import METHODS, VARIANTS, effect_table, gaps, group_table, method_table
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import dmlopt
from dmlopt.errors import DmloptError
from dmlopt.strict_json import require_writable, write

CLUSTERS = ("cpu-7x16", "gpu-30x2", "gpu-8x8-a100")
JOBS = (8, 30, 120)
LOADS = (0.2, 0.4, 0.6, 0.8)
MIXES = {"catalogue": 0, "diverse": 5}  # number of resource kinds; 0: those of the cluster
SEEDS, QUICK_SEEDS, QUICK_JOBS, QUICK_LOADS = 5, 1, (8,), (0.4, 0.8)
GAP, TIME_LIMIT = 1e-5, 3.0  # of the exact method: its certified bound counts, also where the limit ends it
COLUMNS = (
    "instance",
    "cluster",
    "jobs",
    "load",
    "mix",
    "seed",
    "method",
    "on_infeasible",
    "gain_divisor",
    "lookahead",
    "objective",
    "bound",
    "exact_objective",
    "exact_gap",
    "above_bound",
    "seconds",
)
ERROR, WRONG_INPUT, INTERRUPTED = 1, 2, 130


@dataclass(frozen=True)
class Case:
    """The parameters of one instance."""

    cluster: str
    jobs: int
    load: float
    mix: str
    seed: int

    @property
    def name(self) -> str:
        """Its name in the table."""
        return f"{self.cluster}/{self.jobs}/{self.load:g}/{self.mix}/{self.seed}"


def cases(quick: bool, seeds: int) -> list[Case]:
    """The whole grid, or a small part of it."""
    sizes, loads = (QUICK_JOBS, QUICK_LOADS) if quick else (JOBS, LOADS)
    count = QUICK_SEEDS if quick else seeds
    grid = itertools.product(range(1, count + 1), CLUSTERS, sizes, loads, MIXES)
    return [Case(cluster, jobs, load, mix, seed) for seed, cluster, jobs, load, mix in grid]


def run_case(case: Case) -> Iterator[dict[str, str]]:
    """One row per method; every objective is the checker's, the bound is certified."""
    problem = dmlopt.generate(
        "optimus",
        cluster=case.cluster,
        jobs=case.jobs,
        load=case.load,
        resources=MIXES[case.mix],
        seed=case.seed,
    )
    exact = dmlopt.solve(problem, "exact", gap=GAP, time_limit=TIME_LIMIT)
    if exact.bound is None or exact.objective is None:
        raise DmloptError(f"{case.name}: exact found no {'bound' if exact.bound is None else 'solution'}")
    for method in METHODS:
        result = dmlopt.solve(problem, method)
        if result.objective is None or result.objective < exact.bound * (1 - 1e-9):
            raise DmloptError(f"{case.name}: {method}: {result.objective} against the bound {exact.bound}")
        row = {
            **{name: str(value) for name, value in vars(case).items()},
            **VARIANTS.get(method, {}),
            "instance": case.name,
            "method": method,
            "objective": repr(result.objective),
            "bound": repr(exact.bound),
            "exact_objective": repr(exact.objective),
            "exact_gap": repr(exact.gap),
            "above_bound": repr(max(0.0, result.objective / exact.bound - 1.0)),
            "seconds": f"{result.seconds['total']:.6f}",
        }
        yield {name: row.get(name, "") for name in COLUMNS}


def _line(values: dict[str, str]) -> str:
    return ",".join(values[name] for name in COLUMNS) + "\n"


def finished_rows(path: Path) -> list[dict[str, str]]:
    """The rows of the instances that are complete; a half-written one, the last, is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    reader = csv.DictReader(line for line in lines if line.endswith("\n"))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise DmloptError(f"{path}: is not a table of this study; move it away or run without --resume")
    rows = list(reader)
    count: dict[str, int] = {}
    for row in rows:
        count[row["instance"]] = count.get(row["instance"], 0) + 1
    return [row for row in rows if count[row["instance"]] == len(METHODS)]


def run_all(wanted: list[Case], path: Path, resume: bool) -> list[dict[str, str]]:
    """Run what is missing; returns all rows of the wanted instances."""
    rows = finished_rows(path) if resume else []
    write(",".join(COLUMNS) + "\n" + "".join(map(_line, rows)), path)
    names = {case.name for case in wanted}
    done = {row["instance"] for row in rows}
    shown = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        path.open("a", encoding="utf-8") as file,
        Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as bar,
    ):
        task = bar.add_task("quality", total=len(names), completed=len(names & done))
        for case in wanted:
            if case.name in done:
                continue
            bar.update(task, description=case.name)
            found = list(run_case(case))
            file.write("".join(map(_line, found)))
            file.flush()
            rows += found
            bar.advance(task)
    return [row for row in rows if row["instance"] in names]


def summarise(rows: list[dict[str, str]], out: Console) -> None:
    """Print the tables."""
    found = gaps(rows)
    worst = max(float(row["exact_gap"]) for row in rows)
    out.print(method_table(found, f"Above the certified bound, {len(found)} instances"))
    for column in ("cluster", "mix", "load", "jobs"):
        out.print(group_table(rows, column))
    out.print(effect_table(found))
    out.print(f"certified gap of the optimum itself: at most {worst:.1e}")


def main(argv: list[str] | None = None) -> int:
    """Run the study; 0 if every answer held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="where to write (default out)"
    )
    parser.add_argument("--quick", action="store_true", help="a dozen small instances only")
    parser.add_argument(
        "--resume", action="store_true", help="keep the instances that are finished, run the others"
    )
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, help="instances per setting (default %(default)s)"
    )
    arguments = parser.parse_args(argv)
    path = arguments.out / "greedy_quality.csv"
    if arguments.seeds < 1:
        parser.error(f"argument --seeds: expected a number >= 1, got {arguments.seeds}")
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        require_writable(path)
        rows = run_all(cases(arguments.quick, arguments.seeds), path, arguments.resume)
    except OSError as error:
        print(f"greedy_quality: {error}", file=sys.stderr)
        return WRONG_INPUT
    except DmloptError as error:
        print(f"greedy_quality: {error}", file=sys.stderr)
        return ERROR
    except KeyboardInterrupt:
        print(f"interrupted: {path} holds what was finished, --resume goes on", file=sys.stderr)
        return INTERRUPTED
    summarise(rows, Console(width=None if sys.stdout.isatty() else 100, highlight=False))
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
