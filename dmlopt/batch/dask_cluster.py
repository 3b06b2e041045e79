"""The same cells on a dask.distributed cluster: `pip install dmlopt[dask]` on every machine.

A task runs its cell in a fresh process of its worker's machine, exactly as a local run does, so that a crash of a solver
costs a cell and not a worker. Workers should have one thread each. A task whose worker is lost runs again elsewhere; one
that loses worker after worker becomes a row.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dmlopt.batch.cell import Cell
from dmlopt.batch.executors import Record
from dmlopt.batch.machine import host
from dmlopt.batch.row import CRASH
from dmlopt.batch.sandbox import Sandbox
from dmlopt.errors import BackendError

LOCAL = "local"
PATIENCE = 10.0  # seconds to wait for a scheduler
RETRIES = 2
AHEAD = 4  # tasks per worker that are given out at a time: enough to keep it busy

_of_thread = threading.local()


def run_on_worker(data: dict[str, Any]) -> Record:
    """What a task does; the sandbox stays for the next task of this thread."""
    sandbox: Sandbox | None = getattr(_of_thread, "sandbox", None)
    if sandbox is None:
        sandbox = _of_thread.sandbox = Sandbox()
        atexit.register(sandbox.close)
    return {**sandbox.run(Cell.from_json(data)), "host": host()}


@contextlib.contextmanager
def connected(address: str, workers: int = 1) -> Iterator[DaskCluster]:
    """The cluster whose scheduler listens at `address`, or a new one of `workers` local processes."""
    try:
        import distributed
    except ImportError:
        raise BackendError("dask is not installed; pip install 'dmlopt[dask]'") from None
    with contextlib.ExitStack() as stack:
        try:
            if address == LOCAL:
                cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
                )
                client = distributed.Client(stack.enter_context(cluster), timeout=PATIENCE)
            else:
                client = distributed.Client(address, timeout=PATIENCE)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BackendError(f"no dask scheduler answers at '{address}' ({reason})") from None
        yield DaskCluster(stack.enter_context(client), address)


class DaskCluster:
    """Runs cells as tasks of a dask client."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    @property
    def description(self) -> str:
        """Such as `dask at tcp://10.0.0.1:8786`."""
        return f"dask at {self._address}"

    def run(
        self, cells: Sequence[Cell], started: Callable[[Cell], None], wanted: Callable[[Cell], bool]
    ) -> Iterator[tuple[Cell, Record | None]]:
        """Tasks are given out a few at a time, so that what another run finishes meanwhile is not run again."""
        import distributed

        waiting = iter(cells)
        running: dict[Any, Cell] = {}
        flow = distributed.as_completed([], raise_errors=False)

        def give_out() -> Iterator[tuple[Cell, None]]:
            most = AHEAD * max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
            while len(running) < most:
                cell = next(waiting, None)
                if cell is None:
                    return
                if not wanted(cell):
                    yield cell, None
                    continue
                future = self._client.submit(
                    run_on_worker, cell.to_json(), key=f"cell-{cell.key}", retries=RETRIES, pure=False
                )
                running[future] = cell
                started(cell)
                flow.add(future)

        try:
            yield from give_out()
            while running:
                future = next(flow)
                cell = running.pop(future)
                yield cell, _record(future)
                future.release()
                yield from give_out()
        finally:
            self._client.cancel(list(running), force=True)


def _record(future: Any) -> Record:
    try:
        record: Record = future.result()
    except Exception as error:  # KilledWorker, or whatever the cluster itself did wrong
        reason = " ".join(str(error).split())
        return {"outcome": CRASH, "reason": f"lost by the cluster: {type(error).__name__}: {reason[:300]}"}
    return record
