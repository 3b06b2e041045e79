"""From experiments to cells: which ones, in which order, with which seeds and keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dmlopt
from dmlopt.batch.cell import Cell
from dmlopt.batch.experiment_file import parse_experiment
from dmlopt.batch.planning import Plan, only, plan_experiment
from dmlopt.errors import InputError, UnknownNameError


def plan(methods: str, instances: str = "grid = {jobs = [3, 4]}\nrepetitions = 2", folder: str = ".") -> Plan:
    source = "" if "files" in instances or "library" in instances else 'generator = "optimus"'
    text = f'[[instances]]\nname = "set"\n{source}\n{instances}\n{methods}'
    return plan_experiment(parse_experiment(text, "x", folder=folder), "1")


ONE = '[[methods]]\nname = "greedy"'


def test_order_and_labels() -> None:
    found = plan('[[methods]]\nnames = ["exact", "greedy"]')
    assert [(cell.instance, cell.method) for cell in found.cells] == [
        (f"set, jobs={jobs} #{number}", method)
        for jobs in (3, 4)
        for number in (1, 2)
        for method in ("exact", "greedy")
    ]
    assert found.cells[0].axes == {"jobs": 3, "repetition": 1}
    assert len({cell.key for cell in found.cells}) == 8


def test_instances_are_what_the_recipe_makes() -> None:
    for each in plan(ONE).instances:
        problem = dmlopt.generate("optimus", seed=each.source.seed, jobs=each.axes["jobs"])
        assert dmlopt.instance_hash(problem) == each.hash


def test_seeds_follow_the_named_axes_and_nothing_else() -> None:
    def seeds(instances: str) -> list[int]:
        return [each.source.seed for each in plan(ONE, instances).instances]

    both = seeds("grid = {jobs = [3, 4]}\nrepetitions = 2")
    assert len(set(both)) == 4
    assert (
        seeds("grid = {jobs = [2, 3, 4]}\nrepetitions = 3")[3:5] == both[:2]
    )  # a larger grid changes nobody's seed
    shared = seeds('grid = {jobs = [3, 4]}\nrepetitions = 2\nseed_axes = ["repetition"]')
    assert shared[:2] == shared[2:]
    assert shared[0] != shared[1]
    assert seeds("seeds = [5, 6]") == [5, 6]


def test_method_seeds() -> None:
    two = '[[methods]]\nnames = ["exact", "greedy"]\nruns = 2'
    by_instance = [cell.seed for cell in plan(two, "seeds = [1]").cells]
    assert by_instance[:2] == by_instance[2:]  # both methods, the same randomness
    assert by_instance[0] != by_instance[1]  # two runs, two seeds
    by_method = [cell.seed for cell in plan(f'{two}\nseed_axes = ["method", "run"]', "seeds = [1]").cells]
    assert len(set(by_method)) == 4


def test_keys_follow_facts_and_not_labels() -> None:
    (cell,) = plan(ONE, "seeds = [1]").cells
    for changed in (
        {"instance": "other"},
        {"method": "other"},
        {"experiment": "other"},
        {"limits": replace(cell.limits, grace=9.0)},
        {"keep": False},
    ):
        assert replace(cell, **changed).key == cell.key
    for changed in (
        {"instance_hash": "0"},
        {"method_name": "other"},
        {"options": {"x": 1}},
        {"seed": cell.seed + 1},
        {"version": "2"},
        {"limits": replace(cell.limits, time=9.0)},
        {"limits": replace(cell.limits, threads=2)},
    ):
        assert replace(cell, **changed).key != cell.key


def test_cells_travel_as_json() -> None:
    for cell in plan(ONE).cells:
        again = Cell.from_json(cell.to_json())
        assert again == cell
        assert again.key == cell.key


def test_patterns_give_way_to_entries_of_their_own() -> None:
    found = plan(
        '[[methods]]\nnames = ["*"]\n[[methods]]\nname = "exact"\noptions = {nodes = 5}', "seeds = [1]"
    )
    assert {cell.method for cell in found.cells} == set(dmlopt.methods("optimus"))
    assert [cell.options for cell in found.cells if cell.method == "exact"] == [{"nodes": 5}]
    labelled = plan(
        '[[methods]]\nname = "exact"\n[[methods]]\nname = "exact"\nlabel = "five"\noptions = {nodes = 5}',
        "seeds = [1]",
    )
    assert [cell.method for cell in labelled.cells] == ["exact", "five"]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ('[[methods]]\nname = "exat"', "unknown method 'exat'. Did you mean 'exact'?"),
        ('[[methods]]\nname = "exat*"', "no method is named like 'exat*'"),
        ('[[methods]]\nname = "exact"\noptions = {node = 1}', "Did you mean 'nodes'?"),
        ('[[methods]]\nname = "exact"\n[[methods]]\nname = "exact"', "two entries are called 'exact'"),
    ],
)
def test_wrong_methods(methods: str, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError)) as caught:
        plan(methods)
    assert message in str(caught.value)


def test_wrong_instances(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file is named like"):
        plan(ONE, 'files = ["*.json"]', str(tmp_path))
    (tmp_path / "a.json").write_text('{"format": "dmlopt-instance/1", "formulation": "optimus", "jobs": 3}')
    with pytest.raises(InputError, match=r"instances 'set', .*a\.json: "):
        plan(ONE, 'files = ["*.json"]', str(tmp_path))
    with pytest.raises(InputError, match="cluster"):
        plan(ONE, 'options = {cluster = "nowhere"}')


def test_files_travel_with_their_content(tmp_path: Path) -> None:
    problem = dmlopt.generate("optimus", jobs=3, seed=1)
    dmlopt.save(problem, tmp_path / "a.json.gz")
    (cell,) = plan(ONE, 'files = ["a.json.gz"]', str(tmp_path)).cells
    (tmp_path / "a.json.gz").unlink()
    assert cell.instance == "a"
    assert dmlopt.instance_hash(Cell.from_json(cell.to_json()).source.build()) == dmlopt.instance_hash(
        problem
    )


def test_only() -> None:
    cells = plan('[[methods]]\nnames = ["exact", "greedy*"]').cells
    assert len(only(cells, ["method=exact"])) == 4
    assert len(only(cells, ["method=exact,greedy", "jobs=3"])) == 4
    assert {cell.axes["repetition"] for cell in only(cells, ["repetition=2"])} == {2}
    with pytest.raises(UnknownNameError, match="Did you mean 'method'"):
        only(cells, ["methd=exact"])
    with pytest.raises(InputError, match="no cell is left; method is one of exact, greedy"):
        only(cells, ["method=nothing"])
    with pytest.raises(InputError, match="expected name=pattern"):
        only(cells, ["method"])


def test_frozen_instances_of_a_library() -> None:
    found = plan(ONE, 'library = "optimus"\nsizes = ["toy"]')
    assert [each.label for each in found.instances] == [
        f"optimus/{name.name.removesuffix('.json')}" for name in dmlopt.library_paths("optimus", "toy")
    ]
    assert {each.axes["size"] for each in found.instances} == {"toy"}
