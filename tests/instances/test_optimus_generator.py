"""The Optimus generator and the catalogue: same seed, same bytes; the load is what it says."""

import json

import numpy as np
import pytest

from dmlopt.errors import InputError, UnknownNameError
from dmlopt.registry import generator
from formulations.optimus import FORMULATION
from formulations.optimus.formulation import least_load
from formulations.optimus.greedy import marginal_gain
from formulations.optimus.problem import remaining_time
from formulations.optimus.speed import ASYNC, SYNC, TABLE
from instances import catalogue
from instances.optimus import GENERATOR


def written(seed: int, **options) -> str:
    return json.dumps(FORMULATION.problem_to_json(GENERATOR.generate(seed, **options)))


@pytest.mark.parametrize("options", [{}, {"table_share": 0.5, "waiting": True}, {"kinds": 3, "jobs": 40}])
def test_same_seed_same_bytes(options):
    assert written(7, **options) == written(7, **options)
    assert written(7, **options) != written(8, **options)


def test_a_certain_instance_stays_the_same():
    # Guards stored results: a change of the generator must be on purpose.
    problem = GENERATOR.generate(1, jobs=2)
    assert problem.capacity.tolist() == [32, 160]
    assert problem.job(0).theta == (0.00538869, 0.432003, 0.0265539, 0.014812, 0.0)
    assert problem.job(1).theta == (0.459137, 0.0255622, 0.0170608, 0.0)
    assert problem.steps.tolist() == [5083.0, 19685.0]


@pytest.mark.parametrize("cluster", sorted(catalogue.clusters()))
@pytest.mark.parametrize("load", [0.1, 0.4, 0.9, 1.0])
def test_load_is_reached_and_everything_fits(cluster, load):
    problem = GENERATOR.generate(3, cluster=cluster, jobs=200, load=load)
    assert load * 0.8 < least_load(problem) <= load + 1e-9
    assert marginal_gain(problem) is not None


def test_load_keeps_the_jobs():
    slack, tight = (GENERATOR.generate(3, jobs=30, load=load) for load in (0.1, 0.9))
    assert np.array_equal(slack.theta, tight.theta)
    assert np.array_equal(slack.steps, tight.steps)
    assert (slack.capacity > tight.capacity).all()


def test_overload_needs_waiting():
    problem = GENERATOR.generate(3, jobs=50, load=1.6)
    assert least_load(problem) > 1
    assert marginal_gain(problem) is None
    relaxed = GENERATOR.generate(3, jobs=50, load=1.6, waiting=True)
    assert marginal_gain(relaxed).waiting
    ones = np.ones(50, dtype=int)
    # The cost is the sum of all t(1, 1), rounded up: one job less in the queue is worth any delay.
    assert relaxed.waiting[0] == pytest.approx(remaining_time(relaxed, ones, ones).sum(), abs=1.0)
    assert set(GENERATOR.generate(3, waiting=True, waiting_cost=5).waiting) == {5.0}


def test_load_0_is_the_named_cluster():
    assert GENERATOR.generate(1, load=0).capacity.tolist() == [112, 560]
    assert GENERATOR.generate(1, load=0, cluster="optimus-testbed").capacity.tolist() == [160, 12, 848]


def test_modes_and_limits():
    problem = GENERATOR.generate(2, jobs=400, async_share=0.25, table_share=0.2, p_max=5, w_max=60)
    counts = np.bincount(problem.mode, minlength=3) / 400
    assert counts[TABLE] == pytest.approx(0.2, abs=0.06)
    assert counts[ASYNC] == pytest.approx(0.2, abs=0.06)
    assert set(problem.server_max) == {5}
    sync = problem.mode == SYNC
    assert (problem.worker_max[sync] <= problem.batch[sync]).all()  # never less than one example per worker
    assert problem.worker_max[sync].min() == 40
    assert all(table[0, 0] > 0 for table in problem.speeds.values())
    none = GENERATOR.generate(2, jobs=5, p_max=0, w_max=0)
    assert none.job(0).server_max is None


def test_coefficients_scatter_around_the_catalogue():
    problem = GENERATOR.generate(4, jobs=4000, models="resnet-50-cpu", async_share=0.0)
    published = np.array([1.02, 2.78, 4.92, 0.0, 0.02])
    positive = published > 0
    assert (problem.theta[:, ~positive] == 0).all()
    logs = np.log(problem.theta[:, positive] / published[positive])
    assert logs.mean(axis=0) == pytest.approx(0, abs=0.03)
    assert logs.std(axis=0) == pytest.approx(0.25, abs=0.03)
    # 115 steps per epoch, 30 epochs in the median
    assert np.median(problem.steps) == pytest.approx(3450, rel=0.1)


def test_no_spread_gives_the_published_figures():
    problem = GENERATOR.generate(4, models="resnet-50-cpu", async_share=1.0, theta_sigma=0, steps_sigma=0)
    assert problem.job(0).theta == (2.83, 3.92, 0.0, 0.11)
    assert problem.job(0).steps == 3450 * 4  # 4 mini-batches of 10 in a batch of 40


def test_kinds_are_copied():
    problem = GENERATOR.generate(6, jobs=60, kinds=3)
    rows = {
        (*theta, steps) for theta, steps in zip(problem.theta.tolist(), problem.steps.tolist(), strict=True)
    }
    assert len(rows) == 3


def test_workers_use_gpus_on_gpu_clusters_only():
    gpu = GENERATOR.generate(1, cluster="gpu-8x8-a100", jobs=50)
    assert [kind.name for kind in gpu.resources] == ["cpu", "gpu", "memory"]
    assert set(gpu.worker_demand[:, 1]) == {1}
    assert set(gpu.server_demand[:, 1]) == {0}
    assert [kind.name for kind in GENERATOR.generate(1).resources] == ["cpu", "memory"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"jobs": 0}, "jobs: expected a number from 1 to 1000000, got 0"),
        ({"load": -1}, "load: expected a number from 0.0 to 1000.0, got -1.0"),
        ({"async_share": 2}, "async_share: expected a number from 0.0 to 1.0, got 2.0"),
        ({"waiting_cost": -3}, "waiting_cost: expected a finite number >= 0, got -3.0"),
        ({"models": "vgg-16"}, "models: vgg-16 needs gpu, which cluster cpu-7x16 does not have"),
        ({"seed": -1}, "seed: expected an integer >= 0, got -1"),
    ],
)
def test_wrong_options(options, expected):
    with pytest.raises(InputError) as caught:
        GENERATOR.generate(**{"seed": 1, **options})
    assert caught.value.problems == [expected]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"cluster": "cpu-7x61"}, "Did you mean 'cpu-7x16'?"),
        ({"models": "vgg16"}, "Did you mean 'vgg-16'?"),
        ({"job": 3}, "Did you mean 'jobs'?"),
    ],
)
def test_unknown_names(options, hint):
    with pytest.raises(UnknownNameError) as caught:
        GENERATOR.generate(1, **options)
    assert hint in str(caught.value)


def test_registered():
    assert generator("optimus").formulation == "optimus"
    assert "cpu-7x16" in generator("optimus").clusters()


def test_catalogue():
    testbed = catalogue.cluster("optimus-testbed")
    assert testbed.capacity() == (
        160,
        12,
        848,
    )  # the paper's testbed: 7 x (16, 80 GB) and 6 x (8, 2 GPUs, 48 GB)
    assert testbed.server_count() == 13
    for model in catalogue.models().values():
        assert len(model.sync) == 5
        assert len(model.asynchronous) == 4
        assert model.where in ("cpu", "gpu")
        assert ("gpu" in model.worker) == (model.where == "gpu")


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize("cluster", ["cpu-7x16", "gpu-8x8-a100"])
def test_number_of_resources(cluster, count):
    whole = GENERATOR.generate(3, cluster=cluster, jobs=30)
    problem = GENERATOR.generate(3, cluster=cluster, jobs=30, resources=count)
    own = whole.resource_count
    names = [*(kind.name for kind in whole.resources), "network", "disk", "io", "ports"]
    assert [kind.name for kind in problem.resources] == names[:count]
    assert problem.steps.tolist() == whole.steps.tolist()
    assert problem.worker_demand[:, :own].tolist() == whole.worker_demand[:, :count].tolist()
    assert least_load(problem) <= 0.4 + 1e-12
    more = problem.server_demand[:, own:]
    assert more.size == 0 or (more.min() >= 1 and more.max() <= 8)


def test_modelled_resources_of_copies_and_of_a_named_cluster():
    problem = GENERATOR.generate(3, jobs=40, kinds=3, resources=6)
    assert len(np.unique(np.hstack([problem.worker_demand, problem.server_demand]), axis=0)) <= 3
    named = GENERATOR.generate(3, jobs=5, load=0.0, resources=3)
    need = (named.worker_demand + named.server_demand).sum(axis=0)
    assert named.capacity.tolist()[:2] == [112, 560]  # 7 servers of 16 cores and 80 GB
    assert named.capacity[2] == np.ceil(need[2] / 0.4)
    with pytest.raises(InputError, match="resources: expected a number from 0 to 6, got 7"):
        GENERATOR.generate(1, resources=7)
