"""Live progress of a batch run on a terminal: a bar, what is running, what failed. Silent lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from dmlopt.batch.cell import Cell
from dmlopt.batch.row import BROKEN
from dmlopt.batch.runner import Summary, Watcher

MOST_RUNNING = 8  # lines of running cells that are shown


class BatchProgress(Watcher):
    """A watcher that shows; failed cells are printed for good, with their reason."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("instances", total=None)
        self._running: dict[str, tuple[Cell, float]] = {}
        self._lock = threading.Lock()
        self._live = (
            Live(get_renderable=self._render, console=console, transient=True, refresh_per_second=4)
            if console.is_terminal
            else None
        )

    def __enter__(self) -> BatchProgress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def planning(self, done: int, total: int) -> None:
        """So many instances are made."""
        self._bar.update(self._task, completed=done, total=total)

    def begin(self, cells: Sequence[Cell], summary: Summary) -> None:
        """The bar counts cells from here on."""
        self._bar.reset(self._task, description="cells", total=summary.asked, completed=summary.found)

    def started(self, cell: Cell) -> None:
        """A cell starts."""
        with self._lock:
            self._running[cell.key] = (cell, time.perf_counter())

    def finished(self, cell: Cell, outcome: str, reason: str, summary: Summary) -> None:
        """A cell is in the store."""
        with self._lock:
            self._running.pop(cell.key, None)
        self._bar.update(self._task, completed=summary.done)
        if outcome in BROKEN:
            self._console.print(
                Text.assemble((outcome, "bold red"), f": {cell.instance}, {cell.method}: {reason}")
            )

    def _render(self) -> Group:
        with self._lock:
            running = list(self._running.values())
        now = time.perf_counter()
        lines = [
            Text(f"  {cell.instance}: {cell.method}, {now - since:.0f} s", style="dim", no_wrap=True)
            for cell, since in running[:MOST_RUNNING]
        ]
        if len(running) > MOST_RUNNING:
            lines.append(Text(f"  and {len(running) - MOST_RUNNING} more", style="dim"))
        return Group(self._bar, *lines)
