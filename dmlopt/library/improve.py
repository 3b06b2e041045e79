"""Run a method on a library instance and keep what is strictly better than the best known, after checking it.

The answer files carry a part of their content's hash in their names, and the table is replaced in one step after they
are written: whenever a run is cut short, the table names files that are whole and belong together.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dmlopt import registry
from dmlopt.api import library_versions, solve
from dmlopt.checking import check, is_word_alone
from dmlopt.errors import DmloptError, InputError
from dmlopt.files import decode, encode, instance_hash
from dmlopt.library.best_known import (
    ANSWERS,
    INFEASIBLE,
    TABLE,
    BestKnown,
    read_table,
    status_of,
    write_table,
)
from dmlopt.library.entries import LibraryEntry
from dmlopt.library.lock import locked
from dmlopt.library.verify import stored_answers
from dmlopt.result import Result, Status, relative_gap
from dmlopt.strict_json import compact, digest, readable, require_writable, write
from dmlopt.verify import beats, contrast

OPPOSITE = {"min": "max", "max": "min"}


@dataclass(frozen=True)
class Change:
    """Something that is better now: `what` is value, bound or infeasible; `old` is None where there was none."""

    what: str
    old: float | None = None
    new: float | None = None


@dataclass(frozen=True)
class Improvement:
    """What a run changed; nothing when it was not better. `trouble`: why the run is not to be trusted."""

    entry: LibraryEntry
    result: Result
    changes: tuple[Change, ...] = ()
    trouble: str = ""


def improve(entry: LibraryEntry, method: str, **arguments: Any) -> Improvement:
    """Solve with `method` (arguments as of `dmlopt.solve`) from the best known solution; update the row if better."""
    known = registry.find_method(entry.formulation, method)
    require_writable(entry.folder / TABLE)
    (entry.folder / ANSWERS).mkdir(exist_ok=True)
    problem = entry.problem()
    row = _row(entry, problem)
    start, _ = stored_answers(entry, row, problem)
    result = solve(problem, known.name, **{"start": start, **arguments})
    whole = decode(compact(encode(result)).encode(), "the answer")
    failed = check(problem, whole).failed()
    if failed and not (is_word_alone(result) and failed == ["status"]):
        return Improvement(entry, result, trouble=f"{', '.join(failed)}: {result.message}")
    with locked(entry.folder):
        return _keep(entry, result, _row(entry, problem))


def _row(entry: LibraryEntry, problem: Any) -> BestKnown:
    """The row as it is in the table now."""
    row = read_table(entry.folder).get(entry.name)
    if row is None or row.instance_hash != instance_hash(problem):
        raise InputError(
            f"{entry.full_name}: the table has no row for this instance; see `dmlopt library verify`"
        )
    return row


def _keep(entry: LibraryEntry, result: Result, row: BestKnown) -> Improvement:
    trouble = contradiction(result, row)
    if trouble:
        return Improvement(entry, result, trouble=trouble)
    sense, new = row.sense, row
    changes: list[Change] = []
    if result.objective is not None and (row.value is None or beats(result.objective, row.value, sense)):
        changes.append(Change("value", row.value, result.objective))
        file = _write(entry, result, "solution")
        new = replace(new, value=result.objective, value_method=result.method, solution=file)
    proven = result.status is Status.INFEASIBLE and result.certificate is not None
    if proven and row.status != INFEASIBLE:
        changes.append(Change("infeasible"))
        file = _write(entry, result, "certificate")
        new = replace(new, bound=None, bound_method=result.method, certificate=file)
    elif result.bound is not None and (row.bound is None or beats(result.bound, row.bound, OPPOSITE[sense])):
        changes.append(Change("bound", row.bound, result.bound))
        file = _write(entry, result, "certificate")
        new = replace(new, bound=result.bound, bound_method=result.method, certificate=file)
    if not changes:
        return Improvement(entry, result)
    infeasible = proven or row.status == INFEASIBLE
    new = replace(
        new,
        status=status_of(new.value, new.bound, infeasible),
        gap=relative_gap(new.value, new.bound),
        seconds=round(result.seconds["total"], 3),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        version=library_versions().get("dmlopt", ""),
    )
    rows = read_table(entry.folder)
    write_table(entry.folder, {**rows, entry.name: new}.values())
    _forget(entry, {row.solution, row.certificate} - {new.solution, new.certificate, ""})
    return Improvement(entry, result, tuple(changes))


def contradiction(result: Result, row: BestKnown) -> str:
    """Why a checked result and a checked row cannot both be true; empty when they can."""
    if beats(result.objective, row.bound, row.sense):
        return f"beats the certified bound: {contrast(result.objective, row.bound)}"
    if beats(row.value, result.bound, row.sense):
        return f"its bound is beaten by the known value: {contrast(row.value, result.bound)}"
    if result.status is Status.INFEASIBLE and row.value is not None:
        return f"says infeasible, but a solution of {row.value!r} is known"
    if result.objective is not None and row.status == INFEASIBLE:
        return "has a solution, but the instance is proven infeasible"
    return ""


def _write(entry: LibraryEntry, result: Result, part: str) -> str:
    """Write a part of the result; the name of the file."""
    data: Mapping[str, Any] = encode(result, part)
    name = f"{entry.name}.{part}.{digest(data)[:8]}.json.gz"
    write(readable(dict(data)), entry.folder / ANSWERS / name)
    return name


def _forget(entry: LibraryEntry, names: set[str]) -> None:
    """Remove files that the table no longer names; one that stays is found by `verify`."""
    for name in names:
        try:
            (entry.folder / ANSWERS / name).unlink(missing_ok=True)
        except OSError as error:
            raise DmloptError(f"{name}: cannot be removed: {error.strerror}") from None
