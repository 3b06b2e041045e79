"""The planted formulation in place of the installed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dmlopt import registry


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """`plant(formulation, generator)` registers them; without arguments, the honest ones."""
    import toy as module

    from tests.conformance.plants import PlantFormulation, PlantGenerator

    monkeypatch.setattr(registry, "_entry_points", registry._entry_points)

    def install(formulation: Any = None, generator: Any = None) -> Any:
        return module.install(None, formulation or PlantFormulation(), generator or PlantGenerator())

    yield install
    monkeypatch.undo()
    module.clear()
