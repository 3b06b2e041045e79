"""A store as a DataFrame."""

from __future__ import annotations

from pathlib import Path

import dmlopt
from tests.batch.experiments import small, written


def test_read_results(tmp_path: Path) -> None:
    path = written(tmp_path, small('names = ["exact", "greedy"]', jobs="[3, 4]"))
    summary = dmlopt.run_experiment(path, tmp_path / "store.db")
    assert summary.done == 4
    table = dmlopt.read_results(tmp_path / "store.db")
    assert table["axes.jobs"].tolist() == [3, 3, 4, 4]
    assert table["method"].tolist() == ["exact", "greedy"] * 2
    assert (table["seconds.total"] > 0).all()
    assert dmlopt.read_results(tmp_path / "store.db", "other").empty
