"""Count limits on nested parts of one agent's plans, and the agent's best total under them.

A search splits an agent by "at most n plans from S" and "at least n + 1 plans from S". The parts of one agent are nested, so
they form a binary tree of cells: each cell has count limits and is either whole or cut into two halves that together hold
all its plans. The best total over the tree is a greedy merge: inside a cell the payoff as a function of the count is
concave, two concave functions add by merging their slopes, and limits only clip. The same code runs on floats (search)
and on Python integers (certificates).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from dmlopt.packing import Cut, Part

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Cell:
    """A part of one agent's plans with count limits; `cut` and `halves` when it has been split further."""

    part: Part
    lo: int
    hi: int
    cut: Cut | None = None
    halves: tuple[Cell, Cell] | None = None

    def at(self, path: str) -> Cell:
        """The cell at a path of 0s (first half) and 1s (second half); the empty path is this cell."""
        cell = self
        for step in path:
            if cell.halves is None:
                raise KeyError(path)
            cell = cell.halves[int(step)]
        return cell

    def changed(self, path: str, change: Callable[[Cell], Cell]) -> Cell:
        """This tree with the cell at `path` replaced; everything else is shared."""
        if not path:
            return change(self)
        if self.halves is None:
            raise KeyError(path)
        first, second = self.halves
        if path[0] == "0":
            return replace(self, halves=(first.changed(path[1:], change), second))
        return replace(self, halves=(first, second.changed(path[1:], change)))

    def divided(self, cut: Cut, parts: tuple[Part, Part]) -> Cell:
        """This cell cut into two halves without limits of their own."""
        return replace(self, cut=cut, halves=(Cell(parts[0], 0, self.hi), Cell(parts[1], 0, self.hi)))

    def tightened(self) -> Cell:
        """The same count vectors with the limits that follow from each other written out."""
        if self.halves is None:
            return self
        first, second = (half.tightened() for half in self.halves)
        lo = max(self.lo, first.lo + second.lo)
        hi = min(self.hi, first.hi + second.hi)
        halves = (
            first.limited(lo - second.hi, hi - second.lo),
            second.limited(lo - first.hi, hi - first.lo),
        )
        return replace(self, lo=lo, hi=hi, halves=halves)

    def limited(self, lo: int, hi: int) -> Cell:
        """This cell with count limits at least this tight."""
        if lo <= self.lo and hi >= self.hi:
            return self
        tighter = replace(self, lo=max(lo, self.lo), hi=min(hi, self.hi))
        return tighter.tightened()

    @cached_property
    def only(self) -> Cell | None:
        """The one leaf that is left, if just one is (the usual case where an agent takes one plan)."""
        found = list(itertools.islice(self.leaves(), 2))
        return found[0][1] if len(found) == 1 else None

    def leaves(self, path: str = "") -> Iterator[tuple[str, Cell]]:
        """All cells that are not cut, with their paths, leaving out those that may hold no plan (hi = 0)."""
        if self.hi == 0:
            return
        if self.halves is None:
            yield path, self
            return
        for step, half in enumerate(self.halves):
            yield from half.leaves(path + str(step))


@dataclass
class Concave(Generic[Number]):
    """A concave function of a count n in [lo, lo + total length]: value at lo, then slopes in falling order."""

    lo: int
    base: Number
    slopes: list[tuple[Number, int]]

    def best(self) -> Number:
        """The maximum over all counts."""
        total = self.base
        for slope, length in self.slopes:
            if slope <= 0:
                break
            total += slope * length
        return total


def payoff(cell: Cell, best: Callable[[str, Cell], Number | None], path: str = "") -> Concave[Number] | None:
    """Best total as a function of the number of plans taken from this cell; None when no count is possible.

    `best(path, leaf)` is the best reduced value inside a leaf cell, None when it holds no plan.
    """
    if cell.hi < cell.lo:
        return None
    if cell.hi == 0 and cell.halves is None:
        return Concave(0, 0, [])
    if cell.halves is None:
        value = best(path, cell)
        if value is None:
            return Concave(0, 0, []) if cell.lo == 0 else None
        return Concave(cell.lo, value * cell.lo, [(value, cell.hi - cell.lo)])
    first = payoff(cell.halves[0], best, path + "0")
    second = payoff(cell.halves[1], best, path + "1")
    if first is None or second is None:
        return None
    slopes = sorted(first.slopes + second.slopes, key=lambda each: each[0], reverse=True)
    return _clip(Concave(first.lo + second.lo, first.base + second.base, slopes), cell.lo, cell.hi)


def _clip(function: Concave[Number], lo: int, hi: int) -> Concave[Number] | None:
    """The function on [lo, hi] only; None when that leaves nothing."""
    if function.lo > hi:
        return None
    start, base = function.lo, function.base
    need = max(0, lo - start)
    room = hi - max(lo, start)
    kept: list[tuple[Number, int]] = []
    for slope, length in function.slopes:
        used = min(need, length)
        base += slope * used
        need -= used
        left = min(length - used, room)
        if left > 0:
            kept.append((slope, left))
            room -= left
    if need > 0:
        return None
    return Concave(max(lo, start), base, kept)
