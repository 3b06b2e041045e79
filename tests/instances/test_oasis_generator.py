"""Random OASiS instances: the same seed the same bytes, ranges, presets, wrong options."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import dmlopt
from dmlopt.errors import DmloptError
from formulations.oasis import FORMULATION
from formulations.oasis.quantities import quantities
from instances.arrivals import PATTERNS, arrival_slots
from instances.oasis import GENERATOR


def as_text(**options: Any) -> str:
    return json.dumps(FORMULATION.problem_to_json(dmlopt.generate("oasis", **options)))


@pytest.mark.parametrize(
    "options",
    [
        {"jobs": 3, "horizon": 10, "servers": 2},
        {"jobs": 40, "view": "pooled", "cluster": "ec2-mixed", "arrivals": "bursty"},
        {"jobs": 10, "scale": "toy", "cluster": "toy", "servers": 2, "horizon": 12, "work": "chunks"},
        {"jobs": 500, "horizon": 300, "view": "pooled", "arrivals": "diurnal", "bandwidth": True},
    ],
)
def test_same_seed_same_bytes(options: dict[str, Any]) -> None:
    assert as_text(seed=3, **options) == as_text(seed=3, **options)
    assert as_text(seed=3, **options) != as_text(seed=4, **options)


def test_share_of_schedulable_jobs() -> None:
    """The notes: at T = 100 and tau <= 0.1 22 % of jobs that arrive in slot 1 can finish, at tau <= 0.01 91 %."""
    for tau_max, share in ((0.1, 0.22), (0.01, 0.91)):
        problem = dmlopt.generate(
            "oasis", jobs=600, seed=1, tau_max=tau_max, arrive_until=0.0, view="pooled", servers=2000
        )
        fast = np.mean([each.least_slots <= 100 for each in quantities(problem)])
        assert fast == pytest.approx(share, abs=0.05)
    assert "schedulable alone" in FORMULATION.describe(problem)


def test_ranges() -> None:
    problem = dmlopt.generate("oasis", jobs=300, seed=2)
    jobs = problem.jobs
    assert {
        50 <= job.epochs <= 200 and 5 <= job.chunks <= 100 and 10 <= job.minibatches <= 100 for job in jobs
    } == {True}
    assert all(3.6 <= job.minibatch_seconds <= 18.0 for job in jobs)
    assert all(3e7 <= job.gradient_bytes <= 5.75e8 for job in jobs)
    assert {len(job.worker) for job in jobs} == {4}
    assert all(job.ps[0] == 0 for job in jobs)
    decays = np.array([job.utility.decay for job in jobs])  # type: ignore[union-attr]
    assert np.mean(decays == 0) == pytest.approx(0.10, abs=0.06)
    assert np.mean(decays >= 4) == pytest.approx(0.35, abs=0.08)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_arrivals(pattern: str) -> None:
    slots = arrival_slots(np.random.default_rng(1), pattern, 200, 48)
    assert len(slots) == 200
    assert slots.min() >= 1
    assert slots.max() <= 48
    assert (np.diff(slots) >= 0).all()
    if pattern == "diurnal":
        day = (slots - 1) % 24
        assert np.mean((day >= 6) & (day < 18)) > 0.7


def test_servers_of_a_mixed_cluster_add_up() -> None:
    problem = dmlopt.generate("oasis", cluster="ec2-mixed", servers=7, jobs=3, seed=1)
    assert sum(group.count for group in problem.worker_servers) == 7
    assert len(problem.worker_servers) == 3
    assert problem.worker_places.count == 7
    assert set(GENERATOR.clusters()) >= {"ec2-p2", "ec2-mixed", "toy"}


@pytest.mark.parametrize(
    "options",
    [
        {"jobs": 0},
        {"tau_max": 0.0},
        {"cluster": "ec2-p3"},
        {"scale": "large"},
        {"arrivals": "weekly"},
        {"pool_rooms": True},
        {"job": 3},
        {"horizon": 0},
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(DmloptError):
        dmlopt.generate("oasis", seed=1, **options)


def test_toy_instances_are_solved_exactly() -> None:
    for seed in range(3):
        problem = dmlopt.generate(
            "oasis", scale="toy", cluster="toy", jobs=8, horizon=8, servers=1, seed=seed
        )
        exact = dmlopt.solve(problem, "exact", time_limit=60)
        assert exact.status == "optimal"
        claimed = dmlopt.solve(problem, "mip-highs", time_limit=60)
        assert exact.objective == pytest.approx(claimed.objective, rel=1e-6)
