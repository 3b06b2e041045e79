"""The planner's machine code: compiled once per machine, loaded once per process, outside anybody's time limit."""

from __future__ import annotations

import functools

import numpy as np

from dmlopt.cluster import ResourceKind
from formulations.oasis.compiled import AVAILABLE
from formulations.oasis.planner import packing
from formulations.oasis.problem import Job, OasisProblem, ServerGroup
from formulations.oasis.utility import Sigmoid


@functools.cache
def prepare() -> None:
    """Call everything that is compiled, on a problem that takes no time, in every layout that the engine uses."""
    if not AVAILABLE:
        return
    for view in ("pooled", "per-server"):
        for work in ("slots", "chunks"):
            packed = packing(_tiny(view, work))
            planner, room = packed.planner, packed.capacity.copy()
            for prices in (np.zeros(packed.row_count), np.full(packed.row_count, 0.5)):
                planner.best_all(prices)
                planner.best_all(prices, room=room, floor=np.zeros(packed.agent_count))
                planner.best_all(prices, agents=np.array([1]), room=room)
                for agent in range(packed.agent_count):
                    planner.best(agent, prices)
                    planner.best(agent, prices, room=room, floor=0.0)


def _tiny(view: str, work: str) -> OasisProblem:
    jobs = tuple(
        Job(1, 1, 3, 1, 0.5, 0.01, 1.0, 2.0, (1, demand), (0, 1), Sigmoid(10.0, 0.5, 2.0))
        for demand in (1, 2)
    )
    resources = (ResourceKind("gpu", "GPU"), ResourceKind("cpu", "core"))
    groups = tuple(tuple(ServerGroup(name, (2, 4)) for _ in range(2)) for name in ("workers", "hosts"))
    return OasisProblem(resources, 4, 1.0, groups[0], groups[1], jobs, view=view, work=work)
