"""The same cells on a dask cluster: a scheduler and two workers as processes of their own, one killed half-way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dmlopt.batch.dask_cluster import connected
from dmlopt.batch.row import CRASH, DONE
from dmlopt.batch.runner import run_experiment
from dmlopt.batch.store import read_rows
from dmlopt.errors import BackendError
from tests.batch.experiments import command, dmlopt, environment, small, written
from tests.batch.test_resume import CELLS, finished, slow_experiment, starts, until

pytest.importorskip("distributed")


def _dask(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    log = (folder / f"{arguments[0]}-{time.time_ns()}.log").open("wb")
    with log:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], env=environment(), cwd=folder, stdout=log, stderr=log
        )


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the workers."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file))
    processes = [
        _dask("scheduler", *common, "--host", "127.0.0.1", "--port", "0", "--no-dashboard", folder=folder)
    ]
    try:
        until(file.exists)
        processes += [
            _dask("worker", *common, "--nthreads", "1", "--no-nanny", "--no-dashboard", folder=folder)
            for _ in range(workers)
        ]
        yield json.loads(file.read_text())["address"], processes[1:]
    finally:
        for each in reversed(processes):
            each.kill()
            each.wait()


def test_a_killed_worker_costs_nothing(tmp_path: Path) -> None:
    experiment, store = slow_experiment(tmp_path), tmp_path / "store.db"
    with cluster(tmp_path) as (address, workers):
        arguments = command("run", experiment, "--store", store, "--dask", address)
        running = subprocess.Popen(arguments, env=environment(), stderr=subprocess.PIPE, text=True)
        until(lambda: finished(store) >= 3)
        workers[0].kill()
        _, said = running.communicate(timeout=120)
    assert running.returncode == 0, said
    rows = read_rows(store)
    assert len(rows) == CELLS
    assert {row.outcome for row in rows} == {DONE}
    assert CELLS <= starts(tmp_path) <= CELLS + 2  # what the lost worker was at ran again
    assert all(row.host for row in rows)


def test_dask_and_local_processes_give_the_same_answers(tmp_path: Path) -> None:
    text = small('names = ["exact", "greedy", "bad-segfault", "bad-kill"]', jobs="[3, 5]")
    path = written(tmp_path, text)
    run_experiment(path, tmp_path / "local.db")
    with cluster(tmp_path) as (address, _), connected(address) as executor:
        run_experiment(path, tmp_path / "dask.db", executor=executor)
    local, far = (
        [
            (row.key, row.instance, row.method, row.outcome, row.objective, row.bound)
            for row in read_rows(each)
        ]
        for each in (tmp_path / "local.db", tmp_path / "dask.db")
    )
    assert local == far
    assert [each[3] for each in far] == [DONE, DONE, CRASH, CRASH] * 2


def test_a_cluster_of_our_own(tmp_path: Path) -> None:
    path = written(tmp_path, small('names = ["exact", "greedy"]'))
    done = dmlopt("run", path, "--store", tmp_path / "store.db", "--dask", "local", "--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len(read_rows(tmp_path / "store.db")) == 2


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "tcp://no-such-host.invalid:8786"])
def test_an_address_where_nobody_listens(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dmlopt.batch.dask_cluster.PATIENCE", 1.0)
    with pytest.raises(BackendError, match="no dask scheduler answers"), connected(address):
        pass
    assert not os.listdir(tmp_path)


def test_dask_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BackendError, match="pip install 'dmlopt\\[dask\\]'"), connected("tcp://127.0.0.1:9"):
        pass
