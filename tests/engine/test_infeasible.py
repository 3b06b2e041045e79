"""Why nothing is feasible: what is short, by how much, and whether only together or only in whole plans."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dmlopt.control import Clock
from dmlopt.engine.certificate import recompute
from dmlopt.engine.infeasible import explain
from dmlopt.engine.price_tree import price_tree
from dmlopt.packing import Packing
from dmlopt.table import PlanTable
from tests.engine.linear import relaxation
from tests.engine.toys import brute_force, table_packing, tight_packing


def assert_infeasible(packing: Packing) -> None:
    found = price_tree(packing)
    assert found.infeasible
    assert found.picks is None
    assert recompute(found.certificate, packing).infeasible


def test_one_short_row() -> None:
    packing = table_packing([[(1.0, [2, 3]), (2.0, [1, 4])], [(1.0, [1, 5])]], [5, 7])
    assert_infeasible(packing)
    shortage = explain(packing, Clock())
    assert shortage is not None
    assert (shortage.kind, shortage.rows, shortage.amounts) == ("row", ("row1",), (1.0,))
    assert "least need 8, capacity 7" in shortage.message


def test_rows_short_only_together() -> None:
    # Every agent uses 4 in all, 16 together; each row alone could hold 4 x 1, both have 14.
    packing = table_packing([[(1.0, [3, 1]), (2.0, [1, 3])]] * 4, [7, 7])
    assert_infeasible(packing)
    shortage = explain(packing, Clock())
    assert shortage is not None
    assert shortage.kind == "together"
    assert sum(shortage.amounts) == 2.0


def test_short_only_in_whole_plans() -> None:
    # 6 units needed and 6 there, but each row holds only one whole plan of 2.
    packing = table_packing([[(1.0, [2, 0]), (2.0, [0, 2])]] * 3, [3, 3])
    assert_infeasible(packing)
    shortage = explain(packing, Clock())
    assert shortage is not None
    assert shortage.kind == "integer"
    assert sum(shortage.amounts) == 1.0


def test_an_agent_without_a_plan() -> None:
    packing = table_packing([[(1.0, [1])], [], []], [5], [(1, 1), (1, 1), (0, 1)])
    assert_infeasible(packing)
    shortage = explain(packing, Clock())
    assert shortage is not None
    assert shortage.kind == "agents"
    assert "1" in shortage.message
    assert "2" not in shortage.message


def least_shortage(packing: Packing) -> float:
    """Least weighted shortage by trying all choices of agents that must run; a unit weighs 1 / capacity."""
    table = packing.planner
    assert isinstance(table, PlanTable)
    weight = 1.0 / np.maximum(packing.capacity, 1)
    best = np.inf
    for choice in itertools.product(*(table.rows_of(agent).tolist() for agent in range(packing.agent_count))):
        over = np.maximum(table.plan_usage[list(choice)].sum(axis=0) - packing.capacity, 0)
        best = min(best, float(over @ weight))
    return best


INFEASIBLE = [seed for seed in range(400) if brute_force(tight_packing(seed)) is None][:60]


@pytest.mark.parametrize("seed", INFEASIBLE)
def test_the_reported_shortage_is_the_least(seed: int) -> None:
    packing = tight_packing(seed)
    shortage = explain(packing, Clock())
    assert shortage is not None
    if shortage.kind == "row":
        return
    rows = [packing.row_names.index(name) for name in shortage.rows]
    weighed = sum(
        amount / max(packing.capacity[row], 1) for row, amount in zip(rows, shortage.amounts, strict=True)
    )
    assert weighed == pytest.approx(least_shortage(packing))
    assert shortage.kind == ("together" if relaxation(packing) is None else "integer")


@pytest.mark.parametrize("seed", INFEASIBLE)
def test_infeasible_toys_are_proven_so(seed: int) -> None:
    assert_infeasible(tight_packing(seed))


def test_the_toys_are_of_both_kinds() -> None:
    # Guards the tests above.
    assert len(INFEASIBLE) >= 40
    kinds = [shortage.kind for seed in INFEASIBLE if (shortage := explain(tight_packing(seed), Clock()))]
    assert kinds.count("together") >= 3
    assert kinds.count("integer") >= 3


def test_a_feasible_problem_is_short_of_nothing() -> None:
    assert explain(table_packing([[(1.0, [1])]], [5]), Clock()) is None
