"""What the rows of the quality study say: gaps per method, and how much each convention of the greedy explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from dmlopt.report.tables import plain_table

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
BASELINES = ("drf", "tetris")
METHODS = (*VARIANTS, *BASELINES)

Row = Mapping[str, str]


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


def gaps(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """instance -> method -> how far above the certified bound (0.1: 10 %)."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["instance"], {})[row["method"]] = float(row["above_bound"])
    return found


def effects(found: Mapping[str, Mapping[str, float]]) -> list[Effect]:
    """Main effects of the conventions over a full factorial of variants, largest share first."""
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


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def method_table(found: Mapping[str, Mapping[str, float]], title: str) -> Table:
    """Mean, median, 95th percentile and maximum per method, in per cent above the certified bound."""
    rows = []
    for method in METHODS:
        own = np.array([each[method] for each in found.values()])
        figures = (own.mean(), np.median(own), np.quantile(own, 0.95), own.max())
        rows.append((method, *map(_percent, figures)))
    header = ("method", "mean %", "median %", "p95 %", "max %")
    return plain_table(header, rows, title, right="01111")


def group_table(rows: Iterable[Row], column: str) -> Table:
    """Mean per method for every value of one column."""
    listed = list(rows)
    values = list(dict.fromkeys(row[column] for row in listed))
    body = []
    for method in METHODS:
        means = [
            np.mean([float(r["above_bound"]) for r in listed if r["method"] == method and r[column] == value])
            for value in values
        ]
        body.append((method, *(_percent(float(mean)) for mean in means)))
    return plain_table(("method", *values), body, f"Mean % by {column}", right="0" + "1" * len(values))


def effect_table(found: Mapping[str, Mapping[str, float]]) -> Table:
    """Main effects of the conventions."""
    rows = [
        (
            each.convention,
            f"{100 * each.mean_change:+.2f}",
            f"{100 * each.better:.0f}",
            f"{100 * each.worse:.0f}",
            f"{100 * each.explained:.0f}",
        )
        for each in effects(found)
    ]
    header = ("convention changed, others fixed", "mean change (points)", "better %", "worse %", "explains %")
    return plain_table(header, rows, "Which convention makes the difference", right="01111")
