"""Prices at the end of online runs, by slot: what the floor of L does to them."""

from __future__ import annotations

import re
import sys

import numpy as np
from drawing import new_figure, run
from matplotlib.figure import Figure
from oasis_online import floor_name, is_online

from dmlopt.batch.store import Store
from dmlopt.report.canvas import COLOURS, LINES
from dmlopt.report.measured import Measured

NAME, EXPERIMENT = "oasis_prices", "oasis_online"
ROW = re.compile(r"slot (\d+) (worker|ps) (.*) (\S+)")  # slot, side, class of servers, resource
LOWEST = 1e-12  # what is cheaper is drawn here


def draw(rows: list[Measured], store: Store) -> Figure:
    """The dearest worker resource and the dearest ps resource of the most loaded instance, a line per second floor."""
    online = [row for row in rows if is_online(row)]
    if not online:
        raise ValueError("no run of primal-dual")
    jobs = max(row.row.axes["jobs"] for row in online)
    heavy = [row.row for row in online if row.row.axes["jobs"] == jobs]
    first = min(row.axes["repetition"] for row in heavy)
    chosen = sorted(
        (row for row in heavy if row.axes["repetition"] == first), key=lambda row: row.axes["price_floor"]
    )
    prices = {float(row.axes["price_floor"]): _by_place(store.result(row.key).prices) for row in chosen[::2]}
    lowest_floor = next(iter(prices.values()))
    figure, panels = new_figure(12.0, 4.2, 2)
    for axes, side in zip(panels, ("worker", "ps"), strict=True):
        own = {place: each for place, each in lowest_floor.items() if place[0] == side}
        if not own:
            raise ValueError(f"no prices of {side} places")
        place = max(own, key=lambda at: float(np.mean(np.log(np.maximum(list(own[at].values()), 1e-300)))))
        for line, (floor, found) in enumerate(prices.items()):
            slots = sorted(found[place])
            shown = [max(found[place][slot], LOWEST) for slot in slots]
            style = LINES[line % len(LINES)]
            colour = COLOURS[line % len(COLOURS)]
            axes.step(
                slots,
                shown,
                where="mid",
                color=colour,
                linestyle=style,
                linewidth=1.6,
                label=floor_name(floor),
            )
        axes.set_yscale("log")
        axes.set_ylim(bottom=LOWEST / 2)
        axes.set_xlabel("slot")
        axes.set_ylabel(f"price of one unit ({LOWEST:g} and less at the edge)")
        axes.set_title(f"{place[2]} of {side} class {place[1]}, {jobs} jobs", loc="left", fontsize=11)
    panels[-1].legend(
        title="floor of L", frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5)
    )
    return figure


def _by_place(prices: object) -> dict[tuple[str, str, str], dict[int, float]]:
    """{(side, class, resource): {slot: price}} from prices by row name."""
    if not isinstance(prices, dict) or not prices:
        raise ValueError("a kept result has no prices")
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for name, price in prices.items():
        match = ROW.fullmatch(name)
        if match is None:
            raise ValueError(f"not a row of OASiS: {name}")
        found.setdefault((match[2], match[3], match[4]), {})[int(match[1])] = float(price)
    return found


if __name__ == "__main__":
    sys.exit(run(NAME, EXPERIMENT, draw))
