"""Fixtures for all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dmlopt import registry

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """The toy formulation of toy.py in place of the installed ones."""
    import toy as module

    monkeypatch.setattr(registry, "_entry_points", registry._entry_points)
    yield module.install()
    monkeypatch.undo()
    module.clear()
