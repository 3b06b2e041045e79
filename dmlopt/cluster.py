"""Resources, server types and clusters: types only. The catalogue of real and modelled hardware is data in
`instances`.

Amounts are integers in the unit that the resource declares, so that feasibility is an integer comparison.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LEADING_NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s+\S")


@dataclass(frozen=True)
class ResourceKind:
    """A resource type r and what the integer 1 of it means: ("cpu", "core") or ("cpu", "0.1 core")."""

    name: str
    unit: str

    @property
    def size(self) -> float:
        """How much of the bare unit one integer step is: 0.1 for "0.1 core", 1 for "core" and "GB".

        Rules that divide by raw amounts need it: the answer must not change when cores are counted in tenths.
        """
        found = _LEADING_NUMBER.match(self.unit)
        return float(found.group(1)) if found and float(found.group(1)) > 0 else 1.0


@dataclass(frozen=True)
class ServerType:
    """A kind of server: its amount of each resource by name; `origin` says where the figures come from."""

    name: str
    amounts: Mapping[str, int]
    origin: str = ""

    def amount(self, resource: str) -> int:
        """Amount of a resource, 0 when the server has none."""
        return self.amounts.get(resource, 0)


@dataclass(frozen=True)
class Cluster:
    """Server types with counts. `resources` lists the kinds in the order in which problems use them."""

    name: str
    resources: tuple[ResourceKind, ...]
    servers: tuple[tuple[ServerType, int], ...]
    summary: str = ""

    def capacity(self) -> tuple[int, ...]:
        """C_r: total of each resource over all servers."""
        return tuple(
            sum(count * server.amount(kind.name) for server, count in self.servers) for kind in self.resources
        )

    def server_count(self) -> int:
        """Number of servers of all types."""
        return sum(count for _, count in self.servers)
