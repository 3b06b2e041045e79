"""The worked instances of the OASiS notes. One slot is one second, so tau is in slots; 2 e / b slots need e / 8 bytes."""

from __future__ import annotations

from dmlopt.cluster import ResourceKind
from formulations.oasis.problem import Job, OasisProblem, ServerGroup
from formulations.oasis.utility import Sigmoid, Utility

ONE = (ResourceKind("r", "unit"),)
TWO = (ResourceKind("gpu", "GPU"), ResourceKind("cpu", "core"))


def job(
    a: int,
    E: int,
    N: int,
    M: int,
    tau: float,
    e: float,
    gamma: tuple[float, float, float] | Utility,
    b: float = 1.0,
    B: float = 2.0,
    w: tuple[int, ...] = (1,),
    s: tuple[int, ...] = (1,),
) -> Job:
    """A job in the letters of the paper; tau and 2 e / b in slots of one second."""
    utility = Sigmoid(*gamma) if isinstance(gamma, tuple) else gamma
    return Job(a, E, N, M, tau, e / 8, b, B, w, s, utility)


def groups(*capacities: tuple[int, ...], name: str = "all") -> tuple[ServerGroup, ...]:
    """One server per capacity, all of one class."""
    return tuple(ServerGroup(name, capacity) for capacity in capacities)


def w3(decay: float) -> OasisProblem:
    """W3: one job on 2 + 2 servers, three slots."""
    only = job(1, 2, 3, 1, 0.4, 0.05, (30.0, decay, 2.0))
    return OasisProblem(ONE, 3, 1.0, groups((2,), (2,)), groups((2,), (1,)), (only,))


W3_WORKER = [[1.0, 2.0], [3.0, 0.5], [0.2, 0.2]]
W3_PS = [[0.5, 1.0], [2.0, 0.1], [0.3, 0.3]]


def w4a(first: tuple[float, float, float] = (10.0, 0.1, 0.0)) -> OasisProblem:
    """W4a: three jobs, one worker server, one ps host."""
    jobs = (
        job(1, 2, 2, 2, 0.25, 0.125, first),
        job(1, 1, 4, 2, 0.25, 0.125, (20.0, 1.0, 2.0)),
        job(2, 1, 4, 2, 0.25, 0.125, (50.0, 4.0, 1.0)),
    )
    return OasisProblem(ONE, 4, 1.0, groups((4,)), groups((4,)), jobs)


def w4b(view: str = "per-server", pool_rooms: bool = False) -> OasisProblem:
    """W4b: three jobs, two resources, 2 + 2 servers."""
    jobs = (
        job(1, 2, 2, 2, 0.4, 0.05, (5.0, 4.0, 1.0), B=3.0, w=(1, 2), s=(0, 2)),
        job(2, 1, 3, 1, 0.4, 0.125, (10.0, 0.5, 1.0), B=3.0, w=(1, 2), s=(0, 1)),
        job(3, 2, 3, 1, 0.25, 0.125, (20.0, 4.0, 1.0), B=3.0, w=(2, 1), s=(0, 2)),
    )
    return OasisProblem(
        TWO, 4, 1.0, groups((2, 3), (2, 2)), groups((0, 2), (0, 1)), jobs, view=view, pool_rooms=pool_rooms
    )


def w5(work: str) -> OasisProblem:
    """W5: one worker place and one ps place per slot, chunks against slots."""
    only = job(1, 1, 3, 1, 0.4, 0.125, (10.0, 0.5, 1.0), B=3.0)
    return OasisProblem(ONE, 3, 1.0, groups((1,)), groups((1,)), (only,), work=work)
