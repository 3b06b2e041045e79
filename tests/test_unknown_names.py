"""Every kind of name is answered with the nearest valid one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dmlopt
from dmlopt.backends.catalogue import backend
from dmlopt.errors import DmloptError


def problem() -> Any:
    return dmlopt.generate("optimus", jobs=2, seed=1)


@pytest.mark.parametrize(
    ("ask", "nearest"),
    [
        (lambda: dmlopt.solve(problem(), "exakt"), "exact"),
        (lambda: dmlopt.solve(problem(), "greedy", tie="server"), "ties"),
        (lambda: dmlopt.solve(problem(), "greedy", ties="servers"), "server"),
        (lambda: dmlopt.compare(problem(), ["exakt"]), "exact"),
        (lambda: dmlopt.compare(problem(), [("exact", {"node": 3})]), "nodes"),
        (lambda: dmlopt.methods("optimos"), "optimus"),
        (lambda: dmlopt.generate("optimos"), "optimus"),
        (lambda: dmlopt.generate("optimus", job=3), "jobs"),
        (lambda: dmlopt.generate("optimus", cluster="cpu-7x61"), "cpu-7x16"),
        (lambda: dmlopt.export(problem(), "x", "msp"), "mps"),
        (lambda: dmlopt.export(problem(), "x.mps", model="plan"), "plans"),
        (lambda: dmlopt.save(dmlopt.solve(problem(), "greedy"), "x", part="solutoin"), "solution"),
        (lambda: backend("higs"), "highs"),
        (lambda: dmlopt.Method("m", "exct", "", lambda *_: None), "exact"),
    ],
)
def test_nearest(ask: Callable[[], Any], nearest: str) -> None:
    with pytest.raises(DmloptError, match=f"Did you mean '{nearest}'"):
        ask()


@pytest.mark.parametrize("name", [None, 3, [], {}, "", "x" * 10_000])
def test_names_that_are_none(name: Any) -> None:
    for ask in (
        lambda: dmlopt.solve(problem(), name),
        lambda: dmlopt.methods(name),
        lambda: dmlopt.generate(name),
    ):
        with pytest.raises(DmloptError) as caught:
            ask()
        assert len(str(caught.value)) < 2000
