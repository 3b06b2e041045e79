"""Options are read strictly; names are answered with the nearest known one."""

from __future__ import annotations

from typing import Any

import pytest

from dmlopt import registry
from dmlopt.errors import BackendError, InputError, UnknownNameError
from dmlopt.registry import Method, Option, read_options
from dmlopt.result import Answer


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (int, "12", 12),
        (int, 12.0, 12),
        (float, "1e-3", 1e-3),
        (float, 2, 2.0),
        (bool, "yes", True),
        (bool, "False", False),
        (bool, True, True),
        (str, "text", "text"),
    ],
)
def test_values_are_converted(kind: type, given: Any, value: Any) -> None:
    found = Option("x", kind, None, "").read(given, "x")
    assert found == value
    assert type(found) is kind


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        (int, "1.5", "x: expected an integer, got '1.5'"),
        (int, 1.5, "x: expected an integer, got 1.5"),
        (int, True, "x: expected an integer, got True"),
        (int, float("inf"), "x: expected an integer, got inf"),
        (float, "nan", "x: expected a finite number, got 'nan'"),
        (float, None, "x: expected a finite number, got None"),
        (bool, "maybe", "x: expected true or false, got 'maybe'"),
        (bool, 3, "x: expected true or false, got 3"),
    ],
)
def test_wrong_values(kind: type, given: Any, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        Option("x", kind, kind(), "").read(given, "x")
    assert str(caught.value) == reason


def test_defaults_choices_and_unknown_names() -> None:
    options = (Option("ties", str, "server", "", ("server", "worker")), Option("nodes", int, None, ""))
    assert read_options(options, {}) == {"ties": "server", "nodes": None}
    with pytest.raises(InputError, match="ties: expected one of server, worker, got 'servers'"):
        read_options(options, {"ties": "servers"})
    with pytest.raises(UnknownNameError, match=r"unknown option 'node'.* Did you mean 'nodes'"):
        read_options(options, {"node": 1})


def test_kinds_are_fixed() -> None:
    with pytest.raises(InputError, match="kind: expected one of exact"):
        Method("x", "magic", "", lambda *_: Answer())


@pytest.mark.usefixtures("toy")
def test_formulation_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name = "broken"

        def load(self) -> Any:
            raise ImportError("No module named 'missing'")

    monkeypatch.setattr(registry, "_entry_points", lambda group: {"broken": Broken()})
    with pytest.raises(
        BackendError, match="formulation 'broken' cannot be loaded: No module named 'missing'"
    ):
        registry.formulation("broken")


def test_preparation_is_optional_and_done_before_the_clock(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import toy as module

    import dmlopt

    registry.prepare("toy")  # nothing to do
    calls = []
    monkeypatch.setattr(type(toy), "prepare", lambda self: calls.append("now"), raising=False)
    dmlopt.solve(module.TIGHT, "best", time_limit=5)
    assert calls == ["now"]
