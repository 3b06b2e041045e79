"""From an experiment to its cells. Instances are made once here, because a cell's key is taken from their content."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dmlopt import registry
from dmlopt.batch.cell import Cell, InstanceSource
from dmlopt.batch.experiment import (
    INSTANCE,
    METHOD,
    REPETITION,
    RUN,
    SWEEP,
    Experiment,
    MethodEntry,
    Sweep,
)
from dmlopt.batch.modules import MethodModule
from dmlopt.batch.seeds import derived_seed
from dmlopt.errors import DmloptError, InputError, UnknownNameError
from dmlopt.files import instance_hash
from dmlopt.library.entries import entries
from dmlopt.registry import Method
from dmlopt.strict_json import read_bytes


@dataclass(frozen=True)
class PlannedInstance:
    """An instance of a sweep, with what tables say about it."""

    sweep: str
    label: str
    axes: Mapping[str, Any]
    source: InstanceSource
    formulation: str
    hash: str
    description: str


@dataclass(frozen=True)
class Plan:
    """All cells of an experiment, in the order in which they are run, and the instances behind them."""

    experiment: Experiment
    cells: tuple[Cell, ...]
    instances: tuple[PlannedInstance, ...]


def plan_experiment(
    experiment: Experiment, version: str, tell: Callable[[int, int], None] = lambda done, total: None
) -> Plan:
    """The cells of an experiment; InputError names what cannot be made. `tell` hears how many instances are made."""
    modules = tuple(MethodModule.found(each, experiment.folder) for each in experiment.modules)
    for module in modules:
        module.load()
    instances: list[PlannedInstance] = []
    sources = [(sweep, *each) for sweep in experiment.sweeps for each in _sources(sweep, experiment)]
    for done, (sweep, label, axes, source, where) in enumerate(sources):
        tell(done, len(sources))
        instances.append(_made(sweep, label, axes, source, where))
    tell(len(sources), len(sources))
    _require_distinct(instances)
    cells = [cell for each in instances for cell in _cells(experiment, each, version, modules)]
    _require_used(experiment, instances, cells)
    return Plan(experiment, tuple(cells), tuple(instances))


# -------------------------------------------------------------------- instances


def _sources(
    sweep: Sweep, experiment: Experiment
) -> Iterator[tuple[str, dict[str, Any], InstanceSource, str]]:
    """Label, axes, source and a name for messages, of each instance of a sweep."""
    if sweep.files:
        for path in _paths(sweep, experiment.folder):
            name = os.path.basename(path).removesuffix(".gz").removesuffix(".json")
            yield name, {REPETITION: 1}, InstanceSource.of_file(read_bytes(path)), path
        return
    if sweep.library is not None:
        for entry in entries(sweep.library):
            if entry.size in sweep.sizes:
                source = InstanceSource.of_file(read_bytes(entry.path))
                yield entry.full_name, {"size": entry.size, REPETITION: 1}, source, str(entry.path)
        return
    repetitions = sweep.seeds or tuple(range(1, sweep.repetitions + 1))
    for values in itertools.product(*sweep.grid.values()):
        parameters = dict(zip(sweep.grid, values, strict=True))
        for repetition in repetitions:
            axes = {**parameters, REPETITION: repetition}
            if sweep.seeds:
                seed = repetition
            else:
                named = {**axes, SWEEP: sweep.name}
                seed = derived_seed(experiment.base_seed, INSTANCE, named, sweep.seed_axes)
            label = _label(sweep.name, parameters, repetition if len(repetitions) > 1 else None)
            options = {**sweep.options, **parameters}
            yield label, axes, InstanceSource(sweep.generator, options, seed), label


def _paths(sweep: Sweep, folder: str) -> list[str]:
    found: list[str] = []
    for pattern in sweep.files:
        matches = sorted(glob.glob(os.path.join(folder, pattern)))
        if not matches:
            raise InputError(f"instances '{sweep.name}': files: no file is named like {pattern} in {folder}")
        found += matches
    return list(dict.fromkeys(found))


def _label(sweep: str, parameters: Mapping[str, Any], repetition: int | None) -> str:
    """Such as `gpu, gpu-8x8, jobs=30 #2`."""
    parts = [
        sweep,
        *(each if isinstance(each, str) else f"{name}={each}" for name, each in parameters.items()),
    ]
    return ", ".join(parts) + ("" if repetition is None else f" #{repetition}")


def _made(
    sweep: Sweep, label: str, axes: Mapping[str, Any], source: InstanceSource, where: str
) -> PlannedInstance:
    try:
        problem = source.build()
        formulation = registry.formulation_of(problem)
    except DmloptError as error:
        problems = error.problems if isinstance(error, InputError) else [str(error)]
        raise InputError([f"instances '{sweep.name}', {where}: {each}" for each in problems]) from None
    return PlannedInstance(
        sweep.name,
        label,
        axes,
        source,
        formulation.name,
        instance_hash(problem),
        formulation.describe(problem),
    )


def _require_distinct(instances: Sequence[PlannedInstance]) -> None:
    """Two instances of one label could not be told apart in a table."""
    labels: set[str] = set()
    for each in instances:
        if each.label in labels:
            raise InputError(f"instances '{each.sweep}': two instances are called '{each.label}'")
        labels.add(each.label)


# -------------------------------------------------------------------- methods


def _cells(
    experiment: Experiment, instance: PlannedInstance, version: str, modules: tuple[MethodModule, ...]
) -> Iterator[Cell]:
    for entry, method in _entries(experiment, instance):
        try:
            options = registry.read_options(method.options, entry.options)
        except DmloptError as error:
            raise InputError(f"methods '{entry.name}' for {instance.formulation}: options: {error}") from None
        label = entry.label or method.name
        for run in range(1, entry.runs + 1):
            axes = {INSTANCE: instance.hash, METHOD: label, RUN: run}
            yield Cell(
                experiment=experiment.name,
                formulation=instance.formulation,
                sweep=instance.sweep,
                instance=instance.label,
                instance_hash=instance.hash,
                axes=dict(instance.axes) if entry.runs == 1 else {**instance.axes, RUN: run},
                source=instance.source,
                method=label,
                method_name=method.name,
                kind=method.kind,
                options=options,
                seed=derived_seed(experiment.base_seed, METHOD, axes, entry.seed_axes),
                limits=entry.limits,
                version=version,
                keep=experiment.keep,
                modules=modules,
            )


def _entries(experiment: Experiment, instance: PlannedInstance) -> Iterator[tuple[MethodEntry, Method]]:
    """The methods for an instance: entries of their own first in rank, patterns for the others; in the given order."""
    known = registry.methods(instance.formulation)
    applying = [each for each in experiment.methods if not each.sweeps or instance.sweep in each.sweeps]
    own = {each.name for each in applying if not each.pattern}
    taken: set[str] = set()
    for entry in applying:
        names = [entry.name] if not entry.pattern else fnmatch.filter(known, entry.name)
        for name in names:
            if entry.pattern and name in own:
                continue
            if name not in known:
                if entry.sweeps:
                    raise UnknownNameError(f"{instance.formulation} method", name, known)
                continue  # a method of another formulation of this experiment
            label = entry.label or name
            if label in taken:
                if entry.pattern:
                    continue  # an earlier pattern brought it already
                raise InputError(f"methods: two entries are called '{label}'; give one of them a label")
            taken.add(label)
            yield entry, known[name]


def _require_used(
    experiment: Experiment, instances: Sequence[PlannedInstance], cells: Sequence[Cell]
) -> None:
    """Raise for an entry that names a method no formulation at hand has: most likely a spelling mistake."""
    used = [cell.method_name for cell in cells]
    known = sorted(
        {
            name
            for formulation in {each.formulation for each in instances}
            for name in registry.methods(formulation)
        }
    )
    for entry in experiment.methods:
        if not fnmatch.filter(used, entry.name):
            if entry.pattern:
                raise InputError(
                    f"methods: no method is named like '{entry.name}'; known: {', '.join(known)}"
                )
            raise UnknownNameError("method", entry.name, known)


# -------------------------------------------------------------------- a part of the plan


def only(cells: Sequence[Cell], filters: Sequence[str]) -> list[Cell]:
    """The cells that pass every filter `name=pattern`: name is method, instance, sweep, formulation, kind or an axis."""
    chosen = list(cells)
    for text in filters:
        name, equals, pattern = text.partition("=")
        if not equals:
            raise InputError(f"--only: expected name=pattern, got '{text}'")
        names = {
            "method",
            "instance",
            "sweep",
            "formulation",
            "kind",
            *(key for cell in cells for key in cell.axes),
        }
        if name not in names:
            raise UnknownNameError("name in --only", name, names)
        kept = [cell for cell in chosen if _matches(cell, name, pattern)]
        if not kept:
            values = list(dict.fromkeys(str(_value(cell, name)) for cell in chosen))
            raise InputError(f"--only {text}: no cell is left; {name} is one of {', '.join(values[:20])}")
        chosen = kept
    return chosen


def _value(cell: Cell, name: str) -> Any:
    return cell.axes.get(name) if name in cell.axes else getattr(cell, name, None)


def _matches(cell: Cell, name: str, pattern: str) -> bool:
    value = _value(cell, name)
    return value is not None and any(fnmatch.fnmatchcase(str(value), each) for each in pattern.split(","))
