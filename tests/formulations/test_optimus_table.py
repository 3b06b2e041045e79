"""Plan tables: how many pairs are kept, fast against plain, values of the relaxation."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from optimus_examples import ASYNC_THETA, RESNEXT_THETA, SYNC_THETA, UNIT, example_1, example_3, one_job
from optimus_random import problems
from scipy.optimize import linprog
from scipy.sparse import csr_array

from dmlopt.packing import Packing
from formulations.optimus import Allocation, Job, OptimusProblem
from formulations.optimus.checker import check
from formulations.optimus.planner import KEY_STRIDE, allocation, packing, picks_of
from formulations.optimus.reference import plain_packing
from instances.optimus import GENERATOR


# p, w >= 1 and p + w <= 40: 39*40/2 = 780 pairs. Componentwise pruning keeps 299, 542 and 17 of them. All
# tasks are equal here, so with exchanges at most one pair per number of tasks is left: 39 for the first two,
# whose best time falls with every further task.
@pytest.mark.parametrize(
    ("theta", "batch", "componentwise", "with_exchanges"),
    [(SYNC_THETA, 40, 299, 39), (ASYNC_THETA, None, 542, 39), (RESNEXT_THETA, 128, 17, 15)],
)
def test_pairs_of_40_containers(theta, batch, componentwise, with_exchanges):
    problem = one_job(theta, batch)
    assert plain_packing(problem).planner.plan_count == 780
    assert packing(problem, exchanges=False).planner.plan_count == componentwise
    assert packing(problem).planner.plan_count == with_exchanges


# The other job holds 2 tasks, so p + w <= C - 2: (C - 3)(C - 2)/2 pairs each, 12 for C = 6.
@pytest.mark.parametrize(("capacity", "kept"), [(6, 12), (8, 25), (10, 41), (12, 59)])
def test_pairs_of_example_1(capacity, kept):
    problem = example_1(capacity)
    assert plain_packing(problem).planner.plan_count == (capacity - 3) * (capacity - 2)
    assert packing(problem, exchanges=False).planner.plan_count == kept


def test_pairs_of_example_3():
    assert plain_packing(example_3()).planner.plan_count == 34
    assert packing(example_3(), exchanges=False).planner.plan_count == 27


def relaxation(packing: Packing) -> float:
    """The optimum of (P) with continuous x, in the paper's objective."""
    table = packing.planner
    plans = np.arange(table.plan_count)
    choose = csr_array((np.ones(len(plans)), (table.agent_of, plans)))
    rows, one = table.plan_usage.T, np.ones(table.agent_count)
    found = linprog(-table.value, A_ub=rows, b_ub=packing.capacity, A_eq=choose, b_eq=one)
    return packing.report(-found.fun)


@pytest.mark.parametrize(("capacity", "bound"), [(6, 1215), (8, 1008.3333), (10, 843.3333), (12, 753.3333)])
def test_relaxation_of_example_1(capacity, bound):
    assert relaxation(plain_packing(example_1(capacity))) == pytest.approx(bound, abs=1e-3)
    assert relaxation(packing(example_1(capacity))) == pytest.approx(bound, abs=1e-3)


def test_relaxation_depends_on_the_table_bound_and_not_on_pruning():
    assert relaxation(plain_packing(example_3())) == pytest.approx(95103.8889, abs=1e-3)
    assert relaxation(packing(example_3())) == pytest.approx(95103.8889, abs=1e-3)
    # Where others may wait, pairs are bounded by C alone: more pairs, a weaker relaxation.
    assert relaxation(plain_packing(example_3(waiting=1e9))) == pytest.approx(94595.0, abs=1e-3)


def assert_equivalent(fast: Packing, plain: Packing) -> None:
    """Kept plans are plain plans of equal value and use; every other plain plan loses against a kept one."""
    for agent in range(plain.agent_count):
        all_rows, rows = plain.planner.rows_of(agent), fast.planner.rows_of(agent)
        place = {int(key): row for key, row in zip(plain.planner.key[all_rows], all_rows, strict=True)}
        assert len(place) == len(all_rows)
        assert np.all(np.diff(fast.planner.key[rows]) > 0)  # increasing p, then w
        kept = [place[int(key)] for key in fast.planner.key[rows]]
        assert fast.planner.value[rows] == pytest.approx(plain.planner.value[kept], rel=1e-12)
        assert np.array_equal(fast.planner.plan_usage[rows], plain.planner.plan_usage[kept])
        use, value = fast.planner.plan_usage[rows], fast.planner.value[rows]
        for row in all_rows:
            cheaper = (use <= plain.planner.plan_usage[row]).all(axis=1)
            own = plain.planner.value[row]
            assert (cheaper & (value >= own - 1e-12 * abs(own))).any()


def assert_minimal(table) -> None:
    """No kept plan has a kept rival that is faster and uses no more; only waiting (key 0) is always kept.

    Ties may stay, and jobs whose tasks use nothing at all are left out: an exchange adds one kind of task, not both.
    """
    for agent in range(table.agent_count):
        if not table.plan_usage[table.rows_of(agent)].any():
            continue
        for one, other in itertools.permutations(table.rows_of(agent), 2):
            loses = (table.plan_usage[other] <= table.plan_usage[one]).all()
            assert table.key[one] == 0 or not (loses and table.value[other] > table.value[one])


@given(problems())
@settings(max_examples=300)
def test_fast_table_is_equivalent_to_plain_table(problem):
    plain = plain_packing(problem)
    assert_equivalent(packing(problem, exchanges=False), plain)
    assert_equivalent(packing(problem), plain)
    assert_minimal(packing(problem).planner)


@pytest.mark.parametrize("options", [{"p_max": 0, "w_max": 0}, {"table_share": 0.3}, {"waiting": True}])
@pytest.mark.parametrize("cluster", ["cpu-7x16", "optimus-testbed"])
def test_generated_problems_too(cluster, options):
    problem = GENERATOR.generate(5, cluster=cluster, jobs=9, **options)
    assert_equivalent(packing(problem), plain_packing(problem))


def test_jobs_with_different_limits_keep_their_order():
    limits = [(1, 1), (9, 2), (2, 9), (3, 3), (1, 7), (9, 2)]
    jobs = [Job("async", 10, (1,), (1,), theta=(1, 1, 0, 0), server_max=p, worker_max=w) for p, w in limits]
    problem = OptimusProblem.from_jobs(UNIT, [1000], jobs)
    table = plain_packing(problem).planner
    assert table.sizes.tolist() == [p * w for p, w in limits]
    assert_equivalent(packing(problem), plain_packing(problem))


def test_keys_name_the_pair():
    table = plain_packing(example_3()).planner
    assert table.plan(0).detail == (1, 1)
    assert table.key[0] == KEY_STRIDE + 1
    assert packing(example_3()).planner.plan(0).detail == (1, 1)


def test_report_is_the_total_time():
    assert packing(example_1(8)).report(-1030.0) == 1030.0
    assert plain_packing(example_1(8)).report(-1030.0) == 1030.0


# ---------------------------------------------------------------- allocations and picks


def test_allocation_to_picks_and_back():
    problem = example_1(8)
    table = packing(problem, exchanges=False)
    chosen = Allocation([2, 1], [3, 2])
    picks = picks_of(problem, table, chosen)
    assert picks.fits(table)
    assert picks.value(table) == pytest.approx(-1008.3333333333334)
    assert allocation(problem, table, picks) == chosen


def test_a_pruned_pair_becomes_a_dominating_one():
    problem = example_1(12)
    table = packing(problem)
    chosen = Allocation([6, 1], [1, 1])  # six servers for one worker lose against any even split
    picks = picks_of(problem, table, chosen)
    better = allocation(problem, table, picks)
    assert better != chosen
    assert check(problem, better).objective <= check(problem, chosen).objective


@pytest.mark.parametrize(
    "pairs", [([0, 1], [0, 1]), ([1, 0], [1, 1]), ([1], [1]), ([-1, 1], [1, 1]), ([2**40, 1], [1, 1])]
)
def test_no_picks_for_what_cannot_be_feasible(pairs):
    problem = example_1(8)
    assert picks_of(problem, packing(problem), Allocation(*pairs)) is None


def test_waiting_is_a_plan():
    problem = example_3(capacity=(10, 2, 40), waiting=1e6)
    table = packing(problem)
    picks = picks_of(problem, table, Allocation([1, 0, 1], [1, 0, 1]))
    assert picks.fits(table)
    assert picks.value(table) == pytest.approx(-(48520 + 1e6 + 4875))
    assert table.planner.plan(int(table.planner.start[1])).detail == (0, 0)


def test_pairs_slower_than_waiting_are_left_out():
    problem = example_3(waiting=4000.0)  # below every t(1, 1)
    for agent in range(3):
        rows = packing(problem).planner.rows_of(agent)
        assert packing(problem).planner.value[rows].min() == -4000.0


def test_an_infeasible_problem_still_has_its_least_pairs():
    # 3 jobs need 16 cores, 3 GPUs and 57 GB at (1, 1).
    for build in (packing, plain_packing):
        table = build(example_3(capacity=(15, 6, 96))).planner
        assert table.least_use().sum(axis=0).tolist() == [16, 3, 57]
