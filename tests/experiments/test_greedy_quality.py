"""The quality study: small runs, resuming, and the summary on rows whose answer is known."""

from __future__ import annotations

import csv
import importlib
import itertools
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module("greedy_quality")


@pytest.fixture
def summary(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module("quality_summary")


def test_quick_run_and_resume(
    study: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--quick", "--out", str(tmp_path)]
    assert study.main(arguments) == 0
    out = capsys.readouterr().out
    assert "Which convention makes the difference" in out
    path = tmp_path / "greedy_quality.csv"
    whole = path.read_text()
    rows = list(csv.DictReader(whole.splitlines()))
    assert len(rows) == len(study.cases(True, 1)) * len(study.METHODS)
    assert all(float(row["objective"]) >= float(row["bound"]) * (1 - 1e-9) for row in rows)
    assert all(float(row["exact_gap"]) <= 1e-5 for row in rows)

    # Killed in the middle of a line: only the instance that was being written is run again.
    lines = whole.splitlines(keepends=True)
    path.write_text("".join(lines[: 1 + 7 * len(study.METHODS) - 1]) + lines[7 * len(study.METHODS)][:40])
    ran = []
    original = study.run_case
    monkeypatch.setattr(study, "run_case", lambda case: ran.append(case.name) or original(case))
    assert study.main([*arguments, "--resume"]) == 0
    assert ran == [case.name for case in study.cases(True, 1)][6:]
    again = list(csv.DictReader(path.read_text().splitlines()))
    measured = {"seconds"}
    assert [{k: v for k, v in row.items() if k not in measured} for row in again] == [
        {k: v for k, v in row.items() if k not in measured} for row in rows
    ]


def test_interrupted_run_keeps_what_is_finished(
    study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, count = study.run_case, itertools.count()

    def run_case(case: object) -> list[dict[str, str]]:
        if next(count) == 2:
            raise KeyboardInterrupt
        return list(original(case))

    monkeypatch.setattr(study, "run_case", run_case)
    assert study.main(["--quick", "--out", str(tmp_path)]) == 130
    assert len((tmp_path / "greedy_quality.csv").read_text().splitlines()) == 1 + 2 * len(study.METHODS)


def test_resuming_another_table_is_refused(
    study: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "greedy_quality.csv").write_text("a,b\n1,2\n")
    assert study.main(["--quick", "--resume", "--out", str(tmp_path)]) == 1
    assert "is not a table of this study" in capsys.readouterr().err
    assert (tmp_path / "greedy_quality.csv").read_text() == "a,b\n1,2\n"
    (tmp_path / "file").write_text("")
    assert study.main(["--quick", "--out", str(tmp_path / "file" / "out")]) == 2


def test_main_effects(summary: ModuleType) -> None:
    # gap = 0.10 - 0.06 [skip] - 0.02 [share] + 0 [lookahead], the same twice: additive, so the effects are these
    # numbers and explain everything: squares 36 : 4 : 0.
    def gap(settings: dict[str, str]) -> float:
        return (
            0.10 - 0.06 * (settings["on_infeasible"] == "skip") - 0.02 * (settings["gain_divisor"] == "share")
        )

    one = {method: gap(settings) for method, settings in summary.VARIANTS.items()}
    found = summary.effects({"a": one, "b": dict(one)})
    assert [each.convention for each in found] == [
        "on_infeasible: stop to skip",
        "gain_divisor: amount to share",
        "lookahead: no to yes",
    ]
    assert [each.mean_change for each in found] == pytest.approx([-0.06, -0.02, 0.0])
    assert [each.explained for each in found] == pytest.approx([0.9, 0.1, 0.0])
    assert [each.better for each in found] == [1.0, 1.0, 0.0]


def test_variants_are_the_registered_methods(summary: ModuleType) -> None:
    import dmlopt

    known = set(dmlopt.methods("optimus"))
    assert set(summary.METHODS) <= known
    assert {name for name in known if name.startswith("greedy")} == set(summary.VARIANTS)
