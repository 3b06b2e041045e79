"""Time and memory against the number of jobs and of resources: the exact method and the Lagrangian bound.

Each point runs in a fresh process, so that its peak memory is its own. Points are written as they finish.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

import dmlopt
from dmlopt.errors import DmloptError
from dmlopt.report.numbers import loglog_slope
from dmlopt.report.tables import plain_table
from dmlopt.strict_json import require_writable

JOBS = (1_000, 3_000, 10_000, 30_000, 100_000)
RESOURCES = (1, 2, 3, 4, 5, 6)
METHODS = ("exact", "lagrangian")
CLUSTER, SIDE, GAP = "gpu-8x8-a100", 16, 1e-5
AT_JOBS, AT_RESOURCES = 10_000, 3  # what stays fixed while the other one grows
COLUMNS = (
    "series",
    "method",
    "jobs",
    "resources",
    "plans",
    "status",
    "gap",
    "bound",
    "build_seconds",
    "solve_seconds",
    "check_seconds",
    "total_seconds",
    "peak_gigabytes",
)


@dataclass(frozen=True)
class Point:
    """One measurement: which series it belongs to, and its parameters."""

    series: str
    method: str
    jobs: int
    resources: int


def points(most_jobs: int) -> list[Point]:
    """Jobs grow at three resources, then resources grow at 10,000 jobs (fewer where `most_jobs` says so)."""
    sizes = [jobs for jobs in JOBS if jobs <= most_jobs]
    fixed = min(AT_JOBS, most_jobs)
    return [
        *(Point("jobs", method, jobs, AT_RESOURCES) for method in METHODS for jobs in sizes),
        *(Point("resources", method, fixed, count) for method in METHODS for count in RESOURCES),
    ]


def measure(point: Point) -> dict[str, Any]:
    """Generate, solve and check in this process. Plans: 16 x 16 per job, what the certificate is recomputed over."""
    problem = dmlopt.generate(
        "optimus",
        cluster=CLUSTER,
        jobs=point.jobs,
        resources=point.resources,
        p_max=SIDE,
        w_max=SIDE,
        seed=1,
    )
    result = dmlopt.solve(problem, point.method, gap=GAP)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {
        **vars(point),
        "plans": point.jobs * SIDE * SIDE,
        "status": str(result.status),
        "gap": result.gap,
        "bound": result.bound,
        **{f"{phase}_seconds": round(taken, 4) for phase, taken in result.seconds.items()},
        "peak_gigabytes": round(peak / 1e9, 3),
    }


def measure_apart(point: Point) -> dict[str, Any]:
    """The same in a fresh process."""
    command = [sys.executable, str(Path(__file__).resolve()), "--point", json.dumps(vars(point))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise DmloptError(f"{point.method}, {point.jobs} jobs, {point.resources} resources: {reason[0]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def slopes(rows: Iterable[dict[str, Any]]) -> list[tuple[str, str, float]]:
    """(series, method, slope of log time against log size)."""
    listed = list(rows)
    keys = dict.fromkeys((row["series"], row["method"]) for row in listed)
    answer = []
    for series, method in keys:
        own = [row for row in listed if (row["series"], row["method"]) == (series, method)]
        slope = loglog_slope(
            [float(row[series]) for row in own], [float(row["total_seconds"]) for row in own]
        )
        answer.append((series, method, slope))
    return answer


def show(rows: list[dict[str, Any]], out: Console) -> None:
    """Print all points and the slopes."""
    header = ("method", "jobs", "resources", "gap", "build s", "solve s", "check s", "total s", "peak GB")
    phases = ("build_seconds", "solve_seconds", "check_seconds", "total_seconds")
    body = [
        (
            row["method"],
            f"{row['jobs']:,}",
            str(row["resources"]),
            "-" if row["gap"] is None else f"{row['gap']:.1e}",
            *(f"{row[phase]:.2f}" for phase in phases),
            f"{row['peak_gigabytes']:.2f}",
        )
        for row in rows
    ]
    out.print(plain_table(header, body, "Time and memory", right="011111111"))
    for series, method, slope in slopes(rows):
        out.print(f"{method}: total time grows as {series}^{slope:.2f}")


def main(argv: list[str] | None = None) -> int:
    """Measure every point; 0 if every certificate held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out"), metavar="DIR", help="where to write (default out)"
    )
    parser.add_argument(
        "--most-jobs",
        type=int,
        default=JOBS[-1],
        metavar="N",
        help="leave larger sizes out (default %(default)s)",
    )
    parser.add_argument("--point", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.point is not None:
        print(json.dumps(measure(Point(**arguments.point))))
        return 0
    if arguments.most_jobs < JOBS[0]:
        parser.error(f"argument --most-jobs: expected a number >= {JOBS[0]}, got {arguments.most_jobs}")
    path, rows = arguments.out / "scaling.csv", []
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        require_writable(path)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            for point in points(arguments.most_jobs):
                rows.append(measure_apart(point))
                writer.writerow(rows[-1])
                file.flush()
    except (OSError, DmloptError) as error:
        print(f"scaling: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"interrupted: {path} holds what was finished", file=sys.stderr)
        return 130
    show(rows, Console(width=None if sys.stdout.isatty() else 100, highlight=False))
    print(f"wrote {path}")
    return 1 if any(row["status"] == "error" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
