"""A library call that blocks, in a thread of its own, so that the clock can stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from dmlopt.control import Clock

POLL = 0.02
Answer = TypeVar("Answer")


def run_watched(call: Callable[[], Answer], stop: Callable[[], object], clock: Clock) -> Answer:
    """The answer of `call()`; when the clock is over meanwhile, `stop()` asks it to come back.

    The calling thread stays in Python all the time: otherwise Ctrl-C would not be seen before the library returns.
    """
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            answers.append(call())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=body, daemon=True)
    worker.start()
    wait = 0.0005
    while worker.is_alive():
        worker.join(wait)
        wait = min(2 * wait, POLL)
        if clock.expired():
            stop()  # again and again: a library that has not begun yet may miss the first one
    if errors:
        raise errors[0]
    return answers[0]
