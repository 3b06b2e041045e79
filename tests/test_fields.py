"""Every wrong field is named by its path, all of them at once."""

from __future__ import annotations

import math
import time

import pytest

from dmlopt.errors import MOST_SHOWN, InputError
from dmlopt.fields import Fields


def problems(root: Fields) -> list[str]:
    with pytest.raises(InputError) as caught:
        root.finish()
    return caught.value.problems


def test_right_values_come_back_unchanged() -> None:
    root = Fields({"n": 3, "x": 2.5, "whole": 7, "s": "sync", "f": True, "list": [1, 2], "nothing": None})
    assert root.get("n").integer(minimum=0) == 3
    assert root.get("x").number(exclusive_minimum=0) == 2.5
    assert root.get("whole").number() == 7.0
    assert isinstance(root.get("whole").number(), float)
    assert root.get("s").text(choices=("sync", "async")) == "sync"
    assert root.get("f").flag() is True
    assert [each.integer() for each in root.get("list").items(min_length=2)] == [1, 2]
    assert root.get("nothing").is_null()
    assert root.get("absent", default=None).is_null()
    assert root.get("absent", default=4).integer() == 4
    root.no_unknown({"n", "x", "whole", "s", "f", "list", "nothing"})
    root.finish()


def test_path_through_lists_and_objects() -> None:
    root = Fields({"jobs": [{}, {}, {}, {"theta": [1.0, -2]}]})
    theta = root.get("jobs").items()[3].get("theta").items()
    assert math.isnan(theta[1].number(minimum=0))
    assert problems(root) == ["jobs[3].theta[1]: expected a number >= 0, got -2"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, "expected a finite number > 0, got nan"),
        (math.inf, "expected a finite number > 0, got inf"),
        (10**400, "expected a finite number > 0, got an integer of about 400 digits"),
        (True, "expected a number > 0, got true"),
        ("1", "expected a number > 0, got '1'"),
        (None, "expected a number > 0, got null"),
        (0, "expected a number > 0, got 0"),
        ([], "expected a number > 0, got an empty list"),
        ({}, "expected a number > 0, got an object"),
    ],
)
def test_wrong_numbers(value: object, message: str) -> None:
    root = Fields({"x": value})
    assert math.isnan(root.get("x").number(exclusive_minimum=0))
    assert problems(root) == [f"x: {message}"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2.0, "expected an integer >= 1, got 2.0"),
        (True, "expected an integer >= 1, got true"),
        (0, "expected an integer >= 1, got 0"),
        (2**53 + 1, "expected an integer >= 1 and <= 2^53, got 9007199254740993"),
        (10**300, "expected an integer >= 1 and <= 2^53, got an integer of about 300 digits"),
    ],
)
def test_wrong_integers(value: object, message: str) -> None:
    root = Fields({"n": value})
    assert root.get("n").integer(minimum=1) == 0
    assert problems(root) == [f"n: {message}"]


def test_missing_value_is_reported_once_and_then_quiet() -> None:
    root = Fields({})
    jobs = root.get("jobs")
    assert jobs.dead
    assert jobs.items() == []
    assert jobs.entries() == {}
    assert jobs.get("deeper").get("still").integer() == 0
    assert math.isnan(jobs.number())
    assert jobs.text() == ""
    assert jobs.flag() is False
    assert not jobs.is_null()
    jobs.no_unknown({"a"})
    jobs.error("expected something else")
    assert problems(root) == ["jobs: expected a value, found nothing"]


def test_wrong_container_is_reported_once() -> None:
    root = Fields({"jobs": [5]})
    job = root.get("jobs").items()[0]
    job.get("a").integer()
    job.get("b").integer()
    job.no_unknown({"a", "b"})
    assert problems(root) == ["jobs[0]: expected an object, got 5"]


def test_root_of_the_wrong_type() -> None:
    root = Fields([1])
    root.get("jobs").items()
    assert problems(root) == ["expected an object, got a list of 1"]


def test_lengths() -> None:
    root = Fields({"empty": [], "short": [1], "text": "no"})
    root.get("empty").items(min_length=1)
    root.get("short").items(length=3)
    root.get("text").items()
    assert problems(root) == [
        "empty: expected at least 1 element, got 0",
        "short: expected 3 elements, got 1",
        "text: expected a list, got 'no'",
    ]


def test_nearest_names() -> None:
    root = Fields({"mode": "synk", "thta": 1})
    root.get("mode").text(choices=["sync", "async"])
    root.no_unknown({"mode", "theta"})
    assert problems(root) == [
        "mode: expected one of sync, async, got 'synk'. Did you mean 'sync'?",
        "thta: unknown field. Did you mean 'theta'?",
    ]


def test_long_and_unprintable_values_are_abbreviated() -> None:
    root = Fields({"a": "x" * 5000, "b": "line\nbreak\x1b[31m", "k" * 500: 1})
    root.get("a").number()
    root.get("b").number()
    root.no_unknown({"a", "b"})
    found = problems(root)
    assert all(len(each) < 160 for each in found)
    assert "\n" not in found[1]
    assert "\x1b" not in found[1]


def test_source_and_cap() -> None:
    root = Fields({"x": [-1] * (MOST_SHOWN + 5)})
    for each in root.get("x").items():
        each.number(minimum=0)
    with pytest.raises(InputError) as caught:
        root.finish("big.json")
    lines = str(caught.value).splitlines()
    assert len(lines) == MOST_SHOWN + 1
    assert lines[0] == "big.json: x[0]: expected a number >= 0, got -1"
    assert lines[-1] == "big.json: and 5 more problems"
    assert len(caught.value.problems) == MOST_SHOWN + 5


def test_ten_thousand_jobs_are_read_in_well_under_a_second() -> None:
    job = {"mode": "sync", "theta": [1.0] * 5, "Q": 3.0, "worker": [1, 2, 3], "ps": [1, 2, 3], "p_max": 16}
    root = Fields({"jobs": [job] * 10_000})
    began = time.perf_counter()
    for each in root.get("jobs").items():
        each.get("mode").text(choices=("sync", "async"))
        [x.number(minimum=0) for x in each.get("theta").items(length=5)]
        each.get("Q").number(exclusive_minimum=0)
        [x.integer(minimum=0) for name in ("worker", "ps") for x in each.get(name).items()]
        each.get("p_max").integer(minimum=1)
        each.no_unknown(set(job))
    root.finish()
    assert time.perf_counter() - began < 2.0  # about 0.1 s when the machine is quiet
