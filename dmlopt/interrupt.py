"""Ctrl-C during a run: the first one asks for the best answer so far, the second one stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dmlopt.control import Clock


@contextmanager
def stop_on_interrupt(clock: Clock) -> Iterator[None]:
    """While inside, the first SIGINT sets `clock.interrupted`; a second one raises KeyboardInterrupt.

    A clock that was started from another one passes the wish to stop on to it, so that a whole series of runs ends.

    Does nothing outside the main thread, where Python forbids signal handlers, or where SIGINT is ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None or before == signal.SIG_IGN:
        yield
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if clock.interrupted:
            raise KeyboardInterrupt
        at: Clock | None = clock
        while at is not None:
            at.interrupted = True
            at = at.parent

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
