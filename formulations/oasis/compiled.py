"""Functions that numba compiles, where it is installed. Without it the planner uses its plain dynamic program instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
except ImportError:  # pragma: no cover
    numba = None

AVAILABLE = numba is not None


def compiled(function: Function) -> Function:
    """The function, compiled at its first call; the machine code is kept on disk where that is possible."""
    if numba is None:  # pragma: no cover
        return function
    try:
        fast: Function = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # pragma: no cover  (no place to keep the machine code)
        fast = numba.njit(nogil=True)(function)
    return fast
