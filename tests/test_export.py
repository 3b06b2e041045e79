"""What is exported is read and solved by solvers that had no part in writing it, to the optimum that `exact` proves."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pulp
import pytest
from scipy.sparse import csc_array
from test_cli import Call, call  # noqa: F401
from toy import TIGHT

import dmlopt
from dmlopt.backends.highs import BACKEND
from dmlopt.backends.lp_format import write_lp
from dmlopt.backends.program import Program, SolverLimits
from dmlopt.cluster import ResourceKind
from dmlopt.errors import InputError, UnknownNameError
from dmlopt.export import FORMATS, MODELS, program_of
from tests.backends.programs import random_program
from tests.backends.test_backends import KNOWN, UNLIMITED

CASES = {
    "cpu": {"cluster": "cpu-7x16", "jobs": 10, "seed": 3},
    "gpu": {"cluster": "gpu-8x8-a100", "jobs": 14, "seed": 5},
    "waiting": {"cluster": "cpu-7x16", "jobs": 9, "load": 1.4, "waiting": True, "seed": 2},
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Any, float]:
    """A problem and its proven optimum."""
    problem = dmlopt.generate("optimus", **CASES[request.param])
    result = dmlopt.solve(problem, "exact")
    assert result.status == "optimal"
    assert result.objective is not None
    return problem, result.objective


def highs(path: Path) -> highspy.Highs:
    """HiGHS' own reader."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    return solver


def cbc(path: Path) -> float:
    """The CBC binary, started on the file as anybody would."""
    command = [pulp.PULP_CBC_CMD.pulp_cbc_path, str(path), "-ratioGap", "0", "-solve", "-quit"]
    log = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "Result - Optimal solution found" in log, log
    found = re.search(r"Objective value:\s+(\S+)", log)
    assert found is not None
    return float(found.group(1))


def from_json(path: Path) -> Program:
    data = json.loads(path.read_text())
    columns, rows, matrix = data["columns"], data["rows"], data["matrix"]

    def numbers(values: list[float | None], missing: float) -> Any:
        return np.array([missing if value is None else value for value in values])

    return Program(
        cost=np.array(columns["cost"]),
        matrix=csc_array(
            (matrix["value"], matrix["row"], matrix["start"]), shape=(len(rows["name"]), len(columns["name"]))
        ),
        row_lower=numbers(rows["lower"], -np.inf),
        row_upper=numbers(rows["upper"], np.inf),
        lower=numbers(columns["lower"], -np.inf),
        upper=numbers(columns["upper"], np.inf),
        integral=np.array(columns["integer"]),
        offset=data["offset"],
    )


@pytest.mark.parametrize("model", MODELS)
def test_other_solvers_find_the_same_optimum(case: tuple[Any, float], model: str, tmp_path: Path) -> None:
    problem, optimum = case
    for form in FORMATS:
        dmlopt.export(problem, tmp_path / f"p.{form}", model=model)
    assert cbc(tmp_path / "p.mps") == pytest.approx(optimum, rel=1e-7)
    for form in ("mps", "lp"):
        solver = highs(tmp_path / f"p.{form}")
        assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        assert solver.getInfo().objective_function_value == pytest.approx(optimum, rel=1e-7)
    found = BACKEND.solve(from_json(tmp_path / "p.json"), SolverLimits(gap=0.0))
    assert found.objective == pytest.approx(optimum, rel=1e-7)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("form", ["mps", "lp"])
def test_names_and_numbers_are_exact(model: str, form: str, tmp_path: Path) -> None:
    problem = dmlopt.generate("optimus", jobs=5, seed=1)
    program = program_of(problem, model)
    dmlopt.export(problem, tmp_path / f"p.{form}", model=model)
    lp = highs(tmp_path / f"p.{form}").getLp()
    cost = dict(zip(lp.col_names_, lp.col_cost_, strict=True))
    assert cost == dict(zip(program.column_names, program.cost.tolist(), strict=True))
    assert set(lp.row_names_) == set(program.row_names)
    assert "x_0_1_1" in cost
    assert "capacity_0_cpu" in lp.row_names_


def test_names_that_a_reader_would_trip_over_are_numbered(tmp_path: Path) -> None:
    import dataclasses

    problem = dmlopt.generate("optimus", jobs=3, seed=1)
    kinds = (ResourceKind("Ä b: <= 3", "x"), *problem.resources[1:])
    strange = dataclasses.replace(problem, resources=kinds)
    for model in MODELS:
        for form in ("mps", "lp"):
            path = tmp_path / f"{model}.{form}"
            dmlopt.export(strange, path, model=model)
            value = highs(path).getInfo().objective_function_value
            assert value == pytest.approx(dmlopt.solve(strange, "exact").objective, rel=1e-7)


@pytest.mark.parametrize("case", KNOWN + UNLIMITED, ids=[case[0] for case in KNOWN + UNLIMITED])
def test_lp_files_of_known_programs(case: tuple[str, Program, float, object], tmp_path: Path) -> None:
    assert_same_answer(case[1], tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_lp_files_of_random_programs(seed: int, tmp_path: Path) -> None:
    assert_same_answer(random_program(seed, integers=bool(seed % 2)), tmp_path)


def assert_same_answer(given: Program, folder: Path) -> None:
    with (folder / "p.lp").open("w") as file:
        write_lp(given, file)
    solver, found = highs(folder / "p.lp"), BACKEND.solve(given, SolverLimits())
    if found.objective is None:
        assert solver.getModelStatus() != highspy.HighsModelStatus.kOptimal
    else:
        assert solver.getInfo().objective_function_value == pytest.approx(found.objective, abs=1e-6)


@pytest.mark.usefixtures("toy")
def test_formulation_without_a_reference_program(tmp_path: Path) -> None:
    dmlopt.export(TIGHT, tmp_path / "p.mps", model="plans")
    assert highs(tmp_path / "p.mps").getInfo().objective_function_value == pytest.approx(-11.0)
    with pytest.raises(InputError, match="'toy' offers no reference program; use 'plans'"):
        dmlopt.export(TIGHT, tmp_path / "p.mps")


def test_command(call: Call, tmp_path: Path) -> None:  # noqa: F811
    instance = tmp_path / "i.json"
    dmlopt.save(dmlopt.generate("optimus", jobs=3, seed=1), instance)
    code, out, _ = call("export", instance, "--format", "lp", "--model", "plans")
    assert code == 0
    assert out.startswith("Minimize\n")
    code, nothing, err = call("export", instance, "-o", tmp_path / "p.lp.gz", "--model", "plans")
    assert (code, nothing) == (0, "")
    assert "wrote" in err
    assert gzip.decompress((tmp_path / "p.lp.gz").read_bytes()).decode() == out
    assert "examples:" in call("export", "--help")[1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--format", "msp"], "unknown format 'msp'. Did you mean 'mps'?"),
        (["-o", "p.jsn"], "unknown format 'jsn'. Did you mean 'json'?"),
        (["--format", "lp", "--model", "plan"], "unknown model 'plan'. Did you mean 'plans'?"),
        ([], "--format: expected one of mps, lp, json when writing to stdout"),
        (["--format", "lp", "-o", "no/such/p.lp"], "cannot be written: no such file or directory"),
    ],
)
def test_command_wrong(call: Call, tmp_path: Path, arguments: list[str], reason: str) -> None:  # noqa: F811
    dmlopt.save(dmlopt.generate("optimus", jobs=2, seed=1), tmp_path / "i.json")
    code, out, err = call("export", tmp_path / "i.json", *arguments)
    assert (code, out) == (2, "")
    assert reason in err


def test_wrong_arguments(tmp_path: Path) -> None:
    problem = dmlopt.generate("optimus", jobs=2, seed=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'mps'"):
        dmlopt.export(problem, tmp_path / "p", format="mp")
    with pytest.raises(UnknownNameError, match="unknown format ''"):
        dmlopt.export(problem, tmp_path / "p.")
    with pytest.raises(UnknownNameError, match="Did you mean 'reference'"):
        dmlopt.export(problem, tmp_path / "p.mps", model="refrence")
