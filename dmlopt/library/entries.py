"""The instances of the libraries: their recipes, their files, and how they are found by name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmlopt import registry
from dmlopt.errors import InputError, UnknownNameError, expected_one_of
from dmlopt.fields import Fields
from dmlopt.files import load
from dmlopt.strict_json import read_bytes

SIZES = ("toy", "small", "medium", "large")
RECIPES = "recipes.toml"
NAME = re.compile("[a-z0-9]+(-[a-z0-9]+)+")
COMPRESSED = ("medium", "large")  # sizes whose files are compressed


@dataclass(frozen=True)
class LibraryEntry:
    """One instance of a library: how it was made and where its file is.

    `seed` and `options` are those of the formulation's generator. An instance from elsewhere has no seed, but an
    `origin`: where it was taken from.
    """

    formulation: str
    name: str
    size: str
    about: str
    seed: int | None
    options: Mapping[str, Any]
    origin: str
    folder: Path

    @property
    def path(self) -> Path:
        """The instance file."""
        ending = ".json.gz" if self.size in COMPRESSED else ".json"
        return self.folder / "instances" / f"{self.name}{ending}"

    @property
    def full_name(self) -> str:
        """The name that no other library has: `formulation/name`."""
        return f"{self.formulation}/{self.name}"

    def problem(self) -> Any:
        """The problem in the file."""
        problem = load(self.path)
        if registry.formulation_of(problem).name != self.formulation:
            raise InputError(f"expected an instance of '{self.formulation}'", str(self.path))
        return problem


def entries(formulation: str, size: str | None = None) -> list[LibraryEntry]:
    """The library of a formulation, or its instances of one size, in the order of the recipes."""
    if size is not None and size not in SIZES:
        raise InputError(f"size: {expected_one_of(size, SIZES)}")
    found = _read_recipes(formulation, registry.library_folder(formulation))
    return [each for each in found if size in (None, each.size)]


def library_paths(formulation: str, size: str | None = None) -> list[Path]:
    """The instance files of a formulation's library, or those of one size."""
    return [each.path for each in entries(formulation, size)]


def load_library(formulation: str, name: str) -> Any:
    """The problem of that name in the library of a formulation."""
    return find(formulation, name).problem()


def find(formulation: str, name: str) -> LibraryEntry:
    """One entry; an unknown name is answered with the nearest one."""
    known = {each.name: each for each in entries(formulation)}
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"{formulation} library instance", name, known)
    return known[name]


def select(names: Sequence[str] = (), size: str | None = None) -> list[LibraryEntry]:
    """Entries by formulation, by name or by `formulation/name`, each once; no names: all libraries."""
    chosen: dict[str, LibraryEntry] = {}
    for name in names or registry.library_names():
        for each in _named(name, size):
            chosen[each.full_name] = each
    return list(chosen.values())


def _named(name: str, size: str | None) -> list[LibraryEntry]:
    libraries = registry.library_names()
    if name in libraries:
        return entries(name, size)
    formulation, slash, rest = name.partition("/")
    if slash and formulation in libraries:
        return [find(formulation, rest)]
    everything = [each for library in libraries for each in entries(library)]
    found = [each for each in everything if each.name == name]
    if len(found) > 1:
        where = " or ".join(each.full_name for each in found)
        raise InputError(f"'{name}' is in several libraries: say {where}")
    if not found:
        raise UnknownNameError("library or instance", name, [*libraries, *(each.name for each in everything)])
    return found


# -------------------------------------------------------------------- recipes


def _read_recipes(formulation: str, folder: Path) -> list[LibraryEntry]:
    source = folder / RECIPES
    try:
        data = tomllib.loads(read_bytes(source).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not TOML: {error}", str(source)) from None
    root = Fields(data)
    found = [_read_recipe(formulation, folder, name, each) for name, each in root.entries().items()]
    root.finish(str(source))
    return found


def _read_recipe(formulation: str, folder: Path, name: str, recipe: Fields) -> LibraryEntry:
    drawn = "seed" in recipe.entries()
    entry = LibraryEntry(
        formulation=formulation,
        name=name,
        size=recipe.get("size").text(choices=SIZES),
        about=recipe.get("about").text(),
        seed=recipe.get("seed").integer(minimum=0) if drawn else None,
        options={key: each.value for key, each in recipe.get("options", {}).entries().items()},
        origin="" if drawn else recipe.get("origin").text(),
        folder=folder,
    )
    recipe.no_unknown({"size", "about", *(("seed", "options") if drawn else ("origin",))})
    if not NAME.fullmatch(name) or not name.startswith(f"{entry.size}-"):
        recipe.complain(
            f"expected a name like '{entry.size or 'size'}-something': small letters, digits, hyphens"
        )
    return entry
