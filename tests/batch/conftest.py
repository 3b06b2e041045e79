"""Experiments of these tests register methods; none of them may stay for other tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from dmlopt import registry


@pytest.fixture(autouse=True)
def own_methods(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_added", {name: dict(each) for name, each in registry._added.items()})
    yield
    for name in [each for each in sys.modules if each.startswith("dmlopt_methods_")]:
        del sys.modules[name]
