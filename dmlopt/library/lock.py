"""One writer at a time: two runs that improve one library may not lose each other's rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dmlopt.errors import InputError


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; it ends with the process. Where the system has none, nothing is locked."""
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", str(folder)) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
