"""Methods that do what solvers do on bad days; loaded into cells through `modules` of an experiment."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import dmlopt
from dmlopt.registry import Option

NAME = "optimus"


def honest(problem):
    return dmlopt.solve(problem, "greedy").solution


@dmlopt.method(NAME, "bad-segfault")
def segfault(problem):
    ctypes.string_at(0)


@dmlopt.method(NAME, "bad-backend")
def bad_backend(problem):
    """A solver library that crashes inside, behind a backend of ours."""
    from dmlopt.backends.highs import HighsBackend

    HighsBackend.solve_here = lambda *arguments: ctypes.string_at(0)
    return dmlopt.solve(problem, "mip-highs").solution


@dmlopt.method(NAME, "bad-exit")
def leave(problem):
    sys.exit(3)


@dmlopt.method(NAME, "bad-kill")
def kill(problem):
    os.kill(os.getpid(), signal.SIGKILL)


@dmlopt.method(NAME, "bad-hang")
def hang(problem):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


@dmlopt.method(NAME, "bad-hang-with-child", options=(Option("mark", str, "", "file for the child's number"),))
def hang_with_child(problem, mark):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    Path(mark).write_text(str(child.pid))
    time.sleep(600)


@dmlopt.method(NAME, "bad-memory")
def memory(problem):
    return np.ones((8_000, 1_000_000))  # 64 GB


@dmlopt.method(NAME, "bad-memory-slowly")
def memory_slowly(problem):
    held = []
    while True:
        held.append(np.ones(4_000_000))
        time.sleep(0.001)


@dmlopt.method(NAME, "bad-raise")
def fail(problem):
    raise ZeroDivisionError("on purpose")


@dmlopt.method(NAME, "bad-infeasible")
def infeasible(problem):
    solution = honest(problem)
    return type(solution)(tuple(1000 for _ in solution.servers), tuple(1000 for _ in solution.workers))


@dmlopt.method(NAME, "bad-noise")
def noise(problem):
    os.write(1, b'{"outcome": "done"}\n' * 100)
    print("a solver prints what it likes")
    return honest(problem)


@dmlopt.method(
    NAME,
    "slow",
    options=(Option("mark", str, "", "folder for a note per run"), Option("nap", float, 0.3, "s")),
)
def slow(problem, mark, nap):
    if mark:
        (Path(mark) / f"{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(nap)
    return honest(problem)


@dmlopt.method(
    NAME, "busy", options=(Option("seconds", float, 1.0, "work for about so long on a free core"),)
)
def busy(problem, seconds):
    """A fixed amount of work, not of time: two that share a core take twice as long."""
    matrix = np.random.default_rng(0).random((120, 120))
    for _ in range(round(seconds * 3_000)):
        matrix = matrix @ matrix
        matrix /= np.abs(matrix).max()
    return honest(problem)
