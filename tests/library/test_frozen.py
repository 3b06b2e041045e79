"""The committed libraries: recipes give the files, the tables hold, everything stays small."""

import json

import pytest

import dmlopt
from dmlopt import registry
from dmlopt.files import decode
from dmlopt.library import SIZES, entries, select, verify
from dmlopt.library.make import follow, spelled
from dmlopt.library.verify import strays
from dmlopt.strict_json import read_bytes
from tests.test_end_to_end import hard_instance

ALL = select()
ids = [each.full_name for each in ALL]


@pytest.mark.parametrize("entry", ALL, ids=ids)
def test_the_recipe_gives_the_file(entry):
    raw = read_bytes(entry.path)
    if raw.startswith(b"\x1f\x8b"):  # compression may differ between machines, the content may not
        import gzip

        raw = gzip.decompress(raw)
    assert raw.decode() == spelled(entry)
    assert dmlopt.instance_hash(follow(entry)) == dmlopt.instance_hash(entry.problem())


@pytest.mark.parametrize("entry", ALL, ids=ids)
def test_the_table_holds(entry):
    report = verify(entry)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", registry.library_names())
def test_a_library_is_whole(name):
    chosen = entries(name)
    assert {each.size for each in chosen} == set(SIZES)
    assert strays(name, chosen) == []
    folder = registry.library_folder(name)
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 3_000_000
    files = sorted(path.name for path in (folder / "instances").iterdir())
    assert files == sorted(each.path.name for each in chosen)


def test_every_library_belongs_to_a_formulation():
    assert set(registry.library_names()) <= set(registry.formulation_names())


def test_the_instance_from_elsewhere_is_the_one_it_says():
    built = decode(json.dumps(hard_instance()).encode(), "hard.json")
    assert dmlopt.instance_hash(built) == dmlopt.instance_hash(
        dmlopt.load_library("optimus", "medium-unrelated")
    )
