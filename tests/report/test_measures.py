"""Measures on rows whose answers are worked out by hand."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlopt.batch.row import CRASH, DONE, FAILED_CHECK, NOT_APPLICABLE
from dmlopt.compare import FAILED, FEASIBLE, PROVEN
from dmlopt.report import means, traces
from dmlopt.report.fits import loglog_fit
from dmlopt.report.measured import Measured, compare_rows, measure, ratio
from dmlopt.report.profiles import (
    OBJECTIVE,
    PROOF,
    TARGET,
    cost_ratios,
    objective_ratios,
    performance_profile,
    profile_of,
)
from dmlopt.report.wins import Score, better, win_tie_loss
from tests.report.cells import cell, experiment


def one(rows: list[Measured], method: str) -> Measured:
    return next(each for each in rows if each.row.method == method)


# -------------------------------------------------------------------- gaps, ratios, contradictions


def test_gaps_and_ratios_by_hand() -> None:
    # Bounds 8 and 9 on instance a: the tightest is 9. greedy 12: gap (12 - 9) / 12 = 1/4, 12/10 of the best value,
    # 12/9 of the bound. exact 10: 1/10. lp has no solution: its bound 8 to the best value, (10 - 8) / 10.
    rows = measure(
        [
            cell("greedy", objective=12.0),
            cell("exact", objective=10.0, bound=9.0, verified=True),
            cell("lp", bound=8.0),
            cell("greedy", "b", objective=5.0),
        ]
    )
    greedy, exact = one(rows, "greedy"), one(rows, "exact")
    assert greedy.row.instance == "a"
    assert greedy.gap == pytest.approx(0.25)
    assert greedy.own_gap is None
    assert greedy.ratio_to_best == pytest.approx(1.2)
    assert greedy.ratio_to_bound == pytest.approx(12 / 9)
    assert exact.gap == exact.own_gap == pytest.approx(0.1)
    assert one(rows, "lp").gap == pytest.approx(0.2)
    other = next(each for each in rows if each.row.instance == "b")
    assert (other.gap, other.best_bound, other.best_value) == (None, None, 5.0)


def test_maximising() -> None:
    rows = measure(
        [cell("greedy", objective=8.0, sense="max"), cell("exact", objective=10.0, bound=11.0, sense="max")]
    )
    assert one(rows, "greedy").gap == pytest.approx(3 / 8)
    assert one(rows, "greedy").ratio_to_best == pytest.approx(1.25)
    assert one(rows, "greedy").best_value == 10.0


def test_contradictions_are_failed_checks() -> None:
    # 8 beats the certified bound 9; the claimed bound 11 is refuted by the checked 10; infeasible is refuted by it too.
    rows = measure(
        [
            cell("greedy", objective=8.0),
            cell("exact", objective=10.0, bound=9.0),
            cell("mip", objective=10.0, claimed_bound=11.0, status="optimal-claimed"),
            cell("mip-b", status="infeasible"),
        ]
    )
    assert [one(rows, name).outcome for name in ("greedy", "mip", "mip-b")] == [FAILED_CHECK] * 3
    assert "beats a bound" in one(rows, "greedy").message
    assert one(rows, "greedy").objective is None
    assert one(rows, "exact").best_value == 10.0
    assert one(rows, "exact").outcome == DONE


def test_as_compare_rows() -> None:
    rows = measure(
        [
            cell("exact", objective=10.0, bound=10.0, status="optimal"),
            cell("greedy", objective=12.5),
            cell("mip", outcome=CRASH, reason="signal 9"),
            cell("mip-b", outcome=NOT_APPLICABLE, reason="one resource only"),
        ]
    )
    found = {row.method: row for row in compare_rows(rows)}
    assert [found[name].mark for name in ("exact", "greedy", "mip", "mip-b")] == [
        PROVEN,
        FEASIBLE,
        FAILED,
        NOT_APPLICABLE,
    ]
    assert found["greedy"].gap == pytest.approx(0.2)
    assert found["mip"].message == "signal 9"


def test_the_newest_row_of_a_cell_counts() -> None:
    old = cell(objective=12.0, version="1", finished="2026-01-01T00:00:00")
    new = cell(objective=11.0, version="2", finished="2026-02-01T00:00:00")
    for rows in ([old, new], [new, old]):
        assert [each.objective for each in measure(rows)] == [11.0]


def test_ratio() -> None:
    assert ratio(12.0, 10.0) == ratio(10.0, 12.0) == pytest.approx(1.2)
    assert ratio(-10.0, -12.0) == pytest.approx(1.2)
    assert ratio(0.0, 0.0) == 1.0
    assert ratio(0.0, 1.0) is None
    assert ratio(-1.0, 1.0) is None
    assert ratio(None, 1.0) is None


# -------------------------------------------------------------------- means


def test_shifted_geometric_mean_by_hand() -> None:
    # (1 + 1)(7 + 1) = 16, its square root 4, minus the shift 1: 3. Without a shift: sqrt(7).
    assert means.shifted_geometric_mean([1.0, 7.0], 1.0) == pytest.approx(3.0)
    assert means.shifted_geometric_mean([1.0, 7.0], 0.0) == pytest.approx(math.sqrt(7))
    assert means.shifted_geometric_mean([0.0, 4.0], 0.0) == 0.0
    assert means.shifted_geometric_mean([], 1.0) is None


def test_the_shift_is_chosen_by_the_time_limit_and_stated() -> None:
    assert means.shift_for([10.0, 3600.0], [1.0]) == (
        10.0,
        "shifted geometric mean with shift 10 s (the time limit is more than 60 s)",
    )
    assert means.shift_for([10.0, None], [1000.0])[0] == 0.1
    assert means.shift_for([None], [1000.0])[0] == 10.0
    assert "the longest run is at most 60 s" in means.shift_for([], [])[1]


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 100))
def test_shifted_geometric_mean_lies_between(values: list[float], shift: float) -> None:
    found = means.shifted_geometric_mean(values, shift)
    assert found is not None
    assert min(values) <= found <= max(values)
    assert found == means.shifted_geometric_mean(values[::-1], shift)


def test_quantiles() -> None:
    # Four values: the median lies halfway between the second and the third, the 0.95-quantile 0.85 of the way to the last.
    assert means.median([4.0, 1.0, 2.0, 3.0]) == 2.5
    assert means.quantile([1.0, 2.0, 3.0, 4.0], 0.95) == pytest.approx(3.85)
    assert means.median([1.0, math.inf, math.inf]) == math.inf
    assert means.median([math.inf, math.inf]) == math.inf
    assert means.median([]) is None


# -------------------------------------------------------------------- traces


# 20 after 2 s, 16 after 5 s, done with 16 after 6 s of 10; own bound 8 from 2 s on, 12 from 5 s on. Best known value 16.
TRACED = cell(
    "exact",
    objective=16.0,
    bound=12.0,
    seconds=6.0,
    time_limit=10.0,
    trace=((2.0, 20.0, 8.0), (5.0, 16.0, 12.0)),
)


def test_time_to_gap_by_hand() -> None:
    # Against the own bound: (20 - 8) / 20 = 0.6 at 2 s, (16 - 12) / 16 = 0.25 at 5 s.
    # Against the best bound 15 (by lp): (20 - 15) / 20 = 0.25 at 2 s, 1/16 at 5 s.
    alone = measure([TRACED])[0]
    assert traces.time_to_gap(alone, 0.6, traces.OWN) == 2.0
    assert traces.time_to_gap(alone, 0.25, traces.OWN) == 5.0
    assert traces.time_to_gap(alone, 0.2, traces.OWN) == math.inf
    both = one(measure([TRACED, cell("lp", bound=15.0)]), "exact")
    assert traces.time_to_gap(both, 0.25, traces.BEST) == 2.0
    assert traces.time_to_gap(both, 0.1, traces.BEST) == 5.0
    assert traces.time_to_gap(both, 0.05, traces.BEST) == math.inf


def test_traces_are_believed_no_further_than_what_was_checked() -> None:
    # The trace tells of 10 and of a bound 15 after 1 s; checked were 16 and 12. Nothing better than these counts.
    boast = cell("mip", objective=16.0, bound=12.0, seconds=6.0, trace=((1.0, 10.0, 15.0),))
    assert traces.history(measure([boast])[0]) == [(1.0, 16.0, 12.0), (6.0, 16.0, 12.0)]
    nothing = cell("mip", claimed_bound=12.0, seconds=6.0, trace=((1.0, 10.0, 11.0),))
    assert traces.history(measure([nothing])[0]) == [(1.0, None, 11.0), (6.0, None, 12.0)]
    broken = cell("mip", outcome=CRASH, objective=16.0, trace=((1.0, 16.0, 12.0),))
    assert traces.history(measure([broken])[0]) == []
    assert traces.time_to_gap(measure([broken])[0], 1.0) == math.inf


def test_a_run_without_a_trace_answers_at_its_end() -> None:
    rows = measure([cell("greedy", objective=10.0, seconds=3.0), cell("lp", bound=9.0)])
    assert traces.time_to_gap(one(rows, "greedy"), 0.1) == 3.0


def test_primal_integral_by_hand() -> None:
    # Primal gap 1 for 2 s, (20 - 16) / 20 = 0.2 for 3 s, then 0: (2 + 0.6) / 10 = 0.26 over ten seconds.
    assert traces.primal_integral(measure([TRACED])[0], 10.0) == pytest.approx(0.26)
    # With a best known value of 12: 1 for 2 s, 8/20 = 0.4 for 3 s, 4/16 = 0.25 for the other 5 s: 4.45 / 10.
    both = one(measure([TRACED, cell("greedy", objective=12.0)]), "exact")
    assert traces.primal_integral(both, 10.0) == pytest.approx(0.445)
    # Cut at 4 s: 2 + 0.4 * 2 = 2.8 of 4.
    assert traces.primal_integral(both, 4.0) == pytest.approx(0.7)
    failed = one(measure([TRACED, cell("greedy", outcome=CRASH)]), "greedy")
    assert traces.primal_integral(failed, 10.0) == 1.0
    assert traces.primal_integral(measure([cell("greedy")])[0], 10.0) is None


def test_primal_gap() -> None:
    assert traces.primal_gap(0.0, 0.0) == 0.0
    assert traces.primal_gap(-1.0, 1.0) == 1.0
    assert traces.primal_gap(0.0, 5.0) == 1.0
    assert traces.primal_gap(8.0, 10.0) == traces.primal_gap(-8.0, -10.0) == pytest.approx(0.2)


# -------------------------------------------------------------------- profiles


def test_profile_by_hand() -> None:
    # Seconds to proof: p1: A 1, B 2; p2: A 4, B fails; p3: A 3, B 1; p4: both fail.
    # Ratios: A 1, 1, 3, inf; B 2, inf, 1, inf. So rho_A(1) = 2/4, rho_A(3) = 3/4; rho_B(1) = 1/4, rho_B(2) = 2/4.
    proved = {"status": "optimal", "objective": 1.0, "bound": 1.0}
    rows = measure(
        [
            cell("A", "1", seconds=1.0, **proved),
            cell("B", "1", seconds=2.0, **proved),
            cell("A", "2", seconds=4.0, **proved),
            cell("B", "2", seconds=0.1, outcome=CRASH),
            cell("A", "3", seconds=3.0, **proved),
            cell("B", "3", seconds=1.0, **proved),
            cell("A", "4", seconds=9.0, objective=1.0),
            cell("B", "4", seconds=9.0),
            cell("A", "5", seconds=9.0),  # B has not run here: no problem of this profile
        ]
    )
    profile = performance_profile(rows, PROOF)
    assert (profile.units, profile.unsolved, profile.left_out) == (4, 1, 1)
    assert [profile.share("A", tau) for tau in (1, 2.9, 3, 1e9)] == [0.5, 0.5, 0.75, 0.75]
    assert [profile.share("B", tau) for tau in (1, 2, 1e9)] == [0.25, 0.5, 0.5]
    assert profile.curve("A") == [(1.0, 0.5), (3.0, 0.75)]
    assert (profile.solved("A"), profile.solved("B")) == (0.75, 0.5)
    # Recomputed for the methods shown: alone, B is the best wherever it proves anything.
    alone = performance_profile([each for each in rows if each.row.method == "B"])
    assert alone.curve("B") == [(1.0, 0.5)]


def test_profile_of_objectives_and_of_time_to_a_gap() -> None:
    rows = measure(
        [
            cell("A", "1", objective=10.0, seconds=5.0),
            cell("B", "1", objective=12.0, seconds=1.0),
            cell("lp", "1", bound=10.0),
        ]
    )
    shown = [each for each in rows if each.row.kind != "bound"]
    values = performance_profile(shown, OBJECTIVE)
    assert values.ratios == {"A": (1.0,), "B": (1.2,)}
    # A is within 10 % of the bound after 5 s, B (gap 2/12) never; within 20 % both, B five times as fast.
    assert performance_profile(shown, TARGET, target=0.1).ratios == {"A": (1.0,), "B": (math.inf,)}
    assert performance_profile(shown, TARGET, target=0.2).ratios == {"A": (5.0,), "B": (1.0,)}


def test_claims_count_as_proofs_only_if_asked() -> None:
    rows = measure([cell("mip", objective=1.0, status="optimal-claimed", claimed_bound=1.0)])
    assert performance_profile(rows).solved("mip") == 1.0
    assert performance_profile(rows, claims=False).solved("mip") == 0.0


costs = st.dictionaries(
    st.sampled_from("abcd"), st.floats(0, 1e6) | st.just(math.inf), min_size=4, max_size=4
)


@given(st.lists(costs, min_size=1, max_size=20), st.lists(st.floats(1, 1e9), min_size=2, max_size=5))
def test_profiles_are_distributions(problems: list[dict[str, float]], taus: list[float]) -> None:
    ratios = {(str(k),): cost_ratios(each) for k, each in enumerate(problems)}
    profile = profile_of("cost", ratios, list("abcd"))
    solved = sum(1 for each in problems if min(each.values()) < math.inf)
    assert sum(profile.share(name, 1.0) for name in "abcd") * len(problems) >= solved - 1e-9
    for name in "abcd":
        heights = [profile.share(name, tau) for tau in sorted(taus)]
        assert heights == sorted(heights)
        assert all(0 <= height <= profile.solved(name) <= 1 for height in heights)


def test_ratios_at_the_edges() -> None:
    assert cost_ratios({"a": 0.0, "b": 0.0, "c": 1.0}) == {"a": 1.0, "b": 1.0, "c": math.inf}
    assert cost_ratios({"a": math.inf}) == {"a": math.inf}
    assert objective_ratios({"a": 10.0 + 1e-12, "b": 10.0, "c": None}, "min") == {
        "a": 1.0,
        "b": 1.0,
        "c": math.inf,
    }
    assert objective_ratios({"a": 8.0, "b": 10.0}, "max") == {"a": 1.25, "b": 1.0}


# -------------------------------------------------------------------- wins and fits


def test_wins_by_hand() -> None:
    # a: A better; b: a tie within 1e-6; c: A has none, B has one; d: neither.
    rows = measure(
        [
            cell("A", "a", objective=1.0),
            cell("B", "a", objective=2.0),
            cell("A", "b", objective=1.0),
            cell("B", "b", objective=1.0 + 1e-8),
            cell("A", "c"),
            cell("B", "c", objective=2.0),
            cell("A", "d"),
            cell("B", "d"),
        ]
    )
    scores = win_tie_loss(rows)
    assert scores["A", "B"] == Score(wins=1, ties=1, losses=1, neither=1)
    assert scores["B", "A"] == Score(wins=1, ties=1, losses=1, neither=1)
    assert win_tie_loss(rows, tolerance=0.0)["A", "B"] == Score(2, 0, 1, 1)
    assert better(2.0, 1.0, "max") == 1


def test_fit_of_an_exact_power() -> None:
    # value = 3 size^2: slope 2, intercept log 3, nothing unexplained.
    fit = loglog_fit([1.0, 2.0, 4.0, 8.0], [3.0, 12.0, 48.0, 192.0])
    assert fit is not None
    assert fit.slope == pytest.approx(2.0)
    assert fit.intercept == pytest.approx(math.log(3))
    assert fit.r_squared == pytest.approx(1.0)
    assert (fit.low, fit.high) == (pytest.approx(2.0), pytest.approx(2.0))
    assert fit.at(16.0) == pytest.approx(768.0)


def test_fit_by_hand() -> None:
    # In logarithms to base e: x = 0, 1, 2 and y = 0, 2, 1. Means 1 and 1, Sxx = 2, Sxy = 1: slope 1/2, intercept 1/2.
    # Residuals -1/2, 1, -1/2: rest 3/2 of total 2, R^2 = 1/4. t(0.975, 1) = 12.7062; sqrt(1.5 / 1 / 2) = 0.866025.
    e = math.e
    fit = loglog_fit([1.0, e, e**2], [1.0, e**2, e])
    assert fit is not None
    assert (fit.slope, fit.intercept, fit.r_squared) == (
        pytest.approx(0.5),
        pytest.approx(0.5),
        pytest.approx(0.25),
    )
    assert fit.high == pytest.approx(0.5 + 12.7062 * 0.866025, rel=1e-5)
    assert fit.low == pytest.approx(0.5 - 12.7062 * 0.866025, rel=1e-5)


def test_fits_that_cannot_be() -> None:
    assert loglog_fit([], []) is None
    assert loglog_fit([2.0, 2.0], [1.0, 3.0]) is None
    assert loglog_fit([0.0, 2.0], [1.0, 3.0]) is None
    two = loglog_fit([1.0, 2.0], [1.0, 1.0])
    assert two is not None
    assert (two.slope, two.r_squared, two.low) == (0.0, None, None)


def test_the_order_of_rows_changes_nothing() -> None:
    rows = experiment(8, 8)
    shuffled = list(rows)
    random.Random(3).shuffle(shuffled)
    assert measure(shuffled) == measure(rows)
