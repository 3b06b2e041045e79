"""Time limits, interruption and progress: what every long-running method asks and tells."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


class OutOfTime(Exception):
    """Raised by `Clock.check` deep inside a step that cannot be cut short in another way."""


@dataclass
class Clock:
    """Time limit and interruption, asked by every loop of every method."""

    time_limit: float | None = None
    started: float = field(default_factory=time.perf_counter)
    parent: Clock | None = None
    _interrupted: bool = False

    @property
    def interrupted(self) -> bool:
        """True when somebody asked to stop, here or at the clock this one was started from."""
        return self._interrupted or (self.parent is not None and self.parent.interrupted)

    @interrupted.setter
    def interrupted(self, value: bool) -> None:
        self._interrupted = value

    def part(self, seconds: float) -> Clock:
        """A clock for a step of at most `seconds` that ends when this one does."""
        return Clock(min(seconds, self.remaining()), parent=self)

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def remaining(self) -> float:
        """Seconds left, at least 0; infinity without a limit."""
        if self.interrupted:
            return 0.0
        return float("inf") if self.time_limit is None else max(0.0, self.time_limit - self.elapsed())

    def expired(self) -> bool:
        """True when the method must come back with what it has."""
        return self.remaining() <= 0.0

    def check(self) -> None:
        """Raise OutOfTime when the time is over."""
        if self.expired():
            raise OutOfTime


@dataclass(frozen=True)
class Progress:
    """A sign of life from a long run, in objective units."""

    phase: str
    incumbent: float | None = None
    bound: float | None = None
    nodes: int | None = None
