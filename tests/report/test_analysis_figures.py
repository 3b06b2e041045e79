"""Every figure, of every kind of experiment: it is drawn, does not warn, and says so when there is nothing to show."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from dmlopt.batch.row import NOT_APPLICABLE, CellRow
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.report.canvas import COLOURS, finish, line_style, new_figure, require_figure
from dmlopt.report.catalogue import FIGURES, figure_for
from dmlopt.report.measured import measure
from dmlopt.report.profiles import MEASURES
from dmlopt.report.settings import Settings
from dmlopt.report.traces import OWN
from tests.report.cells import cell, experiment

EXPERIMENTS = {
    "six": experiment(6),
    "fourteen": experiment(14, 8),
    "one method": experiment(1),
    "one instance": experiment(6, 1),
    "no bounds": experiment(6, bounds=False),
    "all failed": experiment(6, failing=True),
    "only a bound": [cell("lp", bound=1.0)],
    "not applicable": [cell(outcome=NOT_APPLICABLE)],
    "nothing": [],
    "dollars": [cell("$x$", objective=1.0, seconds=0.0), cell("$y^$", objective=2.0, axes={"$n": 1})],
}


@pytest.mark.parametrize("rows", EXPERIMENTS.values(), ids=EXPERIMENTS)
@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn(name: str, rows: list[CellRow], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = FIGURES[name](measure(rows), Settings(), str(tmp_path / "f.png"))
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert all(axes.get_title(loc="left") for axes in figure.axes)


def test_profiles_and_gaps_with_other_settings(tmp_path: Path) -> None:
    rows = measure(experiment(6))
    for measure_of in MEASURES:
        axes = FIGURES["profile"](rows, Settings(measure=measure_of), None).axes[0]
        for curve in axes.get_lines():
            heights = list(curve.get_ydata())
            assert heights == sorted(heights)
    FIGURES["time-to-gap"](rows, Settings(target=0.0, against=OWN), str(tmp_path / "f.pdf"))


def test_scaling_shows_the_slopes() -> None:
    texts = FIGURES["scaling"](measure(experiment(2)), Settings(), None).axes[0].get_legend().get_texts()
    assert [each.get_text().split(":")[0] for each in texts] == ["exact", "greedy"]
    assert "[" in texts[0].get_text()


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_equal_rows_give_equal_files(ending: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        FIGURES["profile"](measure(experiment(4)), Settings(), str(tmp_path / f"{name}.{ending}"))
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_styles_differ_in_colour_marker_or_dashes() -> None:
    styles = {(each["color"], each["marker"], str(each["linestyle"])) for each in map(line_style, range(56))}
    assert len(styles) == 56
    without_colour = {(each["marker"], str(each["linestyle"])) for each in map(line_style, range(14))}
    assert len(without_colour) == 14
    assert len(COLOURS) == 8


def test_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="png"):
        require_figure("x.pgn")
    with pytest.raises(InputError, match="cannot be written"):
        finish(new_figure(2, 2)[0], str(tmp_path / "no" / "f.png"))


def test_tables_without_a_figure_of_their_own() -> None:
    assert figure_for("times") is FIGURES["gap-against-time"]
    assert figure_for("wins") is FIGURES["wins"]
