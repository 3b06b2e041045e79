"""Columns of an experiment's rows by name: which rows to show, and how to group them."""

from __future__ import annotations

import fnmatch
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dmlopt.errors import InputError, UnknownNameError
from dmlopt.report.measured import Measured

KIND_ORDER = {"exact": 0, "bound": 1, "heuristic": 2, "online": 3}
FIELDS = (
    "experiment",
    "formulation",
    "sweep",
    "instance",
    "method",
    "method_name",
    "kind",
    "seed",
    "time_limit",
    "threads",
    "outcome",
    "status",
    "limit",
    "mark",
    "objective",
    "bound",
    "gap",
    "seconds",
    "version",
    "host",
)
_OWN = (
    "outcome",
    "mark",
    "gap",
    "seconds",
    "objective",
)  # what the measured row knows better than the stored one
_CONDITION = re.compile(r"\s*([^=<>!\s]+)\s*(>=|<=|!=|==|=|<|>)\s*(.*?)\s*", re.DOTALL)
_NUMERIC: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
}


def axis_names(rows: Iterable[Measured]) -> list[str]:
    """The parameters that vary between instances, as the rows name them."""
    return sorted({name for each in rows for name in each.row.axes})


def column_names(rows: Iterable[Measured]) -> list[str]:
    """Every name that can be selected and grouped by: fields, axes, `options.NAME`."""
    listed = list(rows)
    axes = axis_names(listed)
    options = sorted({f"options.{name}" for each in listed for name in each.row.options})
    return list(dict.fromkeys([*FIELDS, *axes, *(f"axes.{name}" for name in axes), *options]))


def require_columns(names: Iterable[str], rows: Sequence[Measured]) -> None:
    """Raise UnknownNameError for a name that no row has."""
    known = column_names(rows)
    for name in names:
        if name not in known:
            shown = [each for each in known if not each.startswith("axes.")]
            raise UnknownNameError("column", name, shown)


def value_of(measured: Measured, name: str) -> Any:
    """The value of a column; None where the row has none. A field goes before an axis of the same name."""
    if name in _OWN:
        return getattr(measured, name)
    if name in FIELDS:
        return getattr(measured.row, name)
    if name.startswith("options."):
        return measured.row.options.get(name.removeprefix("options."))
    return measured.row.axes.get(name.removeprefix("axes."))


# -------------------------------------------------------------------- conditions


@dataclass(frozen=True)
class Condition:
    """`NAME=PATTERN` (shell patterns), `NAME!=PATTERN`, or a comparison of numbers such as `jobs>=30`."""

    name: str
    relation: str
    wanted: str

    def holds(self, measured: Measured) -> bool:
        """Whether a row fulfils it; a row without the value only fulfils `!=`."""
        value = value_of(measured, self.name)
        if self.relation in _NUMERIC:
            number = _number(value)
            return number is not None and _NUMERIC[self.relation](number, float(self.wanted))
        if value is None:
            return self.relation == "!="
        return _matches(value, self.wanted) == (self.relation != "!=")


def read_condition(text: str) -> Condition:
    """A condition from the command line; InputError if it is none."""
    match = _CONDITION.fullmatch(text)
    if match is None or not match.group(3):
        raise InputError(f"--where: expected NAME=PATTERN or a comparison such as jobs>=30, got '{text}'")
    name, relation, wanted = match.groups()
    if relation in _NUMERIC and _number(wanted) is None:
        raise InputError(f"--where: expected a number after {name}{relation}, got '{wanted}'")
    return Condition(name, relation, wanted)


def _matches(value: Any, wanted: str) -> bool:
    left, right = _number(value), _number(wanted)
    if left is not None and right is not None:
        return left == right
    return fnmatch.fnmatchcase(spelled(value), wanted)


def _number(value: Any) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return None if math.isnan(found) else found


def spelled(value: Any) -> str:
    """A value as it is shown and matched: booleans as in JSON, whole numbers without a point."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def select(rows: Sequence[Measured], conditions: Iterable[Condition]) -> list[Measured]:
    """The rows that fulfil all conditions."""
    listed = list(conditions)
    require_columns((each.name for each in listed), rows)
    return [row for row in rows if all(each.holds(row) for each in listed)]


# -------------------------------------------------------------------- groups


def groups(rows: Iterable[Measured], by: Sequence[str]) -> dict[tuple[Any, ...], list[Measured]]:
    """The rows by their values of the columns `by`, in an order that does not depend on the rows' order.

    Numbers in their order, also inside names, methods by kind and name, missing values last.
    """
    found: dict[tuple[Any, ...], list[Measured]] = {}
    kinds: dict[str, int] = {}
    for each in rows:
        key = tuple(_hashable(value_of(each, name)) for name in by)
        found.setdefault(key, []).append(each)
        rank = KIND_ORDER.get(each.row.kind, len(KIND_ORDER))
        kinds[each.row.method] = min(rank, kinds.get(each.row.method, rank))
    ranked = sorted(found, key=lambda key: [_rank(n, value, kinds) for n, value in zip(by, key, strict=True)])
    return {key: found[key] for key in ranked}


def methods_of(rows: Iterable[Measured]) -> list[str]:
    """The methods of some rows, by kind and name: the one order of all tables and figures."""
    return [str(key[0]) for key in groups(rows, ("method",))]


def _hashable(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool) else spelled(value)


def _rank(name: str, value: Any, kinds: dict[str, int]) -> tuple[int, float, str]:
    if value is None:
        return (2, 0.0, "")
    if name == "method":
        return (0, float(kinds[value]), natural(value))
    number = _number(value)
    return (0, number, "") if number is not None else (1, 0.0, natural(spelled(value)))


def natural(text: str) -> str:
    """What a text is sorted by: `jobs4` comes before `jobs16`."""
    return re.sub(r"\d+", lambda digits: digits.group().zfill(12), text)
