"""Writing certificates: a search records what it did, the finished record becomes certificate JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dmlopt.engine.certificate import FORMAT, CertificateError, choose_bits, scaled_prices, seal
from dmlopt.packing import Cut, FloatArray, Planner


class Proof:
    """The record of a search: a chain of reductions, then a tree. A node that nobody closed stays a leaf with its prices.

    Nodes are named by their index. Prices are floats here and become integers in `certificate`.
    """

    def __init__(self, classes: Sequence[Sequence[int]] = ()) -> None:
        self.classes = [list(group) for group in classes]
        self._chain: list[dict[str, Any]] = []
        self._tree: list[dict[str, Any]] = [{"node": "empty"}]

    def fix(self, prices: FloatArray, bound: float, cutoff: float) -> None:
        """Plans in no point above the cutoff were dropped, by the bound at these prices."""
        self._chain.append({"node": "fix", "prices": prices, "bound": bound, "cutoff": cutoff})

    def keep(self, plans: Mapping[int, Sequence[int]]) -> None:
        """For these agents, the keys of all plans that were looked at."""
        self._chain.append(
            {"node": "keep", "plans": {str(agent): list(keys) for agent, keys in plans.items()}}
        )

    def round(self) -> None:
        """Capacities were rounded down to what total use can reach."""
        self._chain.append({"node": "round"})

    def leaf(self, at: int, prices: FloatArray, bound: float) -> None:
        """These prices prove this bound for the node."""
        self._tree[at] = {"node": "leaf", "prices": prices, "bound": bound}

    def ray(self, at: int, prices: FloatArray) -> None:
        """These prices prove that the node holds no point."""
        self._tree[at] = {"node": "ray", "prices": prices}

    def empty(self, at: int) -> None:
        """Some agent cannot meet its counts in this node."""
        self._tree[at] = {"node": "empty"}

    def split(self, at: int, agent: int, path: str, cuts: Sequence[Cut], count: int) -> tuple[int, int]:
        """The node was split; returns its children: at most `count`, at least `count` + 1 plans from the cell."""
        first = len(self._tree)
        node: dict[str, Any] = {"node": "split", "agent": agent, "cell": path, "count": count}
        if cuts:
            node["cut"] = list(cuts)
        self._tree[at] = {**node, "children": (first, first + 1)}
        self._tree.extend([{"node": "empty"}, {"node": "empty"}])
        return first, first + 1

    def split_agents(self) -> list[int]:
        """The agents that some node splits."""
        return sorted({node["agent"] for node in self._tree if node["node"] == "split"})

    def certificate(self, planner: Planner, slope: FloatArray) -> dict[str, Any]:
        """The sealed certificate. `slope`: how much a bound can change per unit of each price, for rounded prices."""
        rows = len(slope)
        nodes = self._chain + self._tree
        highest = np.zeros(rows)
        for node in nodes:
            if "prices" in node:
                highest = np.maximum(highest, node["prices"])
        bits = choose_bits(planner.magnitude(highest))
        shift = len(self._chain)
        rounding = float(slope.sum()) * 2.0 ** -(bits + 1)
        written = [self._written(index, node, bits, shift, rounding) for index, node in enumerate(nodes)]
        return seal({"format": FORMAT, "bits": bits, "classes": self.classes, "nodes": written})

    def certificate_or_none(self, planner: Planner, slope: FloatArray) -> dict[str, Any] | None:
        """The sealed certificate; None when the numbers are too large for exact arithmetic: nothing is proved then."""
        try:
            return self.certificate(planner, slope)
        except CertificateError:
            return None

    def _written(
        self, index: int, node: Mapping[str, Any], bits: int, shift: int, rounding: float
    ) -> dict[str, Any]:
        out = dict(node)
        if "prices" in out:
            out["prices"] = scaled_prices(out["prices"], bits)
        if "cutoff" in out:
            out["cutoff"] = math.floor(Fraction(out["cutoff"]) * 2**bits)
        if "bound" in out:
            out["bound"] = float(out["bound"]) + rounding
        if "children" in out:
            out["children"] = [shift + child for child in out["children"]]
        if index < shift:
            out["child"] = index + 1
        return out
