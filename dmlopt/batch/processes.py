"""Looking at processes and ending them, with everything that they started. Linux shows more than other systems do."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def descendants(pid: int) -> list[int]:
    """The process and all that it started, directly or not, as far as the system tells."""
    found, waiting = [], [pid]
    while waiting:
        each = waiting.pop()
        found.append(each)
        for thread in _listed(Path(f"/proc/{each}/task")):
            with contextlib.suppress(OSError, ValueError):
                waiting += map(int, Path(f"/proc/{each}/task/{thread}/children").read_text().split())
    return found


def resident_megabytes(pid: int) -> float:
    """Memory in use by the process and its descendants; 0 where the system does not tell."""
    total = 0
    for each in descendants(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{each}/statm").read_text().split()[1])
    return total * PAGE / 2**20


def end(pid: int) -> None:
    """Kill the process, its group and its descendants."""
    for each in descendants(pid):
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
