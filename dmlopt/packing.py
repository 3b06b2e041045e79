"""Problem (P): every agent picks plans, plans use shared capacities, the total value is maximised.

    (P)   max  sum_i sum_{l in L_i} v_il x_il
          s.t. lo_i <= sum_{l in L_i} x_il <= hi_i      for each agent i
               sum_i sum_l a_il^m x_il <= c^m           for each row m
               x_il >= 0, integer

A plan's usage a_il may be negative: then it supplies capacity. (lo, hi) = (0, 1) is a job that may be left out, (1, 1)
one that must run, (0, n) or (n, n) a class of n identical things.

The engine sees a formulation only through a `Planner`, which answers "at these prices, which plan of this agent is
best?". A plan set that fits in memory is a `dmlopt.table.PlanTable`; a plan set too large to list is a planner of its own.

Branching needs subsets of one agent's plans. A `Part` is such a subset in whatever form the planner likes (`None` is the
whole set); a `Cut` describes how a part falls into two halves, as plain JSON data, because certificates carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Part: TypeAlias = Any
Cut: TypeAlias = Any


@dataclass(frozen=True)
class Plan:
    """One plan of one agent: its value v_il, its usage a_il as sparse (rows, amounts), and the formulation's own detail."""

    id: int
    agent: int
    value: float
    rows: IntArray
    amounts: IntArray
    detail: Any = None


@dataclass(frozen=True)
class PlanBatch:
    """The best plan of many agents at once, as arrays; no object per plan.

    `ids[k]` is the plan of agent `agents[k]`, -1 where no plan qualifies (then `values` is 0 and `reduced` is -inf).
    `reduced` is v - p.a at the prices asked for.
    """

    agents: IntArray
    ids: IntArray
    values: FloatArray
    reduced: FloatArray


class Planner(Protocol):
    """Best plans at prices. `best` follows the paper's tie rules; `best_all` may return any best plan.

    `room`: only plans whose usage fits this remaining capacity. `within`: a part per agent, for the agents that a search
    has split. `floor`: a plan must have a reduced value above it (None or -inf: any plan).
    """

    @property
    def agent_count(self) -> int:
        """Number of agents."""
        ...

    @property
    def row_count(self) -> int:
        """Number of capacity rows."""
        ...

    def best_all(
        self,
        prices: FloatArray,
        agents: IntArray | None = None,
        room: IntArray | None = None,
        within: Mapping[int, Part] | None = None,
        floor: FloatArray | None = None,
    ) -> PlanBatch:
        """Best plan of every agent (or of `agents`) at `prices`."""
        ...

    def best(
        self,
        agent: int,
        prices: FloatArray,
        room: IntArray | None = None,
        within: Part = None,
        floor: float = -np.inf,
    ) -> Plan | None:
        """Best plan of one agent, ties by the paper's rule; None when no plan is above `floor`."""
        ...

    def plan(self, id: int) -> Plan:
        """The plan behind an id."""
        ...

    def values(self, ids: IntArray) -> FloatArray:
        """Values of plans by id."""
        ...

    def usage(self, ids: IntArray) -> csr_array:
        """Usage of plans by id, one sparse row per plan."""
        ...

    def total_usage(self, ids: IntArray, counts: IntArray) -> IntArray:
        """What these numbers of plans use together, per row."""
        ...

    def contains(self, agent: int, part: Part, ids: IntArray) -> BoolArray:
        """Which of these plans of `agent` lie in `part`."""
        ...

    def cut(self, agent: int, part: Part, ids: IntArray, weights: FloatArray) -> Cut | None:
        """A cut of `part` that separates the given plans (fractional in some LP); None when nothing separates them."""
        ...

    def halves(self, agent: int, part: Part, cut: Cut) -> tuple[Part, Part]:
        """The two halves of `part` under `cut`. Together they hold every plan of `part`."""
        ...

    def magnitude(self, prices: FloatArray) -> float:
        """About max |v| + max |a|.|p| over plans worth having: decides how many bits a certificate uses."""
        ...


class PlainPlanner(Protocol):
    """The planner that certificates call: the whole plan set, no pruning, no tolerance, integer arithmetic.

    Prices arrive as integers P = p 2^bits. The answer is max_l ( ceil(v_l 2^bits) - a_l . P ), exactly. With
    `valued=False` every value counts as zero: what infeasibility proofs (rays) need.
    """

    @property
    def agent_count(self) -> int:
        """Number of agents."""
        ...

    @property
    def row_count(self) -> int:
        """Number of capacity rows."""
        ...

    def scaled_best_all(
        self, prices: IntArray, bits: int, agents: IntArray | None = None, valued: bool = True
    ) -> tuple[IntArray, BoolArray]:
        """Best scaled reduced value per agent, and whether the agent has a plan at all."""
        ...

    def scaled_best(
        self, agent: int, prices: IntArray, bits: int, within: Part = None, valued: bool = True
    ) -> int | None:
        """Best scaled reduced value of one agent inside a part; None when the part is empty."""
        ...

    def halves(self, agent: int, part: Part, cut: Cut) -> tuple[Part, Part]:
        """The two halves of `part` under `cut`; raises InputError when the cut does not fit the part."""
        ...

    def headroom(self, prices: FloatArray) -> float:
        """The largest value + the largest priced supply of a plan: what may not exceed 2^62 after scaling.

        Costs beyond 2^61 and values below -2^60 may be cut off: a plan then looks better than it is, and the bound
        stays valid.
        """
        ...


def same(value: float) -> float:
    """The identity, as the default `report` map."""
    return value


@dataclass(frozen=True)
class Packing:
    """Problem (P): agents with counts (lo, hi), capacities, and the planner that knows the plans.

    `report` maps a value of (P) monotonically to the paper's objective (increasing or decreasing); the engine uses it only
    to decide whether a gap is closed. `offset` is the value of what is already decided. `value_step`: every value of a
    feasible point is offset + an integer multiple of it, so a bound may be rounded. `pure`: no plan supplies capacity.
    """

    planner: Planner
    capacity: IntArray
    lo: IntArray
    hi: IntArray
    row_names: tuple[str, ...]
    report: Callable[[float], float] = field(default=same)
    offset: float = 0.0
    value_step: float | None = None
    pure: bool = True
    row_units: tuple[str, ...] = ()

    @property
    def agent_count(self) -> int:
        """Number of agents."""
        return len(self.lo)

    @property
    def row_count(self) -> int:
        """Number of capacity rows."""
        return len(self.capacity)


@dataclass(frozen=True)
class Picks:
    """An integer point of (P): `counts[k]` copies of plan `ids[k]` for agent `agents[k]`."""

    agents: IntArray
    ids: IntArray
    counts: IntArray

    def value(self, packing: Packing) -> float:
        """Total value, the offset included."""
        return packing.offset + float(packing.planner.values(self.ids) @ self.counts)

    def use(self, packing: Packing) -> IntArray:
        """Total usage per row."""
        return packing.planner.total_usage(self.ids, self.counts)

    def fits(self, packing: Packing) -> bool:
        """Whether capacities and the agents' counts hold, in integers."""
        taken = np.zeros(packing.agent_count, dtype=np.int64)
        np.add.at(taken, self.agents, self.counts)
        within = bool((taken >= packing.lo).all() and (taken <= packing.hi).all())
        return within and bool((self.use(packing) <= packing.capacity).all())
