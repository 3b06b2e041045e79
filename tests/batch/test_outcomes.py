"""However a cell ends, it is a row with a reason, and the run goes on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from dmlopt.batch.row import CRASH, DONE, ERROR, FAILED_CHECK, MEMORY_OUT, TIME_OUT, CellRow
from dmlopt.batch.runner import run_experiment
from dmlopt.batch.store import Store, read_rows
from tests.batch.experiments import small, written


def run_one(folder: Path, method: str, limits: str = "time = 10", **options: object) -> CellRow:
    settings = ", ".join(f'{name} = "{value}"' for name, value in options.items())
    text = small(f'name = "{method}"\noptions = {{{settings}}}', limits=limits)
    run_experiment(written(folder, text), folder / "store.db")
    (row,) = read_rows(folder / "store.db")
    return row


@pytest.mark.parametrize(
    ("method", "outcome", "words"),
    [
        ("bad-segfault", CRASH, "SIGSEGV while running"),
        ("bad-backend", CRASH, "SIGSEGV while running"),
        ("bad-exit", CRASH, "code 1 and without an answer while running (SystemExit: 3)"),
        ("bad-kill", CRASH, "SIGKILL while running"),
        ("bad-raise", ERROR, "ZeroDivisionError: on purpose"),
        ("bad-infeasible", FAILED_CHECK, ""),
        ("bad-noise", DONE, ""),
    ],
)
def test_ends(tmp_path: Path, method: str, outcome: str, words: str) -> None:
    row = run_one(tmp_path, method)
    assert row.outcome == outcome
    assert words in row.reason
    assert row.sense == "min"
    assert bool(row.objective) == (outcome == DONE)


def test_a_method_that_never_comes_back_is_killed(tmp_path: Path) -> None:
    row = run_one(tmp_path, "bad-hang", limits="time = 0.5\ngrace = 0.5")
    assert row.outcome == TIME_OUT
    assert "not done after 1 s" in row.reason


def test_what_a_killed_method_started_is_killed_too(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    row = run_one(tmp_path, "bad-hang-with-child", limits="time = 2\ngrace = 1", mark=mark)
    assert row.outcome == TIME_OUT
    pid = int(mark.read_text())
    for _ in range(50):
        if not _alive(pid):
            return
        time.sleep(0.1)
    raise AssertionError("the child of a killed method is still there")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().split()[2] == "Z")


@pytest.mark.parametrize("method", ["bad-memory", "bad-memory-slowly"])
def test_memory_limit(tmp_path: Path, method: str) -> None:
    row = run_one(tmp_path, method, limits="time = 60\nmemory = 700")
    assert row.outcome == MEMORY_OUT
    assert row.reason
    assert row.peak_megabytes is not None
    assert row.peak_megabytes < 1500


def test_one_bad_cell_does_not_end_the_run(tmp_path: Path) -> None:
    text = small('names = ["bad-segfault", "bad-raise", "greedy", "bad-kill", "exact"]', jobs="[3, 4]")
    summary = run_experiment(written(tmp_path, text), tmp_path / "store.db", workers=2)
    outcomes = [row.outcome for row in read_rows(tmp_path / "store.db")]
    assert outcomes == [CRASH, ERROR, DONE, CRASH, DONE] * 2
    assert (summary.done, summary.broken, summary.interrupted) == (10, 6, False)


def test_a_kept_result_can_be_checked_by_anyone(tmp_path: Path) -> None:
    import dmlopt

    run_experiment(written(tmp_path, small('name = "exact"', head="")), tmp_path / "store.db")
    (row,) = read_rows(tmp_path / "store.db")
    with Store(tmp_path / "store.db", readonly=True) as store:
        result = store.result(row.key[:12])
        (recipe,) = store._database.execute("SELECT source FROM instances").fetchone()
    import json

    made = json.loads(recipe)
    problem = dmlopt.generate(made["generator"], seed=made["seed"], **made["options"])
    assert dmlopt.check(problem, result).ok
    assert (result.objective, result.bound) == (row.objective, row.bound)


def test_results_need_not_be_kept(tmp_path: Path) -> None:
    run_experiment(written(tmp_path, small('name = "greedy"', head="keep = false")), tmp_path / "store.db")
    (row,) = read_rows(tmp_path / "store.db")
    with (
        Store(tmp_path / "store.db", readonly=True) as store,
        pytest.raises(Exception, match="no result was kept"),
    ):
        store.result(row.key)
