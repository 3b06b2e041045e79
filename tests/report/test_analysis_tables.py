"""Tables: selection, grouping, contents worked out by hand, and every rendering."""

from __future__ import annotations

import csv
import io
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dmlopt.batch.row import CRASH, NOT_APPLICABLE, CellRow
from dmlopt.errors import DmloptError, InputError, UnknownNameError
from dmlopt.report import render
from dmlopt.report.catalogue import TABLES, table_named
from dmlopt.report.measured import measure
from dmlopt.report.profiles import MEASURES
from dmlopt.report.selection import groups, read_condition, select
from dmlopt.report.settings import Settings
from dmlopt.report.table import COUNT, GAP, NUMBER, SECONDS, SHARE, Column, Table, spell
from dmlopt.report.tables_detail import gaps_by, spread_axes
from dmlopt.report.tables_rows import full_rows
from tests.report.cells import cell, experiment

SMALL = [
    cell(
        "exact", objective=10.0, bound=10.0, status="optimal", seconds=1.0, time_limit=8.0, axes={"jobs": 2}
    ),
    cell("greedy", objective=12.5, seconds=0.5, time_limit=8.0, axes={"jobs": 2}),
    cell(
        "exact", "b", objective=20.0, bound=16.0, seconds=8.0, limit="time", time_limit=8.0, axes={"jobs": 10}
    ),
    cell("greedy", "b", outcome=CRASH, reason="signal 9", seconds=0.1, time_limit=8.0, axes={"jobs": 10}),
    cell("greedy-x", "b", outcome=NOT_APPLICABLE, time_limit=8.0, axes={"jobs": 10}),
]


def made(name: str, rows: list[CellRow] = SMALL, **settings: Any) -> Table:
    return TABLES[name](measure(rows), Settings(**settings))


def line(table: Table, *key: object) -> dict[str, Any]:
    found = next(row for row in table.rows if row[: len(key)] == key)
    return dict(zip(table.header, found, strict=True))


# -------------------------------------------------------------------- contents


def test_gaps() -> None:
    # exact: gaps 0 and (20 - 16) / 20 = 0.2, so mean and median 0.1, 0.95-quantile 0.19; greedy: (12.5 - 10) / 12.5.
    table = made("gaps")
    exact = line(table, "exact")
    assert (exact["runs"], exact["with gap"]) == (2, 2)
    assert [exact[name] for name in ("mean", "median", "p95", "max")] == pytest.approx([0.1, 0.1, 0.19, 0.2])
    assert exact["ratio to best"] == 1.0
    greedy = line(table, "greedy")
    assert (greedy["runs"], greedy["with gap"]) == (2, 1)
    assert greedy["mean"] == pytest.approx(0.2)
    assert greedy["ratio to best"] == pytest.approx(1.25)
    assert line(table, "greedy-x")["mean"] is None
    assert table.notes[:3] == (
        "n = 5 runs on 2 instances.",
        "1 of 5 failed and have no gap.",
        "1 of 5 not applicable.",
    )


def test_times_and_time_to_gap() -> None:
    # Shift 0.1: exact's mean is sqrt(1.1 * 8.1) - 0.1; to proof the same, the unproved run counts with its limit 8 s.
    # Within 1 %: exact on a after 1 s, on b never.
    mean = (1.1 * 8.1) ** 0.5 - 0.1
    exact = line(made("times"), "exact")
    assert (exact["median"], exact["max"], exact["proved"]) == (4.5, 8.0, 1)
    assert (exact["mean"], exact["mean to proof"]) == (pytest.approx(mean), pytest.approx(mean))
    assert "shift 0.1 s" in " ".join(made("times").notes)
    reached = line(made("time-to-gap"), "exact")
    assert (reached["reached"], reached["share"], reached["median"], reached["latest"]) == (1, 0.5, None, 1.0)
    assert reached["mean"] == pytest.approx(mean)
    assert line(made("time-to-gap", target=0.2), "greedy")["reached"] == 1


def test_outcomes_overview_and_failures() -> None:
    outcomes = made("outcomes")
    assert outcomes.header == ("method", "runs", "proven", "feasible", "not applicable", "crash")
    assert line(outcomes, "greedy")["crash"] == 1
    overview = line(made("overview"), "exact")
    assert [overview[name] for name in ("proved", "solved", "failed")] == [0.5, 1.0, 0.0]
    assert made("failures").rows == (("b", "greedy", "crash", 0.1, "signal 9"),)


def test_wins_profile_integral_and_scaling() -> None:
    # exact beats greedy on both (a crash has no solution); greedy-x does not apply and competes nowhere.
    wins = made("wins")
    assert wins.header == ("method", "#1", "#2", "#3", "wins", "ties", "losses")
    assert wins.rows[0] == ("1 exact", None, 2, 0, 2, 0, 0)
    assert wins.rows[1] == ("2 greedy", 0, None, 0, 0, 0, 2)
    profile = made("profile", SMALL[:4], measure="objective")
    assert line(profile, "exact")["<= 1x"] == 1.0
    assert line(profile, "greedy")["ever"] == 0.5
    # No traces: primal gap 1 until the answer. exact: 1/8 and 8/8; greedy: 0.5/8 + (2.5/12.5) * 7.5/8, and 1 for the crash.
    integrals = made("primal-integral")
    assert line(integrals, "exact")["mean"] == pytest.approx((0.125 + 1.0) / 2)
    assert line(integrals, "greedy")["mean"] == pytest.approx((0.0625 + 0.1875 + 1.0) / 2)
    assert line(integrals, "greedy-x")["mean"] is None
    # exact on b was stopped: one point, no fit.
    scaling = made("scaling")
    assert (line(scaling, "exact")["points"], line(scaling, "exact")["slope"]) == (1, None)
    assert "1 of 5 stopped at a limit" in " ".join(scaling.notes)


def test_groups_are_in_the_order_of_their_values() -> None:
    table = made("gaps", by=("jobs", "method"))
    assert [row[:2] for row in table.rows] == [
        (2, "exact"),
        (2, "greedy"),
        (10, "exact"),
        (10, "greedy"),
        (10, "greedy-x"),
    ]
    assert list(groups(measure(SMALL), ("kind",))) == [("exact",), ("heuristic",)]
    spread = gaps_by(measure(SMALL), Settings(), "jobs")
    assert spread.header == ("method", "2", "10")
    assert spread.rows[0] == ("exact", 0.0, pytest.approx(0.2))
    assert spread_axes(measure(SMALL)) == ["jobs"]


def test_seeds_are_shown_where_an_instance_has_several() -> None:
    own = [cell("greedy", name, objective=1.0, seed=seed) for name, seed in (("a", 1), ("b", 2))]
    assert "seed" not in made("rows", own).header
    assert "seed" in made("rows", [*own, cell("greedy", "a", objective=1.0, seed=3)]).header


def test_formulations_are_kept_apart() -> None:
    rows = [*SMALL, cell("greedy", "c", objective=1.0, formulation="other")]
    assert made("gaps", rows).header[:2] == ("formulation", "method")
    assert line(made("profile", rows, measure="objective"), "other", "greedy")["problems"] == 1


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    "rows",
    [
        experiment(14, 6),
        experiment(1, 1),
        experiment(6, 4, bounds=False),
        experiment(6, 4, failing=True),
        [cell("lp", bound=1.0)],
        [cell(outcome=NOT_APPLICABLE)],
        [cell("a " * 40, "i" * 90, objective=1e30, axes={"size": [1, 2], "big": True})],
    ],
    ids=["many", "one", "no bounds", "failed", "only a bound", "not applicable", "long"],
)
def test_every_table_of_every_kind_of_experiment(name: str, rows: list[CellRow]) -> None:
    for measure_of in MEASURES if name == "profile" else MEASURES[:1]:
        table = made(name, rows, measure=measure_of)
        out = io.StringIO()
        Console(file=out, width=100).print(render.terminal(table))
        assert max(map(len, out.getvalue().splitlines())) <= 100
        assert "nan" not in out.getvalue()
        assert "inf" not in out.getvalue().replace("infinite", "")
        for each in render.RENDERERS.values():
            assert each(table)
        shuffled = list(rows)
        random.Random(1).shuffle(shuffled)
        assert made(name, shuffled, measure=measure_of) == table
    full_rows(measure(rows), Settings())


# -------------------------------------------------------------------- renderings

TABLE = Table(
    "odd",
    "50 % of a_b & c",
    (
        Column("name"),
        Column("n", COUNT),
        Column("gap", GAP),
        Column("value", NUMBER),
        Column("time", SECONDS),
    ),
    (("x_1 | \\y", 1234, 0.0123456789, 1 / 3, None), ("[b]", None, None, None, 1.5)),
    ("n = 2.", "< 3 {left} out"),
)


def test_csv_round_trip() -> None:
    read = list(csv.reader(io.StringIO(render.comma_separated(TABLE))))
    assert read[0] == list(TABLE.header)
    assert float(read[1][3]) == 1 / 3
    assert read[1][0] == "x_1 | \\y"
    assert read[1][4] == ""


def test_latex() -> None:
    text = render.latex(TABLE)
    assert r"\caption{50 \% of a\_b \& c}" in text
    assert r"\begin{tabular}{lrrrr}" in text
    assert r"x\_1 \textbar{} \textbackslash{}y & 1,234 & 1.2 \% & 0.33333333 & - \\" in text
    assert r"{}[b] & - & - & - & 1.50 s \\" in text
    assert r"\textless{} 3 \{left\} out" in text
    assert text.count("{") == text.count("}")


def test_markdown_json_and_terminal() -> None:
    lines = render.markdown(TABLE).splitlines()
    assert lines[0] == "## 50 % of a\\_b & c"
    assert lines[3] == "| --- | ---: | ---: | ---: | ---: |"
    assert lines[4].startswith("| x\\_1 \\| \\\\y | 1,234 | 1.2 % |")
    data = json.loads(render.as_json(TABLE))
    assert data["format"] == "dmlopt-table/1"
    assert data["rows"][0] == ["x_1 | \\y", 1234, 0.0123456789, 1 / 3, None]
    out = io.StringIO()
    Console(file=out, width=100).print(render.terminal(TABLE))
    assert "< 3 {left} out" in out.getvalue()
    assert "[b]" in out.getvalue()


def test_what_lines_share_is_shown_once_on_a_terminal() -> None:
    columns = (Column("a"), Column("[b]"), Column("c"))
    rows = (("x", "y", "1"), ("x", "y", "2"), ("x", "z", "2"), ("w", "z", "2"))
    out = io.StringIO()
    Console(file=out, width=100).print(render.terminal(Table("t", "", columns, rows, grouped=2)))
    assert "[b]" in out.getvalue()
    lines = [each.split() for each in out.getvalue().splitlines()[-6:]]
    assert [each for each in lines if each] == [["x", "y", "1"], ["2"], ["z", "2"], ["w", "z", "2"]]
    assert render.comma_separated(Table("t", "", columns, rows, grouped=2)).count("x,y") == 2


def test_spelling() -> None:
    assert spell(None, GAP) == spell("", "text") == "-"
    assert (spell(0.5, SHARE), spell(1, SHARE), spell(0.0, SHARE)) == ("50.0 %", "100 %", "0 %")
    assert spell(True, "text") == "true"
    with pytest.raises(ValueError, match="2 cells under 1 columns"):
        Table("x", "x", (Column("a"),), ((1, 2),))


# -------------------------------------------------------------------- selection


@pytest.mark.parametrize(
    ("conditions", "count"),
    [
        (["method=greedy*"], 3),
        (["method!=greedy*"], 2),
        (["jobs>=10"], 3),
        (["jobs<10", "method=exact"], 1),
        (["axes.jobs=2"], 2),
        (["jobs = 2.0"], 2),
        (["outcome=done"], 3),
        (["gap<=0.1"], 1),
        (["gap!=0"], 4),
        (["objective>1e9"], 0),
        (["status==optimal"], 1),
    ],
)
def test_conditions(conditions: list[str], count: int) -> None:
    assert len(select(measure(SMALL), [read_condition(each) for each in conditions])) == count


@pytest.mark.parametrize("text", ["", "jobs", "=3", "jobs=", "jobs>x", ">=3"])
def test_wrong_conditions(text: str) -> None:
    with pytest.raises(InputError, match="--where"):
        read_condition(text)


@given(st.text(max_size=12) | st.from_regex(r"(jobs|method|gap|axes\.jobs)(=|!=|<|>=)[-a-z0-9.*?\[\]!]{0,6}"))
def test_any_condition_selects_or_is_refused(text: str) -> None:
    rows = measure(SMALL)
    try:
        found = select(rows, [read_condition(text)])
    except DmloptError:
        return
    assert all(each in rows for each in found)


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'jobs'"):
        select(measure(SMALL), [read_condition("job=3")])
    with pytest.raises(DmloptError, match="Did you mean 'wins'"):
        table_named("win")
