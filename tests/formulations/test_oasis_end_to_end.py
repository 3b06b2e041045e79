"""OASiS through the commands, through certificates that were tampered with, and without numba."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oasis_examples import w4b

import dmlopt
from dmlopt.cli import main
from dmlopt.engine.certificate import CertificateError, recompute, seal
from formulations.oasis import FORMULATION

OPTIMUM = 16.224593312018545


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    instance, result = str(tmp_path / "i.json"), str(tmp_path / "r.json")
    made = ["generate", "oasis", "--jobs", "6", "--seed", "2", "-o", instance]
    made += ["--set", "scale=toy", "--set", "horizon=8", "--set", "servers=1", "--cluster", "toy"]
    assert main(made) == 0
    assert main(["solve", instance, "--method", "exact", "-o", result]) == 0
    assert main(["check", instance, result]) == 0
    assert main(["list", "oasis"]) == 0
    shown = capsys.readouterr().out
    assert "optimal" in shown
    assert "mip-highs" in shown
    exported = str(tmp_path / "i.mps")
    assert main(["export", instance, "-o", exported]) == 0
    assert "u_0_" in Path(exported).read_text()


def certificate() -> dict[str, Any]:
    found = dmlopt.solve(w4b(), "exact").certificate
    assert found is not None
    assert any(node["node"] == "split" and "cut" in node for node in found["nodes"])
    return found


def tampered(node: dict[str, Any], random: np.random.Generator) -> None:
    """Change one number of a split or of a leaf's prices."""
    if node["node"] == "split":
        kind = random.integers(3)
        if kind == 0 and node.get("cut"):
            cut = node["cut"][random.integers(len(node["cut"]))]
            key = list(cut)[random.integers(len(cut))]
            cut[key] = int(random.integers(-1, 5))
        elif kind == 1:
            node["count"] = int(random.integers(0, 3))
        else:
            node["agent"] = int(random.integers(0, 4))
    elif "prices" in node:
        at = random.integers(len(node["prices"]))
        node["prices"][at] = int(random.integers(0, 2**44))
        node["bound"] = 1e9


@pytest.mark.parametrize("seed", range(150))
def test_no_certificate_proves_too_much(seed: int) -> None:
    """However its cuts, counts and prices are changed: refused, or a bound that the optimum does not beat."""
    random = np.random.default_rng(seed)
    changed = copy.deepcopy(certificate_once())
    for _ in range(random.integers(1, 4)):
        tampered(changed["nodes"][random.integers(len(changed["nodes"]))], random)
    try:
        proved = recompute(seal(changed), FORMULATION.plain_packing(w4b()))
    except CertificateError:
        return
    assert not proved.infeasible
    assert proved.value >= OPTIMUM - 1e-9


_kept: list[dict[str, Any]] = []


def certificate_once() -> dict[str, Any]:
    if not _kept:
        _kept.append(certificate())
    return _kept[0]


def test_without_numba() -> None:
    """Where numba cannot be imported, the plain dynamic program answers instead."""
    program = (
        "import sys; sys.modules['numba'] = None; sys.path.insert(0, 'tests/formulations')\n"
        "import dmlopt\n"
        "from oasis_examples import w4b\n"
        "from formulations.oasis.compiled import AVAILABLE\n"
        "print(AVAILABLE, dmlopt.solve(w4b(), 'lp').bound, dmlopt.solve(w4b(), 'exact').objective)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=root, timeout=120
    )
    assert done.returncode == 0, done.stderr
    available, bound, objective = done.stdout.split()
    assert available == "False"
    assert float(bound) == pytest.approx(17.5)
    assert float(objective) == pytest.approx(OPTIMUM)
