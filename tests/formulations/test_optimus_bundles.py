"""DRF and Tetris with bundles of one server and one worker: worked numbers, and every step against the plain rule."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optimus_examples import UNIT, example_1, example_2, example_3
from optimus_random import problems

import dmlopt
from dmlopt.control import Clock
from dmlopt.errors import InputError
from formulations.optimus import Job, OptimusProblem
from formulations.optimus.checker import check
from formulations.optimus.drf import dominant_resource_fairness
from formulations.optimus.reference import remaining_time_plain
from formulations.optimus.tetris import combined_scores, tetris

TWO = [("cpu", "core"), ("memory", "GB")]
THETA = {"theta": (1.0, 1.0, 0.0, 0.0)}


def test_drf_of_the_note():
    # Capacity (9, 18); a bundle of A uses (1, 4), one of B (3, 1). Shares after the start: A 4/18, B 3/9.
    # A to 8/18, B to 6/9, A to 12/18; then all 9 cores are taken, 14 GB are used.
    jobs = [Job("async", 100, (1, 2), (0, 2), **THETA), Job("async", 100, (2, 1), (1, 0), **THETA)]
    run = dominant_resource_fairness(OptimusProblem.from_jobs(TWO, [9, 18], jobs))
    assert run.allocation.pairs() == [(3, 3), (2, 2)]
    assert run.order == [0, 1, 0]
    assert run.finished
    assert run.waiting == []


def test_drf_stops_or_skips():
    # Capacity (3, 20); bundles A (2, 2), B (0, 2). After the start A holds 2/3, B 2/20; B goes on to 14/20 > 2/3.
    # A's next bundle needs 2 cores, 1 is left. "stop" ends here; "skip" gives B what is left: 20 - 2 = 9 bundles of 2.
    jobs = [Job("async", 100, (1, 1), (1, 1), **THETA), Job("async", 100, (0, 1), (0, 1), **THETA)]
    problem = OptimusProblem.from_jobs(TWO, [3, 20], jobs)
    assert dominant_resource_fairness(problem).allocation.pairs() == [(1, 1), (9, 9)]
    assert dominant_resource_fairness(problem, "stop").allocation.pairs() == [(1, 1), (7, 7)]


def test_drf_and_tetris_on_example_1():
    # 8 slots, bundles of 2: the start takes 4. DRF: one more each. Tetris: equal alignment, so the shorter job B
    # (610 s against 1210 s) takes both: 1210 + 100 (4/3 + 2/3 + 0.1) = 1420.
    fair, short = dominant_resource_fairness(example_1(8)), tetris(example_1(8))
    assert fair.allocation.pairs() == [(2, 2), (2, 2)]
    assert check(example_1(8), fair.allocation).objective == pytest.approx(1030)
    assert short.allocation.pairs() == [(1, 1), (3, 3)]
    assert check(example_1(8), short.allocation).objective == pytest.approx(1420)


def test_bundles_that_make_a_job_slower():
    # t(1,1) = 47, t(2,2) = 44, t(3,3) = 47.67, t(5,5) = 59: ten slots are five bundles.
    for rule in (dominant_resource_fairness, tetris):
        assert rule(example_2()).allocation.pairs() == [(5, 5)]
        assert rule(example_2(), only_faster=True).allocation.pairs() == [(2, 2)]


def test_limits_and_pairs_that_were_not_measured():
    speed = ((1.0, 1.0, 1.0), (1.0, 2.0, 1.0), (1.0, 1.0, 0.0))
    jobs = [
        Job("table", 10, (1,), (1,), speed=speed),
        Job("async", 10, (1,), (1,), theta=(1, 1, 0, 0), worker_max=4),
    ]
    problem = OptimusProblem.from_jobs(UNIT, [100], jobs)
    for rule in (dominant_resource_fairness, tetris):
        assert rule(problem).allocation.pairs() == [(2, 2), (4, 4)]


def test_scores_of_the_note():
    # a = 0.21 and 0.28, rest 40 and 10: eps = 0.245 / 25 = 0.0098; scores -0.182 and +0.182.
    demand, free = np.array([[0.25, 0.1, 0.1], [0.1, 0.2, 0.3]]), np.array([0.5, 0.25, 0.6])
    rest = np.array([40.0, 10.0])
    assert (demand @ free).tolist() == pytest.approx([0.21, 0.28])
    scores = combined_scores(demand @ free, rest, np.array([1, 1]), rest, 1.0)
    assert scores.tolist() == pytest.approx([-0.182, 0.182])
    assert combined_scores(
        demand @ free, rest * 0, np.array([1, 1]), rest * 0, 1.0
    ).tolist() == pytest.approx([0.21, 0.28])


def test_tetris_packs():
    # Capacity (12, 10); bundles A (3, 1), B (1, 3); the start leaves (8, 6), shares 2/3 and 0.6.
    # A 3/12 2/3 + 1/10 0.6 = 0.2267, B 1/12 2/3 + 3/10 0.6 = 0.2356: B. Free (7, 3): A 0.1758, B 0.1386: A.
    # Free (4, 2): B no longer fits, A again; free (1, 1): the end.
    jobs = [Job("async", 100, (2, 1), (1, 0), **THETA), Job("async", 100, (1, 2), (0, 1), **THETA)]
    problem = OptimusProblem.from_jobs(TWO, [12, 10], jobs)
    run = tetris(problem, shortness=0.0)
    assert run.order == [1, 0, 0]
    assert run.allocation.pairs() == [(3, 3), (2, 2)]


def test_rest_at_the_start_or_now():
    # Both bundles alike. Now: A (100 s) falls to 60 s < 90 s with its first bundle and takes the next one too.
    # At the start B (90 s) is the shorter one for good.
    speed_a, speed_b = ((1.0, 0, 0), (0, 1 / 0.6, 0), (0, 0, 2.0)), ((1.0, 0, 0), (0, 1.01, 0), (0, 0, 1.02))
    jobs = [Job("table", 90, (1,), (1,), speed=speed_b), Job("table", 89, (1,), (1,), speed=speed_a)]
    problem = OptimusProblem.from_jobs(UNIT, [8], jobs)
    assert tetris(problem).order == [1, 1]
    slow_first = OptimusProblem.from_jobs(
        UNIT,
        [8],
        [
            Job("table", 90, (1,), (1,), speed=((1.0, 0), (0, 0.5))),
            Job("table", 100, (1,), (1,), speed=speed_a),
        ],
    )
    assert tetris(slow_first).order == [0, 1]
    # A first bundle that makes job 0 slower (90 -> 180 s) hands the lead to job 1; at the start it keeps it.
    longer = ((1.0, 0, 0), (0, 0.5, 0), (0, 0, 0.5))
    pair = [Job("table", 90, (1,), (1,), speed=longer), Job("table", 100, (1,), (1,), speed=speed_a)]
    problem = OptimusProblem.from_jobs(UNIT, [8], pair)
    assert tetris(problem, rest="now").order == [0, 1]
    assert tetris(problem, rest="start").order == [0, 0]


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        (dominant_resource_fairness, {"on_infeasible": "wait"}),
        (tetris, {"rest": "later"}),
        (tetris, {"shortness": -1.0}),
        (tetris, {"shortness": float("nan")}),
    ],
)
def test_wrong_options(rule, options):
    with pytest.raises(InputError, match=f"{next(iter(options))}: expected"):
        rule(example_1(8), **options)


def test_shortage_is_answered_as_the_greedy_does():
    # E3 needs 3 GPUs for the start. Without waiting that is infeasible; with it the last job waits.
    for name in ("drf", "tetris", "greedy"):
        result = dmlopt.solve(example_3((32, 2, 96)), name)
        assert result.status == "infeasible"
        assert "1 GPU of gpu more than there is" in result.message
        waits = dmlopt.solve(example_3((32, 2, 96), waiting=1e6), name)
        assert waits.solution.pairs()[2] == (0, 0)
        assert waits.statistics["waiting"] == 1


def test_time_limit_leaves_a_feasible_answer():
    problem = dmlopt.generate("optimus", jobs=400, seed=1, load=0.1)
    for rule in (dominant_resource_fairness, tetris):
        run = rule(problem, clock=Clock(0.0))
        assert not run.finished
        assert check(problem, run.allocation).feasible


@settings(max_examples=60, deadline=None)
@given(problem=problems())
def test_never_better_than_the_certified_bound(problem):
    exact = dmlopt.solve(problem, "exact")
    for name in ("drf", "tetris"):
        result = dmlopt.solve(problem, name)
        assert result.status in ("feasible", "infeasible", "unknown")
        if result.objective is not None:
            assert result.objective >= exact.bound * (1 - 1e-12) - 1e-12


# ---------------------------------------------------------------- each step against the rule as it is written


def _next(problem, job, p, w):
    """Whether (p+1, w+1) may be tried, by the plain evaluation."""
    data = problem.job(job)
    if p == 0 or p + 1 > (data.server_max or p + 1) or w + 1 > (data.worker_max or w + 1):
        return False
    return remaining_time_plain(data, p + 1, w + 1) is not None


def _replay(problem, run, score, slack):
    """Follow `run.order`: each job must have had the best score; in the end no candidate may be left."""
    bundle = problem.server_demand + problem.worker_demand
    last = run.allocation.servers.copy(), run.allocation.workers.copy()
    for job in run.order:
        last[0][job] -= 1
        last[1][job] -= 1
    for job in [*run.order, None]:
        free = problem.capacity - last[0] @ problem.server_demand - last[1] @ problem.worker_demand
        open_jobs = [
            each
            for each in range(problem.job_count)
            if _next(problem, each, last[0][each], last[1][each]) and (bundle[each] <= free).all()
        ]
        if job is None:
            assert open_jobs == []
            return
        scores = dict(zip(open_jobs, score(problem, open_jobs, *last, free), strict=True))
        assert scores[job] >= max(scores.values()) - slack
        last[0][job] += 1
        last[1][job] += 1


def _fairness(problem, open_jobs, servers, workers, free):
    use = servers[:, None] * problem.server_demand + workers[:, None] * problem.worker_demand
    rows = np.flatnonzero(problem.capacity)
    return [
        -max((Fraction(int(use[job, r]), int(problem.capacity[r])) for r in rows), default=Fraction(0))
        for job in open_jobs
    ]


def _tetris_scores(problem, open_jobs, servers, workers, free):
    capacity = np.maximum(problem.capacity, 1)
    bundle = (problem.server_demand + problem.worker_demand)[open_jobs]
    alignment = (bundle / capacity) @ (free / capacity)
    rest = np.array(
        [remaining_time_plain(problem.job(j), int(servers[j]), int(workers[j])) for j in open_jobs]
    )
    return alignment - alignment.mean() / rest.mean() * rest


@settings(max_examples=100, deadline=None)
@given(problem=problems(most_jobs=5))
def test_drf_step_by_step(problem):
    run = dominant_resource_fairness(problem)
    if run is not None:
        assert check(problem, run.allocation).feasible
        _replay(problem, run, _fairness, 0)


@settings(max_examples=100, deadline=None)
@given(problem=problems(most_jobs=5))
def test_tetris_step_by_step(problem):
    run = tetris(problem)
    if run is not None:
        assert check(problem, run.allocation).feasible
        _replay(problem, run, _tetris_scores, 1e-9)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000), cluster=st.sampled_from(["cpu-7x16", "gpu-8x8-a100"]))
def test_generated_problems(seed, cluster):
    problem = dmlopt.generate("optimus", cluster=cluster, jobs=15, seed=seed, table_share=0.2)
    _replay(problem, dominant_resource_fairness(problem), _fairness, 0)
    _replay(problem, tetris(problem), _tetris_scores, 1e-9)
