"""Only what is strictly better, and checked, gets into the table."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import toy

from dmlopt import registry
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.library import entries, improve, read_table, verify
from dmlopt.library import improve as improving
from dmlopt.library.best_known import write_table
from dmlopt.registry import Method
from dmlopt.result import Answer


def files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def entry(name):
    return next(each for each in entries("toy") if each.name == name)


def add(name, run, kind="heuristic"):
    registry.formulation("toy").extra.append(Method(name, kind, "", run))


def first_plans(problem, request):
    return Answer(solution=(0,) * len(problem.values))


def test_the_first_answer_fills_the_row(shelf):
    found = improve(entry("toy-loose"), "best")
    row = read_table(shelf)["toy-loose"]
    assert [(each.what, each.old) for each in found.changes] == [("value", None), ("bound", None)]
    assert (row.status, row.value, row.bound, row.gap) == ("optimal", 10.5, 10.5, 0.0)  # 3 jobs of 3.5 each
    assert (row.value_method, row.bound_method, row.methods) == ("best", "best", "best")
    assert verify(entry("toy-loose")).ok


def test_nothing_better_changes_no_file(shelf):
    improve(entry("toy-loose"), "best")
    before = files(shelf)
    add("first", first_plans)
    for method in ("best", "bound", "first"):
        assert improve(entry("toy-loose"), method).changes == ()
    assert files(shelf) == before


def test_a_better_value_replaces_the_solution_alone(shelf):
    add("first", first_plans)
    improve(entry("toy-tight"), "first")
    improve(entry("toy-tight"), "bound")
    old = read_table(shelf)["toy-tight"]
    assert (old.status, old.value, old.methods) == ("open", 4.0, "first / bound")
    found = improve(entry("toy-tight"), "best")
    new = read_table(shelf)["toy-tight"]
    assert [each.what for each in found.changes] == ["value"]
    assert (new.value, new.value_method, new.bound_method) == (
        6.5,
        "best",
        "bound",
    )  # 12 units: 5 + 2 + 2 + 2
    assert new.certificate == old.certificate
    assert old.solution not in files(shelf)
    assert verify(entry("toy-tight")).ok


def test_a_bound_that_is_weaker_changes_nothing(shelf):
    improve(entry("toy-tight"), "bound")
    before = files(shelf)
    add("weak", lambda problem, request: Answer(certificate=toy.leaf(problem, 100.0)), "bound")
    assert improve(entry("toy-tight"), "weak").changes == ()
    assert files(shelf) == before


def test_an_infeasible_instance(shelf):
    found = improve(entry("medium-short"), "best")
    row = read_table(shelf)["medium-short"]
    assert [each.what for each in found.changes] == ["infeasible"]
    assert (row.status, row.value, row.bound) == ("infeasible", None, None)
    assert verify(entry("medium-short")).ok
    assert improve(entry("medium-short"), "best").changes == ()


def test_a_word_alone_proves_nothing(shelf):
    add("says", lambda problem, request: Answer(claimed_infeasible=True))
    found = improve(entry("medium-short"), "says")
    assert (found.changes, found.trouble) == ((), "")
    assert read_table(shelf)["medium-short"].status == "open"
    improve(entry("toy-loose"), "best")
    assert "says infeasible, but a solution of 10.5 is known" in improve(entry("toy-loose"), "says").trouble


LIARS = {
    "infeasible": lambda problem, request: Answer(solution=(1,) * len(problem.values)),
    "forged": lambda problem, request: Answer(certificate={**toy.leaf(problem), "bits": 29}),
    "ray": lambda problem, request: Answer(certificate=toy.ray()),
    "nonsense": lambda problem, request: Answer(solution="no solution"),
}


@pytest.mark.parametrize("liar", LIARS)
def test_what_does_not_hold_is_not_kept(shelf, liar):
    improve(entry("toy-tight"), "best")
    before = files(shelf)
    add("liar", LIARS[liar])
    found = improve(entry("toy-tight"), "liar")
    assert found.trouble
    assert not found.changes
    assert files(shelf) == before


def test_a_row_that_contradicts_a_checked_answer_is_reported(shelf):
    improve(entry("toy-tight"), "best")
    rows = read_table(shelf)
    write_table(shelf, {**rows, "toy-tight": replace(rows["toy-tight"], bound=5.0)}.values())
    found = improve(entry("toy-tight"), "best")
    assert "beats the certified bound: 6.5 against 5.0" in found.trouble
    assert not verify(entry("toy-tight")).ok


def test_a_run_that_is_cut_short_leaves_the_table_whole(shelf, monkeypatch):
    add("first", first_plans)
    improve(entry("toy-tight"), "first")
    table = (shelf / "best_known.csv").read_bytes()

    def cut(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(improving.__globals__, "write_table", cut)
        with pytest.raises(KeyboardInterrupt):
            improve(entry("toy-tight"), "best")
    assert (shelf / "best_known.csv").read_bytes() == table
    assert verify(entry("toy-tight")).ok
    assert [each.what for each in improve(entry("toy-tight"), "best").changes] == ["value", "bound"]


def test_two_at_a_time_lose_no_row(shelf):
    names = ["toy-loose", "toy-tight", "medium-short"] * 3
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: improve(entry(name), "best", pace=0.01), names))
    assert all(verify(each).ok for each in entries("toy"))
    assert [row.status for row in read_table(shelf).values()] == ["optimal", "open", "infeasible"]


def test_wrong_calls(shelf):
    with pytest.raises(UnknownNameError, match="Did you mean 'best'"):
        improve(entry("toy-loose"), "bset")
    with pytest.raises(InputError, match="time_limit: expected a number > 0"):
        improve(entry("toy-loose"), "best", time_limit=0)
    (shelf / "best_known.csv").unlink()
    with pytest.raises(InputError, match="the table has no row for this instance"):
        improve(entry("toy-loose"), "best")
