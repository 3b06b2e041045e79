"""Certificates: what a stranger needs to recompute a bound on (P) without trusting the search that found it.

A certificate is JSON data: `bits`, `classes` (identical agents that count as one) and a list of nodes, node 0 first,
children after their parents. It proves value <= max(every cutoff, every leaf bound), recomputed here from the plain planner
in integer arithmetic.

    fix    prices, cutoff     drops every plan that is in no point of value above the cutoff (reduced-value test)
    keep   plans              per agent, the plans worth looking at; each other plan is dominated by one of these
    round                     capacities rounded down to what total use can reach
    split  agent, cell, count "at most count" (first child) or "at least count + 1" (second child) plans from a cell of the
                              agent's plans; `cut` divides the parent cell where it is not divided yet
    leaf   prices             bound(prices) over what is left
    ray    prices             no point is left: priced usage exceeds priced capacity even with all values zero
    empty                     no point is left: some agent cannot meet its counts

fix, keep and round form a chain before the first split. Before anything else the listed classes are merged (their
plans must be exactly the same) and plans that cannot fit are dropped; agents are numbered after merging. Prices are
integers: p 2^bits, with 20 <= bits <= 56 and small enough that no 64-bit number overflows. Values are scaled alike and
rounded up, totals are Python integers: a bound can be 1e-10 weak, never wrong. `digest` guards against accidents in
storage.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from dmlopt.engine import presolve
from dmlopt.engine.cells import Cell, payoff
from dmlopt.errors import DmloptError, InputError
from dmlopt.packing import IntArray, Packing, PlainPlanner
from dmlopt.table import PlanTable

FORMAT = "dmlopt-certificate/1"
LEAST_BITS = 20
MOST_BITS = 56
WORD = 62


class CertificateError(DmloptError):
    """The certificate does not prove what it says; the message says where it fails."""

    exit_code = 1


@dataclass(frozen=True)
class CertifiedBound:
    """What a certificate proves: no feasible point of (P) has more than `value`; or that there is none at all."""

    value: float
    infeasible: bool
    leaves: int


def choose_bits(magnitude: float) -> int:
    """The most bits such that max |v| + max |a|.|p| stays below 2^(60 - bits), where nothing is cut off."""
    bits = MOST_BITS if magnitude <= 0 else min(MOST_BITS, WORD - 2 - math.frexp(magnitude)[1])
    if bits < LEAST_BITS:
        raise CertificateError(
            f"values and priced usages reach {magnitude:.3g}: too large for exact 64-bit arithmetic; use larger units"
        )
    return bits


def digest(certificate: Mapping[str, Any]) -> str:
    """SHA-256 over everything but the digest itself."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def seal(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate with its digest."""
    return {**certificate, "digest": digest(certificate)}


def recompute(certificate: Mapping[str, Any], packing: Packing) -> CertifiedBound:
    """Recompute what the certificate proves for this packing (its planner must be plain: see PlainPlanner)."""
    if not isinstance(certificate, Mapping) or certificate.get("format") != FORMAT:
        raise CertificateError(f"format: expected {FORMAT}")
    if certificate.get("digest") != digest(certificate):
        raise CertificateError("digest: the certificate was changed after it was written")
    bits = certificate.get("bits")
    if type(bits) is not int or not LEAST_BITS <= bits <= MOST_BITS:
        raise CertificateError(f"bits: expected an integer from {LEAST_BITS} to {MOST_BITS}, got {bits!r}")
    nodes = certificate.get("nodes")
    if not isinstance(nodes, list) or not nodes:
        raise CertificateError("nodes: expected a list with at least one node")
    try:
        return _Walk(nodes, bits, packing, certificate.get("classes", [])).run()
    except (TypeError, ValueError, OverflowError, AttributeError, LookupError, RecursionError) as error:
        raise CertificateError(f"malformed: {error}") from error


@dataclass(frozen=True)
class _State:
    """(P) as far as the chain of fix, keep and round has reduced it; decided agents are taken out."""

    planner: PlainPlanner
    capacity: list[int]
    lo: IntArray
    hi: IntArray
    agents: IntArray  # certificate number of each agent that is left
    settled: int  # scaled value of what is decided


class _Walk:
    """One pass over the nodes."""

    def __init__(self, nodes: list[Any], bits: int, packing: Packing, classes: Any) -> None:
        self.nodes = nodes
        self.bits = bits
        self.packing = packing
        self.classes = classes
        self.rows = packing.row_count
        self.worst: int | None = None  # scaled; None: nothing but rays and empty nodes so far
        self.leaves = 0
        self.seen = [False] * len(nodes)
        self.split_agents = [
            node["agent"] for node in nodes if isinstance(node, dict) and type(node.get("agent")) is int
        ]

    def run(self) -> CertifiedBound:
        """Follow the chain, then the tree; every node must be reached exactly once."""
        state = self._start()
        self._refuse_overflow(state)
        state = self._settle(state)
        at = 0
        while self._kind(at) in ("fix", "keep", "round"):
            node = self._visit(at)
            if not isinstance(state.planner, PlanTable):
                raise CertificateError(f"nodes[{at}]: only listed plan sets can be reduced")
            state = self._settle(getattr(self, f"_{node['node']}")(at, node, state, state.planner))
            at = self._child(at, node.get("child"))
        stack: list[tuple[int, dict[int, Cell]]] = [(at, {})]
        while stack:
            at, cells = stack.pop()
            node = self._visit(at)
            kind = node["node"]
            if kind == "split":
                stack.extend(self._split(at, node, state, cells))
            elif kind in ("leaf", "ray", "empty"):
                self._terminal(at, node, kind, state, cells)
            else:
                raise CertificateError(f"nodes[{at}].node: '{kind}' is not allowed below a split")
        if not all(self.seen):
            raise CertificateError(f"nodes[{self.seen.index(False)}]: not reached from the root")
        return self._proved()

    # ------------------------------------------------------------------ reading nodes

    def _kind(self, at: int) -> str:
        node = self.nodes[at]
        if not isinstance(node, dict) or not isinstance(node.get("node"), str):
            raise CertificateError(f"nodes[{at}]: expected a node")
        return cast(str, node["node"])

    def _visit(self, at: int) -> dict[str, Any]:
        self._kind(at)
        if self.seen[at]:
            raise CertificateError(f"nodes[{at}]: reached twice")
        self.seen[at] = True
        return cast(dict[str, Any], self.nodes[at])

    def _child(self, at: int, child: Any) -> int:
        if type(child) is not int or not at < child < len(self.nodes):
            raise CertificateError(f"nodes[{at}]: child {child!r} is not a later node")
        return child

    def _prices(self, at: int, node: Mapping[str, Any]) -> IntArray:
        prices = node.get("prices")
        if not isinstance(prices, list) or len(prices) != self.rows:
            raise CertificateError(f"nodes[{at}].prices: expected {self.rows} integers")
        for price in prices:
            if type(price) is not int or not 0 <= price < 2**WORD:
                raise CertificateError(
                    f"nodes[{at}].prices: expected integers from 0 to 2^{WORD}, got {price!r}"
                )
        return np.array(prices, dtype=np.int64)

    def _refuse_overflow(self, state: _State) -> None:
        highest = np.zeros(self.rows)
        for at, node in enumerate(self.nodes):
            if isinstance(node, dict) and "prices" in node:
                highest = np.maximum(highest, self._prices(at, node).astype(np.float64))
        headroom = state.planner.headroom(np.ldexp(highest, -self.bits))
        if not headroom < 2.0 ** (WORD - self.bits):  # also when it is not a number
            raise CertificateError(
                f"bits: {self.bits} bits overflow at values and priced supplies of {headroom:.3g}"
            )

    # ------------------------------------------------------------------ the chain

    def _start(self) -> _State:
        packing = self.packing
        planner = packing.planner
        if isinstance(planner, PlanTable):
            self._refuse_large_totals(planner)
            packing, table, _ = presolve.merge(packing, planner, self._labels(planner))
            packing, planner = presolve.drop_unfit(packing, table)
        elif self.classes:
            raise CertificateError("classes: only listed plan sets can be merged")
        return _State(
            cast(PlainPlanner, planner),
            [int(amount) for amount in packing.capacity],
            packing.lo,
            packing.hi,
            np.arange(len(packing.lo)),
            math.ceil(Fraction(packing.offset) * 2**self.bits),
        )

    def _refuse_large_totals(self, table: PlanTable) -> None:
        """Presolve adds usages in 64 bits: everything that all agents could use together must fit."""
        if not table.plan_count:
            return
        largest = max(int(table.plan_usage.max()), -int(table.plan_usage.min()))
        total = 2 * largest * sum(self.packing.hi.tolist()) + max(
            map(abs, self.packing.capacity.tolist()), default=0
        )
        if total >= 2**WORD:
            raise CertificateError(
                "usages: their total is too large for exact 64-bit arithmetic; use larger units"
            )

    def _labels(self, table: PlanTable) -> IntArray:
        """The stated classes as labels, after comparing the members' plans."""
        labels = np.arange(table.agent_count, dtype=np.int64)
        same = table.classes() if self.classes else labels
        for members in self.classes:
            group = np.unique(np.asarray(members, dtype=np.int64))
            if len(group) != len(members) or group[0] < 0 or group[-1] >= table.agent_count:
                raise CertificateError(f"classes: {members!r} is not a set of agents")
            if (labels[group] != group).any() or (same[group] != same[group[0]]).any():
                raise CertificateError(f"classes: the agents {members!r} are not identical")
            labels[group] = group[0]
        return labels

    def _settle(self, state: _State) -> _State:
        """Take decided agents out, unless a split names them: their value is settled, their use leaves the capacity."""
        if not isinstance(state.planner, PlanTable):
            return state
        table = state.planner
        done = presolve.decided(table, state.lo, state.hi) & ~np.isin(state.agents, self.split_agents)
        if not done.any():
            return state
        rows, counts = table.start[:-1][done], state.lo[done].tolist()
        values = table.scaled_value(self.bits)[rows].tolist()
        settled = sum(count * value for count, value in zip(counts, values, strict=True))
        capacity = [
            room - sum(n * use for n, use in zip(counts, table.plan_usage[rows, row].tolist(), strict=True))
            for row, room in enumerate(state.capacity)
        ]
        left = np.flatnonzero(~done)
        return _State(
            table.for_agents(left),
            capacity,
            state.lo[left],
            state.hi[left],
            state.agents[left],
            state.settled + settled,
        )

    def _fix(self, at: int, node: Mapping[str, Any], state: _State, table: PlanTable) -> _State:
        prices = self._prices(at, node)
        cutoff = node.get("cutoff")
        if type(cutoff) is not int:
            raise CertificateError(f"nodes[{at}].cutoff: expected an integer")
        bound = self._bound(state, prices, {})
        if bound is None:
            raise CertificateError(f"nodes[{at}]: some agent has no plan left")
        self._agree(at, node, bound)
        self.worst = cutoff if self.worst is None else max(self.worst, cutoff)
        best, _ = table.scaled_best_all(prices, self.bits)
        base = np.where(state.lo == 0, np.maximum(best, 0), best)
        slack = max(bound - cutoff, 0)
        if slack >= 2**WORD:
            return state
        scores = table.scaled_reduced(prices, self.bits)
        return replace(state, planner=table.take(scores >= (base - slack)[table.agent_of]))

    def _keep(self, at: int, node: Mapping[str, Any], state: _State, table: PlanTable) -> _State:
        plans = node.get("plans")
        if not isinstance(plans, dict):
            raise CertificateError(f"nodes[{at}].plans: expected lists of plan keys by agent")
        alive = np.ones(table.plan_count, dtype=bool)
        local = {int(agent): index for index, agent in enumerate(state.agents)}
        for name, keys in plans.items():
            if not isinstance(name, str) or name != str(
                int(name)
            ):  # one agent, one name: "00" would be a second list
                raise CertificateError(f"nodes[{at}].plans: {name!r} is not the number of an agent")
            agent = local.get(int(name))
            if agent is None:
                continue  # decided meanwhile, or no such agent: nothing is dropped
            rows = table.rows_of(agent)
            listed = np.isin(table.key[rows], np.asarray(keys, dtype=np.int64))
            others = rows[~listed]
            covered = presolve.dominated(table, others, rows[listed])
            if not covered.all():
                key = int(table.key[others[~covered][0]])
                raise CertificateError(
                    f"nodes[{at}].plans.{name}: plan {key} is neither listed nor dominated nor fixed"
                )
            alive[others] = False
        return replace(state, planner=table.take(alive))

    def _round(self, at: int, node: Mapping[str, Any], state: _State, table: PlanTable) -> _State:
        capacity = np.array(state.capacity, dtype=np.int64)
        return replace(
            state, capacity=[int(c) for c in presolve.rounded_capacity(table, capacity, state.lo, state.hi)]
        )

    # ------------------------------------------------------------------ the tree

    def _split(
        self, at: int, node: Mapping[str, Any], state: _State, cells: Mapping[int, Cell]
    ) -> list[tuple[int, dict[int, Cell]]]:
        found = np.flatnonzero(state.agents == node.get("agent"))
        path, count, children = node.get("cell"), node.get("count"), node.get("children")
        if len(found) != 1:
            raise CertificateError(f"nodes[{at}].agent: no agent {node.get('agent')!r} is left to split")
        if not isinstance(path, str) or set(path) - {"0", "1"} or type(count) is not int or count < 0:
            raise CertificateError(f"nodes[{at}]: expected a cell path and a count")
        if not isinstance(children, list) or len(children) != 2:
            raise CertificateError(f"nodes[{at}].children: expected two")
        agent = int(found[0])
        cell = cells.get(agent) or Cell(None, int(state.lo[agent]), int(state.hi[agent]))
        try:
            cell = self._divide(agent, cell, path, node.get("cut", []), state)
            low = cell.changed(path, lambda each: replace(each, hi=min(each.hi, count)))
            high = cell.changed(path, lambda each: replace(each, lo=max(each.lo, count + 1)))
        except (KeyError, InputError) as error:
            raise CertificateError(f"nodes[{at}].cell: {error}") from None
        return [
            (self._child(at, children[0]), {**cells, agent: low}),
            (self._child(at, children[1]), {**cells, agent: high}),
        ]

    def _divide(self, agent: int, cell: Cell, path: str, cuts: Any, state: _State) -> Cell:
        """Cut the cells above `path` that are not cut yet; `cuts` lists their cuts from the top."""
        if not isinstance(cuts, list):
            raise InputError("cut: expected a list of cuts")
        remaining = list(cuts)
        for depth in range(len(path)):
            above = cell.at(path[:depth])
            if above.halves is None:
                if not remaining:
                    raise InputError(f"cell {path}: not cut and no cut is given")
                cut = remaining.pop(0)
                parts = state.planner.halves(agent, above.part, cut)
                cell = cell.changed(path[:depth], lambda each, cut=cut, parts=parts: each.divided(cut, parts))  # type: ignore[misc]
        if remaining:
            raise InputError(f"cell {path}: a cut is given but the cell is cut already")
        return cell

    def _terminal(
        self, at: int, node: Mapping[str, Any], kind: str, state: _State, cells: Mapping[int, Cell]
    ) -> None:
        self.leaves += 1
        if kind == "empty":
            if self._bound(state, np.zeros(self.rows, dtype=np.int64), cells, valued=False) is not None:
                raise CertificateError(f"nodes[{at}]: is not empty")
            return
        prices = self._prices(at, node)
        bound = self._bound(state, prices, cells, valued=kind == "leaf")
        if kind == "ray":
            if bound is not None and bound >= 0:
                raise CertificateError(f"nodes[{at}]: the ray does not prove infeasibility (margin {bound})")
            return
        if bound is None:
            return
        self._agree(at, node, bound)
        self.worst = bound if self.worst is None else max(self.worst, bound)

    def _agree(self, at: int, node: Mapping[str, Any], bound: int) -> None:
        """What is recomputed must be at least as good as what the node states, up to the rounding of two arithmetics.

        It can be better: integers drop a plan that the search, with its margin, had kept.
        """
        stated, exact = node.get("bound"), bound / 2**self.bits
        if not isinstance(stated, int | float) or not exact <= stated + 1e-6 * max(1.0, abs(exact)):
            raise CertificateError(f"nodes[{at}].bound: states {stated!r}, its prices give {exact!r}")

    def _bound(
        self, state: _State, prices: IntArray, cells: Mapping[int, Cell], valued: bool = True
    ) -> int | None:
        """bound(prices), scaled, over what is left; None when some agent cannot meet its counts."""
        best, filled = state.planner.scaled_best_all(prices, self.bits, valued=valued)
        total: int = state.settled if valued else 0
        total += sum(room * price for room, price in zip(state.capacity, prices.tolist(), strict=True))
        plain = np.ones(len(best), dtype=bool)
        plain[list(cells)] = False
        if (plain & ~filled & (state.lo > 0)).any():
            return None
        usable = plain & filled
        counts = np.where(best > 0, state.hi, state.lo)[usable]
        total += sum(n * r for n, r in zip(counts.tolist(), best[usable].tolist(), strict=True))
        for agent, cell in cells.items():
            term = payoff(
                cell,
                lambda _, leaf: state.planner.scaled_best(agent, prices, self.bits, leaf.part, valued),  # noqa: B023
            )
            if term is None:
                return None
            total += term.best()
        return total

    # ------------------------------------------------------------------ the conclusion

    def _proved(self) -> CertifiedBound:
        if self.worst is None:
            return CertifiedBound(-math.inf, True, self.leaves)
        exact = Fraction(self.worst, 2**self.bits)
        step = self.packing.value_step
        if step is not None:
            offset = Fraction(self.packing.offset)
            exact = offset + math.floor((exact - offset) / Fraction(step)) * Fraction(step)
        value = float(exact)
        if Fraction(value) < exact:
            value = math.nextafter(value, math.inf)
        return CertifiedBound(value, False, self.leaves)


def scaled_prices(prices: Sequence[float], bits: int) -> list[int]:
    """Prices as integers p 2^bits, to the nearest."""
    return [max(0, round(Fraction(float(price)) * 2**bits)) for price in prices]
