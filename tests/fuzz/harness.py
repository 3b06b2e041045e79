"""What the campaigns share: documents to start from, and a command line that must never end in an exception."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, settings

import dmlopt
from dmlopt.cli import main
from dmlopt.files import encode

DOCUMENTED = {0, 1, 2, 3, 4, 130}
SHORT, LONG = 150, 2500
Test = Callable[..., None]


def campaign(examples: int) -> Callable[[Test], Test]:
    """Settings of a campaign: the short ones always try the same cases, the long ones new ones."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=examples <= SHORT,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )


@functools.cache
def problems() -> dict[str, Any]:
    """Small problems of every mode; the last one has no feasible solution."""
    mixed = {"jobs": 3, "p_max": 4, "w_max": 4, "table_share": 0.4, "seed": 3}
    return {
        "cpu": dmlopt.generate("optimus", jobs=3, p_max=5, w_max=5, seed=1),
        "tables": dmlopt.generate("optimus", **mixed),
        "waiting": dmlopt.generate("optimus", **mixed, waiting=True, load=1.4),
        "gpu": dmlopt.generate("optimus", jobs=6, kinds=2, cluster="gpu-8x8-a100", p_max=3, w_max=3, seed=2),
        "short": dmlopt.generate("optimus", jobs=3, p_max=4, w_max=4, load=1.7, seed=4),
    }


@functools.cache
def instances() -> list[dict[str, Any]]:
    """The problems as documents."""
    return [encode(problem) for problem in problems().values()]


@functools.cache
def results() -> list[dict[str, Any]]:
    """Results of several kinds, each with its instance under `instance` (to be taken out before writing)."""
    found = []
    for name, problem in problems().items():
        for method in ("exact", "lagrangian", "greedy", "mip-highs"):
            whole = dmlopt.solve(problem, method)
            found.append({"instance": name, "document": encode(whole)})
    exact = dmlopt.solve(problems()["cpu"], "exact")
    for part in ("solution", "certificate"):
        found.append({"instance": "cpu", "document": encode(exact, part)})
    return found


class _Stdin:
    def __init__(self, raw: bytes) -> None:
        self.buffer = io.BytesIO(raw)


def run(argv: list[str], stdin: bytes = b"") -> tuple[int, str, str]:
    """Run a command in this process. Unforeseen errors are raised, not turned into messages."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, {"DMLOPT_TRACEBACK": "1"}),
        mock.patch.object(sys, "stdin", _Stdin(stdin)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(argv)
    assert code in DOCUMENTED, (code, argv, err.getvalue())
    assert "Traceback" not in out.getvalue() + err.getvalue()
    if code in (2, 4) and argv[:1] != ["compare"]:
        assert err.getvalue(), argv
    return code, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder to work in; the working directory changes to it."""
    with tempfile.TemporaryDirectory(prefix="dmlopt-fuzz-") as name, contextlib.chdir(name):
        yield Path(name)
