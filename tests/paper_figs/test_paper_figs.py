"""Figure scripts read stores only; what cannot be drawn is named; claims are computed again."""

from __future__ import annotations

import importlib
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dmlopt.batch.experiment_file import parse_experiment
from dmlopt.batch.runner import run_experiment
from dmlopt.cluster import ResourceKind
from formulations.oasis.problem import Job, OasisProblem, ServerGroup
from formulations.oasis.solution import Schedules
from formulations.oasis.utility import TableUtility

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path.stem for path in (ROOT / "paper_figs").glob("*.py"))
FIGURES = [name for name in SCRIPTS if name not in ("all", "claims", "drawing")]

ONLINE = """
[[instances]]
name = "floors"
generator = "oasis"
options = {scale = "toy", servers = 2, horizon = 8, view = "pooled"}
grid = {jobs = [4, 8], price_floor = [0.0, 0.3]}
repetitions = 2
seed_axes = ["jobs", "repetition"]
[[methods]]
names = ["lp", "primal-dual"]
"""


def script(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "paper_figs" / f"{name}.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store per experiment of the repository, its generated instances cut down to a few small ones."""
    folder = tmp_path_factory.mktemp("stores")
    sizes = {"main": "jobs = [4, 6]", "greedy_quality": "jobs = [4, 6]", "scaling": "jobs = [10, 20]"}
    methods = {
        "main": 'names = ["exact", "greedy", "dp", "lagrangian"]',
        "greedy_quality": 'names = ["exact", "greedy*", "drf"]',
        "scaling": 'names = ["exact", "lagrangian", "greedy"]',
    }
    for name, grid in sizes.items():
        sweeps = "".join(
            f'[[instances]]\nname = "{sweep}"\ngenerator = "optimus"\ngrid = {{{axis}}}\nseeds = [1]\n'
            for sweep, axis in (
                [("jobs", grid), ("resources", "resources = [1, 2]"), ("tasks", grid)]
                if name == "scaling"
                else [("small", grid)]
            )
        )
        text = f"{sweeps}[[methods]]\n{methods[name]}\n"
        run_experiment(parse_experiment(text, name), folder / f"{name}.db", workers=2)
    run_experiment(parse_experiment(ONLINE, "oasis_online"), folder / "oasis_online.db", workers=2)
    return folder


@pytest.mark.parametrize("name", FIGURES)
def test_draws_from_the_store_alone(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "paper_figs"))
    module = importlib.import_module(name)
    store = stores / f"{module.EXPERIMENT}.db"
    assert store.exists(), f"no small store for {module.EXPERIMENT}"
    outcome = [script(name, "--store", store, "--out", tmp_path / folder) for folder in ("a", "b")]
    assert [each.returncode for each in outcome] == [0, 0], outcome[0].stderr
    assert not outcome[0].stderr
    files = sorted((tmp_path / "a").iterdir())
    assert {path.suffix for path in files} in ({".png", ".pdf"}, {".md", ".csv", ".tex"})
    for path in files:
        assert path.stem == module.NAME
        assert (
            path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
        )  # the same store, the same bytes


@pytest.mark.parametrize("name", FIGURES)
def test_says_what_is_missing(tmp_path: Path, name: str) -> None:
    done = script(name, "--store", tmp_path / "no.db", "--out", tmp_path)
    assert done.returncode == 2
    assert "no such store" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_all_of_them_and_the_claims(stores: Path, tmp_path: Path) -> None:
    done = script("all", "--stores", stores, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.stem for path in tmp_path.iterdir()} == {*FIGURES, "claims"}
    text = (tmp_path / "claims.md").read_text()
    assert "(mean of 2)" in text  # the distance of the greedy rule on the two small instances
    assert max(map(len, done.stdout.splitlines())) <= 200


def test_without_stores_the_claims_stand_as_written(tmp_path: Path) -> None:
    done = script("all", "--stores", tmp_path, "--out", tmp_path / "figures")
    assert done.returncode == 0
    assert "needs `dmlopt run experiments/scaling.toml`" in done.stdout
    assert "not given" in (tmp_path / "figures" / "claims.csv").read_text()


def test_every_claim_names_an_experiment_that_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "paper_figs"))
    claims = importlib.import_module("claims")
    for each in claims.read_claims():
        assert not each.experiment or (ROOT / "experiments" / f"{each.experiment}.toml").exists()


def test_wrong_claims_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "paper_figs"))
    claims = importlib.import_module("claims")
    path = tmp_path / "claims.toml"
    path.write_text(
        '[[claims]]\nformulation = "x"\nclaim = "y"\nsource = 3\ntheirs = ""\nmeasure = "second"\n'
    )
    with pytest.raises(claims.InputError) as caught:
        claims.read_claims(path)
    assert len(caught.value.problems) == 3


def test_main_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "paper_figs"))
    conventions = importlib.import_module("greedy_conventions")

    # gap = 0.10 - 0.06 [skip] - 0.02 [share] + 0 [lookahead], the same twice: additive, so the effects are these
    # numbers and explain everything: squares 36 : 4 : 0.
    def gap(settings: dict[str, str]) -> float:
        return (
            0.10 - 0.06 * (settings["on_infeasible"] == "skip") - 0.02 * (settings["gain_divisor"] == "share")
        )

    one = {method: gap(settings) for method, settings in conventions.VARIANTS.items()}
    found = conventions.effects({"a": one, "b": dict(one)})
    assert [each.convention for each in found] == [
        "on_infeasible: stop to skip",
        "gain_divisor: amount to share",
        "lookahead: no to yes",
    ]
    assert [each.mean_change for each in found] == pytest.approx([-0.06, -0.02, 0.0])
    assert [each.explained for each in found] == pytest.approx([0.9, 0.1, 0.0])
    assert [each.better for each in found] == [1.0, 1.0, 0.0]


def test_admissions_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "paper_figs"))
    module = importlib.import_module("oasis_admissions")
    # One server with 2 CPUs, two slots. Both jobs take 1 CPU per worker and need 2 worker-slots, at most 2 at a time: one
    # slot at best. The first is worth 0.5 and takes slot 1 and 2 with one worker each; the second, worth 10, is refused.
    jobs = tuple(
        Job(
            arrival=1,
            epochs=1,
            chunks=2,
            minibatches=1,
            minibatch_seconds=1.0,
            gradient_bytes=0.0,
            worker_bits_per_second=1.0,
            ps_bits_per_second=1.0,
            worker=(1,),
            ps=(1,),
            utility=TableUtility((worth, worth)),
        )
        for worth in (0.5, 10.0)
    )
    servers = (ServerGroup("s", (2,), 1),)
    problem = OasisProblem((ResourceKind("cpu", "1"),), 2, 1.0, servers, servers, jobs)
    half = {slot: ({0: 1}, {0: 1}) for slot in (1, 2)}
    found = module.admissions(problem, Schedules((half, None)))
    assert (found.admitted, found.wasted, found.hopeless, found.full) == (0.5, 1.0, 1.0, 0.5)
    assert (found.taken_density, found.refused_density) == (0.5, 10.0)  # 2 worker-slots are one cluster-slot
    low, high = problem.prices.worker_low[0], problem.prices.worker_high[0]
    assert found.silent == pytest.approx((math.log(10 / 2) - low) / (high - low))
