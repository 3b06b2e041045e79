"""Backends by name, with what each can do. Importing this file imports no solver library."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from dmlopt.backends.program import Backend, Capability, Program, needed
from dmlopt.errors import BackendError, UnknownNameError

_PLACES = {
    "highs": ("dmlopt.backends.highs", "BACKEND"),
    "cbc": ("dmlopt.backends.cbc", "BACKEND"),
    "scip": ("dmlopt.backends.ortools_mip", "SCIP"),
    "cp-sat": ("dmlopt.backends.cpsat", "BACKEND"),
    "glop": ("dmlopt.backends.ortools_mip", "GLOP"),
    "pdlp": ("dmlopt.backends.ortools_mip", "PDLP"),
    "cvxpy-highs": ("dmlopt.backends.cvxpy_backend", "HIGHS"),
    "cvxpy-clarabel": ("dmlopt.backends.cvxpy_backend", "CLARABEL"),
}
LP_BACKENDS = ("highs", "cbc", "glop", "pdlp", "cvxpy-highs", "cvxpy-clarabel")
"""Backends that solve linear programs to an optimum with a value one can rely on."""


def backend_names() -> list[str]:
    """Names of all backends."""
    return list(_PLACES)


def backend(name: str, needs: frozenset[Capability] = frozenset()) -> Backend:
    """The backend of that name; asking for what it cannot do names those that can."""
    if name not in _PLACES:
        raise UnknownNameError("backend", name, _PLACES)
    found = _load(name)
    _require(found, needs)
    return found


def require_able(chosen: Backend, program: Program) -> None:
    """Raise BackendError, naming those that can, when the backend cannot take a program of this kind."""
    _require(chosen, frozenset({needed(program)}))


def _load(name: str) -> Backend:
    module, attribute = _PLACES[name]
    try:
        found: Backend = getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise BackendError(f"backend '{name}': its library cannot be imported ({error})") from error
    return found


def _require(chosen: Backend, needs: frozenset[Capability]) -> None:
    missing = needs - chosen.capabilities
    if missing:
        lacking, able = ", ".join(sorted(missing)), ", ".join(_able(needs))
        raise BackendError(f"backend '{chosen.name}' cannot do: {lacking}. These can: {able or 'none'}")


def _able(needs: frozenset[Capability]) -> Iterable[str]:
    """Names of the installed backends that can do all of this."""
    for name in _PLACES:
        try:
            if needs <= _load(name).capabilities:
                yield name
        except BackendError:
            continue
