"""CBC, the solver that PuLP ships: programs go to it as MPS files, in a process of its own that can be stopped."""

from __future__ import annotations

import math
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pulp

from dmlopt.backends.mps import write_mps
from dmlopt.backends.program import (
    Capability,
    Program,
    ProgramResult,
    ProgramStatus,
    SolverLimits,
    is_pure_lp,
)
from dmlopt.control import Clock
from dmlopt.errors import BackendError
from dmlopt.packing import FloatArray
from dmlopt.result import Limit

GRACE = 0.5
"""Seconds that CBC gets beyond its own time limit before it is stopped from outside."""
STOPPING = 3.0
"""Seconds that CBC gets to write its best answer after an interruption."""


class CbcBackend:
    """CBC for one-shot LPs and MIPs. Reads its bound from its log."""

    name = "cbc"
    capabilities = frozenset({Capability.LP, Capability.INTEGER, Capability.MIP, Capability.BOUND})

    def solve(self, program: Program, limits: SolverLimits, start: FloatArray | None = None) -> ProgramResult:
        """Solve within the limits; raises OutOfTime when not even the file could be written in time."""
        with tempfile.TemporaryDirectory(prefix="dmlopt-cbc-") as folder:
            model, answer, log = (Path(folder) / name for name in ("model.mps", "answer.txt", "log.txt"))
            with model.open("w") as file:
                write_mps(program, file, limits.clock)
            stopped = _run(model, answer, log, limits)
            return _read(answer, log, program, stopped, limits.clock)


def _run(model: Path, answer: Path, log: Path, limits: SolverLimits) -> bool:
    """Run CBC; True when it had to be stopped from outside."""
    remaining = limits.clock.remaining()
    command = [_binary(), str(model), "-threads", str(limits.threads), "-ratioGap", repr(limits.gap)]
    command += ["-randomCbcSeed", str(limits.seed % 2**31 + 1), "-timeMode", "elapsed"]
    if math.isfinite(remaining):
        command += ["-sec", f"{max(remaining, 0.01):.3f}"]
    command += ["-printingOptions", "normal", "-solve", "-solution", str(answer)]
    with log.open("w") as out:
        try:
            # A session of its own, so that Ctrl-C reaches dmlopt, which then asks CBC for its best answer.
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            raise BackendError(f"cbc: cannot be started ({error})") from error
        try:
            while True:
                try:
                    process.wait(timeout=0.05)
                    return False
                except subprocess.TimeoutExpired:
                    over = limits.clock.time_limit is not None and limits.clock.remaining() <= 0
                    late = over and time.perf_counter() > _deadline(limits.clock) + GRACE
                    if limits.clock.interrupted:
                        return not _asked_to_stop(process)
                    if late:
                        return True
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _asked_to_stop(process: subprocess.Popen[bytes]) -> bool:
    """Ask CBC to end its search and write what it has; False when it does not come back."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=STOPPING)
    except subprocess.TimeoutExpired:
        return False
    return True


def _deadline(clock: Clock) -> float:
    return clock.started + (clock.time_limit or 0.0)


def _binary() -> str:
    path = Path(pulp.PULP_CBC_CMD.pulp_cbc_path)
    if not path.exists():
        raise BackendError("cbc: PuLP has no CBC binary for this machine")
    return str(path)


def _read(answer: Path, log: Path, program: Program, stopped: bool, clock: Clock) -> ProgramResult:
    text = log.read_text(errors="replace")
    first = ""
    x = np.zeros(program.column_count)
    if answer.exists():
        with answer.open() as file:
            first = file.readline().strip()
            for line in file:
                fields = line.replace("**", " ").split()
                if len(fields) >= 3 and fields[1].startswith("x"):
                    x[int(fields[1][1:])] = float(fields[2])
    if "errors on input" in text:
        raise BackendError("cbc: could not read the program")
    limit = Limit.NONE
    if stopped or first.startswith("Stopped"):
        limit = Limit.INTERRUPTED if clock.interrupted else Limit.TIME
    if first.lower().startswith(("infeasible", "integer infeasible")):
        return ProgramResult(ProgramStatus.INFEASIBLE)
    if first.lower().startswith("unbounded"):
        return ProgramResult(ProgramStatus.UNBOUNDED)
    if stopped or not first or "no integer solution" in first.lower():
        return ProgramResult(ProgramStatus.UNKNOWN, limit, bound=_logged_bound(text))
    objective = float(program.cost @ x) + program.offset
    optimal = first.startswith("Optimal")
    result = ProgramResult(
        ProgramStatus.OPTIMAL if optimal else ProgramStatus.FEASIBLE, limit, objective=objective, x=x
    )
    result.bound = objective if optimal and is_pure_lp(program) else _logged_bound(text)
    if optimal and result.bound is None:
        result.bound = objective
    found = re.search(r"Enumerated nodes:\s+(\d+)", text)
    result.nodes = int(found.group(1)) if found else 0
    return result


def _logged_bound(text: str) -> float | None:
    """The bound CBC printed when it stopped early; None when it proved its answer (or printed none)."""
    found = re.search(r"^Lower bound:\s+([-+0-9.eE]+)", text, re.MULTILINE)
    return float(found.group(1)) if found else None


BACKEND = CbcBackend()
