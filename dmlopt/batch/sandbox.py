"""The side of the one who asks: a `Sandbox` runs cells in fresh processes through a warm server, one at a time."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any

from dmlopt.batch.cell import Cell
from dmlopt.batch.cell_server import READY
from dmlopt.errors import BackendError

LIBRARY_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Closed(Exception):
    """The sandbox was closed while it ran a cell."""


class Sandbox:
    """Runs cells one after the other, each in a fresh process. `close` ends a running cell at once, from any thread."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None
        self._closed = False
        self._lock = threading.Lock()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, cell: Cell) -> dict[str, Any]:
        """The record of the cell; Closed when the sandbox was closed meanwhile."""
        for _ in range(2):
            server = self._started()
            try:
                assert server.stdin is not None
                assert server.stdout is not None
                server.stdin.write(json.dumps(cell.to_json()) + "\n")
                server.stdin.flush()
                answer = server.stdout.readline()
            except (OSError, ValueError):
                answer = ""
            if answer:
                record: dict[str, Any] = json.loads(answer)
                return record
            if self._closed:
                raise Closed
            self._stop()  # the server itself died: once more with a new one
        raise BackendError("the process that runs cells died twice on one cell")

    def close(self) -> None:
        """End the server and a cell that it runs."""
        self._closed = True
        self._stop()

    def _started(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._closed:
                raise Closed
            if self._server is None:
                self._server = _start_server()
            return self._server

    def _stop(self) -> None:
        with self._lock:
            server, self._server = self._server, None
        if server is None:
            return
        with contextlib.suppress(OSError, ValueError):
            server.stdin.close()  # type: ignore[union-attr]
        try:
            server.wait(timeout=5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _start_server() -> subprocess.Popen[str]:
    """A server in a session of its own, so that Ctrl-C reaches only the one who asks."""
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    # Linear algebra inside numpy would otherwise take all cores, whatever `threads` says.
    threads = {name: os.environ.get(name, "1") for name in LIBRARY_THREADS}
    try:
        server = subprocess.Popen(
            [sys.executable, "-m", "dmlopt.batch.cell_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, **threads, "PYTHONPATH": paths},
        )
    except OSError as error:
        raise BackendError(f"the process that runs cells cannot be started ({error})") from error
    assert server.stdout is not None
    first = server.stdout.readline()
    if READY not in first:
        server.kill()
        server.wait()
        raise BackendError("the process that runs cells ended before it was ready")
    return server
