"""Every statement of the table is recomputed: change one, and that one fails."""

import gzip
import json
from dataclasses import replace

import pytest
import toy

from dmlopt.errors import InputError
from dmlopt.files import encode, save
from dmlopt.library import entries, improve, read_table, verify
from dmlopt.library.best_known import write_table
from dmlopt.library.verify import strays
from dmlopt.result import StoredCertificate


@pytest.fixture
def filled(shelf):
    for entry in entries("toy"):
        improve(entry, "best")
    return shelf


def change(shelf, **fields):
    rows = read_table(shelf)
    write_table(shelf, {**rows, "toy-tight": replace(rows["toy-tight"], **fields)}.values())


def failed(name="toy-tight"):
    return verify(next(each for each in entries("toy") if each.name == name)).failed()


def answer(shelf, part):
    return shelf / "answers" / getattr(read_table(shelf)["toy-tight"], part)


def test_what_is_true_holds(filled):
    assert [failed(each.name) for each in entries("toy")] == [[], [], []]
    assert strays("toy", entries("toy")) == []


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"value": 7.0}, ["value"]),
        ({"value": 6.5 + 1e-6}, ["value"]),
        ({"bound": 13.0}, ["bound"]),
        ({"gap": 0.0}, ["gap"]),
        ({"status": "optimal"}, ["status"]),
        ({"sense": "min"}, ["sense"]),
        ({"size": "small"}, ["size"]),
        ({"value": None}, ["value"]),
        ({"solution": ""}, ["value", "gap"]),
        ({"certificate": ""}, ["bound", "gap"]),
        ({"solution": "lost.json.gz"}, ["answers"]),
        ({"instance_hash": "0" * 64}, ["instance", "answers"]),
    ],
)
def test_a_changed_table(filled, fields, names):
    change(filled, **fields)
    assert failed() == names


def test_a_changed_instance(filled):
    path = next(each.path for each in entries("toy") if each.name == "toy-tight")
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "capacity": data["capacity"] + 1}))
    assert failed() == ["instance"]  # everything else still holds for that instance: the hash tells
    path.write_text(json.dumps({**data, "capacity": 8}))
    assert "solution" in failed()
    path.unlink()
    assert failed() == ["instance"]


def test_a_changed_solution(filled):
    path = answer(filled, "solution")
    data = json.loads(gzip.decompress(path.read_bytes()))
    path.write_text(json.dumps({**data, "solution": [1, 1, 1, 1]}))
    assert failed() == ["solution", "gap"]
    path.write_text(json.dumps({**data, "solution": [0, 0, 0, 0]}))
    assert failed() == ["value", "gap"]
    path.write_text(json.dumps({**data, "instance_hash": "other"}))
    assert failed() == ["answers"]


def test_a_forged_certificate(filled):
    path = answer(filled, "certificate")
    entry = next(each for each in entries("toy") if each.name == "toy-tight")
    problem = entry.problem()
    digest = read_table(filled)["toy-tight"].instance_hash
    forged = toy._sealed({"node": "leaf", "prices": [0], "bound": 6.5})
    save(StoredCertificate("toy", digest, 6.5, forged), path)
    change(filled, bound=6.5, gap=0.0, status="optimal")
    assert failed() == ["certificate", "gap", "status"]
    save(StoredCertificate("toy", digest, 6.5, toy.leaf(problem)), path)
    assert set(failed()) == {"certificate's bound", "bound", "gap", "status"}
    path.write_text(json.dumps(encode(problem)))
    assert failed() == ["answers"]


def test_strays_are_named(filled):
    (filled / "answers" / "old.json.gz").write_bytes(b"")
    recipes = filled / "recipes.toml"
    recipes.write_text(recipes.read_text().split("[toy-tight]")[0])
    found = strays("toy", entries("toy"))
    assert found == [
        "row 'toy-tight' has no recipe",
        "row 'medium-short' has no recipe",
        "answers/old.json.gz belongs to no row",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",6.5,", ",six,", "value: expected a finite number, got 'six'"),
        (",6.5,", ",inf,", "value: expected a finite number, got 'inf'"),
        ("toy-loose.sol", "../toy-loose.sol", "solution: expected a file name"),
        ("instance,size", "size,instance", "expected the columns instance, size"),
        ("toy-tight,", "toy-loose,", "a second row for 'toy-loose'"),
        ("toy-tight,toy,", "toy-tight,", "expected 15 cells, got 14"),
    ],
)
def test_a_wrong_table_is_refused(filled, old, new, message):
    table = filled / "best_known.csv"
    table.write_text(table.read_text().replace(old, new, 1))
    with pytest.raises(InputError) as found:
        read_table(filled)
    assert message in str(found.value)
