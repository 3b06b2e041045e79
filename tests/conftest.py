"""Fixtures for all tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from dmlopt import registry

# The same cases on every run: a test that fails for one machine fails for all. HYPOTHESIS_PROFILE=explore looks further.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """The toy formulation of toy.py in place of the installed ones."""
    import toy as module

    monkeypatch.setattr(registry, "_entry_points", registry._entry_points)
    yield module.install()
    monkeypatch.undo()
    module.clear()
