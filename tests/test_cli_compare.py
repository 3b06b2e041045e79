"""`dmlopt compare` on the toy: the forms it prints, the figure, exit codes."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_cli import Call, call, files, toy_process  # noqa: F401
from toy import ToyFormulation

import dmlopt
from dmlopt.registry import Method
from dmlopt.report.latex import escape
from dmlopt.result import Answer

pytestmark = pytest.mark.usefixtures("toy")


def test_table_and_figure(call: Call, files: dict[str, Path], tmp_path: Path) -> None:  # noqa: F811
    code, out, err = call(
        "compare", files["tight"], files["slack"], "--methods", "bound,best", "--figure", tmp_path / "f.png"
    )
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    assert out.count("3 toy jobs") == 2
    assert out.count("proven") == 1
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert "f.png" in err


def test_machine_readable_forms(call: Call, files: dict[str, Path]) -> None:  # noqa: F811
    arguments = ("compare", files["tight"], "-m", "all", "--time-limit", "0.1")
    code, out, _ = call(*arguments, "--json")
    assert code == 0
    data = json.loads(out.removeprefix("started\n"))  # what the toy's `slow` prints
    assert data["format"] == "dmlopt-comparison/1"
    assert [row["method"] for row in data["rows"]] == ["best", "bound", "slow"]
    assert data["rows"][0]["claimed_bound"] is None
    code, out, _ = call(*arguments, "--csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out.removeprefix("started\n"))))
    assert [float(row["gap"]) for row in rows] == [row["gap"] for row in data["rows"]]
    code, out, _ = call(*arguments, "--latex")
    assert code == 0
    assert out.removeprefix("started\n").startswith("\\begin{tabular}{llrrrrl}\n\\toprule\n")
    assert out.count("\\\\") == 1 + 1 + 3
    assert call(*arguments, "--latex", "--csv")[0] == 2


def test_latex_escapes_what_means_something() -> None:
    assert escape("a_b & 5 % #1 {x} $y$ ~^\n\\z") == (
        r"a\_b \& 5 \% \#1 \{x\} \$y\$ \textasciitilde{}\textasciicircum{} \textbackslash{}z"
    )


def test_exit_codes(call: Call, files: dict[str, Path], toy: ToyFormulation) -> None:  # noqa: F811
    def fail(*_: Any) -> Answer:
        raise dmlopt.BackendError("solver 'x' is not installed")

    toy.extra[:] = [
        Method("none", "heuristic", "", lambda *_: Answer()),
        Method("liar", "heuristic", "", lambda *_: Answer(solution=(1, 1, 1))),
        Method("fail", "exact", "", fail),
    ]
    assert call("compare", files["short"], "-m", "best")[0] == 3
    assert call("compare", files["tight"], "-m", "none")[0] == 3
    assert call("compare", files["tight"], "-m", "none,best")[0] == 0
    code, out, _ = call("compare", files["tight"], "-m", "liar,best,fail")
    assert code == 1
    assert "failed check" in out
    code, out, _ = call("compare", files["tight"], "-m", "best,fail")
    assert code == 4
    assert "solver 'x' is not installed" in out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-m", "bst"], "unknown toy method 'bst'. Did you mean 'best'?"),
        (["-m", "best,bund"], "unknown toy method 'bund'. Did you mean 'bound'?"),
        (["-m", "best,,bound"], "--methods: expected names separated by commas"),
        (["-m", ""], "--methods: expected names separated by commas"),
        ([], "the following arguments are required: --methods"),
        (["-m", "best", "--figure", "f.pgn"], "unknown figure format 'pgn'. Did you mean 'png'?"),
        (["-m", "best", "--figure", "no/such/f.png"], "cannot be written: no such file or directory"),
        (["-m", "best", "--time-limit", "0"], "argument --time-limit: expected a number of seconds > 0"),
        (["missing.json", "-m", "best"], "missing.json: cannot be read"),
    ],
)
def test_wrong(call: Call, files: dict[str, Path], arguments: list[str], reason: str) -> None:  # noqa: F811
    code, out, err = call("compare", files["tight"], *arguments)
    assert (code, out) == (2, "")
    assert reason in err


def test_interrupt_shows_what_was_finished(files: dict[str, Path]) -> None:  # noqa: F811
    arguments = ("compare", str(files["tight"]), "-m", "best,slow,bound", "--csv")
    process = toy_process(*arguments, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert [row["method"] for row in csv.DictReader(io.StringIO(out))] == ["best", "slow"]
