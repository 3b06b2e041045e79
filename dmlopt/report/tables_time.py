"""Tables of how fast the answers come: times, performance profile, time to a gap, primal integral, scaling."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dmlopt.batch.row import NOT_APPLICABLE
from dmlopt.report.fits import CONFIDENCE
from dmlopt.report.growth import growth
from dmlopt.report.integrals import integral_of, longest_runs
from dmlopt.report.means import finite, mean, median, shift_for, shifted_geometric_mean
from dmlopt.report.measured import Measured
from dmlopt.report.profiles import OBJECTIVE, Profile, describe, performance_profile, proved, time_to_proof
from dmlopt.report.selection import groups, methods_of
from dmlopt.report.settings import Settings
from dmlopt.report.summary import counted, group_cell, group_columns, left_out, summary_table
from dmlopt.report.table import COUNT, NUMBER, RATIO, SECONDS, SHARE, TEXT, Cell, Column, Table
from dmlopt.report.traces import AGAINST_TEXT, time_to_gap

TIME_FACTORS = (1.0, 2.0, 5.0, 10.0, 100.0)
OBJECTIVE_FACTORS = (1.0, 1.01, 1.05, 1.1, 1.5)


def penalised(seconds: float, measured: Measured) -> float | None:
    """Seconds until a goal was reached; where it never was, the time limit, and None without one."""
    return seconds if math.isfinite(seconds) else measured.row.time_limit


def times(rows: Sequence[Measured], settings: Settings) -> Table:
    """Seconds per run and seconds to proof, per group."""
    shift, sentence = shift_for((each.row.time_limit for each in rows), (each.seconds for each in rows))

    def cells(own: list[Measured]) -> list[Cell]:
        seconds = [each.seconds for each in own if each.ok]
        until = [penalised(time_to_proof(each, settings.claims), each) for each in own]
        known = [each for each in until if each is not None]
        closed = sum(1 for each in own if proved(each, settings.claims))
        return [
            len(own),
            median(seconds),
            shifted_geometric_mean(seconds, shift),
            max(seconds, default=None),
            closed,
            shifted_geometric_mean(known, shift) if closed else None,
        ]

    columns = [Column("runs", COUNT), *(Column(name, SECONDS) for name in ("median", "mean", "max"))]
    columns += [Column("proved", COUNT), Column("mean to proof", SECONDS)]
    failed = sum(1 for each in rows if not each.ok)
    unlimited = sum(1 for each in rows if penalised(time_to_proof(each, settings.claims), each) is None)
    word = "solvers' claims included" if settings.claims else "recomputed certificates only"
    notes = [
        *left_out(failed, len(rows), "failed or not applicable, left out of median, mean and max"),
        f"mean: {sentence}.",
        f"proof: {word}; runs without one count with their time limit, missing if there is no proof.",
        *left_out(
            unlimited, len(rows), "neither proved nor with a time limit, left out of the mean to proof"
        ),
    ]
    return summary_table(
        "times",
        "Seconds, building and checking included",
        rows,
        settings.columns(rows),
        columns,
        cells,
        notes,
    )


def profile(rows: Sequence[Measured], settings: Settings) -> Table:
    """Shares of problems within some factors of the best method, per method (and group)."""
    shown = without_bounds(rows)
    by = tuple(name for name in settings.columns(rows) if name != "method")
    factors = OBJECTIVE_FACTORS if settings.measure == OBJECTIVE else TIME_FACTORS
    body: list[tuple[Cell, ...]] = []
    found = groups(shown, by)
    what = describe(settings.measure, settings.target, settings.against, settings.claims)
    dropped, unsolved, total = 0, 0, 0
    for key, own in found.items():
        each = profile_for(own, settings)
        dropped, unsolved = dropped + each.left_out, unsolved + each.unsolved
        total += each.units + each.left_out
        for name in methods_of(own):
            shares = [each.share(name, factor) if each.units else None for factor in factors]
            end = each.solved(name) if each.units else None
            body.append((*map(group_cell, key), name, each.units, *shares, end))
    columns = [*group_columns(by, list(found)), Column("method", TEXT), Column("problems", COUNT)]
    columns += [Column(f"<= {factor:g}x", SHARE) for factor in factors]
    columns.append(Column("ever", SHARE))
    notes = [
        counted(shown),
        f"performance profile (Dolan and More 2002) of the {what}: share of problems within a factor of "
        "the best method shown; a failed run is in no share.",
        *left_out(dropped, total, "problems left out: some method shown has no run on them"),
        *left_out(unsolved, total - dropped, "problems solved by no method; they count in the shares"),
        *bounds_note(rows),
    ]
    return Table(
        "profile", f"Performance profile: {what}", tuple(columns), tuple(body), tuple(notes), len(by)
    )


def profile_for(rows: Sequence[Measured], settings: Settings) -> Profile:
    """The profile as the settings ask for it."""
    return performance_profile(
        rows, settings.measure, target=settings.target, against=settings.against, claims=settings.claims
    )


def without_bounds(rows: Sequence[Measured]) -> list[Measured]:
    """The rows of methods that look for solutions."""
    return [each for each in rows if each.row.kind != "bound"]


def bounds_note(rows: Sequence[Measured]) -> list[str]:
    """The note that names the methods that `without_bounds` leaves out."""
    names = sorted({each.row.method for each in rows if each.row.kind == "bound"})
    return [f"bound methods look for no solution and are left out: {', '.join(names)}."] if names else []


def time_to_target(rows: Sequence[Measured], settings: Settings) -> Table:
    """How many runs reach the target gap, and when."""
    shown = without_bounds(rows)
    shift, sentence = shift_for((each.row.time_limit for each in shown), (each.seconds for each in shown))

    def cells(own: list[Measured]) -> list[Cell]:
        moments = [(time_to_gap(each, settings.target, settings.against), each) for each in own]
        reached = [seconds for seconds, _ in moments if math.isfinite(seconds)]
        known = [each for each in (penalised(*moment) for moment in moments) if each is not None]
        return [
            len(own),
            len(reached),
            len(reached) / len(own),
            finite(median([seconds for seconds, _ in moments])),
            shifted_geometric_mean(known, shift) if reached else None,
            max(reached, default=None),
        ]

    columns = [Column("runs", COUNT), Column("reached", COUNT), Column("share", SHARE)]
    columns += [Column(name, SECONDS) for name in ("median", "mean", "latest")]
    unlimited = sum(
        1 for each in shown if penalised(time_to_gap(each, settings.target, settings.against), each) is None
    )
    notes = [
        f"first moment at which the run is within the gap, {AGAINST_TEXT[settings.against]}.",
        f"mean: {sentence}; runs that do not reach it count with their time limit.",
        "a median that is never reached is missing, and so is a mean if no run reaches the gap.",
        *left_out(
            unlimited, len(shown), "never within the gap and without a time limit, left out of the mean"
        ),
        *_no_bound(shown),
        *bounds_note(rows),
    ]
    title = f"Time to a gap of {100 * settings.target:g} %"
    return summary_table("time-to-gap", title, shown, settings.columns(rows), columns, cells, notes)


def _no_bound(rows: Sequence[Measured]) -> list[str]:
    missing = sum(1 for each in rows if each.best_bound is None)
    return left_out(missing, len(rows), "on instances without a certified bound")


def primal_integrals(rows: Sequence[Measured], settings: Settings) -> Table:
    """Berthold's primal integral per group: 0 is the best value at once, 1 is nothing in all the time."""
    shown = without_bounds(rows)
    longest = longest_runs(shown)

    def cells(own: list[Measured]) -> list[Cell]:
        found = (integral_of(each, longest) for each in own)
        values = [each for each in found if each is not None]
        return [len(own), len(values), mean(values), median(values), max(values, default=None)]

    columns = [Column("runs", COUNT), Column("with integral", COUNT)]
    columns += [Column(name, RATIO) for name in ("mean", "median", "max")]
    missing = sum(1 for each in shown if each.best_value is None)
    unlimited = sum(1 for each in shown if each.row.time_limit is None)
    inapplicable = sum(1 for each in shown if each.outcome == NOT_APPLICABLE)
    notes = [
        "mean primal gap over the time limit (Berthold 2013), against the best known value; failed runs have 1.",
        *left_out(missing, len(shown), "on instances without any checked solution"),
        *left_out(inapplicable, len(shown), "not applicable"),
        *left_out(
            unlimited,
            len(shown),
            "without a time limit: measured over the longest run on their instance",
        ),
        *bounds_note(rows),
    ]
    return summary_table(
        "primal-integral", "Primal integral", shown, settings.columns(rows), columns, cells, notes
    )


def scaling(rows: Sequence[Measured], settings: Settings) -> Table:
    """The exponent of the growth of time with the size, per group."""
    axis = settings.size_axis(rows)
    by = tuple(name for name in settings.columns(rows) if name != axis)
    series = growth(rows, by, axis)
    body: list[tuple[Cell, ...]] = []
    for each in series.groups:
        fit = each.fit
        largest = max(each.sizes, default=None)
        numbers: tuple[Cell, ...] = (
            (None,) * 5
            if fit is None or largest is None
            else (fit.slope, fit.low, fit.high, fit.r_squared, fit.at(largest))
        )
        body.append((*map(group_cell, each.key), len(each.sizes), *numbers))
    columns = [*group_columns(by, [each.key for each in series.groups]), Column("points", COUNT)]
    columns += [Column(name, RATIO) for name in ("slope", "low", "high", "R2")]
    columns.append(Column("at the largest", SECONDS))
    notes = [
        counted(rows),
        f"least-squares line through (log {axis}, log seconds): seconds grow like {axis}^slope; [low, high] is its "
        f"{100 * CONFIDENCE:g} % confidence interval."
        if axis is not None
        else "no numeric axis takes two values: nothing to fit.",
        *left_out(series.failed, len(rows), "failed or not applicable, left out"),
        *left_out(
            series.stopped, len(rows), "stopped at a limit, left out: their time says nothing about growth"
        ),
        *left_out(series.sizeless, len(rows), f"without a positive {axis}, left out"),
    ]
    title = f"Growth of time with {axis}" if axis is not None else "Growth of time"
    numeric = tuple(Column(each.name, NUMBER) if each.name == axis else each for each in columns)
    return Table("scaling", title, numeric, tuple(body), tuple(notes))
