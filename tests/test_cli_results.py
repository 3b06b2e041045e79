"""`dmlopt results` and `dmlopt report` on a made-up experiment: output, files, wrong arguments."""

from __future__ import annotations

import csv
import io
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dmlopt.batch.row import CellRow
from dmlopt.cli import main
from dmlopt.report.catalogue import TABLES
from tests.report.cells import cell, experiment

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, list[CellRow]]:
    """Files of experiments by name, in place of those that the store reads."""
    files = {"study.db": experiment(6, 8), "empty.db": [], "two.db": experiment(3, 2)}
    files["two.db"].append(cell("greedy", "z", objective=1.0, formulation="other"))
    for name in files:
        (tmp_path / name).touch()
    store: Any = types.ModuleType("dmlopt.batch.store")
    store.read_rows = lambda path: files[Path(path).name]
    monkeypatch.setitem(sys.modules, "dmlopt.batch.store", store)
    monkeypatch.chdir(tmp_path)
    return files


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], stored: object) -> Call:
    def run(*argv: str) -> tuple[int, str, str]:
        code = main(argv)
        found = capsys.readouterr()
        return code, found.out, found.err

    return run


def test_rows_by_default(call: Call) -> None:
    code, out, err = call("results", "study.db")
    assert (code, err) == (0, "")
    assert "n = 48 runs on 8 instances." in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("name", TABLES)
def test_every_table_in_every_form(call: Call, name: str) -> None:
    for form in ((), ("--csv",), ("--latex",), ("--markdown",), ("--json",)):
        code, out, err = call("results", "study.db", "--table", name, *form)
        assert (code, err) == (0, "")
        assert out
    assert json.loads(call("results", "study.db", "--table", name, "--json")[1])["name"] == name


def test_csv_of_the_rows_has_everything(call: Call, stored: dict[str, list[CellRow]]) -> None:
    read = list(csv.DictReader(io.StringIO(call("results", "study.db", "--csv")[1])))
    assert len(read) == len(stored["study.db"])
    values = {(row.instance, row.method): row.objective for row in stored["study.db"]}
    for each in read:
        value = values[each["instance"], each["method"]]
        assert each["objective"] == ("" if value is None else repr(value))
    assert {"axes.jobs", "gap", "best_bound", "total_seconds"} <= set(read[0])


def test_bounds_of_methods_that_are_not_shown_count(call: Call) -> None:
    everything = json.loads(call("results", "study.db", "--table", "gaps", "--json")[1])["rows"]
    greedy = json.loads(
        call("results", "study.db", "--where", "method=greedy", "--table", "gaps", "--json")[1]
    )
    assert greedy["rows"] == [row for row in everything if row[0] == "greedy"]


def test_groups_and_conditions(call: Call) -> None:
    code, out, _ = call("results", "study.db", "--group-by", "jobs,method", "--where", "jobs>=40", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["name"] == "overview"
    assert sorted({row[0] for row in data["rows"]}) == [40, 80]


def test_figures(call: Call, tmp_path: Path) -> None:
    for name in ("rows", "profile", "wins"):
        code, _, err = call("results", "study.db", "--table", name, "--figure", f"{name}.png")
        assert code == 0
        assert f"wrote {name}.png" in err
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nothing.db"], "nothing.db: cannot be read: no such file"),
        (["."], ".: cannot be read: is a directory"),
        (["empty.db"], "empty.db: has no finished rows"),
        (["study.db", "--table", "gap"], "Did you mean 'gaps'?"),
        (["study.db", "--group-by", "methods"], "Did you mean 'method'?"),
        (["study.db", "--group-by", "method,"], "--group-by: expected different names"),
        (["study.db", "--group-by", "jobs,jobs"], "--group-by: expected different names"),
        (["study.db", "--where", "job=3"], "Did you mean 'jobs'?"),
        (["study.db", "--where", "jobs"], "--where: expected NAME=PATTERN"),
        (["study.db", "--where", "jobs>=many"], "--where: expected a number after jobs>="),
        (["study.db", "--where", "jobs=3", "--where", "kind=x"], "none of 48 rows fulfils jobs=3 and kind=x"),
        (["study.db", "--size", "job"], "Did you mean 'jobs'?"),
        (["study.db", "--size", "cluster"], "--size: expected an axis of numbers"),
        (["study.db", "--against", "bst"], "Did you mean 'best'?"),
        (["study.db", "--measure", "prof"], "Did you mean 'proof'?"),
        (["study.db", "--target", "-1"], "expected a number >= 0"),
        (["study.db", "--figure", "x.pgn"], "Did you mean 'png'?"),
        (["study.db", "--figure", "no/x.png"], "no/x.png: cannot be written"),
        (["study.db", "--tabel", "gaps"], "Did you mean '--table'?"),
        (["study.db", "--csv", "--json"], "not allowed with"),
        (["two.db", "--figure", "x.png"], "choose one with --where formulation=NAME"),
    ],
)
def test_wrong_arguments(call: Call, arguments: list[str], reason: str) -> None:
    code, out, err = call("results", *arguments)
    assert (code, out) == (2, "")
    assert reason in err
    assert "Traceback" not in err


def test_report_writes_everything_and_the_same_each_time(call: Call, tmp_path: Path) -> None:
    code, out, err = call("report", "study.db", "--out", "first")
    assert (code, out) == (0, "")
    assert "wrote report.md and" in err
    call("report", "study.db", "--out", "second")
    first = {path.relative_to(tmp_path / "first"): path for path in (tmp_path / "first").rglob("*.*")}
    second = {path.relative_to(tmp_path / "second"): path for path in (tmp_path / "second").rglob("*.*")}
    assert first.keys() == second.keys()
    assert all(path.read_bytes() == second[name].read_bytes() for name, path in first.items())
    text = (tmp_path / "first" / "report.md").read_text()
    names = {str(name) for name in first}
    for name in names - {"report.md"}:
        assert f"({name})" in text or name.endswith(".pdf")
    assert {
        "figures/gaps.pdf",
        "figures/profile-proof.png",
        "tables/gaps-by-jobs.tex",
        "tables/rows.csv",
    } <= names
    assert err.rstrip().endswith(f"{len(names) - 1} more files to first")


def test_report_of_two_formulations(call: Call, tmp_path: Path) -> None:
    assert call("report", "two.db", "--out", "r")[0] == 0
    names = {path.name for path in (tmp_path / "r").rglob("*.*")}
    assert {"toy-gaps.csv", "other-gaps.csv", "toy-scaling.png", "other-profile-objective.pdf"} <= names
    assert "\n# other\n" in (tmp_path / "r" / "report.md").read_text()


def test_report_wrong(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for arguments, reason in (
        (["nothing.db"], "no such file"),
        (["empty.db"], "no finished rows"),
        (["study.db", "--out", "file"], "file: cannot be made"),
        (["study.db", "--where", "method=nobody"], "none of 48 rows"),
    ):
        code, _, err = call("report", *arguments)
        assert code == 2
        assert reason in err


def test_help_names_the_tables(call: Call) -> None:
    code, out, _ = call("results", "--help")
    assert code == 0
    assert all(name in out for name in TABLES)
    assert {"results", "report"} <= set(call("--help")[1].split())
