"""The whole way on Optimus: generate, solve, write, check; infeasible instances; interruption; tampering."""

from __future__ import annotations

import copy
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlopt
from dmlopt.cli import main
from dmlopt.engine.certificate import seal
from dmlopt.files import decode, encode
from dmlopt.result import Limit, Result, Status
from dmlopt.strict_json import digest

METHODS = [name for name in dmlopt.methods("optimus") if name != "dp"]  # clusters have several resources


@pytest.fixture(scope="module")
def proven() -> tuple[Any, Result]:
    """An instance that needs a search, and its proven optimum."""
    problem = dmlopt.generate("optimus", jobs=25, seed=5, load=0.6)
    return problem, dmlopt.solve(problem, "exact", time_limit=60)


# ---------------------------------------------------------------- every method


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cluster", ["cpu-7x16", "gpu-8x8-a100"])
def test_every_method_delivers_what_its_kind_says(method: str, cluster: str) -> None:
    problem = dmlopt.generate("optimus", jobs=8, seed=3, cluster=cluster)
    best = dmlopt.solve(problem, "exact")
    assert best.status is Status.OPTIMAL
    assert best.objective is not None
    result = dmlopt.solve(problem, method, time_limit=30)
    assert dmlopt.check(problem, result).ok
    if result.kind == "bound":
        assert result.status is Status.BOUND
        bound = result.claimed_bound if method == "gp" else result.bound
        assert bound is not None
        assert bound <= best.objective * (1 + (1e-6 if method == "gp" else 1e-9))
    else:
        assert result.objective is not None
        assert result.objective >= best.objective * (1 - 1e-9)
    if result.kind == "exact":
        assert result.status in (Status.OPTIMAL, Status.OPTIMAL_CLAIMED)
        assert result.objective == pytest.approx(best.objective, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_time_limit_is_kept(method: str) -> None:
    problem = dmlopt.generate("optimus", jobs=300, seed=2, load=0.7, cluster="gpu-8x8-a100")
    began = time.perf_counter()
    result = dmlopt.solve(problem, method, time_limit=1.0)
    assert time.perf_counter() - began < 4.0  # the limit, building, checking, and a busy machine
    assert result.status is not Status.ERROR


# ---------------------------------------------------------------- files and commands


def test_commands_in_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instance, result = str(tmp_path / "jobs.json.gz"), str(tmp_path / "result.json")
    assert main(["generate", "optimus", "--jobs", "20", "--seed", "4", "--load", "0.5", "-o", instance]) == 0
    assert main(["solve", instance, "--method", "exact", "--time-limit", "60", "-o", result]) == 0
    out, _ = capsys.readouterr()
    assert "optimal: proven by a certificate" in out
    assert "prices" in out
    assert main(["check", instance, result]) == 0
    assert "verified" in capsys.readouterr().out
    assert main(["list", "optimus"]) == 0
    assert all(method in capsys.readouterr().out for method in METHODS[:1])


def test_warm_start_between_rounds(proven: tuple[Any, Result]) -> None:
    problem, first = proven
    again = dmlopt.solve(problem, "exact", start=first, prices=first.prices)
    assert again.status is Status.OPTIMAL
    assert again.objective == pytest.approx(first.objective, rel=1e-9)


# ---------------------------------------------------------------- tampering


def rejected(problem: Any, data: dict[str, Any]) -> bool:
    """Whether `check` finds the change behind freshly made digests."""
    if data["certificate"] is not None:
        data["certificate"] = seal(data["certificate"])
    data["digest"] = digest({key: each for key, each in data.items() if key != "digest"})
    return not dmlopt.check(problem, decode(json.dumps(data).encode(), "r.json")).ok


def test_proven_result_is_accepted(proven: tuple[Any, Result]) -> None:
    problem, result = proven
    assert result.status is Status.OPTIMAL
    assert not rejected(problem, encode(result))


def test_one_task_more_or_less_is_found(proven: tuple[Any, Result]) -> None:
    problem, result = proven
    for name in ("servers", "workers"):
        for change in (-1, 1):
            data = copy.deepcopy(encode(result))
            data["solution"][name][7] += change
            assert rejected(problem, data), (name, change)


def test_every_part_of_the_certificate_matters(proven: tuple[Any, Result]) -> None:
    problem, result = proven
    whole = encode(result)
    assert result.certificate is not None
    kinds = set()
    for at, node in enumerate(result.certificate["nodes"]):
        kinds.add(node["node"])
        for key, value in node.items():
            for changed in _changes(key, value):
                data = copy.deepcopy(whole)
                data["certificate"]["nodes"][at][key] = changed
                assert rejected(problem, data), (at, node["node"], key, changed)
        data = copy.deepcopy(whole)
        del data["certificate"]["nodes"][at]
        assert rejected(problem, data), at
    assert "leaf" in kinds
    for bits in (19, result.certificate["bits"] - 1, result.certificate["bits"] + 1, 57):
        data = copy.deepcopy(whole)
        data["certificate"]["bits"] = bits
        assert rejected(problem, data), bits


def test_changed_prices_are_found(proven: tuple[Any, Result]) -> None:
    problem, result = proven
    for kind in ("fix", "leaf"):  # other prices at a single leaf may still prove enough; at all of them not
        data = copy.deepcopy(encode(result))
        for node in data["certificate"]["nodes"]:
            if node["node"] == kind:
                node["prices"] = [0] * len(node["prices"])
        assert rejected(problem, data), kind


def _changes(key: str, value: Any) -> list[Any]:
    """Changes of one field that no honest certificate survives."""
    if key == "prices":
        return [value[:-1], [-1, *value[1:]], "x"]
    if key == "bound":
        return [value - 0.01 * abs(value) - 1, None]  # to state less than is proven harms nobody
    if key in ("agent", "child"):
        return [10**6, -1, None]
    if key == "count":
        return [-1, None, "1"]
    if key == "children":
        return [[0, 0], value[:1], None]
    if key == "cutoff":
        return [value + 2**50, value - 2**50, None]
    if key == "node":
        return ["?", None]
    return []


# ---------------------------------------------------------------- infeasible instances


def table_instance(jobs: int, capacity: list[int]) -> dict[str, Any]:
    """Jobs whose only plans use (3, 1) or (1, 3) of two resources."""
    speed = [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    job = {"mode": "table", "speed": speed, "Q": 10.0, "ps": [1, 0], "worker": [0, 1], "p_max": 3, "w_max": 3}
    resources = [{"name": "cpu", "unit": "core"}, {"name": "memory", "unit": "GB"}]
    head = {"format": "dmlopt-instance/1", "formulation": "optimus"}
    return {**head, "resources": resources, "capacity": capacity, "jobs": [job] * jobs, "waiting": None}


@pytest.mark.parametrize(
    ("jobs", "capacity", "kind", "words"),
    [
        # One row: 4 jobs need at least 4 cores.
        (4, [3, 100], "row", ["cpu", "1"]),
        # Together: every plan uses 4 units, 4 jobs 16, there are 14; each row alone would do (4 <= 7).
        (4, [7, 7], "together", ["cpu", "memory", "2"]),
        # Integer only: half of each plan uses (6, 6); k jobs with (3, 1) use 3 + 2k and 9 - 2k, one > 6.
        (3, [6, 6], "integer", ["1"]),
    ],
)
def test_infeasible_instances_name_what_is_short(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    jobs: int,
    capacity: list[int],
    kind: str,
    words: list[str],
) -> None:
    instance, result = tmp_path / "i.json", tmp_path / "r.json"
    instance.write_text(json.dumps(table_instance(jobs, capacity)))
    assert main(["solve", str(instance), "--method", "exact", "-o", str(result)]) == 3
    out, _ = capsys.readouterr()
    assert "infeasible: proven" in out
    because = out[out.index("because") :]
    assert all(word in because for word in words), because
    loaded = dmlopt.load(result)
    assert loaded.shortage is not None
    assert loaded.shortage.kind == kind
    assert main(["check", str(instance), str(result)]) == 0
    capsys.readouterr()
    for method in ("mip-highs", "mip-cbc"):
        assert main(["solve", str(instance), "--method", method]) == 3
    assert "infeasible" in capsys.readouterr().out


# ---------------------------------------------------------------- limits and interruption


def hard_instance() -> dict[str, Any]:
    """40 jobs on 8 scarce resources with unrelated demands: far more than a minute of search."""
    random = np.random.default_rng(0)
    jobs = []
    for _ in range(40):
        demands = random.integers(100, 1000, (2, 8)).tolist()
        steps = np.add.outer(np.arange(4), np.arange(4))
        speed = np.round(1 / (10 - steps + 0.3 * random.random((4, 4))), 5).tolist()
        job = {"mode": "table", "speed": speed, "Q": float(random.integers(100, 200)), "p_max": 4, "w_max": 4}
        jobs.append({**job, "worker": demands[0], "ps": demands[1]})
    need = np.sum([job["worker"] + np.array(job["ps"]) for job in jobs], axis=0)
    head = {"format": "dmlopt-instance/1", "formulation": "optimus"}
    resources = [{"name": f"r{row}", "unit": "unit"} for row in range(8)]
    return {**head, "resources": resources, "capacity": (2 * need).tolist(), "jobs": jobs, "waiting": None}


def test_time_limit_returns_the_incumbent_with_its_bound() -> None:
    problem = decode(json.dumps(hard_instance()).encode(), "hard")
    result = dmlopt.solve(problem, "exact", time_limit=1.5)
    assert (result.status, result.limit) == (Status.FEASIBLE, Limit.TIME)
    assert result.gap is not None
    assert 1e-9 < result.gap < 0.01
    assert result.seconds["solve"] < 4.0
    assert dmlopt.check(problem, result).ok
    assert [point.bound for point in result.trace] == sorted(
        point.bound for point in result.trace if point.bound
    )


@pytest.mark.parametrize("method", ["exact", "mip-highs", "mip-cbc"])
def test_interrupt_returns_the_incumbent_with_its_bound(tmp_path: Path, method: str) -> None:
    instance, result = tmp_path / "i.json", tmp_path / "r.json"
    instance.write_text(json.dumps(hard_instance()))
    command = [sys.executable, "-m", "dmlopt", "solve", str(instance), "--method", method, "-o", str(result)]
    for patience in (3.0, 10.0, 30.0):  # on a busy machine the first signal may come before the run has begun
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        if result.exists():
            break
    assert process.returncode == 130, out + err
    assert "Traceback" not in out + err
    loaded = dmlopt.load(result)
    assert loaded.limit is Limit.INTERRUPTED
    assert dmlopt.check(dmlopt.load(instance), loaded).ok
    assert loaded.status is Status.FEASIBLE
    assert loaded.objective is not None
    assert (loaded.bound if method == "exact" else loaded.claimed_bound) is not None
