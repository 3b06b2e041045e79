"""What a batch experiment asks for: sets of instances, methods, limits. Read from TOML by `experiment_file`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

REPETITION = "repetition"  # axis: which of the instances with equal parameters
SWEEP = "sweep"  # axis: the name of the set of instances
INSTANCE, METHOD, RUN = "instance", "method", "run"  # axes of a method's seed


@dataclass(frozen=True)
class Limits:
    """What one cell may take.

    `time` is told to the method, in seconds; a method that is not back `grace` seconds later is killed. Making the instance
    and checking the answer may take `other` seconds each. `memory` is in megabytes.
    """

    time: float | None = 60.0
    grace: float = 5.0
    other: float = 600.0
    memory: float | None = None
    gap: float = 1e-9
    threads: int = 1


@dataclass(frozen=True)
class Sweep:
    """A set of instances: a generator over a grid of options with repetitions, or files, or frozen ones of a library.

    `seeds` are used as they are, one per repetition; without them, seeds come from `seed_axes`.
    """

    name: str
    generator: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    repetitions: int = 1
    seeds: tuple[int, ...] = ()
    seed_axes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    library: str | None = None
    sizes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MethodEntry:
    """A method with options, or all methods that a shell pattern such as `greedy*` names.

    `label` is its name in tables (None: the method's own). `runs` repeats it with other seeds; `sweeps` restricts it to
    these sets of instances (empty: all). Methods of a pattern give way to an entry of their own.
    """

    name: str
    label: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    runs: int = 1
    seed_axes: tuple[str, ...] = (INSTANCE, RUN)
    sweeps: tuple[str, ...] = ()

    @property
    def pattern(self) -> bool:
        """Whether the name stands for several methods."""
        return any(each in self.name for each in "*?[")


@dataclass(frozen=True)
class Experiment:
    """Methods x instances x seeds. `definition` is the text it was read from, `folder` where its files are looked for.

    `modules` register a user's own methods (dmlopt.batch.modules). `keep`: the store
    keeps whole results (solution and certificate), not only their numbers.
    """

    name: str
    sweeps: tuple[Sweep, ...]
    methods: tuple[MethodEntry, ...]
    title: str = ""
    question: str = ""
    base_seed: int = 0
    modules: tuple[str, ...] = ()
    keep: bool = True
    definition: str = ""
    folder: str = "."
