"""check: every statement is recomputed; each kind of tampering is found, also behind a fresh digest."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from toy import SHORT, SLACK, TIGHT, leaf

import dmlopt
from dmlopt.engine.certificate import seal
from dmlopt.files import decode, encode
from dmlopt.strict_json import digest

pytestmark = pytest.mark.usefixtures("toy")


def failed(data: dict[str, Any], problem: Any, fresh_digest: bool = True) -> list[str]:
    """What `check` rejects; the digest is made right first, as somebody with intent would do."""
    if fresh_digest:
        data["digest"] = digest({key: each for key, each in data.items() if key != "digest"})
    return dmlopt.check(problem, decode(json.dumps(data).encode(), "r.json")).failed()


@pytest.mark.parametrize(
    ("problem", "method"),
    [(SLACK, "best"), (TIGHT, "best"), (SHORT, "best"), (TIGHT, "bound")],
)
def test_honest_results_hold(problem: Any, method: str) -> None:
    result = dmlopt.solve(problem, method)
    assert dmlopt.check(problem, result).ok
    assert failed(encode(result), problem, fresh_digest=False) == []
    assert "holds" in str(dmlopt.check(problem, result))


def set_to(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        data[name] = value

    return change


def change_price(data: dict[str, Any]) -> None:
    data["certificate"]["nodes"][0]["prices"] = [12345]
    data["certificate"] = seal(data["certificate"])


def change_price_and_stated_bound(data: dict[str, Any]) -> None:
    data["certificate"] = leaf(SLACK, price=0.01)


def drop_node(data: dict[str, Any]) -> None:
    data["certificate"]["nodes"] = []


TAMPERINGS = {
    "objective": (set_to("objective", 14.6), {"objective", "gap"}),
    "objective by little": (set_to("objective", 14.5 * (1 + 1e-8)), {"objective"}),
    "bound": (set_to("bound", 14.4), {"bound"}),
    "bound removed": (set_to("bound", None), {"bound", "gap"}),
    "certificate removed": (set_to("certificate", None), {"bound", "status"}),
    "allocation": (set_to("solution", [0, 1, 1]), {"objective", "status", "verdict"}),
    "allocation of the wrong length": (set_to("solution", [1, 1]), {"solution"}),
    "solution removed": (set_to("solution", None), {"objective", "status", "verdict"}),
    "other instance": (set_to("instance_hash", "0" * 64), {"instance"}),
    "other formulation": (set_to("formulation", "optimus"), {"instance"}),
    "gap": (set_to("gap", 0.5), {"gap"}),
    "verified": (set_to("verified", False), {"verified"}),
    "sense": (set_to("sense", "min"), {"sense"}),
    "status infeasible": (set_to("status", "infeasible"), {"status"}),
    "status unknown": (set_to("status", "unknown"), {"status"}),
    "status bound": (set_to("status", "bound"), {"status"}),
    "price": (change_price, {"certificate"}),
    "price with its bound": (change_price_and_stated_bound, {"bound", "status"}),
    "no nodes": (drop_node, {"certificate", "status"}),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_found(name: str) -> None:
    change, expected = TAMPERINGS[name]
    data = copy.deepcopy(encode(dmlopt.solve(SLACK, "best")))
    change(data)
    assert expected <= set(failed(copy.deepcopy(data), SLACK))
    assert "digest" in failed(data, SLACK, fresh_digest=False) or name == "other formulation"


def test_optimal_with_a_gap() -> None:
    data = encode(dmlopt.solve(TIGHT, "best"))
    data["status"] = "optimal"
    assert failed(data, TIGHT) == ["status"]


def test_infeasible_allocation() -> None:
    data = encode(dmlopt.solve(TIGHT, "best"))
    data["solution"] = [1, 1, 1]
    data["objective"] = data["verdict"]["objective"] = 14.5
    data.update(gap=0.0, status="optimal")
    assert {"solution", "status", "verdict"} <= set(failed(data, TIGHT))


def test_infeasible_needs_its_proof() -> None:
    data = encode(dmlopt.solve(SHORT, "best"))
    data["certificate"] = None
    assert failed(copy.deepcopy(data), SHORT) == ["verified", "status"]
    data["verified"] = False
    assert failed(data, SHORT) == ["status"]


def test_ray_on_a_feasible_instance() -> None:
    data = encode(dmlopt.solve(SHORT, "best"))
    data["instance_hash"] = dmlopt.instance_hash(TIGHT)
    assert failed(data, TIGHT) == ["certificate", "status"]


def test_digest_alone_finds_changes_that_nothing_else_can() -> None:
    data = encode(dmlopt.solve(SLACK, "best"))
    data["seconds"]["total"] = 1e-6
    assert failed(data, SLACK, fresh_digest=False) == ["digest"]


def test_claims_are_shown_as_claims() -> None:
    data = encode(dmlopt.solve(TIGHT, "best"))
    data.update(certificate=None, bound=None, gap=None, status="optimal-claimed", claimed_bound=11.0)
    data["digest"] = digest({key: each for key, each in data.items() if key != "digest"})
    report = dmlopt.check(TIGHT, decode(json.dumps(data).encode(), "r.json"))
    assert report.ok
    assert [line.name for line in report.lines if line.outcome == "claimed"] == ["bound", "status"]
