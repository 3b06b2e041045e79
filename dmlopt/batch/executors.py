"""Where cells run. An executor yields (cell, record) pairs as cells finish, in whatever order."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from dmlopt.batch.cell import Cell
from dmlopt.batch.row import CRASH
from dmlopt.batch.sandbox import Closed, Sandbox

Record: TypeAlias = dict[str, Any]


class Executor(Protocol):
    """Runs cells somewhere."""

    @property
    def description(self) -> str:
        """Where, in a few words."""
        ...

    def run(
        self, cells: Sequence[Cell], started: Callable[[Cell], None], wanted: Callable[[Cell], bool]
    ) -> Iterator[tuple[Cell, Record | None]]:
        """Pairs as cells finish; None for a cell that was no longer `wanted` when its turn came.

        Leaving the iteration, for whatever reason, ends the cells that still run.
        """
        ...


class LocalProcesses:
    """Cells on this machine, `workers` at a time, each in a fresh process."""

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers

    @property
    def description(self) -> str:
        """Such as `2 local processes`."""
        return f"{self._workers} local process{'es' if self._workers > 1 else ''}"

    def run(
        self, cells: Sequence[Cell], started: Callable[[Cell], None], wanted: Callable[[Cell], bool]
    ) -> Iterator[tuple[Cell, Record | None]]:
        """One thread per worker, each with a sandbox of its own."""
        waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
        for cell in cells:
            waiting.put(cell)
        done: queue.SimpleQueue[tuple[Cell, Record | None]] = queue.SimpleQueue()
        sandboxes = [Sandbox() for _ in range(min(self._workers, len(cells)))]
        stop = threading.Event()

        def work(sandbox: Sandbox) -> None:
            with contextlib.suppress(queue.Empty, Closed):
                while not stop.is_set():
                    cell = waiting.get_nowait()
                    if not wanted(cell):
                        done.put((cell, None))
                        continue
                    started(cell)
                    done.put((cell, _record(sandbox, cell)))

        threads = [threading.Thread(target=work, args=(each,), daemon=True) for each in sandboxes]
        for thread in threads:
            thread.start()
        try:
            for _ in cells:
                yield done.get()
        finally:
            stop.set()
            for sandbox in sandboxes:
                sandbox.close()
            for thread in threads:
                thread.join()


def _record(sandbox: Sandbox, cell: Cell) -> Record:
    try:
        return sandbox.run(cell)
    except Closed:
        raise
    except Exception as error:  # a worker that stopped would leave the run waiting for ever
        return {"outcome": CRASH, "reason": f"{type(error).__name__}: {error}"}
