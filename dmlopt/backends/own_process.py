"""Large programs in a process of their own, which can be ended from outside.

Solver libraries look at their time limit between steps, and on large programs one step (a presolve round, the first LP)
takes seconds: HiGHS with 512,000 columns came back 3.5 s after a limit of 4 s. A process can be ended at once. The child
reports incumbents while it runs, so that ending it loses only what it did not report yet.

`python -m dmlopt.backends.own_process NAME` is the child: it reads one pickled task and writes pickled messages, between
the parent and itself only.
"""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Any

import numpy as np

from dmlopt.backends.catalogue import backend, require_able
from dmlopt.backends.program import Capability, Program, ProgramResult, ProgramStatus, SolverLimits
from dmlopt.control import Clock, OutOfTime
from dmlopt.errors import BackendError
from dmlopt.packing import FloatArray
from dmlopt.result import Limit

LARGE = 200_000
"""Entries of the matrix from which on a program is solved in a process of its own."""
GRACE = 0.3
"""Seconds that the child gets beyond the time limit before it is ended."""
POLL = 0.02

Report = Callable[[ProgramResult], None]


class LocalBackend(ABC):
    """A backend that runs inside this process, or in a child process where the program is large."""

    name: str
    capabilities: frozenset[Capability]

    def solve(self, program: Program, limits: SolverLimits, start: FloatArray | None = None) -> ProgramResult:
        """Solve within the limits; BackendError names who can, if this backend cannot."""
        if program.column_count == 0:
            return without_columns(program)
        require_able(self, program)
        if self.apart(program):
            return solve_apart(self.name, program, limits, start)
        return self.solve_here(program, limits, start, lambda _: None)

    def apart(self, program: Program) -> bool:
        """Whether the program is better solved in a process of its own."""
        return bool(program.matrix.nnz >= LARGE)

    @abstractmethod
    def solve_here(
        self, program: Program, limits: SolverLimits, start: FloatArray | None, report: Report
    ) -> ProgramResult:
        """Solve in this process; `report` is told of incumbents meanwhile, where the library tells them."""


def without_columns(program: Program) -> ProgramResult:
    """A program without columns is decided by its rows; solvers answer all sorts of things to it."""
    if (program.row_lower > 0).any() or (program.row_upper < 0).any():
        return ProgramResult(ProgramStatus.INFEASIBLE)
    return ProgramResult(ProgramStatus.OPTIMAL, objective=program.offset, bound=program.offset, x=np.empty(0))


def solve_apart(
    name: str, program: Program, limits: SolverLimits, start: FloatArray | None = None
) -> ProgramResult:
    """Solve with the backend `name` in a child process that ends with the clock."""
    messages: list[ProgramResult | str] = []
    with tempfile.TemporaryFile() as task, tempfile.TemporaryFile() as errors:
        bare = replace(program, column_names=(), row_names=())
        pickle.dump((bare, limits.gap, limits.threads, limits.seed, start), task)
        pickle.dump(time.time() + limits.clock.remaining(), task)  # a moment that both processes understand
        task.seek(0)
        child = _start(name, task, errors)
        reader = threading.Thread(target=_read, args=(child.stdout, messages), daemon=True)
        reader.start()
        try:
            while reader.is_alive() and not _late(limits.clock):
                reader.join(POLL)
        finally:
            ended = reader.is_alive()
            if child.poll() is None:
                child.kill()
            reader.join()
            child.wait()
        errors.seek(0)
        return _outcome(name, messages, ended, limits.clock, errors.read())


def _start(name: str, task: IO[bytes], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    try:
        # A session of its own, so that Ctrl-C reaches this process only, which then ends the child.
        return subprocess.Popen(
            [sys.executable, "-m", "dmlopt.backends.own_process", name],
            stdin=task,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
    except OSError as error:
        raise BackendError(f"{name}: its process cannot be started ({error})") from error


def _late(clock: Clock) -> bool:
    if clock.interrupted:
        return True
    return clock.expired() and clock.elapsed() > (clock.time_limit or 0.0) + GRACE


def _read(pipe: Any, messages: list[ProgramResult | str]) -> None:
    """Collect the child's messages until it closes its end, or is ended in the middle of one."""
    try:
        while True:
            messages.append(pickle.load(pipe))
    except (EOFError, pickle.UnpicklingError, OSError):
        return


def _outcome(
    name: str,
    messages: list[ProgramResult | str],
    ended: bool,
    clock: Clock,
    errors: bytes,
) -> ProgramResult:
    last = messages[-1] if messages else None
    if isinstance(last, str):
        raise BackendError(last)
    if last is not None and last.finished:
        if clock.interrupted and last.limit is Limit.TIME:
            last.limit = Limit.INTERRUPTED
        return last
    if not ended:
        said = errors.decode(errors="replace").strip().splitlines()
        raise BackendError(f"{name}: its process failed ({said[-1] if said else 'without a word'})")
    limit = Limit.INTERRUPTED if clock.interrupted else Limit.TIME
    if last is None:
        return ProgramResult(ProgramStatus.UNKNOWN, limit)
    last.limit = limit
    return last


def _child(name: str) -> None:
    """Read the task, solve it, write incumbents and the result."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(
        sys.stderr.fileno(), sys.stdout.fileno()
    )  # what a library prints must not get between the messages

    def send(message: ProgramResult | str) -> None:
        pickle.dump(message, out)
        out.flush()

    chosen: Any = backend(name)
    program, gap, threads, seed, start = pickle.load(sys.stdin.buffer)
    deadline = pickle.load(sys.stdin.buffer)
    clock = Clock(max(0.0, deadline - time.time()) if math.isfinite(deadline) else None)
    try:
        found = chosen.solve_here(program, SolverLimits(clock, gap, threads, seed), start, send)
    except OutOfTime:  # while the program was still being stated
        found = ProgramResult(ProgramStatus.UNKNOWN, Limit.TIME)
    except BackendError as error:
        send(str(error))
        return
    found.finished = True
    send(found)


if __name__ == "__main__":
    _child(sys.argv[1])
