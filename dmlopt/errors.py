"""The few exceptions a user can meet. Infeasible is a result, not an exception."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

MOST_SHOWN = 20  # problems of one input that a message lists
LONGEST_NAME = 60  # characters of an unknown name that a message shows


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


def nearest(name: str, known: Iterable[str]) -> str:
    """ " Did you mean 'x'?" for the known name that is most like `name`; empty when none is."""
    near = difflib.get_close_matches(name[:LONGEST_NAME], list(known), n=1, cutoff=0.5)
    return f" Did you mean '{near[0]}'?" if near else ""


def expected_one_of(value: Any, known: Iterable[str]) -> str:
    """The message for a value that is none of a few: lists them, and names the nearest."""
    names = list(known)
    hint = nearest(str(value), names)
    return f"expected one of {', '.join(names)}, got {value!r}" + (f".{hint}" if hint else "")


class UnknownNameError(DmloptError):
    """A name that is not registered; the message lists the known ones and suggests the nearest."""

    def __init__(self, what: str, name: Any, known: Iterable[str]) -> None:
        self.name = str(name)
        self.known = sorted(known)
        hint = nearest(self.name, self.known)
        listed = ", ".join(self.known) or "none"
        super().__init__(f"unknown {what} '{_printable(self.name)}'.{hint} Known: {listed}")


def _printable(name: str) -> str:
    shown = "".join(each if each.isprintable() else "?" for each in name[:LONGEST_NAME])
    return shown if len(name) <= LONGEST_NAME else f"{shown}..."


class BackendError(DmloptError):
    """A solver library is missing, failed, or cannot do what was asked."""

    exit_code = 4
