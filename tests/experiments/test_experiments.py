"""The experiments of the repository: every file can be read, and the main one runs on its smallest instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmlopt import registry
from dmlopt.batch.experiment_file import read_experiment
from dmlopt.batch.row import DONE, NOT_APPLICABLE
from dmlopt.batch.runner import run_experiment
from dmlopt.batch.store import read_rows
from dmlopt.report.measured import measure

FOLDER = Path(__file__).parents[2] / "experiments"
FILES = sorted(FOLDER.glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reads(path: Path) -> None:
    experiment = read_experiment(path)
    assert experiment.title
    assert experiment.question.endswith("?")
    assert path.stem in (FOLDER / "README.md").read_text()


def test_the_main_experiment_knows_every_formulation() -> None:
    experiment = read_experiment(FOLDER / "main.toml")
    assert {sweep.generator for sweep in experiment.sweeps} == set(registry.generator_names())
    assert [entry.name for entry in experiment.methods if not entry.sweeps] == ["*"]


def test_the_main_experiment_on_its_smallest_instances(tmp_path: Path) -> None:
    store = tmp_path / "main.db"
    summary = run_experiment(
        FOLDER / "main.toml", store, workers=2, only_cells=["sweep=optimus-*", "jobs=12"]
    )
    rows = read_rows(store)
    assert (summary.broken, summary.done) == (0, len(rows))
    assert {row.method for row in rows} == set(registry.methods("optimus"))
    assert {row.outcome for row in rows} == {DONE, NOT_APPLICABLE}
    exact = [row for row in measure(rows) if row.row.kind == "exact" and row.ok]
    assert all(row.gap is not None and row.gap <= 1e-6 for row in exact)
