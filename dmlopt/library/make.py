"""Instance files from their recipes. A file that is there is frozen: a recipe that gives another one is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dmlopt import registry
from dmlopt.api import generate
from dmlopt.errors import InputError
from dmlopt.files import encode, instance_hash
from dmlopt.library.best_known import ANSWERS, BestKnown, read_table, write_table
from dmlopt.library.entries import LibraryEntry, entries
from dmlopt.library.lock import locked
from dmlopt.strict_json import readable, write


@dataclass(frozen=True)
class Made:
    """What became of one recipe: `written` now, or there before."""

    entry: LibraryEntry
    written: bool


def follow(entry: LibraryEntry) -> Any:
    """The problem that the recipe gives; of an instance from elsewhere, the problem in its file."""
    if entry.seed is None:
        return entry.problem()
    return generate(entry.formulation, entry.seed, **entry.options)


def spelled(entry: LibraryEntry) -> str:
    """The text of the instance file that the recipe gives."""
    return readable(encode(follow(entry)))


def make(formulation: str) -> list[Made]:
    """Write the files that are missing, and a row for each instance that the table does not have."""
    folder = registry.library_folder(formulation)
    with locked(folder):
        for name in ("instances", ANSWERS):
            (folder / name).mkdir(exist_ok=True)
        before = read_table(folder)
        chosen = entries(formulation)
        made, rows = [], dict(before)
        for entry in chosen:
            problem = follow(entry)
            fresh = _row(entry, instance_hash(problem))
            written = not entry.path.exists()
            _require_same(entry, fresh, None if written else entry.problem(), before.get(entry.name))
            if written:
                write(readable(encode(problem)), entry.path)
            rows.setdefault(entry.name, fresh)
            made.append(Made(entry, written))
        order = {entry.name: position for position, entry in enumerate(chosen)}
        table = sorted(rows.values(), key=lambda row: order.get(row.instance, len(order)))
        if list(before.values()) != table:
            write_table(folder, table)
    return made


def _require_same(entry: LibraryEntry, fresh: BestKnown, frozen: Any, row: BestKnown | None) -> None:
    known = [] if frozen is None else [instance_hash(frozen)]
    if row is not None:
        known.append(row.instance_hash)
    if any(each != fresh.instance_hash for each in known):
        text = "the recipe gives another instance than the frozen one; give it a new name"
        raise InputError(f"{entry.full_name}: {text}")


def _row(entry: LibraryEntry, fingerprint: str) -> BestKnown:
    return BestKnown(entry.name, entry.size, fingerprint, registry.formulation(entry.formulation).sense)
