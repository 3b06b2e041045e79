"""What running a cell costs beyond the cell itself, and what a second worker brings."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import pytest

from dmlopt.batch.runner import run_experiment
from dmlopt.batch.store import read_rows
from tests.batch.experiments import small, written


@pytest.mark.parametrize("method", ["greedy", "exact", "mip-cbc", "cp-sat"])
def test_overhead_per_cell(benchmark: Any, tmp_path: Path, method: str) -> None:
    """20 small cells one after the other: time of the run per cell, less what the method and its check took.

    The rest is starting the process, making the instance, importing what the cell's backend needs, and the store.
    """
    path = written(tmp_path, small(f'name = "{method}"', repetitions=20))

    def run() -> float:
        began = time.perf_counter()
        run_experiment(path, tmp_path / "store.db", fresh=True)
        return time.perf_counter() - began

    seconds = benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    rows = read_rows(tmp_path / "store.db")
    inside = statistics.median(row.seconds["total"] for row in rows)
    outside = statistics.median(row.wall_seconds - row.seconds["total"] for row in rows)
    print(
        f"\n{method}: {1000 * seconds / len(rows):.0f} ms per cell in all (planning and starting the server included);"
        f" process and instance {1000 * outside:.0f} ms, method, import of its backend and check {1000 * inside:.0f} ms"
    )


def test_two_workers(benchmark: Any, tmp_path: Path) -> None:
    """16 cells of about a second each that keep a core busy: one worker against two, in turn, median of 3."""
    text = small(
        'name = "busy"\noptions = {seconds = 1.0}',
        repetitions=16,
        head="keep = false",
    )
    path = written(tmp_path, text)

    def run(workers: int) -> float:
        began = time.perf_counter()
        run_experiment(path, tmp_path / f"{workers}.db", workers=workers, fresh=True)
        return time.perf_counter() - began

    pairs = [(run(1), run(2)) for _ in range(3)]
    benchmark.pedantic(run, args=(2,), rounds=1)
    ratio = statistics.median(one / two for one, two in pairs)
    shown = ", ".join(f"{one:.1f} s / {two:.1f} s" for one, two in pairs)
    print(f"\n2 workers against 1: {ratio:.2f}x ({shown})")
