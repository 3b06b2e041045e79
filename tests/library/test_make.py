"""Recipes give the frozen files; frozen files never change."""

import pytest

import dmlopt
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.library import entries, make, read_table, select
from dmlopt.strict_json import parse, read_bytes


def test_making_twice_writes_nothing(shelf):
    before = {path: path.read_bytes() for path in shelf.rglob("*") if path.is_file()}
    assert [each.written for each in make("toy")] == [False] * 3
    assert {path: path.read_bytes() for path in shelf.rglob("*") if path.is_file()} == before


def test_rows_are_open_at_first(shelf):
    rows = read_table(shelf)
    assert list(rows) == ["toy-loose", "toy-tight", "medium-short"]
    assert {row.status for row in rows.values()} == {"open"}
    assert rows["toy-loose"].instance_hash == dmlopt.instance_hash(dmlopt.load_library("toy", "toy-loose"))


@pytest.mark.parametrize(
    ("old", "new"), [("jobs = 3", "jobs = 5"), ("seed = 1", "seed = 2"), ("load = 2.0", "load = 2.5")]
)
def test_another_recipe_under_an_old_name_is_refused(shelf, old, new):
    recipes = shelf / "recipes.toml"
    recipes.write_text(recipes.read_text().replace(old, new))
    with pytest.raises(InputError, match="give it a new name"):
        make("toy")


def test_a_lost_file_is_written_again_only_if_it_is_the_same(shelf):
    entry = entries("toy")[0]
    text = entry.path.read_bytes()
    entry.path.unlink()
    assert [each.written for each in make("toy")] == [True, False, False]
    assert entry.path.read_bytes() == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[toy-a]\nsize = 'toy'\nabout = ''\nseed = -1\n", "toy-a.seed: expected an integer >= 0, got -1"),
        ("[toy-a]\nsize = 'tiny'\nabout = ''\nseed = 1\n", "toy-a.size: expected one of toy, small"),
        ("[toy-a]\nsize = 'toy'\nseed = 1\n", "toy-a.about: expected a value"),
        ("[toy-a]\nsize = 'toy'\nabout = ''\n", "toy-a.origin: expected a value"),
        ("[toy-a]\nsize = 'toy'\nabout = ''\nseed = 1\norigin = ''\n", "toy-a.origin: unknown field"),
        ("[a]\nsize = 'toy'\nabout = ''\nseed = 1\n", "a: expected a name like 'toy-something'"),
        ("['toy-../a']\nsize = 'toy'\nabout = ''\nseed = 1\n", "expected a name like 'toy-something'"),
        ("toy-a = 3\n", "toy-a: expected an object, got 3"),
        ("[toy-a", "not TOML"),
    ],
)
def test_wrong_recipes_are_named(shelf, text, message):
    (shelf / "recipes.toml").write_text(text)
    with pytest.raises(InputError) as found:
        entries("toy")
    assert message in str(found.value)
    assert "recipes.toml" in str(found.value)


def test_names(shelf):
    assert [each.name for each in select()] == ["toy-loose", "toy-tight", "medium-short"]
    assert [each.name for each in select(["toy"], "medium")] == ["medium-short"]
    assert [each.name for each in select(["toy-tight", "toy/toy-tight"])] == ["toy-tight"]
    with pytest.raises(UnknownNameError, match="Did you mean 'toy-tight'"):
        select(["toy-tigth"])
    with pytest.raises(UnknownNameError, match="Did you mean 'toy-loose'"):
        dmlopt.load_library("toy", "toy-lose")
    with pytest.raises(UnknownNameError, match="unknown library 'nothing'"):
        dmlopt.library_paths("nothing")
    with pytest.raises(InputError, match="size: expected one of toy, small, medium, large"):
        dmlopt.library_paths("toy", "huge")


def test_paths_are_files(shelf):
    assert [path.name for path in dmlopt.library_paths("toy")] == [
        "toy-loose.json",
        "toy-tight.json",
        "medium-short.json.gz",
    ]
    for path in dmlopt.library_paths("toy"):
        assert parse(read_bytes(path), "file")["formulation"] == "toy"
