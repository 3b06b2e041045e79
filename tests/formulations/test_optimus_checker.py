"""The checker: the objective, and one broken constraint at a time."""

import numpy as np
import pytest
from optimus_examples import JOB_A, UNIT, example_1, example_3

from dmlopt.errors import InputError
from formulations.optimus import Allocation, Job, OptimusProblem
from formulations.optimus.checker import check


def limited() -> OptimusProblem:
    """Three jobs on 20 slots: limits 3 and 4 on the first, a measured table (2 x 3, one gap) for the last."""
    jobs = [
        Job("async", 10, (1,), (1,), theta=(1, 1, 0, 0), server_max=3, worker_max=4),
        JOB_A,
        Job("table", 60, (1,), (1,), speed=((1, 2, 0), (2, 3, 4))),
    ]
    return OptimusProblem.from_jobs(UNIT, [20], jobs)


GOOD = ([3, 2, 2], [4, 3, 3])


def test_objective():
    # 10 (1/4 + 1/3) + 603.3333 + 60/4
    verdict = check(limited(), Allocation(*GOOD))
    assert verdict.feasible
    assert verdict.objective == pytest.approx(10 * 7 / 12 + 603 + 1 / 3 + 15, rel=1e-12)


@pytest.mark.parametrize(
    ("servers", "workers", "constraint", "where", "amount"),
    [
        ([3, 5, 2], [4, 4, 3], "capacity (7)", "slot", 1),
        ([3, 0, 2], [4, 3, 3], "counts (8)", "jobs[1]", 1),
        ([3, 2, 2], [4, -2, 3], "counts (8)", "jobs[1]", 3),
        ([3, 0, 2], [4, 0, 3], "waiting", "jobs[1]", 1),
        ([4, 2, 2], [4, 3, 3], "limits", "jobs[0]", 1),
        ([3, 2, 2], [6, 3, 3], "limits", "jobs[0]", 2),
        ([3, 2, 1], [4, 3, 3], "limits", "jobs[2]", 1),
        ([3, 2, 3], [4, 3, 3], "limits", "jobs[2]", 1),
        ([3, 2], [4, 3, 3], "shape", "servers", 1),
        ([3, 2, 2], [4, 3, 3, 1, 1], "shape", "workers", 2),
    ],
)
def test_exactly_the_broken_constraint_is_named(servers, workers, constraint, where, amount):
    verdict = check(limited(), Allocation(servers, workers))
    assert not verdict.feasible
    assert [(each.constraint, each.where, each.amount) for each in verdict.violations] == [
        (constraint, where, amount)
    ]


def test_over_capacity_is_still_evaluated():
    verdict = check(example_1(8), Allocation([3, 3], [3, 3]))
    assert verdict.objective == pytest.approx(563 + 1 / 3 + 210)
    assert str(verdict.violations[0]) == "capacity (7) at slot: 12 used, 8 there are (unit: task)"


def test_each_short_resource_is_named():
    verdict = check(example_3(), Allocation([1, 4, 1], [3, 3, 1]))
    # cores: 3+6 + 16+6 + 3+2 = 36 of 32; GPUs: 7 of 6; memory: 9+24 + 40+30 + 20 = 123 of 96
    assert [(each.where, each.amount) for each in verdict.violations] == [
        ("cpu", 4),
        ("gpu", 1),
        ("memory", 27),
    ]


def test_several_violations_at_once():
    verdict = check(limited(), Allocation([4, 0, 1], [4, 0, 3]))
    assert [each.constraint for each in verdict.violations] == ["limits", "waiting", "limits"]
    assert verdict.objective is None


def test_waiting_jobs_are_charged():
    problem = example_3(capacity=(10, 2, 40), waiting=1e6)
    verdict = check(problem, Allocation([1, 0, 1], [1, 0, 1]))
    assert verdict.feasible
    assert verdict.objective == 48520 + 1e6 + 4875


def test_waiting_cost_per_job():
    problem = OptimusProblem.from_jobs(UNIT, [2], [JOB_A, JOB_A], waiting=[7.0, 9.0])
    assert check(problem, Allocation([0, 1], [0, 1])).objective == pytest.approx(7 + 1210)
    assert check(problem, Allocation([1, 0], [1, 0])).objective == pytest.approx(9 + 1210)


def test_huge_counts_do_not_overflow():
    problem = OptimusProblem.from_jobs(
        UNIT, [10**12], [Job("async", 1, (10**12,), (0,), theta=(1, 1, 0, 0), server_max=1)]
    )
    verdict = check(problem, Allocation([1], [10**12]))
    assert verdict.violations[0].amount == 10**24 - 10**12


def test_something_else_is_no_solution():
    assert check(example_1(8), [(1, 1), (1, 1)]).violations[0].constraint == "shape"


@pytest.mark.parametrize("counts", [[1.5, 1], ["a", 1], [[1, 1]], [True, False], [float("nan"), 1], 3])
def test_allocations_are_lists_of_whole_numbers(counts):
    with pytest.raises(InputError, match="servers: expected a list of whole numbers, one per job"):
        Allocation(counts, np.array([1, 1]))


def test_whole_floats_are_accepted():
    assert Allocation(np.array([1.0, 2.0]), [1, 1]).pairs() == [(1, 1), (2, 1)]
