"""Which agent to split, and how: a cell of its plans whose weight in the column LP is fractional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dmlopt.engine.cells import Cell
from dmlopt.engine.column_lp import ColumnPoint
from dmlopt.packing import Cut, FloatArray, IntArray, Packing

WHOLE = 1e-6
"""Weights this close to an integer count as whole."""


@dataclass(frozen=True)
class Split:
    """Two children: at most `count`, and at least `count` + 1 plans from the cell at `path` of `agent`.

    `cuts` divide the cells above that path which were not divided yet.
    """

    agent: int
    path: str
    cuts: tuple[Cut, ...]
    count: int
    at_most: Cell
    at_least: Cell


def split_cell(root: Cell, path: str, count: int) -> tuple[Cell, Cell]:
    """An agent's cells with at most `count`, and with at least `count` + 1 plans in the cell at `path`."""
    at_most = root.changed(path, lambda each: replace(each, hi=min(each.hi, count)))
    at_least = root.changed(path, lambda each: replace(each, lo=max(each.lo, count + 1)))
    return at_most.tightened(), at_least.tightened()


def is_fractional(weights: FloatArray) -> bool:
    """Whether any weight is not whole."""
    return bool((np.abs(weights - np.rint(weights)) > WHOLE).any())


def fractional_agents(packing: Packing, point: ColumnPoint) -> IntArray:
    """Agents with a fractional plan, the one with the widest spread of values first."""
    loose = np.abs(point.weights - np.rint(point.weights)) > WHOLE
    agents = np.unique(point.agents[loose])
    if len(agents) < 2:
        return agents
    spread = np.zeros(len(agents))
    for place, agent in enumerate(agents):
        own = loose & (point.agents == agent)
        values, weights = packing.planner.values(point.ids[own]), point.weights[own]
        mean = values @ weights / weights.sum()
        spread[place] = np.abs(values - mean) @ np.minimum(
            weights - np.floor(weights), np.ceil(weights) - weights
        )
    return agents[np.argsort(-spread, kind="stable")]


def split_agent(packing: Packing, point: ColumnPoint, cells: Mapping[int, Cell], agent: int) -> Split | None:
    """A split of this agent that cuts the LP point off; None when its plans cannot be told apart."""
    own = point.agents == agent
    return split_plans(packing, cells, agent, point.ids[own], point.weights[own])


def split_plans(
    packing: Packing, cells: Mapping[int, Cell], agent: int, ids: IntArray, weights: FloatArray
) -> Split | None:
    """Go down the agent's cells, always into a half with fractional plans, until a cell has a fractional total."""
    root = cells.get(agent) or Cell(None, int(packing.lo[agent]), int(packing.hi[agent]))
    path, cell = "", root
    cuts: list[Cut] = []
    while True:
        total = float(weights.sum())
        if abs(total - round(total)) > WHOLE:
            count = int(np.floor(total))
            return Split(agent, path, tuple(cuts), count, *split_cell(root, path, count))
        if cell.halves is None:
            cut = packing.planner.cut(agent, cell.part, ids, weights)
            if cut is None:
                return None
            parts = packing.planner.halves(agent, cell.part, cut)
            root = root.changed(path, lambda each: each.divided(cut, parts))  # noqa: B023
            cuts.append(cut)
            cell = root.at(path)
        assert cell.halves is not None
        inside = packing.planner.contains(agent, cell.halves[0].part, ids)
        for step, members in (("0", inside), ("1", ~inside)):
            if is_fractional(weights[members]):
                ids, weights = ids[members], weights[members]
                path += step
                cell = root.at(path)
                break
        else:
            return None
