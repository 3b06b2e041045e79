"""A user's own methods in batch experiments: modules that register them, by name or as files that travel with the cells."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from dmlopt.errors import InputError
from dmlopt.strict_json import digest, read_bytes


@dataclass(frozen=True)
class MethodModule:
    """A module to import before methods are looked up. Of a file the text travels: other machines may not have it."""

    name: str
    text: str | None = None

    @classmethod
    def found(cls, given: str, folder: str) -> MethodModule:
        """The module that an experiment names: `package.module`, or `some/file.py` as seen from the experiment's folder."""
        if not given.endswith(".py"):
            return cls(given)
        raw = read_bytes(Path(folder) / given)
        try:
            return cls(given, raw.decode())
        except UnicodeDecodeError:
            raise InputError("not UTF-8 text", given) from None

    @property
    def fingerprint(self) -> str:
        """What a cell's key says about the module: changed methods are other methods."""
        return digest([self.name, self.text])

    def load(self) -> None:
        """Import it, once; whatever goes wrong in it is wrong input."""
        try:
            if self.text is None:
                importlib.import_module(self.name)
            elif self._own_name not in sys.modules:
                module = ModuleType(self._own_name)
                module.__file__ = self.name
                sys.modules[self._own_name] = module
                try:
                    exec(compile(self.text, self.name, "exec"), module.__dict__)
                except BaseException:
                    del sys.modules[self._own_name]
                    raise
        except Exception as error:
            raise InputError(
                f"modules: {self.name} cannot be loaded: {type(error).__name__}: {error}"
            ) from None

    @property
    def _own_name(self) -> str:
        return f"dmlopt_methods_{self.fingerprint[:12]}"
