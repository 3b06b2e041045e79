"""Speed model: published coefficients, two independent evaluations, stationary points."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from optimus_examples import ASYNC_THETA, SYNC_THETA, example_1, example_2, one_job
from optimus_random import problems

from formulations.optimus.problem import OptimusProblem, remaining_time, training_speed
from formulations.optimus.reference import remaining_time_plain


def speed(problem: OptimusProblem, p: int, w: int) -> float:
    return float(training_speed(problem, np.array([p]), np.array([w]))[0])


# By hand for (12, 6): sync T = 1.02*40/6 + 2.78 + 4.92*6/12 + 0.02*12 = 6.8 + 2.78 + 2.46 + 0.24 = 12.28;
# async T = 2.83 + 3.92*6/12 + 0.11*12 = 6.11, f = 6 / 6.11 = 0.981997.
@pytest.mark.parametrize(
    ("p", "w", "asynchronous", "synchronous"),
    [
        (1, 1, 0.145773, 0.020610),
        (1, 2, 0.185529, 0.030266),
        (2, 1, 0.199601, 0.021701),
        (2, 2, 0.286944, 0.035537),
        (4, 4, 0.556328, 0.055617),
        (6, 12, 1.059135, 0.061958),
        (12, 6, 0.981997, 0.081433),
        (12, 12, 1.486989, 0.088183),
        (18, 18, 2.061856, 0.096837),
    ],
)
def test_published_coefficients(p, w, asynchronous, synchronous):
    assert speed(one_job(ASYNC_THETA, None), p, w) == pytest.approx(asynchronous, abs=5e-7)
    assert speed(one_job(SYNC_THETA, 40), p, w) == pytest.approx(synchronous, abs=5e-7)


# The paper: with 20 containers, 8 workers and 12 servers are the fastest synchronous split.
@pytest.mark.parametrize(
    ("theta", "batch", "tasks", "pair", "best"),
    [
        (SYNC_THETA, 40, (20,), (12, 8), 0.0877193),
        (ASYNC_THETA, None, (20,), (9, 11), 1.2774193),
        (SYNC_THETA, 40, range(2, 41), (27, 13), 0.1132843),
        (ASYNC_THETA, None, range(2, 41), (17, 23), 2.2991885),
    ],
)
def test_fastest_split(theta, batch, tasks, pair, best):
    problem = one_job(theta, batch)
    found = max((speed(problem, p, total - p), p, total - p) for total in tasks for p in range(1, total))
    assert found[1:] == pair
    assert found[0] == pytest.approx(best, abs=1e-7)


def test_as_many_servers_as_workers_has_a_maximum():
    problem = one_job(SYNC_THETA, 40, slots=200)
    speeds = [speed(problem, x, x) for x in range(1, 101)]
    assert int(np.argmax(speeds)) + 1 == 45
    assert max(speeds) == pytest.approx(0.1051893, abs=1e-7)


def test_grid_maximum():
    problem = one_job(SYNC_THETA, 40, slots=200)
    found = max((speed(problem, p, w), p, w) for p, w in itertools.product(range(60, 101), range(10, 41)))
    assert found[1:] == (80, 26)
    assert found[0] == pytest.approx(0.1324814, abs=1e-7)


# A: 100 (10/w + 1 + w/p + 0.1 p); at (2, 3): 100 (3.3333 + 1 + 1.5 + 0.2) = 603.3333.
# B: 100 (4/w + 2/p + 0.1 p/w); at (2, 3): 100 (1.3333 + 1 + 0.0667) = 240.
@pytest.mark.parametrize(
    ("p", "w", "job_a", "job_b"),
    [
        (1, 1, 1210, 610),
        (1, 2, 810, 405),
        (2, 1, 1170, 520),
        (2, 2, 720, 310),
        (2, 3, 603 + 1 / 3, 240),
        (3, 3, 563 + 1 / 3, 210),
    ],
)
def test_times_of_example_1(p, w, job_a, job_b):
    times = remaining_time(example_1(8), np.array([p, p]), np.array([w, w]))
    assert times == pytest.approx([job_a, job_b], rel=1e-12)


@pytest.mark.parametrize(
    ("p", "w", "time"),
    [(1, 1, 47), (2, 1, 48), (1, 2, 48), (2, 2, 44), (2, 3, 140 / 3), (3, 2, 140 / 3), (3, 3, 143 / 3)],
)
def test_times_of_example_2(p, w, time):
    assert remaining_time_plain(example_2().job(0), p, w) == pytest.approx(time, rel=1e-12)


@given(problems())
def test_array_and_plain_evaluation_agree(problem):
    for p, w in itertools.product(range(1, 5), repeat=2):
        counts = np.full(problem.job_count, p), np.full(problem.job_count, w)
        fast = remaining_time(problem, *counts)
        for index in range(problem.job_count):
            plain = remaining_time_plain(problem.job(index), p, w)
            assert fast[index] == (np.inf if plain is None else pytest.approx(plain, rel=1e-12))


def test_waiting_and_unmeasured_pairs():
    problem = example_1(8)
    nothing = np.zeros(2, dtype=int)
    assert remaining_time(problem, nothing, nothing).tolist() == [np.inf, np.inf]
    assert training_speed(problem, nothing, nothing).tolist() == [0, 0]
