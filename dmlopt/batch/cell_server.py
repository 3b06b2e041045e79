"""A warm process that runs cells, each in a fresh fork of itself, and never runs one itself.

Starting Python and importing numpy, scipy and dmlopt takes most of a second; forking a process that has done so takes
milliseconds. No solver library is imported here, so every cell still imports its own backend into a clean process.

`python -m dmlopt.batch.cell_server` reads one JSON cell per line from stdin and answers with one JSON record per line. The
fork is killed when a phase takes longer than it may or its memory grows beyond the limit; when stdin is closed, because the
one who asked is gone, the fork is killed and the server ends: nothing is left behind, even after `kill -9`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import IO, Any, NoReturn

from dmlopt import registry
from dmlopt.batch.cell import Cell
from dmlopt.batch.experiment import Limits
from dmlopt.batch.processes import end, resident_megabytes
from dmlopt.batch.row import CRASH, MEMORY_OUT, TIME_OUT
from dmlopt.batch.work import MAKING, PHASES, RUNNING, run_cell

LOOK = 0.1  # seconds between two looks at a fork's memory and time
DYING = 2.0  # seconds that a fork may take to die after its last word
PIECE = 1 << 16
OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "out of memory", "Cannot allocate memory")
READY = "ready"


class _Gone(Exception):
    """Whoever asked is gone."""


@dataclass
class _Fork:
    """A running cell: its process, the pipe on which it talks, and what it said so far."""

    pid: int
    pipe: int
    limits: Limits
    log: IO[bytes]
    phase: str = MAKING
    since: float = field(default_factory=time.monotonic)
    began: float = field(default_factory=time.monotonic)
    said: bytearray = field(default_factory=bytearray)
    record: dict[str, Any] | None = None

    def allowed(self) -> float:
        """Seconds that the current phase may take."""
        if self.phase != RUNNING:
            return self.limits.other
        return float("inf") if self.limits.time is None else self.limits.time + self.limits.grace

    def hear(self, data: bytes) -> None:
        """Lines from the fork: a phase that begins, at last the record."""
        self.said += data
        while b"\n" in self.said:
            line, _, rest = bytes(self.said).partition(b"\n")
            self.said = bytearray(rest)
            text = line.decode()
            if text in PHASES:
                self.phase, self.since = text, time.monotonic()
            else:
                self.record = json.loads(text)


def serve() -> None:
    """Answer cells until stdin is closed."""
    for name in registry.formulation_names():
        with contextlib.suppress(
            Exception
        ):  # a formulation that cannot be loaded is the error of its own cells
            registry.formulation(name)
    requests, answers = os.dup(0), os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing that is printed may get between the answers
    _answer(answers, {"server": READY})
    waiting = bytearray()
    while True:
        data = os.read(requests, PIECE)
        if not data:
            return
        waiting += data
        while b"\n" in waiting:
            line, _, rest = bytes(waiting).partition(b"\n")
            waiting = bytearray(rest)
            try:
                cell = Cell.from_json(json.loads(line))
                with contextlib.suppress(Exception):  # the cell will say what is wrong
                    registry.prepare(cell.formulation)  # once, here: every fork inherits it
                _answer(answers, _run_forked(cell, requests))
            except _Gone:
                return


def _answer(answers: IO[str], record: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        answers.write(json.dumps(record) + "\n")
        answers.flush()


def _run_forked(cell: Cell, requests: int) -> dict[str, Any]:
    """Fork, watch, and make a record of however it ended."""
    with tempfile.TemporaryFile() as log:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            _be_the_fork(cell, writing, log)
        os.close(writing)
        fork = _Fork(pid, reading, cell.limits, log)
        try:
            verdict = _watch(fork, requests)
        finally:
            os.close(reading)
            end(pid)
            _, status, usage = os.wait4(pid, 0)
        record = (
            fork.record if fork.record is not None and verdict is None else verdict or _crashed(fork, status)
        )
        record["wall_seconds"] = time.monotonic() - fork.began
        record["peak_megabytes"] = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        return record


def _watch(fork: _Fork, requests: int) -> dict[str, Any] | None:
    """Listen to the fork until it closes its end; the record of a limit that it broke, or None."""
    while True:
        ready, _, _ = select.select([fork.pipe, requests], [], [], LOOK)
        if requests in ready:  # nothing is asked while a cell runs: this is the end of the pipe
            raise _Gone
        if fork.pipe in ready:
            data = os.read(fork.pipe, PIECE)
            if not data:
                _let_die(fork)
                return None
            fork.hear(data)
        elif _dead(fork.pid):
            return None  # it is dead, and a process that it left behind keeps the pipe open
        allowed, memory = fork.allowed(), fork.limits.memory
        if time.monotonic() - fork.since > allowed:
            what = "the method was" if fork.phase == RUNNING else f"{fork.phase} was"
            return {"outcome": TIME_OUT, "reason": f"{what} not done after {allowed:g} s, and was killed"}
        if memory is not None and resident_megabytes(fork.pid) > memory:
            return {"outcome": MEMORY_OUT, "reason": f"used more than {memory:g} MB, and was killed"}


def _dead(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _let_die(fork: _Fork) -> None:
    """A fork without a record is on its way out: its own exit code says more than that of killing it."""
    until = time.monotonic() + DYING
    while fork.record is None and not _dead(fork.pid) and time.monotonic() < until:
        time.sleep(0.005)


def _crashed(fork: _Fork, status: int) -> dict[str, Any]:
    """The record of a process that died without one; the last words of its log are part of the reason."""
    fork.log.seek(0)
    words = fork.log.read().decode(errors="replace").strip()
    code = os.waitstatus_to_exitcode(status)
    if any(each in words for each in OUT_OF_MEMORY):
        return {"outcome": MEMORY_OUT, "reason": f"died for lack of memory while {fork.phase}"}
    if code < 0:
        how = f"died of {_signal_name(-code)} while {fork.phase}"
    else:
        how = f"ended with code {code} and without an answer while {fork.phase}"
    last = next((line.strip() for line in words.splitlines() if line.strip()), "")
    return {"outcome": CRASH, "reason": f"{how} ({last[:200]})" if last else how}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _be_the_fork(cell: Cell, writing: int, log: IO[bytes]) -> NoReturn:
    """Run the cell in this process, and end it whatever happens."""
    code = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        faulthandler.enable(file=2)
        if cell.limits.memory is not None:
            most = int(cell.limits.memory * 2**20)
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:

            def tell(phase: str) -> None:
                pipe.write(f"{phase}\n")
                pipe.flush()

            pipe.write(json.dumps(run_cell(cell, tell)) + "\n")
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
