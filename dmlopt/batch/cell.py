"""One cell of a batch experiment: an instance, a method with options and limits, a seed. Plain data that can travel."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dmlopt.api import generate
from dmlopt.batch.experiment import Limits
from dmlopt.batch.modules import MethodModule
from dmlopt.files import decode
from dmlopt.strict_json import GZIP_MAGIC, digest


@dataclass(frozen=True)
class InstanceSource:
    """How to make an instance anywhere: a generator with options and seed, or the packed content of a file.

    A recipe is small and travels well; a file may not exist on another machine, so its content travels.
    """

    generator: str | None = None
    options: Mapping[str, Any] | None = None
    seed: int = 0
    content: str = ""

    @classmethod
    def of_file(cls, raw: bytes) -> InstanceSource:
        """The content of an instance file."""
        packed = raw if raw.startswith(GZIP_MAGIC) else gzip.compress(raw, mtime=0)
        return cls(content=base64.b64encode(packed).decode())

    def build(self) -> Any:
        """The problem."""
        if self.generator is None:
            return decode(base64.b64decode(self.content), "instance")
        return generate(self.generator, seed=self.seed, **dict(self.options or {}))


@dataclass(frozen=True)
class Cell:
    """What to run, and under which names the result is filed. `key` identifies the facts, the rest are labels."""

    experiment: str
    formulation: str
    sweep: str
    instance: str
    instance_hash: str
    axes: Mapping[str, Any]
    source: InstanceSource
    method: str
    method_name: str
    kind: str
    options: Mapping[str, Any]
    seed: int
    limits: Limits
    version: str
    keep: bool = True
    modules: tuple[MethodModule, ...] = ()

    @property
    def key(self) -> str:
        """Hash of everything that the answer can depend on: instance content, method, options, limits, seed, version."""
        limits = asdict(self.limits)
        return digest(
            {
                "instance": self.instance_hash,
                "method": self.method_name,
                "options": dict(self.options),
                "limits": {name: limits[name] for name in ("time", "memory", "gap", "threads")},
                "seed": self.seed,
                "version": self.version,
                "modules": [each.fingerprint for each in self.modules],
            }
        )

    def to_json(self) -> dict[str, Any]:
        """The cell as JSON data, for another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Cell:
        """The cell in JSON data that `to_json` made."""
        parts: dict[str, Any] = {
            "source": InstanceSource(**data["source"]),
            "limits": Limits(**data["limits"]),
            "modules": tuple(MethodModule(**each) for each in data["modules"]),
        }
        return cls(**{**data, **parts})
