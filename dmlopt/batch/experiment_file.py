"""Experiments as TOML files; everything wrong in one is named by its path, all at once.

    title = "How far from proven?"

    [limits]
    time = 10

    [[instances]]
    name = "small"
    generator = "NAME"
    options = {load = 0.5}
    grid = {jobs = [12, 60]}
    repetitions = 3

    [[methods]]
    names = ["exact", "greedy*"]

`experiments/README.md` lists every field.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from dmlopt import registry
from dmlopt.batch.experiment import (
    INSTANCE,
    METHOD,
    REPETITION,
    RUN,
    SWEEP,
    Experiment,
    Limits,
    MethodEntry,
    Sweep,
)
from dmlopt.errors import DmloptError, InputError
from dmlopt.fields import Fields
from dmlopt.library.entries import SIZES
from dmlopt.strict_json import read_bytes

NAME = re.compile(r"[\w][\w.,+=-]*")
MOST = 100_000  # repetitions and runs
LIMIT_NAMES = tuple(each.name for each in fields(Limits))
ROOT_NAMES = ("title", "question", "keep", "modules", "limits", "seeds", "instances", "methods")
SWEEP_NAMES = (
    "name",
    "generator",
    "options",
    "grid",
    "repetitions",
    "seeds",
    "seed_axes",
    "files",
    "library",
    "sizes",
)
OWNERS = {
    **dict.fromkeys(("options", "grid", "repetitions", "seeds", "seed_axes"), "generator"),
    "sizes": "library",
}
METHOD_NAMES = ("name", "names", "label", "options", "limits", "runs", "seed_axes", "sweeps")
SCALARS = (str, int, float, bool)


def read_experiment(path: str | os.PathLike[str]) -> Experiment:
    """The experiment in a TOML file; its name is the file's."""
    source = os.fspath(path)
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not TOML: byte {error.start} is not UTF-8 text", source) from None
    return parse_experiment(text, Path(source).stem, source, str(Path(source).parent))


def parse_experiment(text: str, name: str, source: str | None = None, folder: str = ".") -> Experiment:
    """The experiment in a text; `source` names it in messages, `folder` is where its instance files are."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"not TOML: {error}", source) from None
    root = Fields(data)
    root.no_unknown(ROOT_NAMES)
    seeds = root.get("seeds", {})
    seeds.no_unknown(("base",))
    limits = _limits(root.get("limits", {}), Limits())
    sweeps = [_sweep(each) for each in root.get("instances").items(min_length=1)]
    _distinct(root, "instances", [each.name for each in sweeps])
    known = [each.name for each in sweeps]
    methods = [
        entry for each in root.get("methods").items(min_length=1) for entry in _methods(each, limits, known)
    ]
    experiment = Experiment(
        name=name,
        sweeps=tuple(sweeps),
        methods=tuple(methods),
        title=root.get("title", "").text(),
        question=root.get("question", "").text(),
        base_seed=seeds.get("base", 0).integer(minimum=0),
        modules=tuple(each.text() for each in root.get("modules", []).items()),
        keep=root.get("keep", True).flag(),
        definition=text,
        folder=folder,
    )
    root.finish(source)
    return experiment


# -------------------------------------------------------------------- limits


def _limits(given: Fields, default: Limits) -> Limits:
    """Limits with what is given in place of the default."""
    given.no_unknown(LIMIT_NAMES)
    found: dict[str, Any] = {}
    for name, field in given.entries().items():
        if name in ("time", "memory"):
            found[name] = field.number(exclusive_minimum=0)
        elif name in ("grace", "other", "gap"):
            found[name] = field.number(minimum=0)
        elif name == "threads":
            found[name] = field.integer(minimum=1, maximum=1024)
    return replace(default, **found)


# -------------------------------------------------------------------- instances


def _sweep(given: Fields) -> Sweep:
    given.no_unknown(SWEEP_NAMES)
    name = _name(given.get("name"))
    sources = [each for each in ("generator", "files", "library") if _has(given, each)]
    if len(sources) != 1:
        given.complain("expected one of generator, files and library")
        return Sweep(name)
    for each, owner in OWNERS.items():
        if _has(given, each) and owner != sources[0]:
            given.get(each).complain(f"belongs to a {owner}, not to {sources[0]}")
    if sources == ["files"]:
        return Sweep(name, files=tuple(each.text() for each in given.get("files").items(min_length=1)))
    if sources == ["library"]:
        library = given.get("library").text(choices=registry.library_names())
        sizes = given.get("sizes", list(SIZES)).items(min_length=1)
        return Sweep(name, library=library, sizes=tuple(each.text(choices=SIZES) for each in sizes))
    generator = given.get("generator").text(choices=registry.generator_names())
    options = {key: _scalar(each) for key, each in given.get("options", {}).entries().items()}
    grid = {
        key: tuple(_scalar(value) for value in each.items(min_length=1))
        for key, each in given.get("grid", {}).entries().items()
    }
    for key in grid:
        if key in options:
            given.get("grid").get(key).complain("also given in options")
        if len(set(map(repr, grid[key]))) < len(grid[key]):
            given.get("grid").get(key).complain("holds a value twice")
    if generator:
        _check_options(given, generator, options, grid)
    seeds = tuple(each.integer(minimum=0, maximum=2**31 - 1) for each in given.get("seeds", []).items())
    if seeds and (_has(given, "repetitions") or _has(given, "seed_axes")):
        given.get("seeds").complain("expected either seeds, or repetitions with seed_axes")
    if len(set(seeds)) < len(seeds):
        given.get("seeds").complain("holds a value twice")
    axes = (SWEEP, *grid, REPETITION)
    return Sweep(
        name=name,
        generator=generator,
        options=options,
        grid=grid,
        repetitions=given.get("repetitions", 1).integer(minimum=1, maximum=MOST),
        seeds=seeds,
        seed_axes=_axes(given, axes, axes),
    )


def _check_options(
    given: Fields, generator: str, options: dict[str, Any], grid: dict[str, tuple[Any, ...]]
) -> None:
    """Every option, and every value of the grid, as the generator reads it."""
    known = {each.name: each for each in registry.generator(generator).options}
    for place, names in (("options", options), ("grid", grid)):
        given.get(place, {}).no_unknown(known)
        for name in names:
            field = given.get(place).get(name)
            if name not in known:
                continue
            if name in (REPETITION, SWEEP):
                field.complain("the name is taken by an axis of every experiment")
            for each in field.items() if place == "grid" else [field]:
                if not each.dead:
                    _readable(each, known[name])


def _readable(field: Fields, option: registry.Option) -> None:
    try:
        option.read(field.value, "")
    except DmloptError as error:
        field.complain(str(error).removeprefix(": "))


# -------------------------------------------------------------------- methods


def _methods(given: Fields, limits: Limits, sweeps: list[str]) -> list[MethodEntry]:
    given.no_unknown(METHOD_NAMES)
    if _has(given, "name") == _has(given, "names"):
        given.complain("expected one of name and names")
        return []
    several = _has(given, "names")
    names = given.get("names").items(min_length=1) if several else [given.get("name")]
    label = _name(given.get("label")) if _has(given, "label") else None
    entry = MethodEntry(
        name="",
        label=label,
        options={key: _scalar(each) for key, each in given.get("options", {}).entries().items()},
        limits=_limits(given.get("limits", {}), limits),
        runs=given.get("runs", 1).integer(minimum=1, maximum=MOST),
        seed_axes=_axes(given, (INSTANCE, METHOD, RUN), (INSTANCE, RUN)),
        sweeps=tuple(each.text(choices=sweeps) for each in given.get("sweeps", []).items()),
    )
    entries = [replace(entry, name=each.text()) for each in names]
    if label is not None and (len(entries) > 1 or any(each.pattern for each in entries)):
        given.get("label").complain("expected a single method, not several, under one label")
    return entries


# -------------------------------------------------------------------- small parts


def _has(given: Fields, key: str) -> bool:
    return isinstance(given.value, dict) and key in given.value


def _name(field: Fields) -> str:
    text = field.text()
    if not field.dead and not NAME.fullmatch(text):
        field.error("expected a name of letters, digits and . , + = - _")
    return text


def _scalar(field: Fields) -> Any:
    if not field.dead and type(field.value) not in SCALARS:
        field.error("expected a number, a text, true or false")
    return field.value


def _axes(given: Fields, known: tuple[str, ...], default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each.text(choices=known) for each in given.get("seed_axes", list(default)).items())


def _distinct(root: Fields, place: str, names: list[str]) -> None:
    for position, name in enumerate(names):
        if name and name in names[:position]:
            root.get(place).items()[position].get("name").complain(f"'{name}' is the name of an earlier one")
