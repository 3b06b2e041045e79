"""Files: round trips, and a reason for everything that cannot be read or written."""

from __future__ import annotations

import gzip
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy import SLACK, TIGHT, ToyFormulation

import dmlopt
from dmlopt.errors import InputError
from dmlopt.files import decode, encode, load, save
from dmlopt.result import Result, StoredCertificate, StoredSolution
from dmlopt.strict_json import require_writable, write

pytestmark = pytest.mark.usefixtures("toy")


def reasons(raw: bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        decode(raw, "x.json")
    assert str(caught.value).startswith("x.json: ")
    return caught.value.problems


def instance(**changes: Any) -> bytes:
    return json.dumps({**encode(TIGHT), **changes}).encode()


# ---------------------------------------------------------------- round trips


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_instance(tmp_path: Path, name: str) -> None:
    save(TIGHT, tmp_path / name)
    assert load(tmp_path / name) == TIGHT
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith("gz")


def test_same_problem_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json", "b.json", "a.json.gz", "b.json.gz"):
        save(TIGHT, tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


@pytest.mark.parametrize(("problem", "method"), [(SLACK, "best"), (TIGHT, "best"), (TIGHT, "bound")])
def test_result_keeps_everything(tmp_path: Path, problem: Any, method: str) -> None:
    result = dmlopt.solve(problem, method)
    save(result, tmp_path / "r.json")
    loaded = load(tmp_path / "r.json", problem)
    assert isinstance(loaded, Result)
    assert loaded == result
    assert loaded.gap == result.gap
    assert loaded.stated["digest"] is True


def test_result_without_its_problem_keeps_the_solution_as_data(tmp_path: Path) -> None:
    result = dmlopt.solve(SLACK, "best")
    save(result, tmp_path / "r.json")
    loaded = load(tmp_path / "r.json")
    assert loaded.solution == StoredSolution("toy", result.instance_hash, [1, 1, 1])
    save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "r.json").read_bytes()


def test_parts_of_a_result(tmp_path: Path) -> None:
    result = dmlopt.solve(SLACK, "best")
    save(result, tmp_path / "s.json", part="solution")
    save(result, tmp_path / "c.json", part="certificate")
    solution, certificate = load(tmp_path / "s.json"), load(tmp_path / "c.json")
    assert isinstance(solution, StoredSolution)
    assert isinstance(certificate, StoredCertificate)
    assert certificate.data == result.certificate
    assert dmlopt.check(SLACK, solution).ok
    assert dmlopt.check(SLACK, certificate).ok
    assert not dmlopt.check(SLACK, replace(certificate, bound=14.0)).ok
    with pytest.raises(InputError, match="no solution"):
        save(dmlopt.solve(SLACK, "bound"), tmp_path / "x.json", part="solution")
    with pytest.raises(InputError, match="expected one of"):
        save(result, tmp_path / "x.json", part="everything")


def test_hash_depends_on_content_only() -> None:
    assert dmlopt.instance_hash(TIGHT) == dmlopt.instance_hash(replace(TIGHT))
    assert dmlopt.instance_hash(TIGHT) != dmlopt.instance_hash(SLACK)


# ---------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not JSON: the file is empty"),
        (b"{", "not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
        (b'{"format":\n oops}', "not JSON: Expecting value at line 2, column 2"),
        (b"\xff\xfe", "not JSON: byte 0 is not UTF-8 text"),
        (b"\x1f\x8bnot really", "cannot be read: damaged gzip data"),
        (gzip.compress(b"{}", mtime=0)[:-4], "cannot be read: damaged gzip data"),
        (b"[" * 200_000, "not JSON: nested too deeply"),
        (b'{"format": ' + b"9" * 5000 + b"}", "not JSON: a number has too many digits"),
        (b"[]", "expected an object, got an empty list"),
        (b"{}", "format: expected a value, found nothing"),
        (b'{"format": 1}', "format: expected a text, got 1"),
    ],
)
def test_not_a_file_of_ours(raw: bytes, reason: str) -> None:
    assert reasons(raw) == [reason]


def test_format_version_and_names() -> None:
    assert reasons(instance(format="dmlopt-instance/2")) == [
        "format: expected 'dmlopt-instance/1', got 'dmlopt-instance/2': not a version this dmlopt can read"
    ]
    assert "Did you mean 'dmlopt-instance/1'?" in reasons(instance(format="dmlopt-instanc/1"))[0]
    assert reasons(instance(formulation="toi")) == [
        "formulation: expected one of toy, got 'toi'. Did you mean 'toy'?"
    ]


def test_numbers_that_are_none() -> None:
    raw = instance().replace(b"3.5", b"NaN").replace(b"8.0", b"-Infinity").replace(b"3.0", b"1e999")
    assert reasons(raw) == [
        "jobs[0].values[1]: expected a finite number, got nan",
        "jobs[1].values[1]: expected a finite number, got -inf",
        "jobs[2].values[1]: expected a finite number, got inf",
    ]


def test_texts_that_are_none() -> None:
    raw = b'{"format": "dmlopt-instance/1", "formulation": "\\ud800", "jobs": [{"\\uDFFF": 1, "a": "\\ud83d\\ude00"}]}'
    assert reasons(raw) == [
        "formulation: expected a text, got '?' with half of a surrogate pair",
        "jobs[0]: expected names that are text, got '?'",
    ]


def test_duplicate_keys() -> None:
    assert reasons(instance().replace(b'"capacity"', b'"capacity": 8, "capacity"')) == [
        "duplicate key 'capacity'"
    ]


def test_wrong_fields_are_listed_together() -> None:
    jobs = [{"values": [1.0], "uses": [-1]}, {"values": "x", "uses": [1], "use": 2}]
    assert reasons(instance(jobs=jobs, capacity=-5)) == [
        "capacity: expected an integer >= 0, got -5",
        "jobs[1].values: expected a list, got 'x'",
        "jobs[0].uses[0]: expected an integer >= 0, got -1",
        "jobs[1].use: unknown field. Did you mean 'uses'?",
    ]


def test_result_with_wrong_fields() -> None:
    data = encode(dmlopt.solve(SLACK, "best"))
    data.update(status="optimall", objective="11", seconds={"build": -1}, trace=[[1, 2]], zzzz=1, verified=1)
    del data["kind"]
    assert reasons(json.dumps(data).encode()) == [
        "kind: expected a value, found nothing",
        "status: expected one of optimal, optimal-claimed, feasible, bound, infeasible, unknown, error, "
        "got 'optimall'. Did you mean 'optimal'?",
        "objective: expected a number, got '11'",
        "seconds.build: expected a number >= 0, got -1",
        "seconds.solve: expected a value, found nothing",
        "seconds.check: expected a value, found nothing",
        "seconds.total: expected a value, found nothing",
        "trace[0]: expected 3 elements, got 2",
        "verified: expected true or false, got 1",
        "zzzz: unknown field",
    ]


def test_solution_of_the_wrong_shape_is_named(tmp_path: Path) -> None:
    data = encode(dmlopt.solve(SLACK, "best"))
    data["solution"] = [1, 1]
    (tmp_path / "r.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="solution: choice: expected 3 elements, got 2"):
        load(tmp_path / "r.json", SLACK)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: no such file"):
        load(tmp_path / "absent.json")
    with pytest.raises(InputError, match="cannot be read: is a directory"):
        load(tmp_path)


# ---------------------------------------------------------------- writing


def test_writing_replaces_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.json"
    save(TIGHT, target)
    before = target.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="cannot be written: no space left"):
        save(SLACK, target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    save(TIGHT, tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert load(tmp_path / "real.json") == TIGHT


@pytest.mark.parametrize("name", ["missing/a.json", ".", "file.txt/a.json", "nul\0l"])
def test_unwritable_places_are_known_beforehand(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        require_writable(str(tmp_path / name))
    require_writable(tmp_path / "fine.json")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.txt"]


def test_only_known_objects_are_saved(tmp_path: Path, toy: ToyFormulation) -> None:
    with pytest.raises(InputError, match="registered formulation, got int"):
        save(5, tmp_path / "x.json")


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "shared.json"

    def work(number: int) -> None:
        require_writable(path)
        write(f"{number}" * 1000, path)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [number % 10 for number in range(200)]))
    assert len(set(path.read_text())) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["shared.json"]
