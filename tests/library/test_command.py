"""`dmlopt library`: what it prints and how it ends."""

import json

import pytest

from dmlopt import registry
from dmlopt.cli import main
from dmlopt.library import read_table
from dmlopt.registry import Method
from dmlopt.result import Answer


@pytest.fixture
def run(shelf, capsys):
    def call(*arguments):
        code = main(["library", *arguments])
        captured = capsys.readouterr()
        if not {"--json", "--paths"} & set(arguments):
            assert all(len(line) <= 100 for line in captured.out.splitlines())
        return code, captured.out, captured.err

    return call


def test_list(run, shelf):
    code, out, _ = run("list")
    assert code == 0
    assert "toy (maximise)" in out
    assert "3 jobs, much room" in out
    run("improve", "--method", "best")
    code, out, _ = run("list", "toy", "--size", "toy")
    assert "10.5" in out
    assert "medium-short" not in out
    assert run("list", "--paths")[1].splitlines()[0] == str(shelf / "instances" / "toy-loose.json")
    found = json.loads(run("list", "medium-short", "--json")[1])["instances"]
    assert [(each["instance"], each["status"], each["size"]) for each in found] == [
        ("medium-short", "infeasible", "medium")
    ]


def test_improve_says_what_changed(run):
    code, out, _ = run("improve", "toy-tight", "--method", "bound")
    assert (code, out.split(maxsplit=3)[3].strip()) == (0, "first bound 14")
    code, out, _ = run("improve", "toy-tight", "--method", "best", "--time-limit", "5")
    assert "first value 6.5" in out
    assert "nothing better" in run("improve", "toy-tight", "--method", "best")[1]
    registry.formulation("toy").extra.append(
        Method("liar", "heuristic", "", lambda problem, request: Answer(solution=(1, 1, 1, 1)))
    )
    code, out, _ = run("improve", "toy-tight", "--method", "liar")
    assert code == 1
    assert "kept as it was: what liar answers does not hold" in out
    assert "solution, status: the checker rejects the solution: capacity (1)" in out


def test_verify_names_the_failures(run, shelf):
    run("improve", "--method", "best")
    code, out, _ = run("verify")
    assert code == 0
    assert out.startswith("verified: ")
    table = shelf / "best_known.csv"
    table.write_text(table.read_text().replace(",6.5,", ",6.75,", 1))
    code, out, _ = run("verify", "toy")
    assert code == 1
    assert "toy/toy-tight" in out
    assert "not verified: 1 of 3 instances" in out
    assert run("verify", "toy-loose")[0] == 0
    assert json.loads(run("verify", "--json")[1])["instances"][1]["failed"] == ["value"]
    (shelf / "answers" / "stray.json").write_text("")
    assert "answers/stray.json belongs to no row" in run("verify")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "toy-tigth"], "Did you mean 'toy-tight'?"),
        (["improve", "--method", "bset"], "Did you mean 'best'?"),
        (["improve", "--method", "best", "--set", "pase=1"], "Did you mean 'pace'?"),
        (["imporve"], "Did you mean 'improve'?"),
        (["list", "--size", "tiny"], "invalid choice: 'tiny'"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_wrong_calls(run, arguments, message):
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err


def test_make(run, shelf):
    (shelf / "instances" / "toy-loose.json").unlink()
    code, _, err = run("make")
    assert code == 0
    assert "toy: 3 instances, 1 written now" in err
    assert list(read_table(shelf)) == ["toy-loose", "toy-tight", "medium-short"]
