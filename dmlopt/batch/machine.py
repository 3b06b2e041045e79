"""What a run says about where it happened: numbers without it cannot be compared."""

from __future__ import annotations

import functools
import os
import platform
from pathlib import Path


@functools.cache
def machine() -> dict[str, str | int]:
    """Processor, cores that may be used, memory, system."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gigabytes": _memory_gigabytes(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def host() -> str:
    """The machine's name in its network."""
    return platform.node() or "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _memory_gigabytes() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)
    except (OSError, ValueError, AttributeError):
        return 0
