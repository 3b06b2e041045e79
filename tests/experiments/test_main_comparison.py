"""What `make run` runs, on its smallest instances."""

from __future__ import annotations

import csv
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

import dmlopt

SCRIPT = Path(__file__).parents[2] / "experiments" / "main_comparison.py"


@pytest.fixture(scope="module")
def comparison() -> ModuleType:
    spec = importlib.util.spec_from_file_location("main_comparison", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["main_comparison"] = module
    spec.loader.exec_module(module)
    return module


def test_tables_and_figure(
    comparison: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert comparison.main(["--out", str(tmp_path / "new"), "--jobs", "6"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines()[:-1])) <= 100
    rows = list(csv.DictReader((tmp_path / "new" / "main_comparison.csv").open()))
    methods = [
        name for name in dmlopt.methods("optimus") if name != "dp"
    ]  # these clusters have three resources
    assert len(rows) == 2 * len(methods)
    assert {row["method"] for row in rows} == set(methods)
    assert all(method in out for method in methods)
    assert all(row["status"].startswith("optimal") for row in rows if row["kind"] == "exact")
    assert all(float(row["gap"]) <= 1e-6 for row in rows if row["kind"] == "exact")
    assert (tmp_path / "new" / "gap_against_time.png").stat().st_size > 10_000
    assert "gap_against_time.png" in (tmp_path / "new" / "main_comparison.md").read_text()


def test_place_that_cannot_be_written(comparison: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert comparison.main(["--out", str(tmp_path / "file" / "out"), "--jobs", "6"]) == 2


def test_interrupt_leaves_a_report(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--out", str(tmp_path), "--jobs", "6,2000"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    process.stdout.readline()  # the first table is there: the next instance is the one with 2,000 jobs
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "Traceback" not in out + err
    assert (tmp_path / "main_comparison.csv").read_text().count("\n") > 10
