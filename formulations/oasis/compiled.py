"""Functions that numba compiles, where it is installed. Without it the planner uses its plain dynamic program instead.

Compiling takes seconds, so the machine code is kept on disk. numba notices a change of the file that a function is in,
but not of the files of the functions it calls; therefore the code is kept in a folder named by the content of all kernel
files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
except ImportError:  # pragma: no cover
    numba = None

AVAILABLE = numba is not None


def _kept_in() -> str:
    """A folder of its own for this content of the kernel files."""
    here = Path(__file__).parent
    content = hashlib.sha256()
    for file in sorted(here.glob("kernel*.py")):
        content.update(file.read_bytes())
    parent = numba.config.CACHE_DIR or str(here / "__pycache__")
    return os.path.join(parent, f"kernels-{content.hexdigest()[:16]}")


_FOLDER = _kept_in() if AVAILABLE else ""


def compiled(function: Function) -> Function:
    """The function, compiled at its first call; the machine code is kept on disk where that is possible."""
    if numba is None:  # pragma: no cover
        return function
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _FOLDER
    try:
        fast: Function = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # pragma: no cover  (no place to keep the machine code)
        fast = numba.njit(nogil=True)(function)
    finally:
        numba.config.CACHE_DIR = before
    return fast
