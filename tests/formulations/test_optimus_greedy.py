"""The marginal-gain greedy: worked numbers, every open choice, and when it is optimal."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optimus_examples import E3_JOBS, THREE, UNIT, example_1, example_2, example_3
from optimus_random import problems

from dmlopt.control import Clock
from dmlopt.errors import InputError
from formulations.optimus import Job, OptimusProblem
from formulations.optimus.checker import check
from formulations.optimus.greedy import GreedyRule, Step, marginal_gain
from formulations.optimus.reference import brute_force, remaining_time_plain
from instances.optimus import GENERATOR


def outcome(problem, rule=None, priority=None):
    run = marginal_gain(problem, rule, priority)
    verdict = check(problem, run.allocation)
    assert verdict.feasible
    return run.allocation.pairs(), verdict.objective


# ---------------------------------------------------------------- E1: two jobs, one resource


@pytest.mark.parametrize(
    ("capacity", "pairs", "value"),
    [
        (6, [(1, 2), (1, 2)], 1215),
        (7, [(1, 2), (2, 2)], 1120),
        (8, [(2, 2), (2, 2)], 1030),
        (10, [(2, 3), (2, 3)], 843 + 1 / 3),
        (12, [(3, 4), (2, 3)], 753 + 1 / 3),
    ],
)
def test_example_1(capacity, pairs, value):
    assert outcome(example_1(capacity)) == (pairs, pytest.approx(value, rel=1e-12))


# A saves 1210 - 810 = 400, B 610 - 405 = 205; then B's server 405 - 310 = 95, A's server 810 - 720 = 90.
def test_steps_of_example_1():
    steps = marginal_gain(example_1(8)).steps
    assert [(step.job, step.task) for step in steps] == [
        (0, "worker"),
        (1, "worker"),
        (1, "server"),
        (0, "server"),
    ]
    assert [step.gain for step in steps] == pytest.approx([400, 205, 95, 90], rel=1e-12)


# A factor on B below 90/95 = 0.947 lets A's server go first.
@pytest.mark.parametrize(
    ("capacity", "factor", "pairs", "value"),
    [
        (8, 0.9, [(2, 3), (1, 2)], 1008 + 1 / 3),
        (8, 0.95, [(2, 2), (2, 2)], 1030),
        (7, 1.0, [(1, 2), (2, 2)], 1120),
        (7, 0.94, [(2, 2), (1, 2)], 1125),
    ],
)
def test_priority_factor(capacity, factor, pairs, value):
    assert outcome(example_1(capacity), priority=[1, factor]) == (pairs, pytest.approx(value, rel=1e-12))


@pytest.mark.parametrize("priority", [[1], [1, 0], [1, math.inf], [1, math.nan], [1, -1]])
def test_wrong_priority(priority):
    with pytest.raises(InputError, match="priority: expected 2 finite factors > 0"):
        marginal_gain(example_1(8), priority=priority)


# ---------------------------------------------------------------- E2: stuck at the start


def test_example_2_needs_lookahead():
    # One more server or worker costs 1 s, both together save 3 s: gain 3/2 per slot.
    assert outcome(example_2()) == ([(1, 1)], pytest.approx(47))
    run = marginal_gain(example_2(), GreedyRule(lookahead=True))
    assert run.allocation.pairs() == [(2, 2)]
    assert run.steps == [Step(0, "pair", pytest.approx(1.5))]


# ---------------------------------------------------------------- E3: three resources


@pytest.mark.parametrize("on_infeasible", ["stop", "skip"])
def test_example_3(on_infeasible):
    problem = example_3()
    run = marginal_gain(problem, GreedyRule(on_infeasible=on_infeasible))
    assert run.allocation.pairs() == [(1, 2), (2, 3), (1, 1)]
    assert check(problem, run.allocation).objective == pytest.approx(97448.3333, abs=1e-4)
    # Workers are divided by 1 GPU, J2's server by its 4 cores: (t(1,3) - t(2,3)) / 4 = 38466.6667 / 4.
    assert [(step.job, step.task) for step in run.steps] == [
        (1, "worker"),
        (0, "worker"),
        (1, "worker"),
        (1, "server"),
    ]
    assert [step.gain for step in run.steps] == pytest.approx([29400, 15480, 9800, 9616.6667], abs=1e-3)
    servers, workers = run.allocation.servers, run.allocation.workers
    use = workers @ problem.worker_demand + servers @ problem.server_demand
    assert use.tolist() == [26, 6, 95]


def test_share_divisor_finds_the_optimum_of_example_3():
    found = outcome(example_3(), GreedyRule(gain_divisor="share"))
    assert found == ([(1, 2), (3, 2), (1, 1)], pytest.approx(95648.3333, abs=1e-4))


def test_first_resource_wins_a_tie_of_shares():
    # J1's server takes 3/32 of the cores and 9/96 of the memory, both 0.09375; cores come first, so the gain
    # is (48520 - 46080) / 3.
    alone = Job(
        "sync", 1000, worker=(2, 1, 8), server=(3, 0, 9), theta=E3_JOBS[0].theta, batch=40, worker_max=1
    )
    run = marginal_gain(OptimusProblem.from_jobs(THREE, (32, 6, 96), [alone]))
    assert run.steps[0] == Step(0, "server", pytest.approx(2440 / 3))


def test_amounts_are_taken_in_the_bare_unit():
    tenths = [("cpu", "0.1 core"), ("gpu", "GPU"), ("memory", "GB")]
    jobs = [
        Job(
            job.mode,
            job.steps,
            worker=(10 * job.worker[0], *job.worker[1:]),
            server=(10 * job.server[0], *job.server[1:]),
            theta=job.theta,
            batch=job.batch,
        )
        for job in E3_JOBS
    ]
    run = marginal_gain(OptimusProblem.from_jobs(tenths, (320, 6, 96), jobs))
    assert [step.gain for step in run.steps] == pytest.approx([29400, 15480, 9800, 9616.6667], abs=1e-3)


def test_shortage_in_list_order():
    # (1, 1) needs (5,1,17), (6,1,20), (5,1,20). J1 leaves (5,1,23): too few cores for J2, enough for J3.
    run = marginal_gain(example_3(capacity=(10, 2, 40), waiting=1e6))
    assert run.allocation.pairs() == [(1, 1), (0, 0), (1, 1)]
    assert run.waiting == [1]


def test_no_answer_when_not_all_fit_and_none_may_wait():
    assert marginal_gain(example_3(capacity=(10, 2, 40))) is None


# ---------------------------------------------------------------- open choices one by one


def flat(theta, **more):
    return Job("async", 100, (1,), (1,), theta=theta, **more)


def test_a_limit_is_no_shortage():
    # t = 1/w + 1/p. The first job may not grow; under "stop" the second one still gets the other six slots.
    jobs = [flat((9, 9, 0, 0), server_max=1, worker_max=1), flat((1, 1, 0, 0))]
    run = marginal_gain(OptimusProblem.from_jobs(UNIT, [10], jobs))
    assert run.allocation.pairs() == [(1, 1), (4, 4)]


def test_stop_and_skip():
    # The first job's tasks are large: after (1, 1) and (1, 1) there is 1 left, its best candidate needs 4.
    large = Job("async", 1e6, (4,), (4,), theta=(1, 1, 0, 0))
    problem = OptimusProblem.from_jobs(UNIT, [11], [large, flat((1, 1, 0, 0))])
    assert marginal_gain(problem).allocation.pairs() == [(1, 1), (1, 1)]
    assert marginal_gain(problem, GreedyRule(on_infeasible="skip")).allocation.pairs() == [(1, 1), (2, 1)]


def test_zero_gain():
    # t = Q/p, and p is limited to 1: further workers gain exactly nothing.
    problem = OptimusProblem.from_jobs(UNIT, [6], [flat((0, 1, 0, 0), server_max=1)])
    assert marginal_gain(problem).allocation.pairs() == [(1, 1)]
    run = marginal_gain(problem, GreedyRule(zero_gain=True))
    assert run.allocation.pairs() == [(1, 5)]
    assert {step.gain for step in run.steps} == {0.0}


def test_ties():
    # t = Q (1/w + 1/p) is symmetric: both tasks gain the same.
    problem = OptimusProblem.from_jobs(UNIT, [6], [flat((1, 1, 0, 0)), flat((1, 1, 0, 0))])
    first = [(step.job, step.task) for step in marginal_gain(problem).steps]
    assert first == [(0, "server"), (0, "worker")]
    second = [(step.job, step.task) for step in marginal_gain(problem, GreedyRule(ties="worker")).steps]
    assert second == [(0, "worker"), (0, "server")]


def test_a_task_without_demand_has_infinite_gain():
    free = Job("async", 100, (1,), (0,), theta=(1, 1, 0, 0), server_max=3)
    run = marginal_gain(OptimusProblem.from_jobs(UNIT, [3], [free]))
    assert [step.gain for step in run.steps[:2]] == [math.inf, math.inf]
    assert run.allocation.pairs() == [(3, 3)]


def test_measured_tables_start_at_the_smallest_measured_pair():
    job = Job("table", 12, (1,), (1,), speed=((0, 0, 1), (0, 2, 3)))
    run = marginal_gain(OptimusProblem.from_jobs(UNIT, [9], [job]))
    # (1, 3) and (2, 2) have 4 tasks each, (1, 3) fewer servers; then a second server makes 12/1 into 12/3.
    assert run.steps == [Step(0, "server", pytest.approx(8))]
    assert run.allocation.pairs() == [(2, 3)]


@pytest.mark.parametrize("choice", [{"ties": "job"}, {"on_infeasible": "wait"}, {"gain_divisor": "unit"}])
def test_wrong_choices(choice):
    with pytest.raises(InputError, match=f"{next(iter(choice))}: expected .* or .*, got"):
        GreedyRule(**choice)


def test_time_limit_gives_back_what_there_is():
    problem = GENERATOR.generate(1, jobs=300, load=0.1)
    run = marginal_gain(problem, clock=Clock(time_limit=0.0))
    assert not run.finished
    assert 0 < len(run.steps) < len(marginal_gain(problem).steps)
    assert check(problem, run.allocation).feasible


# ---------------------------------------------------------------- properties

RULES = [
    GreedyRule(on_infeasible=infeasible, gain_divisor=divisor, lookahead=lookahead)
    for infeasible in ("stop", "skip")
    for divisor in ("amount", "share")
    for lookahead in (False, True)
]


@given(problems(), st.sampled_from(RULES))
def test_never_better_than_the_optimum_and_never_infeasible(problem, rule):
    run = marginal_gain(problem, rule)
    best = brute_force(problem)
    if run is None:
        assert problem.waiting is None
        return
    verdict = check(problem, run.allocation)
    assert verdict.feasible
    assert verdict.objective >= best[0] * (1 - 1e-12)


@given(problems())
def test_every_step_saves_time(problem):
    run = marginal_gain(problem, GreedyRule(on_infeasible="skip"))
    assert run is None or all(step.gain > 0 for step in run.steps)


def bundles(job: Job, most: int) -> Job:
    """The job with as many servers as workers: a table of which only the diagonal is measured."""
    speed = np.zeros((most, most))
    for x in range(1, most + 1):
        speed[x - 1, x - 1] = job.steps / remaining_time_plain(job, x, x)
    return Job("table", job.steps, (1,), (1,), speed=tuple(map(tuple, speed)))


# With p = w = x, t = Q (a/x + b + c x) with a, c >= 0 is convex in x; for one resource and equal tasks the
# greedy over bundles is then optimal.
@given(st.integers(0, 10**6))
@settings(max_examples=200)
def test_bundles_of_equal_size_are_solved_to_optimality(seed):
    random = np.random.default_rng(seed)
    jobs = []
    for _ in range(int(random.integers(2, 5))):
        synchronous = random.random() < 0.5
        theta = random.uniform(0, 3, 5 if synchronous else 4) * (random.random(5 if synchronous else 4) < 0.8)
        theta[1] += 0.1
        mode, batch = ("sync", int(random.integers(1, 60))) if synchronous else ("async", None)
        job = Job(mode, float(random.uniform(1, 100)), (1,), (1,), theta=tuple(theta), batch=batch)
        jobs.append(bundles(job, most=6))
    problem = OptimusProblem.from_jobs(UNIT, [2 * len(jobs) + int(random.integers(0, 14))], jobs)
    pairs, value = outcome(problem, GreedyRule(lookahead=True))
    assert all(p == w for p, w in pairs)
    assert value == pytest.approx(brute_force(problem)[0], rel=1e-9)


def test_units_decide_between_the_variants():
    # Raw amounts mix cores, GPUs and gigabytes: on average shares beat amounts, and skipping beats stopping.
    totals = dict.fromkeys(["stop", "skip", "share-stop", "share-skip"], 0.0)
    for seed in range(40):
        problem = random_three_resources(seed)
        for name in totals:
            divisor = "share" if name.startswith("share") else "amount"
            rule = GreedyRule(on_infeasible=name.split("-")[-1], gain_divisor=divisor)
            share = outcome(problem, rule)[1] / outcome(problem, GreedyRule())[1]
            totals[name] += share
    assert totals["share-skip"] < totals["skip"] < totals["stop"]
    assert totals["share-skip"] < totals["share-stop"] < totals["stop"]


def random_three_resources(seed: int) -> OptimusProblem:
    random = np.random.default_rng(seed)
    jobs = []
    for index in range(6):
        cores, memory = random.integers(1, 5, 2), random.integers(4, 17, 2)
        common = {
            "steps": float(random.uniform(500, 20000)),
            "worker": (int(cores[0]), 1, int(memory[0])),
            "server": (int(cores[1]), 0, int(memory[1])),
        }
        if index % 2:
            theta = (*random.uniform(1, 5, 2), random.uniform(0, 0.2), random.uniform(0, 0.3))
            jobs.append(Job("async", theta=theta, **common))
        else:
            theta = random.uniform([0.005, 0, 0.1, 0, 0], [1.5, 3, 6, 0.1, 0.1])
            jobs.append(Job("sync", theta=tuple(theta), batch=int(random.integers(16, 129)), **common))
    return OptimusProblem.from_jobs(THREE, (64, 12, 192), jobs)
