"""The checker: one constraint broken at a time is named, and only that one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from oasis_examples import TWO, groups, job, w4b, w5

from formulations.oasis.checker import check
from formulations.oasis.problem import OasisProblem, ServerGroup
from formulations.oasis.solution import Schedules

Changed = dict[int, Any]


def roomy() -> OasisProblem:
    """Two jobs on two servers each side; job 1 arrives in slot 2. Job 0 needs 4 worker-slots, job 1 needs 2."""
    jobs = (
        job(1, 2, 2, 2, 0.4, 0.05, (5.0, 1.0, 1.0), B=3.0, w=(1, 2), s=(0, 2)),
        job(2, 1, 3, 1, 0.4, 0.125, (10.0, 0.5, 1.0), B=2.0, w=(1, 2), s=(0, 1)),
    )
    return OasisProblem(TWO, 4, 1.0, groups((3, 8), (3, 8)), groups((1, 8), (1, 2)), jobs)


def good() -> Schedules:
    """Job 0: one worker on each server in slots 1 and 2, a ps on host 0; job 1: two workers and a ps in slot 3."""
    two = ({0: 1, 1: 1}, {0: 1})
    return Schedules(({1: two, 2: two}, {3: ({0: 2}, {1: 1})}))


def test_feasible() -> None:
    verdict = check(roomy(), good())
    assert verdict.feasible
    first, second = roomy().jobs
    assert verdict.objective == pytest.approx(first.utility.value(1) + second.utility.value(1), abs=1e-12)


def test_rejected_jobs_are_worth_nothing() -> None:
    assert check(roomy(), Schedules((None, None))).objective == 0.0
    assert check(roomy(), Schedules((None, good().jobs[1]))).objective == roomy().jobs[1].utility.value(1)


def change(i: int, slot: int, sides: Any) -> Callable[[list[Changed]], None]:
    def edit(jobs: list[Changed]) -> None:
        if sides is None:
            del jobs[i][slot]
        else:
            jobs[i][slot] = sides

    return edit


def moved(i: int, before: int, after: int) -> Callable[[list[Changed]], None]:
    def edit(jobs: list[Changed]) -> None:
        jobs[i][after] = jobs[i].pop(before)

    return edit


BROKEN = {
    "work (2)": change(0, 2, ({0: 1}, {0: 1})),
    "width (3)": change(0, 2, ({0: 1, 1: 2}, {0: 1})),
    "ps capacity (5)": change(1, 3, ({0: 2, 1: 1}, {1: 3})),
    "ps bandwidth (6)": change(1, 3, ({0: 3}, {1: 1})),
    "ps count (7)": change(0, 2, ({0: 1, 1: 1}, {0: 3})),
    "slots": moved(1, 3, 5),
    "counts (12)": change(0, 2, ({0: -1, 1: 3}, {0: 1})),
    "counts (13)": change(0, 2, ({0: 1, 1: 1}, {0: 2, 1: -1})),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_one_broken_constraint_is_named(name: str) -> None:
    jobs = copy.deepcopy([dict(each or {}) for each in good().jobs])
    BROKEN[name](jobs)
    verdict = check(roomy(), Schedules(tuple(jobs)))
    assert {each.constraint for each in verdict.violations} == {name}
    assert all(each.amount > 0 for each in verdict.violations)


def test_worker_capacity() -> None:
    """Both jobs in slot 2 on server 0: 1 + 3 GPUs of 3."""
    jobs = [dict(each or {}) for each in good().jobs]
    jobs[1] = {2: ({0: 3}, {1: 2})}
    verdict = check(roomy(), Schedules(tuple(jobs)))
    assert {each.constraint for each in verdict.violations} == {"worker capacity (4)"}
    assert verdict.violations[0].where == "slot 2 all#0 gpu"
    assert verdict.violations[0].amount == 1


@pytest.mark.parametrize(
    ("tasks", "names"),
    [
        (({0: 1}, {0: 1}), {"arrival (9)", "arrival (10)"}),
        (({}, {0: 1}), {"arrival (10)", "ps count (7)"}),
        (({0: 1}, {}), {"arrival (9)", "ps bandwidth (6)"}),
    ],
)
def test_nothing_before_arrival(tasks: Any, names: set[str]) -> None:
    jobs = [dict(each or {}) for each in good().jobs]
    jobs[1][1] = tasks
    verdict = check(roomy(), Schedules(tuple(jobs)))
    assert {each.constraint for each in verdict.violations} == names


def test_places_that_do_not_exist() -> None:
    jobs = [dict(each or {}) for each in good().jobs]
    jobs[1] = {3: ({2: 2}, {1: 1})}
    verdict = check(roomy(), Schedules(tuple(jobs)))
    assert {each.constraint for each in verdict.violations} == {"slots"}
    assert verdict.objective is None


def test_surplus_is_feasible() -> None:
    """More workers and ps than needed break nothing; the completion slot is the last one with a worker."""
    jobs = [dict(each or {}) for each in good().jobs]
    jobs[1] = {3: ({0: 3}, {1: 2}), 4: ({0: 1}, {0: 1})}
    verdict = check(roomy(), Schedules(tuple(jobs)))
    assert verdict.feasible
    assert verdict.objective == pytest.approx(
        roomy().jobs[0].utility.value(1) + roomy().jobs[1].utility.value(2), abs=1e-12
    )


def test_chunks_may_not_straddle_slots() -> None:
    """W5: two worker-slots cover 1.95, but a slot of one worker trains only one chunk of 0.65."""
    two = Schedules(({1: ({0: 1}, {0: 1}), 2: ({0: 1}, {0: 1})},))
    assert check(w5("slots"), two).feasible
    verdict = check(w5("chunks"), two)
    assert [each.constraint for each in verdict.violations] == ["work (2)"]
    assert "2 whole chunks, 3 needed" in verdict.violations[0].message


def test_pooled_capacity_and_rooms() -> None:
    """Three workers of (1, 2) need 6 cores: more than a pool of 5; in a pool of 6 they fit, but not server by server."""
    pooled = w4b("pooled")
    wide = Schedules((None, {2: ({0: 3}, {0: 1})}, None))
    assert {each.constraint for each in check(pooled, wide).violations} == {"worker capacity (4)"}
    servers = (ServerGroup("a", (2, 3)), ServerGroup("a", (2, 3)))
    demanding = replace(pooled.jobs[1], worker=(1, 2))
    loose = replace(pooled, worker_servers=servers, jobs=(demanding,))
    tight = replace(loose, pool_rooms=True)
    three = Schedules(({2: ({0: 3}, {0: 1})},))
    assert check(loose, three).feasible
    assert {each.constraint for each in check(tight, three).violations} == {"pool rooms"}


@pytest.mark.parametrize("solution", [None, 3, {"jobs": []}, Schedules(()), Schedules((None,) * 3)])
def test_shape(solution: Any) -> None:
    verdict = check(roomy(), solution)
    assert verdict.objective is None
    assert [each.constraint for each in verdict.violations] == ["shape"]


def test_an_admitted_job_without_workers() -> None:
    verdict = check(roomy(), Schedules(({}, None)))
    assert not verdict.feasible
    assert [each.constraint for each in verdict.violations] == ["work (2)"]
