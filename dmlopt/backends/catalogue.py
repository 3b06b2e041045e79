"""Backends by name, with what each can do. Importing this file imports no solver library."""

from __future__ import annotations

import importlib

from dmlopt.backends.program import Backend, Capability
from dmlopt.errors import BackendError, UnknownNameError

_MODULES = {"highs": "dmlopt.backends.highs", "cbc": "dmlopt.backends.cbc"}


def backend_names() -> list[str]:
    """Names of all backends."""
    return list(_MODULES)


def backend(name: str, needs: frozenset[Capability] = frozenset()) -> Backend:
    """The backend of that name; asking for what it cannot do names those that can."""
    if name not in _MODULES:
        raise UnknownNameError("backend", name, _MODULES)
    try:
        found: Backend = importlib.import_module(_MODULES[name]).BACKEND
    except ImportError as error:
        raise BackendError(f"backend '{name}': its library cannot be imported ({error})") from error
    missing = needs - found.capabilities
    if missing:
        able = [
            other
            for other in _MODULES
            if other != name and needs <= importlib.import_module(_MODULES[other]).BACKEND.capabilities
        ]
        lacking = ", ".join(sorted(missing))
        raise BackendError(f"backend '{name}' cannot do: {lacking}. These can: {', '.join(able) or 'none'}")
    return found
