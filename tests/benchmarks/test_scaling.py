"""How the time of the exact method grows with jobs and with resources; everything included, up to 100,000 jobs."""

from __future__ import annotations

import time
from typing import Any

import dmlopt
from dmlopt.report.numbers import loglog_slope

GAP = 1e-5
JOBS = (1_000, 3_000, 10_000, 30_000, 100_000)
RESOURCES = (1, 2, 3, 4, 5, 6)


def _seconds(jobs: int, resources: int) -> float:
    problem = dmlopt.generate("optimus", cluster="gpu-8x8-a100", jobs=jobs, resources=resources, seed=1)
    began = time.perf_counter()
    result = dmlopt.solve(problem, "exact", gap=GAP)
    taken = time.perf_counter() - began
    assert result.status == "optimal"
    assert result.gap is not None
    assert result.gap <= GAP
    return taken


def _show(what: str, sizes: tuple[int, ...], seconds: list[float]) -> None:
    listed = ", ".join(f"{size:,}: {taken:.2f} s" for size, taken in zip(sizes, seconds, strict=True))
    print(f"\nexact to a certified gap of {GAP:g}, by {what}: {listed}")
    print(f"  log-log slope {loglog_slope(sizes, seconds):.2f}")


def test_time_against_jobs(benchmark: Any) -> None:
    seconds = [_seconds(jobs, 3) for jobs in JOBS[:-1]]
    last = benchmark.pedantic(lambda: _seconds(JOBS[-1], 3), rounds=1, iterations=1)
    _show("jobs (3 resources)", JOBS, [*seconds, last])


def test_time_against_resources(benchmark: Any) -> None:
    seconds = [_seconds(10_000, count) for count in RESOURCES[:-1]]
    last = benchmark.pedantic(lambda: _seconds(10_000, RESOURCES[-1]), rounds=1, iterations=1)
    _show("resources (10,000 jobs)", RESOURCES, [*seconds, last])
