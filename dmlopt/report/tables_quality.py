"""Tables of how good the answers are: overview, gaps, outcomes, wins."""

from __future__ import annotations

from collections.abc import Sequence

from dmlopt.batch.row import CRASH, ERROR, FAILED_CHECK, MEMORY_OUT, NOT_APPLICABLE, TIME_OUT
from dmlopt.compare import BOUND, CLAIMED, FEASIBLE, NO_ANSWER, PROVEN
from dmlopt.report.means import mean, median, quantile, shift_for, shifted_geometric_mean
from dmlopt.report.measured import Measured
from dmlopt.report.selection import groups, methods_of
from dmlopt.report.settings import Settings
from dmlopt.report.summary import counted, group_cell, group_columns, left_out, summary_table
from dmlopt.report.table import COUNT, GAP, RATIO, SECONDS, SHARE, TEXT, Cell, Column, Table
from dmlopt.report.wins import Score, win_tie_loss

ENDINGS = (
    PROVEN,
    CLAIMED,
    FEASIBLE,
    BOUND,
    NO_ANSWER,
    NOT_APPLICABLE,
    FAILED_CHECK,
    ERROR,
    CRASH,
    TIME_OUT,
    MEMORY_OUT,
)
BAD_ENDINGS = (FAILED_CHECK, ERROR, CRASH, TIME_OUT, MEMORY_OUT)
GAP_NOTE = (
    "gap: |objective - bound| / |objective| to the tightest certified bound that any run found on the instance; "
    "of a run without a solution, of its bound to the best objective."
)


def ending(measured: Measured) -> str:
    """How a run ended: its mark if it ran, otherwise its outcome."""
    return measured.mark if measured.ok else measured.outcome


def without_gap(rows: Sequence[Measured]) -> list[str]:
    """Notes on the runs that have no gap, by reason."""
    missing = [each for each in rows if each.gap is None]
    na = sum(1 for each in missing if each.outcome == NOT_APPLICABLE)
    failed = sum(1 for each in missing if ending(each) in BAD_ENDINGS)
    answered = [each for each in missing if each.ok]
    unbounded = sum(1 for each in answered if each.objective is not None)
    notes = left_out(failed, len(rows), "failed and have no gap")
    notes += left_out(na, len(rows), "not applicable")
    notes += left_out(unbounded, len(rows), "without a certified bound on their instance")
    return notes + left_out(len(answered) - unbounded, len(rows), "without a solution or a certified bound")


def gaps(rows: Sequence[Measured], settings: Settings) -> Table:
    """Mean, median, 95th percentile and maximum of the gap, and the ratio to the best objective, per group."""

    def cells(own: list[Measured]) -> list[Cell]:
        found = [each.gap for each in own if each.gap is not None]
        ratios = [each.ratio_to_best for each in own if each.ratio_to_best is not None]
        figures = (mean(found), median(found), quantile(found, 0.95), max(found, default=None))
        return [len(own), len(found), *figures, shifted_geometric_mean(ratios, 0.0)]

    columns = [Column("runs", COUNT), Column("with gap", COUNT)]
    columns += [Column(name, GAP) for name in ("mean", "median", "p95", "max")]
    columns.append(Column("ratio to best", RATIO))
    notes = [
        *without_gap(rows),
        GAP_NOTE,
        "ratio to best: geometric mean of objective ratios, 1 is the best known.",
    ]
    return summary_table(
        "gaps", "Gap to the best certified bound", rows, settings.columns(rows), columns, cells, notes
    )


def overview(rows: Sequence[Measured], settings: Settings) -> Table:
    """Shares, gap and time per group: what one wants to know first."""
    shift, sentence = shift_for((each.row.time_limit for each in rows), (each.seconds for each in rows))

    def cells(own: list[Measured]) -> list[Cell]:
        found = [each.gap for each in own if each.gap is not None]
        seconds = [each.seconds for each in own if each.ok]
        return [
            len(own),
            *_shares(own),
            mean(found),
            max(found, default=None),
            shifted_geometric_mean(seconds, shift),
        ]

    columns = [Column("runs", COUNT), *(Column(name, SHARE) for name in ("proved", "solved", "failed"))]
    columns += [Column("mean gap", GAP), Column("max gap", GAP), Column("mean time", SECONDS)]
    notes = [*without_gap(rows), SHARES_NOTE, f"mean time: {sentence}, of the runs that did not fail."]
    return summary_table("overview", "Overview", rows, settings.columns(rows), columns, cells, notes)


SHARES_NOTE = (
    "proved: closed by a recomputed certificate; solved: delivered a checked solution; failed: failed check, error, "
    "crash, time-out or memory-out; all as shares of runs."
)


def _shares(own: Sequence[Measured]) -> list[Cell]:
    proved = sum(1 for each in own if ending(each) == PROVEN)
    solved = sum(1 for each in own if each.objective is not None)
    failed = sum(1 for each in own if ending(each) in BAD_ENDINGS)
    return [count / len(own) for count in (proved, solved, failed)]


def outcomes(rows: Sequence[Measured], settings: Settings) -> Table:
    """How many runs ended how, per group; only the endings that occur have a column."""
    present = {ending(each) for each in rows}
    shown = [each for each in ENDINGS if each in present]

    def cells(own: list[Measured]) -> list[Cell]:
        return [len(own), *(sum(1 for each in own if ending(each) == name) for name in shown)]

    columns = [Column("runs", COUNT), *(Column(name, COUNT) for name in shown)]
    notes = [
        "proven: closed by a recomputed certificate; claimed: by a solver's word; feasible: a checked solution; "
        "endings that do not occur have no column.",
    ]
    return summary_table(
        "outcomes", "How the runs ended", rows, settings.columns(rows), columns, cells, notes
    )


def wins(rows: Sequence[Measured], settings: Settings) -> Table:
    """How often the method of a line beats the method of a column; its losses stand at the mirrored place."""
    shown = [each for each in rows if each.row.kind != "bound"]
    by = tuple(name for name in settings.columns(rows) if name != "method")
    methods = methods_of(shown)
    number = {name: place for place, name in enumerate(methods, 1)}
    body: list[tuple[Cell, ...]] = []
    found = groups(shown, by)
    for key, own in found.items():
        scores = win_tie_loss(own, settings.tolerance)
        for name in methods_of(own):
            mine = {other: scores.get((name, other), Score()) for other in methods_of(own) if other != name}
            beaten = [mine[other].wins if other in mine else None for other in methods]
            totals = (
                sum(getattr(each, what) for each in mine.values()) for what in ("wins", "ties", "losses")
            )
            body.append((*map(group_cell, key), f"{number[name]} {name}", *beaten, *totals))
    columns = [*group_columns(by, list(found)), Column("method", TEXT)]
    columns += [Column(f"#{number[name]}", COUNT) for name in methods]
    columns += [Column(name, COUNT) for name in ("wins", "ties", "losses")]
    bounds = sorted({each.row.method for each in rows} - set(methods))
    notes = [
        counted(shown),
        "a number says on how many problems the line's method has the better objective than the column's; "
        "a solution beats none; pairs without any solution, or where one method does not apply, count nowhere.",
        f"a relative difference of at most {settings.tolerance:g} is a tie; the last columns are sums over the others.",
    ]
    notes += [f"bound methods have no objective and are left out: {', '.join(bounds)}."] if bounds else []
    return Table("wins", "Who has the better objective", tuple(columns), tuple(body), tuple(notes), len(by))
