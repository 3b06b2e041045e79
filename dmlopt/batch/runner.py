"""Running an experiment: plan, leave out what is finished, run the rest, keep every answer at once."""

from __future__ import annotations

import base64
import importlib.metadata
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from dmlopt import registry
from dmlopt.batch.cell import Cell
from dmlopt.batch.executors import Executor, LocalProcesses
from dmlopt.batch.experiment import Experiment
from dmlopt.batch.experiment_file import read_experiment
from dmlopt.batch.planning import Plan, only, plan_experiment
from dmlopt.batch.row import BROKEN
from dmlopt.batch.store import Store
from dmlopt.errors import InputError


@dataclass
class Summary:
    """What a run did: cells asked for, found finished, computed now, by outcome; whether it was interrupted."""

    asked: int = 0
    found: int = 0
    computed: Counter[str] = field(default_factory=Counter)
    shared: int = 0  # cells that another run finished meanwhile
    interrupted: bool = False

    @property
    def done(self) -> int:
        """Cells that are in the store now."""
        return self.found + self.shared + sum(self.computed.values())

    @property
    def broken(self) -> int:
        """Cells computed now that failed."""
        return sum(self.computed[each] for each in BROKEN)


class Watcher:
    """Hears what happens during a run; the command line shows it. Called from several threads."""

    def planning(self, done: int, total: int) -> None:
        """So many instances are made."""

    def begin(self, cells: Sequence[Cell], summary: Summary) -> None:
        """These cells are going to be run."""

    def started(self, cell: Cell) -> None:
        """A cell starts."""

    def finished(self, cell: Cell, outcome: str, reason: str, summary: Summary) -> None:
        """A cell is in the store."""


def run_experiment(
    experiment: Experiment | str | os.PathLike[str],
    store: str | os.PathLike[str],
    *,
    workers: int = 1,
    resume: bool = False,
    fresh: bool = False,
    retry: bool = False,
    only_cells: Sequence[str] = (),
    executor: Executor | None = None,
    watcher: Watcher | None = None,
) -> Summary:
    """Run all cells of an experiment (or a TOML file) into a store.

    Finished cells are an error unless `resume` keeps them or `fresh` computes them again; `retry` resumes and computes those
    that failed again. `only_cells` are filters `name=pattern`. Ctrl-C ends the run; what is finished stays.
    """
    if not isinstance(experiment, Experiment):
        experiment = read_experiment(experiment)
    watcher = watcher or Watcher()
    plan = plan_experiment(experiment, version(), watcher.planning)
    chosen = _first_of_each(only(plan.cells, only_cells))
    executor = executor or LocalProcesses(workers)
    with Store(store) as opened:
        missing = _missing(opened, chosen, resume or retry, fresh, retry)
        opened.file_plan(plan.cells, plan.instances)
        summary = Summary(asked=len(chosen), found=len(chosen) - len(missing))
        watcher.begin(missing, summary)
        if missing:
            for name in {cell.formulation for cell in missing}:
                registry.prepare(name)  # what is compiled now is only loaded by the workers
            run = opened.begin_run(experiment.name, experiment.definition, executor.description, len(missing))
            _run_cells(opened, run, missing, executor, watcher, summary)
            if not summary.interrupted:
                opened.end_run(run)
    return summary


def version() -> str:
    """The version of dmlopt that keys are made with."""
    return importlib.metadata.version("dmlopt")


def plan_of(path: str | os.PathLike[str], watcher: Watcher | None = None) -> Plan:
    """The plan of an experiment file; nothing is run."""
    return plan_experiment(read_experiment(path), version(), (watcher or Watcher()).planning)


def _missing(store: Store, cells: Sequence[Cell], resume: bool, fresh: bool, retry: bool) -> list[Cell]:
    """The cells to compute; those to be computed again are removed from the store."""
    keys = [cell.key for cell in cells]
    finished = store.finished(keys)
    if fresh:
        store.forget(finished)
        finished = set()
    elif finished and not resume:
        raise InputError(
            f"holds {len(finished)} of {len(cells)} cells already: --resume keeps them, --fresh computes them again",
            store.path,
        )
    elif retry:
        good = store.finished(keys, broken=False)
        store.forget(finished - good)
        finished = good
    return [cell for cell in cells if cell.key not in finished]


def _first_of_each(cells: Sequence[Cell]) -> list[Cell]:
    """Of cells that are filed under two names, because their instances are the same, one."""
    return list({cell.key: cell for cell in reversed(cells)}.values())[::-1]


def _run_cells(
    store: Store, run: int, cells: Sequence[Cell], executor: Executor, watcher: Watcher, summary: Summary
) -> None:
    wanted = _Wanted(store.path)
    try:
        for cell, record in executor.run(cells, watcher.started, wanted):
            if record is None:
                summary.shared += 1
                continue
            packed = record.pop("result", None)
            kept = None if packed is None else base64.b64decode(packed)
            if store.add(run, cell, record, kept):
                summary.computed[record["outcome"]] += 1
            else:
                summary.shared += 1
            watcher.finished(cell, record["outcome"], record.get("reason", ""), summary)
    except KeyboardInterrupt:
        summary.interrupted = True


class _Wanted:
    """Whether a cell is still missing when its turn comes: another run may work on the same store."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, cell: Cell) -> bool:
        with Store(self._path, readonly=True) as store:
            return not store.finished([cell.key])
