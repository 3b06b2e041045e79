"""The scaling study on its smallest sizes."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def scaling(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return importlib.import_module("scaling")


def test_small_sizes(
    scaling: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scaling, "JOBS", (50, 100))
    monkeypatch.setattr(scaling, "RESOURCES", (1, 2))
    monkeypatch.setattr(scaling, "measure_apart", scaling.measure)
    assert scaling.main(["--out", str(tmp_path), "--most-jobs", "100"]) == 0
    assert "exact: total time grows as jobs^" in capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "scaling.csv").open()))
    assert len(rows) == 8
    assert {row["status"] for row in rows} == {"optimal", "bound"}
    assert all(0.01 < float(row["peak_gigabytes"]) < 8 for row in rows)


def test_a_point_in_a_process_of_its_own(scaling: ModuleType) -> None:
    row = scaling.measure_apart(scaling.Point("jobs", "exact", 100, 2))
    assert row["status"] == "optimal"
    assert row["gap"] <= 1e-5
    assert row["plans"] == 25_600


def test_a_failed_point_is_named(scaling: ModuleType) -> None:
    with pytest.raises(scaling.DmloptError, match="nothing, 100 jobs, 2 resources: "):
        scaling.measure_apart(scaling.Point("jobs", "nothing", 100, 2))


def test_slopes(scaling: ModuleType) -> None:
    # 1 s, 8 s at 1,000 and 2,000 jobs: 2^3 in time for 2 in size.
    rows = [
        {"series": "jobs", "method": "exact", "jobs": n, "total_seconds": t}
        for n, t in ((1000, 1), (2000, 8))
    ]
    ((series, method, slope),) = scaling.slopes(rows)
    assert (series, method) == ("jobs", "exact")
    assert slope == pytest.approx(3.0)
