"""The store of batch results: one SQLite file, one transaction per finished cell.

What is committed survives `kill -9`; several runs may write into one file at once, on one machine or through a file system
that locks files properly. A cell that two runs computed is kept once: the first one stays.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from dmlopt import registry
from dmlopt.api import library_versions
from dmlopt.batch.cell import Cell
from dmlopt.batch.machine import host, machine
from dmlopt.batch.planning import PlannedInstance
from dmlopt.batch.row import BROKEN, CellRow
from dmlopt.batch.schema import CELL_COLUMNS, CELL_JSON, FORMAT, TABLES, VERSION
from dmlopt.errors import InputError
from dmlopt.files import decode
from dmlopt.result import Result

PATIENCE = 60.0  # seconds to wait for another writer
CHUNK = 500


def now() -> str:
    """The moment, in UTC, as it is written everywhere."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Store:
    """An open store. Use as a context manager; `readonly` neither creates nor changes anything."""

    def __init__(
        self, path: str | os.PathLike[str], readonly: bool = False, patience: float = PATIENCE
    ) -> None:
        self.path = os.fspath(path)
        with self._explained():
            if readonly:
                if not Path(self.path).is_file():
                    raise InputError("no such store", self.path)
                address = f"{Path(self.path).absolute().as_uri()}?mode=ro"
                self._database = sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)
                self._require_ours()
            else:
                Path(self.path).absolute().parent.mkdir(parents=True, exist_ok=True)
                self._database = sqlite3.connect(self.path, timeout=patience, isolation_level=None)
                self._prepare()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    # ---------------------------------------------------------------- opening

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of the database as errors that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            if "locked" in text or "busy" in text:
                text = "locked by another program; try again when it has finished"
            elif "not a database" in text or "malformed" in text:
                text = "not a store: the file is no SQLite database, or it is damaged"
            elif "unable to open" in text:
                text = "cannot be opened: no such folder, or no permission"
            raise InputError(text, self.path) from None
        except OSError as error:
            raise InputError(f"cannot be opened: {error.strerror or error}", self.path) from None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; waits for other writers before it begins, so that it never fails half-way."""
        with self._explained():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _prepare(self) -> None:
        with self._transaction() as database:
            names = {
                row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if not names:
                for statement in filter(str.strip, TABLES.split(";")):
                    database.execute(statement)
                database.execute(
                    "INSERT INTO meta VALUES ('format', ?), ('version', ?)", (FORMAT, str(VERSION))
                )
        self._require_ours()

    def _require_ours(self) -> None:
        try:
            meta = dict(self._database.execute("SELECT name, value FROM meta").fetchall())
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            meta = {}
        if meta.get("format") != FORMAT:
            raise InputError("not a store: it is a database of another program", self.path)
        if meta.get("version") != str(VERSION):
            found = meta.get("version")
            raise InputError(f"a store of version {found}; this dmlopt reads version {VERSION}", self.path)

    # ---------------------------------------------------------------- writing

    def begin_run(self, experiment: str, definition: str, executor: str, planned: int) -> int:
        """Note that a run starts, where and with what; its number."""
        with self._transaction() as database:
            cursor = database.execute(
                "INSERT INTO runs (experiment, definition, started, host, machine, versions, executor, planned)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    experiment,
                    definition,
                    now(),
                    host(),
                    json.dumps(machine()),
                    json.dumps(library_versions()),
                    executor,
                    planned,
                ),
            )
            return int(cursor.lastrowid or 0)

    def end_run(self, run: int) -> None:
        """Note that a run came to its end."""
        with self._transaction() as database:
            database.execute("UPDATE runs SET finished = ? WHERE id = ?", (now(), run))

    def file_plan(self, cells: Sequence[Cell], instances: Sequence[PlannedInstance]) -> None:
        """The names under which an experiment files its cells, in its order; those of an earlier version of it go."""
        with self._transaction() as database:
            names = {cell.experiment for cell in cells}
            database.executemany("DELETE FROM members WHERE experiment = ?", [(name,) for name in names])
            database.executemany(
                "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (c.experiment, c.key, n, c.sweep, c.instance, json.dumps(dict(c.axes)), c.method)
                    for n, c in enumerate(cells)
                ],
            )
            database.executemany(
                "INSERT OR REPLACE INTO instances VALUES (?, ?, ?, ?)",
                [
                    (each.hash, each.formulation, each.description, json.dumps(_recipe(each)))
                    for each in instances
                ],
            )

    def forget(self, keys: Collection[str]) -> None:
        """Remove finished cells that are to be computed again."""
        with self._transaction() as database:
            database.executemany("DELETE FROM cells WHERE key = ?", [(key,) for key in keys])

    def add(self, run: int, cell: Cell, record: Mapping[str, Any], result: bytes | None) -> bool:
        """Keep a finished cell; False when another run was quicker, whose answer then stays."""
        names = ", ".join(f'"{name}"' for name in (*CELL_COLUMNS, "run", "result"))
        marks = ", ".join("?" * (len(CELL_COLUMNS) + 2))
        values = _values(cell, record)
        with self._transaction() as database:
            cursor = database.execute(
                f"INSERT OR IGNORE INTO cells ({names}) VALUES ({marks})",
                (*(values[name] for name in CELL_COLUMNS), run, result),
            )
            return cursor.rowcount > 0

    # ---------------------------------------------------------------- reading

    def finished(self, keys: Sequence[str], broken: bool = True) -> set[str]:
        """Those of the keys that are finished; with `broken=False`, only those that did not fail."""
        found: set[str] = set()
        with self._explained():
            for start in range(0, len(keys), CHUNK):
                part = keys[start : start + CHUNK]
                query = f"SELECT key, outcome FROM cells WHERE key IN ({', '.join('?' * len(part))})"
                for key, outcome in self._database.execute(query, list(part)):
                    if broken or outcome not in BROKEN:
                        found.add(key)
        return found

    def rows(self, experiment: str | None = None) -> list[CellRow]:
        """All finished cells (of one experiment), in the order of their experiments."""
        names = ", ".join(f'cells."{name}"' for name in CELL_COLUMNS)
        query = (
            f"SELECT members.experiment, members.sweep, members.instance, members.axes, members.method, {names}"
            " FROM members JOIN cells USING (key)"
        )
        given: tuple[str, ...] = ()
        if experiment is not None:
            query, given = query + " WHERE members.experiment = ?", (experiment,)
        with self._explained():
            found = self._database.execute(f"{query} ORDER BY members.experiment, members.position", given)
            return [_row(each) for each in found]

    def runs(self) -> list[dict[str, Any]]:
        """What is known about every run, oldest first."""
        names = (
            "id",
            "experiment",
            "started",
            "finished",
            "host",
            "machine",
            "versions",
            "executor",
            "planned",
        )
        with self._explained():
            found = self._database.execute(f"SELECT {', '.join(names)} FROM runs ORDER BY id").fetchall()
        runs = [dict(zip(names, each, strict=True)) for each in found]
        return [
            {**each, "machine": json.loads(each["machine"]), "versions": json.loads(each["versions"])}
            for each in runs
        ]

    def descriptions(self) -> dict[str, str]:
        """A line about every instance, by its hash."""
        with self._explained():
            return dict(self._database.execute("SELECT hash, description FROM instances").fetchall())

    def recipe(self, instance_hash: str) -> dict[str, Any]:
        """How an instance was made: generator, options and seed, or the name of its file."""
        with self._explained():
            found = self._database.execute(
                "SELECT source FROM instances WHERE hash = ?", (instance_hash,)
            ).fetchone()
        if found is None:
            raise InputError(f"no instance {instance_hash}", self.path)
        recipe: dict[str, Any] = json.loads(found[0])
        return recipe

    def result(self, key: str) -> Result:
        """The whole result of a cell, with solution and certificate."""
        with self._explained():
            found = self._database.execute(
                "SELECT key, result FROM cells WHERE key LIKE ? || '%'", (key,)
            ).fetchall()
        if len(found) != 1:
            raise InputError(f"{'no' if not found else 'more than one'} cell begins with '{key}'", self.path)
        if found[0][1] is None:
            raise InputError(f"cell {key}: no result was kept", self.path)
        result = decode(found[0][1], f"cell {key}")
        assert isinstance(result, Result)
        return result


def read_rows(path: str | os.PathLike[str], experiment: str | None = None) -> list[CellRow]:
    """The finished cells in a store file."""
    with Store(path, readonly=True) as store:
        return store.rows(experiment)


def _recipe(instance: PlannedInstance) -> dict[str, Any]:
    """How an instance was made; of a file only its name, the content is not repeated here."""
    source = instance.source
    if source.generator is None:
        return {"file": instance.label}
    return {"generator": source.generator, "options": dict(source.options or {}), "seed": source.seed}


def _values(cell: Cell, record: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a cell's row."""
    values: dict[str, Any] = {
        "key": cell.key,
        "formulation": cell.formulation,
        "instance_hash": cell.instance_hash,
        "method_name": cell.method_name,
        "kind": cell.kind,
        "options": dict(cell.options),
        "seed": cell.seed,
        "time_limit": cell.limits.time,
        "asked_gap": cell.limits.gap,
        "threads": cell.limits.threads,
        "version": cell.version,
        "finished": now(),
        "host": record.get("host") or host(),
        "outcome": record["outcome"],
        "reason": record.get("reason", ""),
        "status": record.get("status", "unknown"),
        "limit": record.get("limit", "none"),
        "sense": registry.formulation(cell.formulation).sense,
        "objective": record.get("objective"),
        "bound": record.get("bound"),
        "claimed_bound": record.get("claimed_bound"),
        "verified": int(record.get("verified", False)),
        "seconds": record.get("seconds", {}),
        "wall_seconds": record.get("wall_seconds", 0.0),
        "peak_megabytes": record.get("peak_megabytes"),
        "trace": record.get("trace", []),
        "statistics": record.get("statistics", {}),
    }
    return {**values, **{name: json.dumps(values[name]) for name in CELL_JSON}}


def _row(values: Sequence[Any]) -> CellRow:
    experiment, sweep, instance, axes, method, *rest = values
    found = dict(zip(CELL_COLUMNS, rest, strict=True))
    found.update({name: json.loads(found[name]) for name in CELL_JSON})
    found["verified"] = bool(found["verified"])
    found["trace"] = tuple((each[0], each[1], each[2]) for each in found["trace"])
    return CellRow(
        experiment=experiment, sweep=sweep, instance=instance, axes=json.loads(axes), method=method, **found
    )
