"""The few exceptions a user can meet. Infeasible is a result, not an exception."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST_SHOWN = 20  # problems of one input that a message lists


class DmloptError(Exception):
    """Base of every error that dmlopt raises on purpose; `exit_code` is what the command line returns."""

    exit_code = 2


class InputError(DmloptError):
    """Wrong input. Lists every problem found, each as `field.path: expected ..., got ...`.

    `problems` holds all of them; the message shows the first `MOST_SHOWN` and says how many more there are.
    """

    def __init__(self, problems: str | Iterable[str], source: str | None = None) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        self.source = source
        head = f"{source}: " if source else ""
        lines = [head + problem for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"{head}and {len(self.problems) - MOST_SHOWN} more problems")
        super().__init__("\n".join(lines))


class NotApplicableError(InputError):
    """A method that does not apply to this problem; the message says what it would need."""


class UnknownNameError(DmloptError):
    """A name that is not registered; the message lists the known ones and suggests the nearest."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = sorted(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        super().__init__(f"unknown {what} '{name}'.{hint} Known: {', '.join(self.known) or 'none'}")


class BackendError(DmloptError):
    """A solver library is missing, failed, or cannot do what was asked."""

    exit_code = 4
