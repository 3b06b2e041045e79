"""A library of the toy formulation in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dmlopt import registry
from dmlopt.library import make

RECIPES = """\
[toy-loose]
size = "toy"
about = "3 jobs, much room"
seed = 1
options = { jobs = 3 }

[toy-tight]
size = "toy"
about = "4 jobs, little room"
seed = 0
options = { jobs = 4, load = 2.0 }

[medium-short]
size = "medium"
about = "6 jobs that do not fit"
seed = 0
options = { jobs = 6, load = 4.0 }
"""


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The folder of a toy library with its three instances made; `shelf.toy` is not needed: see registry."""
    import toy as module

    monkeypatch.setattr(registry, "_entry_points", registry._entry_points)
    (tmp_path / "recipes.toml").write_text(RECIPES)
    module.install(tmp_path)
    make("toy")
    yield tmp_path
    monkeypatch.undo()
    module.clear()
