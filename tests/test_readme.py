"""The example in the README runs and prints what the README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dmlopt

README = (Path(__file__).parents[1] / "README.md").read_text()
STABLE = ("status", "method", "objective", "bound", "greedy", "holds   instance", "holds   solution")


def test_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert example is not None
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    exec(compile(example.group(1), "README.md", "exec"), {})
    printed = capsys.readouterr().out

    def stable(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.startswith(STABLE)]

    assert stable(printed) == stable(shown.group(1))
    assert (tmp_path / "trace.png").exists()
    assert (tmp_path / "result.json").exists()


def test_every_method_is_in_the_table() -> None:
    for name in {name for each in dmlopt.formulations() for name in dmlopt.methods(each)}:
        assert f"`{name.removesuffix('-lookahead')}`" in README
