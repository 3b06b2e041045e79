"""Forging certificates: mutations of honest ones and new ones at random, and the one thing that must hold for all of them.

A certificate is unfolded into its chain of reductions and a nested tree, changed, and folded again, so that changes of the
structure give certificates that are well formed and get as far into the checker as possible.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from dmlopt.engine.certificate import FORMAT, CertificateError, CertifiedBound, recompute, seal
from dmlopt.engine.price_tree import price_tree
from dmlopt.packing import Packing
from dmlopt.table import PlanTable
from dmlopt.verify import UNREADABLE
from tests.engine.toys import brute_force

Forged = dict[str, Any]
REDUCTIONS = ("fix", "keep", "round")
ANY_BOUND = 1e300
"""A stated bound that no recomputed one exceeds."""
LARGEST_PRICE = 2**61
"""The largest price that the forger puts in: scaled costs stay below the limit where they saturate."""


def solved(packing: Packing) -> Forged:
    """The certificate of the exact method, as a stranger reads it from a file."""
    return json.loads(json.dumps(price_tree(packing).certificate))


def written(nodes: list[Any], bits: Any = 30, classes: Any = ()) -> Forged:
    """A sealed certificate from its parts."""
    return seal({"format": FORMAT, "bits": bits, "classes": list(classes), "nodes": nodes})


def verdict(certificate: Any, packing: Packing) -> CertifiedBound | None:
    """What the certificate proves; None when the checker refuses it (in any way that its callers expect)."""
    try:
        return recompute(certificate, packing)
    except (CertificateError, *UNREADABLE):
        return None


def assert_sound(certificate: Any, packing: Packing, optimum: float | None) -> CertifiedBound | None:
    """Refused, or proves a true statement: no bound below the optimum, infeasible only if that is so."""
    proved = verdict(certificate, packing)
    if proved is not None and optimum is not None:
        assert not proved.infeasible, certificate
        assert proved.value >= optimum, (proved.value, optimum, certificate)
    return proved


def optimum_of(packing: Packing) -> float | None:
    return brute_force(packing)


# -------------------------------------------------------------------- unfolding and folding


def unfold(certificate: Forged) -> Forged:
    """{bits, classes, chain, tree} with the children inside their parents."""
    nodes = certificate["nodes"]
    chain, at = [], 0
    while nodes[at]["node"] in REDUCTIONS:
        chain.append({key: value for key, value in nodes[at].items() if key != "child"})
        at = nodes[at]["child"]

    def nested(index: int) -> Forged:
        node = dict(nodes[index])
        if "children" in node:
            node["children"] = [nested(child) for child in node["children"]]
        return node

    return copy.deepcopy(
        {"bits": certificate["bits"], "classes": certificate["classes"], "chain": chain, "tree": nested(at)}
    )


def fold(form: Forged) -> Forged:
    """The sealed certificate of an unfolded one."""
    nodes: list[Forged] = []
    for step in form["chain"]:
        nodes.append({**step, "child": len(nodes) + 1})
    waiting = [form["tree"]]
    places: list[tuple[int, int] | None] = [None]
    while waiting:
        node, place = dict(waiting.pop(0)), places.pop(0)
        if place is not None:
            nodes[place[0]]["children"][place[1]] = len(nodes)
        if "children" in node:
            waiting.extend(node["children"])
            places.extend((len(nodes), side) for side in range(len(node["children"])))
            node["children"] = [None] * len(node["children"])
        nodes.append(node)
    return written(nodes, form["bits"], form["classes"])


def tree_nodes(tree: Forged) -> list[Forged]:
    found, at = [tree], 0
    while at < len(found):
        found.extend(found[at].get("children", []))
        at += 1
    return found


# -------------------------------------------------------------------- random changes

Change = Callable[[Any, Forged, Packing], None]


def _pick(rng: Any, things: list[Any]) -> Any:
    return things[int(rng.integers(len(things)))] if things else None


def _some_prices(rng: Any, form: Forged, rows: int) -> list[int]:
    """Prices seen elsewhere in the certificate, or random ones."""
    seen = [n["prices"] for n in [*form["chain"], *tree_nodes(form["tree"])] if "prices" in n]
    if seen and rng.random() < 0.7:
        return list(_pick(rng, seen))
    return [int(rng.integers(0, 8)) << int(rng.integers(0, form["bits"] + 3)) for _ in range(rows)]


def _some_keys(rng: Any, packing: Packing) -> list[int]:
    table = packing.planner
    assert isinstance(table, PlanTable)
    return [int(key) for key in table.key[rng.random(table.plan_count) < rng.random()]]


def change_price(rng: Any, form: Forged, packing: Packing) -> None:
    node = _pick(rng, [n for n in [*form["chain"], *tree_nodes(form["tree"])] if n.get("prices")])
    if node is None:
        return
    at = int(rng.integers(len(node["prices"])))
    old, unit = node["prices"][at], 1 << form["bits"]
    choices = [0, 1, old + 1, max(0, old - 1), 2 * old, old // 2, old + unit, max(0, old - unit)]
    node["prices"][at] = _pick(rng, [*choices, LARGEST_PRICE, old + int(rng.integers(0, unit))])


def change_all_prices(rng: Any, form: Forged, packing: Packing) -> None:
    node = _pick(rng, [n for n in [*form["chain"], *tree_nodes(form["tree"])] if "prices" in n])
    if node is not None:
        node["prices"] = _some_prices(rng, form, packing.row_count)


def change_cutoff(rng: Any, form: Forged, packing: Packing) -> None:
    node = _pick(rng, [n for n in form["chain"] if n["node"] == "fix"])
    if node is not None:
        unit = 1 << form["bits"]
        node["cutoff"] += _pick(rng, [1, -1, unit, -unit, 5 * unit, -5 * unit, -(2**70), 2**61])


def add_reduction(rng: Any, form: Forged, packing: Packing) -> None:
    step: Forged = {"node": _pick(rng, ["fix", "keep", "round"])}
    if step["node"] == "fix":
        step["prices"] = _some_prices(rng, form, packing.row_count)
        step |= {"cutoff": int(rng.integers(-40, 60)) << form["bits"], "bound": ANY_BOUND}
    if step["node"] == "keep":
        agents = rng.integers(0, packing.agent_count + 1, int(rng.integers(1, 4)))
        step["plans"] = {str(agent): _some_keys(rng, packing) for agent in agents}
    form["chain"].insert(int(rng.integers(len(form["chain"]) + 1)), step)


def shuffle_reductions(rng: Any, form: Forged, packing: Packing) -> None:
    chain = form["chain"]
    if chain and rng.random() < 0.5:
        chain.pop(int(rng.integers(len(chain))))
    if chain:
        chain.insert(int(rng.integers(len(chain) + 1)), chain.pop(int(rng.integers(len(chain)))))


def change_kept(rng: Any, form: Forged, packing: Packing) -> None:
    node = _pick(rng, [n for n in form["chain"] if n["node"] == "keep" and n["plans"]])
    if node is None:
        return
    name = _pick(rng, list(node["plans"]))
    keys = node["plans"][name]
    if keys and rng.random() < 0.7:
        keys.pop(int(rng.integers(len(keys))))
    else:
        node["plans"][name] = _some_keys(rng, packing)


def change_split(rng: Any, form: Forged, packing: Packing) -> None:
    node = _pick(rng, [n for n in tree_nodes(form["tree"]) if n["node"] == "split"])
    if node is None:
        return
    what = int(rng.integers(5))
    if what == 0:
        node["count"] = max(0, node["count"] + _pick(rng, [-1, 1, 2]))
    elif what == 1:
        node["agent"] = int(rng.integers(packing.agent_count))
    elif what == 2:
        node["cell"] = _pick(rng, ["", "0", "1", node["cell"] + "0", node["cell"][:-1]])
    elif what == 3:
        node["cut"] = [_some_keys(rng, packing) for _ in range(len(node["cell"]))]
    else:
        node["children"].reverse()


def add_split(rng: Any, form: Forged, packing: Packing) -> None:
    node = _pick(rng, [n for n in tree_nodes(form["tree"]) if n["node"] != "split"])
    path = _pick(rng, ["", "0", "1", "01", "10"])
    child = dict(node)
    node.clear()
    node |= {"node": "split", "agent": int(rng.integers(packing.agent_count)), "cell": path}
    node |= {"count": int(rng.integers(0, 2)), "cut": [_some_keys(rng, packing) for _ in path]}
    node["children"] = [copy.deepcopy(child), copy.deepcopy(child)]


def change_end(rng: Any, form: Forged, packing: Packing) -> None:
    """Turn a node, with all below it, into a leaf, a ray or an empty node."""
    node = _pick(rng, tree_nodes(form["tree"]))
    kind = _pick(rng, ["leaf", "ray", "empty"])
    prices = node.get("prices") or _some_prices(rng, form, packing.row_count)
    node.clear()
    node["node"] = kind
    if kind != "empty":
        node["prices"] = prices
    if kind == "leaf":
        node["bound"] = ANY_BOUND


def change_bits(rng: Any, form: Forged, packing: Packing) -> None:
    form["bits"] = int(np.clip(form["bits"] + _pick(rng, [-1, 1, -7, 7]), 20, 56))


def change_classes(rng: Any, form: Forged, packing: Packing) -> None:
    if form["classes"] and rng.random() < 0.4:
        form["classes"].pop(int(rng.integers(len(form["classes"]))))
    else:
        size = int(rng.integers(1, packing.agent_count + 1))
        form["classes"].append(sorted(rng.choice(packing.agent_count, size, replace=False).tolist()))


CHANGES: tuple[Change, ...] = (
    change_price,
    change_price,
    change_all_prices,
    change_cutoff,
    add_reduction,
    shuffle_reductions,
    change_kept,
    change_split,
    add_split,
    change_end,
    change_end,
    change_bits,
    change_classes,
)


def changed(rng: Any, form: Forged, packing: Packing) -> Forged:
    """A copy with one to three random changes."""
    form = copy.deepcopy(form)
    for _ in range(int(rng.integers(1, 4))):
        _pick(rng, list(CHANGES))(rng, form, packing)
    for node in [*form["chain"], *tree_nodes(form["tree"])]:
        if "bound" in node:  # a stated bound that is too low is refused: state none, and get further
            node["bound"] = ANY_BOUND
    return form
