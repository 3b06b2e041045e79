"""When jobs arrive: slots 1..last, for a given number of jobs.

uniform   evenly: one job in each of as many equal pieces of time
poisson   independently of each other: a Poisson process with this number of points
bursty    a few bursts of neighbouring slots
diurnal   days of 24 slots, busy around their middle
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import IntArray

PATTERNS = ("uniform", "poisson", "bursty", "diurnal")
DAY = 24
BURST_SIZE = 8
BURST_SPREAD = 1.0


def arrival_slots(random: np.random.Generator, pattern: str, jobs: int, last: int) -> IntArray:
    """Sorted arrival slots of `jobs` jobs within 1..last."""
    if pattern == "poisson":
        times = random.uniform(0, last, jobs)
    elif pattern == "bursty":
        centres = random.uniform(0, last, max(1, round(jobs / BURST_SIZE)))
        times = random.choice(centres, jobs) + random.normal(0, BURST_SPREAD, jobs)
    elif pattern == "diurnal":
        hours = np.arange(last)
        weight = 1.0 - 0.9 * np.cos(2 * np.pi * (hours % DAY + 0.5) / DAY)
        times = random.choice(hours, jobs, p=weight / weight.sum()) + 0.0
    else:
        times = (np.arange(jobs) + random.random(jobs)) * last / jobs
    return np.sort(np.clip(np.floor(times).astype(np.int64) + 1, 1, last))
