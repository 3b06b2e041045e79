"""The tables of a store. A store is one SQLite file that any tool can open.

`cells` holds facts, one row per key: they do not depend on which experiment asked. `members` says under which names an
experiment files a cell, so that two experiments in one store share what they have in common. `runs` says when, where and
with which versions cells were computed; `instances` what an instance is.
"""

from __future__ import annotations

FORMAT = "dmlopt-store"
VERSION = 1

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, definition TEXT NOT NULL, started TEXT NOT NULL, finished TEXT,
    host TEXT NOT NULL, machine TEXT NOT NULL, versions TEXT NOT NULL, executor TEXT NOT NULL, planned INTEGER NOT NULL
);
CREATE TABLE instances (
    hash TEXT PRIMARY KEY, formulation TEXT NOT NULL, description TEXT NOT NULL, source TEXT NOT NULL
);
CREATE TABLE cells (
    key TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id), formulation TEXT NOT NULL,
    instance_hash TEXT NOT NULL, method_name TEXT NOT NULL, kind TEXT NOT NULL, options TEXT NOT NULL,
    seed INTEGER NOT NULL, time_limit REAL, asked_gap REAL NOT NULL, threads INTEGER NOT NULL,
    outcome TEXT NOT NULL, reason TEXT NOT NULL, status TEXT NOT NULL, "limit" TEXT NOT NULL, sense TEXT NOT NULL,
    objective REAL, bound REAL, claimed_bound REAL, verified INTEGER NOT NULL,
    seconds TEXT NOT NULL, wall_seconds REAL NOT NULL, peak_megabytes REAL,
    trace TEXT NOT NULL, statistics TEXT NOT NULL,
    version TEXT NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL, result BLOB
);
CREATE TABLE members (
    experiment TEXT NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL, sweep TEXT NOT NULL, instance TEXT NOT NULL,
    axes TEXT NOT NULL, method TEXT NOT NULL, PRIMARY KEY (experiment, key, instance, method)
);
"""

CELL_JSON = ("options", "seconds", "trace", "statistics")
CELL_COLUMNS = (
    "key",
    "formulation",
    "instance_hash",
    "method_name",
    "kind",
    "options",
    "seed",
    "time_limit",
    "asked_gap",
    "threads",
    "outcome",
    "reason",
    "status",
    "limit",
    "sense",
    "objective",
    "bound",
    "claimed_bound",
    "verified",
    "seconds",
    "wall_seconds",
    "peak_megabytes",
    "trace",
    "statistics",
    "version",
    "host",
    "finished",
)
