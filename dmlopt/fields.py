"""Reading untrusted JSON: every wrong field is named by its path, and all of them are reported at once.

A `Fields` wraps one JSON value together with the way that led to it. Asking it for a number, a text or a list
either gives that value or records a problem such as `jobs[3].theta[1]: expected a number >= 0, got -2` and
gives a neutral value instead, so that reading goes on and finds the other problems too. `finish` raises them
together.

    root = Fields(data)
    jobs = [read_job(each) for each in root.get("jobs").items(min_length=1)]
    root.no_unknown({"jobs"})
    root.finish("instance.json")
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

from dmlopt.errors import InputError, nearest

LARGEST_INTEGER = 2**53  # beyond it float64 no longer holds every integer
LONGEST_SHOWN = 60  # characters of a wrong value in a message

_MISSING: Any = object()


class Fields:
    """A JSON value with its path and the list of problems, which all parts of a document share."""

    __slots__ = ("_dead", "_key", "_parent", "_problems", "value")

    def __init__(
        self, value: Any, parent: Fields | None = None, key: str | int = "", problems: list[str] | None = None
    ) -> None:
        self.value = value
        self._parent = parent
        self._key = key
        self._problems: list[str] = [] if problems is None else problems
        self._dead = False

    # ---------------------------------------------------------------- where we are

    @property
    def path(self) -> str:
        """The way from the root, such as `jobs[3].theta[1]`; empty at the root."""
        steps: list[str] = []
        at = self
        while at._parent is not None:
            plain = isinstance(at._key, str)
            steps.append(f".{_shown_key(str(at._key))}" if plain else f"[{at._key}]")
            at = at._parent
        return "".join(reversed(steps)).removeprefix(".")

    @property
    def dead(self) -> bool:
        """True for a value that is missing or wrong and has already been complained about."""
        return self._dead

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything recorded so far, anywhere in the document."""
        return tuple(self._problems)

    def error(self, expected: str) -> None:
        """Record that this value is not what was `expected` ("expected a number >= 0")."""
        if not self._dead:
            self._problems.append(f"{self._label()}{expected}, got {shown(self.value)}")
            self._dead = True

    def complain(self, message: str) -> None:
        """Record a problem whose message says everything itself (no `got ...` is added)."""
        if not self._dead:
            self._problems.append(self._label() + message)

    def finish(self, source: str | None = None) -> None:
        """Raise InputError with every recorded problem; return quietly when there is none."""
        if self._problems:
            raise InputError(self._problems, source)

    # ---------------------------------------------------------------- going down

    def get(self, key: str, default: Any = _MISSING) -> Fields:
        """The member `key` of an object. Without a default it must be there."""
        value = self.value
        if self._dead or type(value) is not dict:
            self.error("expected an object")
            return self._dead_child(key)
        if key in value:
            return Fields(value[key], self, key, self._problems)
        if default is not _MISSING:
            return Fields(default, self, key, self._problems)
        child = self._dead_child(key)
        self._problems.append(f"{child._label()}expected a value, found nothing")
        return child

    def items(self, min_length: int = 0, length: int | None = None) -> list[Fields]:
        """The elements of a list; an empty list when it is wrong or too short."""
        value = self.value
        if self._dead:
            return []
        if type(value) is not list:
            self.error("expected a list")
        elif length is not None and len(value) != length:
            self.complain(f"expected {_counted(length)}, got {len(value)}")
        elif len(value) < min_length:
            self.complain(f"expected at least {_counted(min_length)}, got {len(value)}")
        else:
            problems = self._problems
            return [Fields(each, self, position, problems) for position, each in enumerate(value)]
        self._dead = True
        return []

    def entries(self) -> dict[str, Fields]:
        """The members of an object whose keys are free names; empty when it is not an object."""
        if self._dead or type(self.value) is not dict:
            self.error("expected an object")
            return {}
        return {key: Fields(each, self, key, self._problems) for key, each in self.value.items()}

    def no_unknown(self, known: Collection[str]) -> None:
        """Record every member whose name is not in `known`, with the nearest known name."""
        if self._dead or type(self.value) is not dict or self.value.keys() <= set(known):
            return
        for key in self.value:
            if key not in known:
                child = Fields(None, self, key, self._problems)
                self._problems.append(f"{child._label()}unknown field{_nearest(key, known)}")

    # ---------------------------------------------------------------- plain values

    def number(
        self,
        minimum: float | None = None,
        exclusive_minimum: float | None = None,
        maximum: float | None = None,
    ) -> float:
        """A finite number within the limits; nan when it is wrong. true and false are not numbers."""
        value = self.value
        if not self._dead and (type(value) is float or type(value) is int):
            try:
                result = float(value)
            except OverflowError:
                result = math.inf
            if (
                math.isfinite(result)
                and (minimum is None or result >= minimum)
                and (exclusive_minimum is None or result > exclusive_minimum)
                and (maximum is None or result <= maximum)
            ):
                return result
        what = "a finite number" if _is_infinite(value) else "a number"
        self.error(f"expected {what}{_limits(minimum, exclusive_minimum, maximum)}")
        return math.nan

    def integer(self, minimum: int | None = None, maximum: int = LARGEST_INTEGER) -> int:
        """An integer within the limits; 0 when it is wrong. 3.0 and true are not integers."""
        value = self.value
        whole = type(value) is int
        if not self._dead and whole:
            lowest = -LARGEST_INTEGER if minimum is None else minimum
            if lowest <= value <= maximum:
                return int(value)
        # The limit of 2^53 is worth saying only to those who went beyond it.
        upper = maximum if maximum != LARGEST_INTEGER or (whole and value > maximum) else None
        self.error(f"expected an integer{_limits(minimum, None, upper)}")
        return 0

    def text(self, choices: Iterable[str] | None = None) -> str:
        """A text, one of `choices` if given; empty when it is wrong."""
        value = self.value
        if self._dead or type(value) is not str:
            self.error("expected a text")
            return ""
        known = None if choices is None else list(choices)
        if known is not None and value not in known:
            self.complain(f"expected one of {', '.join(known)}, got {shown(value)}{_nearest(value, known)}")
            self._dead = True
            return ""
        return value

    def flag(self) -> bool:
        """True or false; false when it is wrong."""
        if self._dead or type(self.value) is not bool:
            self.error("expected true or false")
            return False
        return self.value

    def is_null(self) -> bool:
        """Whether the value is null (or a default of None)."""
        return not self._dead and self.value is None

    # ---------------------------------------------------------------- small helpers

    def _dead_child(self, key: str) -> Fields:
        child = Fields(None, self, key, self._problems)
        child._dead = True
        return child

    def _label(self) -> str:
        path = self.path
        return f"{path}: " if path else ""


def shown(value: Any) -> str:
    """A value as it is shown in a message: JSON spelling, long ones abbreviated."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an empty list" if not value else f"a list of {len(value)}"
    if isinstance(value, str):
        return f"'{_clean(value[: LONGEST_SHOWN + 1])}'"
    if isinstance(value, int):
        if value.bit_length() > 4 * LONGEST_SHOWN:
            return f"an integer of about {int(value.bit_length() * 0.30103)} digits"
        return str(value)
    return _clean(repr(value))


def _clean(text: str) -> str:
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= LONGEST_SHOWN else printable[: LONGEST_SHOWN - 3] + "..."


def _shown_key(key: str) -> str:
    return _clean(key[: LONGEST_SHOWN + 1]) or "''"


def _nearest(name: str, known: Iterable[str]) -> str:
    hint = nearest(name, known)
    return f".{hint}" if hint else ""


def _counted(length: int) -> str:
    return "1 element" if length == 1 else f"{length} elements"


def _is_infinite(value: Any) -> bool:
    try:
        return type(value) in (int, float) and not math.isfinite(float(value))
    except OverflowError:
        return True


def _limits(minimum: float | None, exclusive_minimum: float | None, maximum: float | None) -> str:
    parts = []
    if minimum is not None:
        parts.append(f">= {_short(minimum)}")
    if exclusive_minimum is not None:
        parts.append(f"> {_short(exclusive_minimum)}")
    if maximum is not None:
        parts.append(f"<= {_short(maximum)}")
    return " " + " and ".join(parts) if parts else ""


def _short(limit: float) -> str:
    if limit == LARGEST_INTEGER:
        return "2^53"
    return str(int(limit)) if limit == int(limit) and abs(limit) < 1e15 else repr(limit)
