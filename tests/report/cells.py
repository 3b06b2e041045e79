"""Rows for the tests of the analysis: by hand, or a whole seeded experiment that looks like a real one."""

from __future__ import annotations

import random
from typing import Any

from dmlopt.batch.row import CRASH, DONE, ERROR, MEMORY_OUT, NOT_APPLICABLE, TIME_OUT, CellRow, Trace

KINDS = {"exact": "exact", "mip": "exact", "lp": "bound", "greedy": "heuristic", "online": "online"}


def cell(method: str = "greedy", instance: str = "a", **given: Any) -> CellRow:
    """A row with everything that is not said filled in: one second, no limit, status from what is there."""
    seconds = given.pop("seconds", 1.0)
    objective, bound = given.get("objective"), given.get("bound")
    status = "feasible" if objective is not None else "bound" if bound is not None else "unknown"
    seed = given.setdefault("seed", 0)
    fields: dict[str, Any] = {
        "key": f"{instance}/{method}/{seed}/{given.get('version', '')}",
        "experiment": "test",
        "formulation": "toy",
        "sweep": "s",
        "instance_hash": f"hash-{instance}",
        "axes": {},
        "method_name": method,
        "kind": KINDS.get(method.partition("-")[0], "heuristic"),
        "options": {},
        "time_limit": None,
        "asked_gap": 1e-9,
        "threads": 1,
        "outcome": DONE,
        "status": status,
        "seconds": {"build": 0.0, "solve": seconds, "check": 0.0, "total": seconds},
        "wall_seconds": seconds,
        **given,
    }
    return CellRow(instance=instance, method=method, **fields)


def experiment(
    methods: int = 6, instances: int = 12, seed: int = 1, bounds: bool = True, failing: bool = False
) -> list[CellRow]:
    """A made-up experiment that minimises: an exact method, MIP-like ones, a bound, heuristics; a few runs fail.

    `bounds` False: nothing certifies anything. `failing`: every run fails.
    """
    rng = random.Random(seed)
    names = ["exact", "greedy", "lp", "mip-a", "greedy-skip", "online-first", "mip-b", "greedy-share"]
    names += [f"greedy-{each}" for each in ("x", "y", "z", "u", "v", "w", "t")]
    rows = []
    for place in range(instances):
        jobs = (10, 20, 40, 80)[place % 4]
        best = 100.0 * jobs * rng.uniform(0.8, 1.2)
        for rank, name in enumerate(names[:methods]):
            about: dict[str, Any] = {
                "axes": {
                    "jobs": jobs,
                    "cluster": "small" if place % 3 else "large",
                    "repetition": place // 4,
                },
                "time_limit": 10.0,
                "seed": 0,
                "peak_megabytes": 100.0 + jobs,
            }
            luck = rng.random()
            if failing or luck < 0.04:
                outcome = (ERROR, CRASH, TIME_OUT, MEMORY_OUT)[rank % 4]
                rows.append(
                    cell(name, f"i{place:02d}", outcome=outcome, reason="it broke", seconds=0.2, **about)
                )
            elif luck > 0.97:
                rows.append(
                    cell(name, f"i{place:02d}", outcome=NOT_APPLICABLE, reason="not its kind", **about)
                )
            else:
                rows.append(_run(name, f"i{place:02d}", best, jobs, rank, bounds, rng, about))
    return rows


def _run(
    name: str,
    instance: str,
    best: float,
    jobs: int,
    rank: int,
    bounds: bool,
    rng: random.Random,
    about: dict[str, Any],
) -> CellRow:
    kind = KINDS[name.partition("-")[0]]
    pace = {"exact": 0.002, "bound": 0.001, "heuristic": 0.0001, "online": 0.0002}[kind] * (1 + rank)
    seconds = min(10.0, pace * jobs ** (1.2 + 0.1 * rank) * rng.uniform(0.7, 1.4))
    if kind == "bound":
        return cell(name, instance, bound=best * 0.99 if bounds else None, seconds=seconds, **about)
    if kind != "exact":
        return cell(
            name, instance, objective=best * (1.02 + 0.03 * rank * rng.random()), seconds=seconds, **about
        )
    stopped = seconds >= 10.0
    value = best * (1.0 + 0.02 * rng.random() if stopped else 1.0)
    tightest = best * (0.97 if stopped else 1.0)
    trace: Trace = tuple(
        (seconds * share, value * (1.5 - 0.5 * share), tightest * (0.5 + 0.5 * share))
        for share in (0.05, 0.2, 0.5, 0.9)
    )
    certified = bounds and name == "exact"
    given = {"bound": tightest} if certified else {"claimed_bound": tightest}
    return cell(
        name,
        instance,
        objective=value,
        status="feasible" if stopped else "optimal" if certified else "optimal-claimed",
        limit="time" if stopped else "none",
        verified=True,
        trace=trace,
        seconds=seconds,
        **given,
        **about,
    )
