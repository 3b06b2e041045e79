"""Which convention of Optimus' greedy rule makes the difference: main effects over a full factorial of variants."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from drawing import above_bound, run

from dmlopt.report.measured import Measured
from dmlopt.report.table import COUNT, SHARE, Column, Table

NAME, EXPERIMENT = "greedy_conventions", "greedy_quality"
CONVENTIONS = {
    "on_infeasible": ("stop", "skip"),
    "gain_divisor": ("amount", "share"),
    "lookahead": ("no", "yes"),
}
VARIANTS = {
    f"greedy{divisor}{infeasible}{lookahead}": {
        "on_infeasible": "skip" if infeasible else "stop",
        "gain_divisor": "share" if divisor else "amount",
        "lookahead": "yes" if lookahead else "no",
    }
    for divisor in ("", "-share")
    for infeasible in ("", "-skip")
    for lookahead in ("", "-lookahead")
}


@dataclass(frozen=True)
class Effect:
    """What changing one convention does, all others fixed: over instances times the settings of the others.

    `explained`: its share of the variation between the eight variants of an instance, over all instances.
    """

    convention: str
    mean_change: float
    better: float
    worse: float
    explained: float


def effects(found: Mapping[str, Mapping[str, float]]) -> list[Effect]:
    """Main effects of the conventions from instance -> variant -> distance to the bound, largest share first."""
    levels = [[settings[name] for name in CONVENTIONS] for settings in VARIANTS.values()]
    high = np.array(
        [[at == CONVENTIONS[name][1] for name, at in zip(CONVENTIONS, each, strict=True)] for each in levels]
    )
    values = np.array([[each[method] for method in VARIANTS] for each in found.values()])
    total = float(((values - values.mean(axis=1, keepdims=True)) ** 2).sum())
    answer = []
    for column, name in enumerate(CONVENTIONS):
        others = np.delete(high, column, axis=1)
        on = np.flatnonzero(high[:, column])
        off = [
            next(i for i in np.flatnonzero(~high[:, column]) if (others[i] == others[place]).all())
            for place in on
        ]
        change = values[:, on] - values[:, off]
        main = change.mean(axis=1)
        explained = 2.0 * float((main**2).sum()) / total if total > 0 else 0.0
        answer.append(
            Effect(
                f"{name}: {CONVENTIONS[name][0]} to {CONVENTIONS[name][1]}",
                float(change.mean()),
                float((change < -1e-12).mean()),
                float((change > 1e-12).mean()),
                explained,
            )
        )
    return sorted(answer, key=lambda each: -each.explained)


def draw(rows: list[Measured]) -> Table:
    """The table of effects, over the instances on which all eight variants have a distance to the bound."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        distance = above_bound(row)
        if distance is not None and row.row.method in VARIANTS:
            found.setdefault(row.row.instance, {})[row.row.method] = distance
    whole = {name: each for name, each in found.items() if len(each) == len(VARIANTS)}
    if not whole:
        raise ValueError("no instance has all eight variants of the greedy and a certified bound")
    columns = (
        Column("convention changed, others fixed"),
        Column("mean change of distance", SHARE),
        Column("better in", SHARE),
        Column("worse in", SHARE),
        Column("explains", SHARE),
        Column("instances", COUNT),
    )
    body = tuple(
        (each.convention, each.mean_change, each.better, each.worse, each.explained, len(whole))
        for each in effects(whole)
    )
    note = "Distance: objective over certified bound, less 1. The rest of the variation is interaction."
    return Table(NAME, "Which convention makes the difference", columns, body, (note,))


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
