"""Experiments as TOML: what is right is read, what is wrong is named by its path, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmlopt.batch.experiment import Limits
from dmlopt.batch.experiment_file import parse_experiment, read_experiment
from dmlopt.errors import InputError
from tests.batch.experiments import dmlopt, written

GOOD = """
title = "A title"
question = "How far?"
keep = false
[limits]
time = 5
memory = 1000
[seeds]
base = 7
[[instances]]
name = "grid"
generator = "optimus"
options = {load = 0.4}
grid = {jobs = [4, 8], cluster = ["cpu-7x16"]}
repetitions = 3
seed_axes = ["repetition"]
[[instances]]
name = "given"
generator = "optimus"
seeds = [3, 9]
[[instances]]
name = "stored"
files = ["*.json"]
[[instances]]
name = "frozen"
library = "optimus"
sizes = ["toy", "small"]
[[methods]]
names = ["exact", "greedy*"]
[[methods]]
name = "exact"
label = "exact-100"
options = {nodes = 100}
limits = {time = 50, threads = 2}
runs = 2
sweeps = ["grid"]
seed_axes = ["instance", "method"]
"""


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_experiment(text, "x", "x.toml")
    return caught.value.problems


def test_reads_everything() -> None:
    found = parse_experiment(GOOD, "x")
    assert (found.name, found.title, found.question, found.keep, found.base_seed) == (
        "x",
        "A title",
        "How far?",
        False,
        7,
    )
    grid, given, stored, frozen = found.sweeps
    assert (frozen.library, frozen.sizes) == ("optimus", ("toy", "small"))
    assert grid.grid == {"jobs": (4, 8), "cluster": ("cpu-7x16",)}
    assert (grid.repetitions, grid.seed_axes, given.seeds, stored.files) == (
        3,
        ("repetition",),
        (3, 9),
        ("*.json",),
    )
    exact, greedy, own = found.methods
    assert (exact.name, greedy.pattern, own.label, own.runs) == ("exact", True, "exact-100", 2)
    assert exact.limits == Limits(time=5.0, memory=1000.0)
    assert own.limits == Limits(time=50.0, memory=1000.0, threads=2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("time = 5", "time = 0", "limits.time: expected a number > 0, got 0"),
        ("time = 5", 'time = "5"', "limits.time: expected a number > 0, got '5'"),
        ("memory", "memroy", "limits.memroy: unknown field. Did you mean 'memory'?"),
        ("base = 7", "base = -7", "seeds.base: expected an integer >= 0, got -7"),
        ('generator = "optimus"\noptions', 'generator = "optimums"\noptions', "Did you mean 'optimus'?"),
        ("load = 0.4", "lod = 0.4", "instances[0].options.lod: unknown field. Did you mean 'load'?"),
        ("load = 0.4", 'load = "much"', "instances[0].options.load: expected a finite number, got 'much'"),
        ("load = 0.4", "jobs = 4", "instances[0].grid.jobs: also given in options"),
        ("[4, 8]", "[4, 4]", "instances[0].grid.jobs: holds a value twice"),
        ("[4, 8]", "[]", "instances[0].grid.jobs: expected at least 1 element, got 0"),
        ("[4, 8]", "4", "instances[0].grid.jobs: expected a list, got 4"),
        ("[4, 8]", "[4, 8.5]", "instances[0].grid.jobs[1]: expected an integer, got 8.5"),
        ("[4, 8]", "[4, [8]]", "instances[0].grid.jobs[1]: expected a number, a text, true or false"),
        ("repetitions = 3", "repetitions = 0", "instances[0].repetitions: expected an integer >= 1"),
        ('["repetition"]', '["repetitions"]', "Did you mean 'repetition'?"),
        ("seeds = [3, 9]", "seeds = [3, 3]", "instances[1].seeds: holds a value twice"),
        (
            "seeds = [3, 9]",
            "seeds = [3]\nrepetitions = 2",
            "instances[1].seeds: expected either seeds, or repetitions",
        ),
        ("seeds = [3, 9]", 'files = ["a"]', "instances[1]: expected one of generator, files and library"),
        ('name = "given"', 'name = "grid"', "instances[1].name: 'grid' is the name of an earlier one"),
        ('name = "given"', 'name = "a b"', "instances[1].name: expected a name of letters, digits"),
        (
            'files = ["*.json"]',
            'files = ["*.json"]\nseeds = [1]',
            "instances[2].seeds: belongs to a generator",
        ),
        (
            'name = "exact"\nlabel',
            'nam = "exact"\nlabel',
            "methods[1].nam: unknown field. Did you mean 'name'?",
        ),
        ("nodes = 100", "nodes = [1]", "methods[1].options.nodes: expected a number, a text, true or false"),
        (
            '["grid"]\nseed',
            '["gird"]\nseed',
            "methods[1].sweeps[0]: expected one of grid, given, stored, frozen, got 'gird'",
        ),
        ("threads = 2", "threads = 0", "methods[1].limits.threads: expected an integer >= 1"),
        ("runs = 2", "runs = true", "methods[1].runs: expected an integer >= 1"),
        (
            'names = ["exact", "greedy*"]',
            'names = ["exact", "greedy*"]\nlabel = "x"',
            "methods[0].label: expected a single",
        ),
        (
            'sizes = ["toy", "small"]',
            'sizes = ["tiny"]',
            "instances[3].sizes[0]: expected one of toy, small, medium, large",
        ),
        ('library = "optimus"', 'library = "optimum"', "Did you mean 'optimus'?"),
        (
            'files = ["*.json"]',
            'files = ["*.json"]\nsizes = ["toy"]',
            "instances[2].sizes: belongs to a library, not to files",
        ),
        ('title = "A title"', "titel = 1", "titel: unknown field. Did you mean 'title'?"),
        ("keep = false", "keep = 0", "keep: expected true or false, got 0"),
    ],
)
def test_names_what_is_wrong(old: str, new: str, message: str) -> None:
    assert old in GOOD
    found = problems(GOOD.replace(old, new, 1))
    assert any(message in each for each in found), found


def test_names_all_that_is_wrong_at_once() -> None:
    found = problems(
        GOOD.replace("memory = 1000", "memory = -1")
        .replace("runs = 2", "runs = 0")
        .replace("base = 7", "base = 1.5")
    )
    assert len(found) == 3


@pytest.mark.parametrize(
    "text", ["", "title = 3", "[[instances]]", "instances = 3\nmethods = 4", "[[methods]]\nname = 3"]
)
def test_incomplete(text: str) -> None:
    assert problems(text)


@pytest.mark.parametrize("text", ["title = ", "a = 1\na = 2", "[limits\n", "x = " + "[" * 5000])
def test_not_toml(text: str) -> None:
    (found,) = problems(text)
    assert found.startswith("not TOML: ")


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(InputError, match="byte 9 is not UTF-8"):
        read_experiment(path)


def test_the_command_says_it_without_a_traceback(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("time = 5", "time = -1"))
    done = dmlopt("run", path, "--store", tmp_path / "x.db")
    assert done.returncode == 2
    assert f"{path}: limits.time: expected a number > 0, got -1" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.db").exists()
    missing = dmlopt("run", tmp_path / "no.toml")
    assert missing.returncode == 2
    assert "no such file or directory" in missing.stderr
