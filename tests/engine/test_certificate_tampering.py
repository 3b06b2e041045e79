"""One thing changed in an honest certificate: without a new digest it is refused, with one it proves nothing false."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from dmlopt.engine.certificate import CertificateError, recompute, seal
from dmlopt.packing import Packing
from tests.engine.forgery import Forged, assert_sound, optimum_of, solved, written
from tests.engine.toys import random_packing, table_packing, tight_packing

KINDS = ("fix", "keep", "round", "split", "leaf", "ray", "empty")


def overfull_packing() -> Packing:
    """An agent that must run and has no plan that fits: the certificate is one empty node."""
    return table_packing([[(5.0, [4])], [(1.0, [1])]], [3])


def classes_packing() -> Packing:
    """Four equal agents and two others, with a tree."""
    equal = [(9.0, [3, 1]), (8.0, [1, 3]), (1.0, [1, 1])]
    return table_packing(
        [equal, [(5.0, [2, 2]), (2.0, [0, 1])], equal, equal, [(4.0, [2, 0])], equal], [9, 8]
    )


TOYS: list[Packing] = [
    *(tight_packing(seed) for seed in (0, 1, 2, 3, 5, 8)),
    *(random_packing(1000 + seed, classes=True) for seed in (3, 4)),
    *(random_packing(2000 + seed, classes=True, supply=True) for seed in (6, 7)),
    overfull_packing(),
    classes_packing(),
]


def every_empty_kind() -> tuple[Forged, Packing]:
    """A certificate by hand with a split whose second child is empty: three plans of an agent that takes one."""
    packing = table_packing([[(3.0, [1]), (2.0, [0])], [(1.0, [1]), (0.0, [0])]], [1])
    leaf = {"node": "leaf", "prices": [1 << 30], "bound": 3.0}
    split = {"node": "split", "agent": 0, "cell": "", "count": 1, "children": [1, 2]}
    return written([split, leaf, {"node": "empty"}]), packing


CASES = [(solved(packing), packing, optimum_of(packing)) for packing in TOYS]
CASES.append((*every_empty_kind(), 3.0))


def test_the_cases_have_every_kind_of_node() -> None:
    kinds: Counter[str] = Counter(
        node["node"] for certificate, _, _ in CASES for node in certificate["nodes"]
    )
    assert set(KINDS) <= set(kinds), kinds
    assert any(certificate["classes"] for certificate, _, _ in CASES)
    for certificate, packing, optimum in CASES:
        proved = assert_sound(certificate, packing, optimum)
        assert proved is not None
        assert proved.infeasible == (optimum is None)


# -------------------------------------------------------------------- the changes

Change = tuple[str, Forged]


def with_node(certificate: Forged, at: int, **fields: Any) -> Forged:
    other = copy.deepcopy(certificate)
    other["nodes"][at].update(fields)
    return other


def price_changes(certificate: Forged) -> Iterator[Change]:
    for at, node in enumerate(certificate["nodes"]):
        for row, price in enumerate(node.get("prices", [])):
            for name, new in (
                ("up", price + 1),
                ("down", price - 1),
                ("double", 2 * price + 5),
                ("halved", price // 2 + 3),
                ("huge", 2**61),
                ("too-huge", 2**62),
                ("beyond", 2**70),
                ("negative", -price - 1),
                ("float", price + 0.5),
                ("text", str(price)),
                ("bool", True),
                ("null", None),
            ):
                prices = list(node["prices"])
                prices[row] = new
                yield f"price-{name}", with_node(certificate, at, prices=prices)
        if "prices" in node:
            yield "price-missing", with_node(certificate, at, prices=node["prices"][:-1])
            yield "price-one-more", with_node(certificate, at, prices=[*node["prices"], 0])
            yield "price-none", with_node(certificate, at, prices=None)


def bound_changes(certificate: Forged) -> Iterator[Change]:
    for at, node in enumerate(certificate["nodes"]):
        if "bound" in node:
            for name, new in (
                ("lower", node["bound"] - 1.0),
                ("higher", node["bound"] + 1.0),
                ("text", str(node["bound"])),
                ("null", None),
                ("nan", float("nan")),
                ("minus-infinity", float("-inf")),
                ("infinity", float("inf")),
                ("huge", 10**400),
            ):
                yield f"bound-{name}", with_node(certificate, at, bound=new)


def fix_changes(certificate: Forged) -> Iterator[Change]:
    unit = 1 << certificate["bits"]
    for at, node in enumerate(certificate["nodes"]):
        if node["node"] == "fix":
            for shift in (1, -1, unit, -unit, 20 * unit, -20 * unit, 2**65, -(2**65)):
                yield "cutoff-shifted", with_node(certificate, at, cutoff=node["cutoff"] + shift)
            yield "cutoff-float", with_node(certificate, at, cutoff=float(node["cutoff"]))
            yield "cutoff-null", with_node(certificate, at, cutoff=None)


def keep_changes(certificate: Forged) -> Iterator[Change]:
    for at, node in enumerate(certificate["nodes"]):
        if node["node"] != "keep":
            continue
        for name, keys in node["plans"].items():
            for key in keys:
                fewer = {**node["plans"], name: [other for other in keys if other != key]}
                yield "keep-dropped", with_node(certificate, at, plans=fewer)
            yield "keep-nothing", with_node(certificate, at, plans={**node["plans"], name: []})
            yield "keep-floats", with_node(certificate, at, plans={**node["plans"], name: [0.5]})
            yield "keep-huge", with_node(certificate, at, plans={**node["plans"], name: [2**80]})
        swapped = dict(zip(node["plans"], reversed(node["plans"].values()), strict=True))
        yield "keep-swapped", with_node(certificate, at, plans=swapped)
        yield "keep-list", with_node(certificate, at, plans=[])


def split_changes(certificate: Forged) -> Iterator[Change]:
    last = len(certificate["nodes"])
    for at, node in enumerate(certificate["nodes"]):
        if node["node"] != "split":
            continue
        low, high = node["children"]
        for count in (node["count"] + 1, node["count"] - 1, -1, 0.5, None, 10**30):
            yield "split-count", with_node(certificate, at, count=count)
        for path in (node["cell"] + "0", node["cell"] + "1", node["cell"][:-1], "2", "1" * 40, None, 0):
            yield "split-cell", with_node(certificate, at, cell=path)
        for agent in (node["agent"] + 1, node["agent"] - 1, -1, 10**6, None, "0", [0], True):
            yield "split-agent", with_node(certificate, at, agent=agent)
        for cut in node.get("cut", []):
            for key in cut:
                yield "cut-fewer", with_node(certificate, at, cut=[[k for k in cut if k != key]])
            yield "cut-more", with_node(certificate, at, cut=[[*cut, *range(30)]])
            yield "cut-twice", with_node(certificate, at, cut=[cut, cut])
        for cuts in ([], [[]], [[0], [1]], [None], "0", [["0"]], [[2**70]]):
            yield "cut-other", with_node(certificate, at, cut=cuts)
        yield "children-swapped", with_node(certificate, at, children=[high, low])
        for children in (
            [low],
            [low, low],
            [high, high],
            [at, high],
            [0, high],
            [-1, high],
            [low, last],
            [low, high, last - 1],
            [low, None],
            None,
        ):
            yield "children-wrong", with_node(certificate, at, children=children)


def whole_changes(certificate: Forged) -> Iterator[Change]:
    for bits in (certificate["bits"] + 1, certificate["bits"] - 1, 20, 56):
        yield "bits-other", {**certificate, "bits": bits}
    for bits in (19, 57, -1, 0, "30", 30.0, None, True):
        yield "bits-wrong", {**certificate, "bits": bits}
    classes = certificate["classes"]
    for more in ([0, 1], [0, 0], [-1, 0], [0, 10**6], [0], [0.5, 1.5], ["a"], None):
        yield "classes-more", {**certificate, "classes": [*classes, more]}
    for at, group in enumerate(classes):
        yield "classes-fewer", {**certificate, "classes": classes[:at] + classes[at + 1 :]}
        yield "classes-less", {**certificate, "classes": [*classes[:at], group[:-1], *classes[at + 1 :]]}
    for wrong in ("00", {"0": 1}, 5, None):
        yield "classes-wrong", {**certificate, "classes": wrong}
    nodes = certificate["nodes"]
    for at in range(len(nodes)):
        yield "node-removed", {**certificate, "nodes": nodes[:at] + nodes[at + 1 :]}
        yield "node-twice", {**certificate, "nodes": [*nodes[: at + 1], *nodes[at:]]}
        for kind in (*KINDS, "run", "start", "", None, 7):
            if kind != nodes[at]["node"]:
                yield "node-kind", with_node(certificate, at, node=kind)
    yield "node-none", {**certificate, "nodes": []}
    yield "node-null", {**certificate, "nodes": [None]}
    yield "nodes-missing", {key: value for key, value in certificate.items() if key != "nodes"}
    yield "format", {**certificate, "format": "dmlopt-certificate/2"}


def changes(certificate: Forged) -> Iterator[Change]:
    for source in (price_changes, bound_changes, fix_changes, keep_changes, split_changes, whole_changes):
        yield from source(certificate)


REFUSED = {
    "price-too-huge",
    "price-beyond",
    "price-negative",
    "price-float",
    "price-text",
    "price-bool",
    "price-null",
    "price-missing",
    "price-one-more",
    "price-none",
    "bound-lower",
    "bound-text",
    "bound-null",
    "bound-nan",
    "bound-minus-infinity",
    "bound-huge",
    "cutoff-float",
    "cutoff-null",
    "children-wrong",
    "bits-wrong",
    "node-twice",
    "node-none",
    "node-null",
    "nodes-missing",
    "format",
}
"""Changes after which no new digest helps."""


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_change_without_a_new_digest_is_refused(case: int) -> None:
    certificate, packing, _ = CASES[case]
    for name, other in changes(certificate):
        if repr(other) != repr(certificate):
            with pytest.raises(CertificateError, match=r"digest|format|nodes"):
                recompute(other, packing)
            assert name


@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_change_with_a_new_digest_proves_nothing_false(case: int) -> None:
    certificate, packing, optimum = CASES[case]
    for name, other in changes(certificate):
        proved = assert_sound(seal(other), packing, optimum)
        assert proved is None or name not in REFUSED, (name, proved)


@pytest.mark.parametrize("wrong", ["", "0" * 64, None, 5, ["x"]])
def test_a_wrong_digest_is_refused(wrong: Any) -> None:
    certificate, packing, _ = CASES[0]
    with pytest.raises(CertificateError, match="digest"):
        recompute({**certificate, "digest": wrong}, packing)


@pytest.mark.parametrize("thing", [None, [], "certificate", 5, {}, {"format": None}])
def test_what_is_no_certificate_is_refused(thing: Any) -> None:
    with pytest.raises(CertificateError, match="format"):
        recompute(thing, CASES[0][1])


def test_the_certificate_of_another_problem_proves_nothing_false() -> None:
    for certificate, _, _ in CASES:
        for _, packing, optimum in CASES:
            assert_sound(certificate, packing, optimum)
