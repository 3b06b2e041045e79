"""Speed claims are ratios against a named rival, both measured here, in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """Median seconds over repeats, and the last answer."""

    seconds: float
    repeats: int
    answer: Any


def timed(run: Callable[[], Any], repeats: int) -> Timed:
    """Run it `repeats` times."""
    taken = []
    answer = None
    for _ in range(repeats):
        began = time.perf_counter()
        answer = run()
        taken.append(time.perf_counter() - began)
    return Timed(statistics.median(taken), repeats, answer)


def print_ratio(title: str, ours: float, rival: str, theirs: float, detail: str) -> None:
    """One line per claim, readable in the output of `make bench`."""
    print(
        f"\n{title}\n  dmlopt {ours:8.2f} s   {rival} {theirs:8.2f} s   ratio {theirs / ours:6.1f}x   {detail}"
    )
