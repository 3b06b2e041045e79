"""`dmlopt conformance` on a formulation of one's own."""

from dmlopt.cli import main
from dmlopt.registry import Method
from tests.conformance.plants import peeks


def test_an_honest_formulation(plant, capsys):
    plant()
    assert main(["conformance", "toy", "--method", "honest-exact"]) == 0
    out = capsys.readouterr().out
    assert "toy conforms" in out
    assert all(len(line) <= 100 for line in out.splitlines())
    look_ahead = next(line for line in out.splitlines() if line.strip().startswith("look ahead"))
    assert "nothing to check" in look_ahead


def test_findings_are_named(plant, capsys):
    plant().extra.append(Method("liar", "online", "", peeks))
    assert main(["conformance", "toy", "-m", "liar", "-m", "honest-exact"]) == 1
    out = capsys.readouterr().out
    assert "liar on seed 0" in out
    assert "toy does not conform: 3 findings" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_wrong_names(plant, capsys):
    plant()
    assert main(["conformance", "toi"]) == 2
    assert "Did you mean 'toy'?" in capsys.readouterr().err
    assert main(["conformance", "toy", "--method", "honest-exakt"]) == 2
    assert "Did you mean 'honest-exact'?" in capsys.readouterr().err
