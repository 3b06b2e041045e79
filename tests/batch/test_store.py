"""The store as a file: missing, damaged, foreign, locked, of another version."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from dmlopt.batch.planning import Plan
from dmlopt.batch.runner import plan_of
from dmlopt.batch.store import Store, read_rows
from dmlopt.errors import InputError
from tests.batch.experiments import dmlopt, small, written


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(written(tmp_path, small('names = ["greedy", "exact"]')))


def test_what_goes_in_comes_out(tmp_path: Path, plan: Plan) -> None:
    record = {
        "outcome": "done",
        "reason": "",
        "status": "feasible",
        "limit": "time",
        "objective": 1.5,
        "bound": 0.1 + 0.2,
        "claimed_bound": None,
        "verified": True,
        "seconds": {"total": 0.25},
        "wall_seconds": 0.5,
        "peak_megabytes": 12.0,
        "trace": [[0.1, None, 3.0], [0.2, 2.0, 3.0]],
        "statistics": {"nodes": 3},
    }
    with Store(tmp_path / "x.db") as store:
        store.file_plan(plan.cells, plan.instances)
        run = store.begin_run("small", "text", "test", 2)
        assert store.add(run, plan.cells[0], record, b"packed")
        assert not store.add(run, plan.cells[0], {"outcome": "crash"}, None)  # the first one stays
        assert store.finished([cell.key for cell in plan.cells]) == {plan.cells[0].key}
        store.end_run(run)
        (about,) = store.runs()
        recipe = store.recipe(plan.cells[0].instance_hash)
        with pytest.raises(InputError, match="no instance 0"):
            store.recipe("0")
    assert (recipe["generator"], recipe["options"]["jobs"]) == ("optimus", 4)
    assert about["versions"]["dmlopt"]
    assert about["machine"]["cores"] >= 1
    assert about["finished"]
    (row,) = read_rows(tmp_path / "x.db")
    assert (row.objective, row.bound, row.limit, row.verified) == (1.5, 0.1 + 0.2, "time", True)
    assert row.trace == ((0.1, None, 3.0), (0.2, 2.0, 3.0))
    assert (row.axes, row.statistics, row.seconds) == (
        {"jobs": 4, "repetition": 1},
        {"nodes": 3},
        {"total": 0.25},
    )


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such store"):
        read_rows(tmp_path / "no.db")
    assert not (tmp_path / "no.db").exists()


def test_not_a_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("this is a text, and a long one, not a database at all\n" * 10)
    for readonly in (True, False):
        with pytest.raises(InputError, match="not a store"):
            Store(path, readonly=readonly)


def test_of_another_program_or_version(tmp_path: Path) -> None:
    foreign, newer = tmp_path / "foreign.db", tmp_path / "newer.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE books (title TEXT)")
    Store(newer).__exit__(None, None, None)
    with sqlite3.connect(newer) as database:
        database.execute("UPDATE meta SET value = '99' WHERE name = 'version'")
    for readonly in (True, False):
        with pytest.raises(InputError, match="a database of another program"):
            Store(foreign, readonly=readonly)
        with pytest.raises(InputError, match="a store of version 99; this dmlopt reads version 1"):
            Store(newer, readonly=readonly)


def test_locked(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    Store(path).__exit__(None, None, None)
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(InputError, match="locked by another program"):
            Store(path, patience=0.1)
        with pytest.raises(InputError, match="locked by another program"):
            Store(path, readonly=True, patience=0.1)
    finally:
        holder.close()


def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be opened"):
        Store(tmp_path / "file" / "x.db")


def test_half_a_transaction_is_none(tmp_path: Path, plan: Plan) -> None:
    with Store(tmp_path / "x.db") as store:
        store.file_plan(plan.cells, plan.instances)
        run = store.begin_run("small", "", "test", 2)
        with pytest.raises(KeyError):
            store.add(run, plan.cells[0], {"reason": "a record without an outcome"}, None)
        assert store.add(run, plan.cells[1], {"outcome": "done"}, None)
        assert len(store.rows()) == 1


def test_the_command_names_the_store(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("nonsense" * 100)
    done = dmlopt("run", written(tmp_path, small('name = "greedy"')), "--store", path)
    assert done.returncode == 2
    assert f"{path}: not a store" in done.stderr
    assert "Traceback" not in done.stderr
