"""Nothing that is finished is lost or repeated: resume, kill -9, Ctrl-C, two runs at once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from dmlopt.batch.row import CRASH, DONE
from dmlopt.batch.runner import run_experiment
from dmlopt.batch.store import read_rows
from dmlopt.errors import InputError
from tests.batch.experiments import command, dmlopt, environment, small, written

CELLS = 12


def slow_experiment(folder: Path, nap: float = 0.3) -> Path:
    """12 cells of `nap` seconds, each of which leaves a file when it starts."""
    (folder / "starts").mkdir(exist_ok=True)
    options = f'{{mark = "{folder / "starts"}", nap = {nap}}}'
    return written(folder, small(f'name = "slow"\noptions = {options}', repetitions=CELLS))


def starts(folder: Path) -> int:
    return len(list((folder / "starts").iterdir()))


def finished(store: Path) -> int:
    """Cells in the store, seen with nothing but SQLite."""
    if not store.exists():
        return 0
    try:
        with sqlite3.connect(store, timeout=10) as database:
            return int(database.execute("SELECT count(*) FROM cells").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # the tables are not made yet


def until(what: object, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():  # type: ignore[operator]
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_half_way_loses_nothing_and_repeats_nothing(
    tmp_path: Path, end: signal.Signals
) -> None:
    experiment, store = slow_experiment(tmp_path), tmp_path / "store.db"
    arguments = ("run", experiment, "--store", store, "--workers", "2")
    running = subprocess.Popen(command(*arguments), env=environment(), stderr=subprocess.PIPE, text=True)
    until(lambda: finished(store) >= 4)
    running.send_signal(end)
    _, said = running.communicate(timeout=60)
    before = {row.key: row for row in read_rows(store)}
    assert 4 <= len(before) < CELLS
    if end == signal.SIGINT:
        assert running.returncode == 130
        assert "--resume goes on" in said

    at_end = starts(tmp_path)
    assert at_end <= len(before) + 2  # finished ones, and at most two that were running
    time.sleep(1.0)
    assert finished(store) == len(before)  # nobody goes on behind our back
    assert starts(tmp_path) == at_end

    again = dmlopt(*arguments, "--resume")
    assert again.returncode == 0, again.stderr
    after = {row.key: row for row in read_rows(store)}
    assert len(after) == CELLS
    assert all(after[key] == row for key, row in before.items())  # untouched, times and all
    assert starts(tmp_path) == at_end + CELLS - len(before)
    assert f"{len(before)} were there before" in again.stderr


def test_finished_cells_are_an_error_unless_something_is_said_about_them(tmp_path: Path) -> None:
    path, store = (
        written(tmp_path, small('names = ["greedy", "bad-raise", "bad-kill"]')),
        tmp_path / "store.db",
    )
    run_experiment(path, store)
    first = read_rows(store)
    with pytest.raises(InputError, match="holds 3 of 3 cells already: --resume"):
        run_experiment(path, store)
    assert run_experiment(path, store, resume=True).found == 3
    assert read_rows(store) == first
    assert run_experiment(path, store, retry=True).found == 1
    assert run_experiment(path, store, fresh=True).found == 0
    assert [row.outcome for row in read_rows(store)] == [DONE, "error", CRASH]


def test_an_experiment_that_grew_runs_only_what_is_new(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    run_experiment(written(tmp_path, small('name = "greedy"')), store)
    summary = run_experiment(
        written(tmp_path, small('names = ["greedy", "exact"]', jobs="[4, 5]")), store, resume=True
    )
    assert (summary.asked, summary.found, sum(summary.computed.values())) == (4, 1, 3)
    other = run_experiment(written(tmp_path, small('name = "exact"'), "other.toml"), store, resume=True)
    assert (other.asked, other.found) == (1, 1)  # another experiment, the same facts
    assert {row.experiment for row in read_rows(store)} == {"small", "other"}


def test_a_changed_method_or_option_or_limit_is_another_cell(tmp_path: Path) -> None:
    store, own = tmp_path / "store.db", tmp_path / "mine.py"
    head = 'import dmlopt\n@dmlopt.method("optimus", "mine")\n'
    body = head + 'def mine(problem):\n    return dmlopt.solve(problem, "greedy").solution'
    own.write_text(body)
    text = small('name = "mine"').replace("modules = [", 'modules = ["mine.py", ')
    path = written(tmp_path, text)
    assert run_experiment(path, store, resume=True).found == 0
    assert run_experiment(path, store, resume=True).found == 1
    own.write_text(body.replace("greedy", "greedy-skip"))
    assert run_experiment(path, store, resume=True).found == 0
    assert (
        run_experiment(written(tmp_path, text.replace("time = 10", "time = 11")), store, resume=True).found
        == 0
    )


def test_two_runs_into_one_file_at_once_share_the_work(tmp_path: Path) -> None:
    experiment, store = slow_experiment(tmp_path, nap=0.2), tmp_path / "store.db"
    arguments = command("run", experiment, "--store", store, "--resume")
    both = [
        subprocess.Popen(arguments, env=environment(), stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [each.communicate(timeout=120)[1] for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    rows = read_rows(store)
    assert len(rows) == CELLS
    assert {row.outcome for row in rows} == {DONE}
    with sqlite3.connect(store) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_many_writers_at_once(tmp_path: Path) -> None:
    """8 processes add the same 40 cells: every cell is there once, and every process knows which were its own."""
    path, store = written(tmp_path, small('name = "greedy"', repetitions=40)), tmp_path / "store.db"
    program = f"""
from dmlopt.batch.runner import plan_of
from dmlopt.batch.store import Store
plan = plan_of({str(path)!r})
with Store({str(store)!r}) as store:
    store.file_plan(plan.cells, plan.instances)
    run = store.begin_run("small", "", "test", 40)
    print(sum(store.add(run, cell, {{"outcome": "done"}}, b"x" * 1000) for cell in plan.cells))
"""
    import sys

    writers = [
        subprocess.Popen(
            [sys.executable, "-c", program], env=environment(), stdout=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    added = [int(each.communicate(timeout=120)[0]) for each in writers]
    assert sum(added) == 40
    assert len(read_rows(store)) == 40


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    experiment, store = slow_experiment(tmp_path, nap=0.5), tmp_path / "store.db"
    running = subprocess.Popen(
        command("run", experiment, "--store", store), env=environment(), stderr=subprocess.PIPE
    )
    until(lambda: finished(store) >= 1)
    from dmlopt.batch.processes import descendants

    family = descendants(running.pid)[1:]
    assert family
    running.kill()
    running.wait()
    assert running.stderr is not None
    running.stderr.close()

    def gone() -> bool:
        return not any(Path(f"/proc/{each}").exists() for each in family) or not os.path.exists("/proc")

    until(gone, 20)
