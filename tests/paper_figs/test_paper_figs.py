"""Figure scripts read the tables only; what cannot be drawn is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCALING = (
    "series,method,jobs,resources,total_seconds,peak_gigabytes\n"
    "jobs,exact,1000,3,0.2,0.1\njobs,exact,10000,3,2.1,0.4\n"
    "resources,exact,1000,1,0.1,0.1\nresources,exact,1000,2,0.2,0.1\n"
)
QUALITY = "instance,method,above_bound\na,greedy,0.1\nb,greedy,0.2\na,drf,0.5\nb,drf,0.0\n"
COMPARISON = (
    "instance,method,kind,objective,bound,gap,seconds,status,note\n"
    "a,exact,exact,1.0,1.0,0.0,0.5,optimal,\na,lp,bound,,0.9,0.1,0.1,bound,\na,mip,exact,,,,,error,no solver\n"
)


def draw(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "paper_figs" / f"{script}.py"), "--out", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    ("script", "table", "content"),
    [
        ("scaling", "scaling", SCALING),
        ("greedy_quality", "greedy_quality", QUALITY),
        ("gap_against_time", "main_comparison", COMPARISON),
    ],
)
def test_figures(tmp_path: Path, script: str, table: str, content: str) -> None:
    missing = draw(script, tmp_path)
    assert missing.returncode == 2
    assert "Traceback" not in missing.stderr
    (tmp_path / f"{table}.csv").write_text("method\nexact\n")
    wrong = draw(script, tmp_path)
    assert wrong.returncode == 2
    assert "no column" in wrong.stderr
    (tmp_path / f"{table}.csv").write_text(content)
    done = draw(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{script}.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / f"{script}.pdf").read_bytes().startswith(b"%PDF")
