"""Small experiments for the tests, and a way to run the command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MISBEHAVING = Path(__file__).parent / "misbehaving.py"
ROOT = Path(__file__).parents[2]


def small(
    *methods: str, jobs: str = "[4]", repetitions: int = 1, head: str = "", limits: str = "time = 10"
) -> str:
    """An experiment with generated instances and these methods, each given as the inside of a [[methods]] table."""
    tables = "".join(f"[[methods]]\n{each}\n" for each in methods)
    return f"""
modules = ["{MISBEHAVING}"]
{head}
[limits]
{limits}
[[instances]]
name = "tiny"
generator = "optimus"
options = {{cluster = "cpu-7x16"}}
grid = {{jobs = {jobs}}}
repetitions = {repetitions}
{tables}"""


def written(folder: Path, text: str, name: str = "small.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def command(*arguments: str | Path) -> list[str]:
    program = "import sys\nfrom dmlopt.cli import main\nif __name__ == '__main__':\n    sys.exit(main())"
    return [sys.executable, "-c", program, *map(str, arguments)]


def environment() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def dmlopt(*arguments: str | Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=timeout, env=environment(), check=False
    )
