"""The command line on the toy: outputs, exit codes, a message and no traceback for every wrong input."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from toy import SHORT, SLACK, TIGHT, ToyFormulation

import dmlopt
from dmlopt.cli import main
from dmlopt.files import encode
from dmlopt.registry import Method
from dmlopt.result import Answer

pytestmark = pytest.mark.usefixtures("toy")

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command; gives exit code, stdout and stderr, and insists that no traceback is ever shown."""

    def run(*argv: str | Path) -> tuple[int, str, str]:
        code = main([str(each) for each in argv])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return run


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The toy instances as files."""
    found = {}
    for name, problem in {"slack": SLACK, "tight": TIGHT, "short": SHORT}.items():
        found[name] = tmp_path / f"{name}.json"
        dmlopt.save(problem, found[name])
    return found


# ---------------------------------------------------------------- help and lists


def test_version_and_help(call: Call) -> None:
    assert call("--version") == (0, f"dmlopt {dmlopt.__version__}\n", "")
    names = [
        "list",
        "generate",
        "solve",
        "check",
        "compare",
        "export",
        "run",
        "results",
        "report",
        "library",
        "conformance",
    ]
    for command in ([], *([each] for each in names)):
        code, out, _ = call(*command, "--help")
        assert code == 0
        assert "examples:" in out


def test_list(call: Call) -> None:
    code, out, _ = call("list")
    assert code == 0
    assert "toy" in out
    code, out, _ = call("list", "toy")
    assert code == 0
    for word in (
        "best",
        "exact",
        "enumerates",
        "pace",
        "seconds to wait",
        "small",
        "6 units per job",
        "load",
    ):
        assert word in out
    assert max(map(len, out.splitlines())) <= 100


def test_unknown_commands(call: Call) -> None:
    code, out, err = call("slove", "x.json")
    assert (code, out) == (2, "")
    assert "Did you mean 'solve'?" in err
    assert "Did you mean" not in call("qqqq")[2]


# ---------------------------------------------------------------- generate


def test_generate_to_stdout_and_file_agree(call: Call, tmp_path: Path) -> None:
    arguments = ("generate", "toy", "--jobs", "4", "--seed", "2", "--load", "1.5", "--cluster", "large")
    code, out, _ = call(*arguments)
    assert code == 0
    code, nothing, err = call(*arguments, "-o", tmp_path / "a.json")
    assert (code, nothing) == (0, "")
    assert "wrote" in err
    assert (tmp_path / "a.json").read_text() == out
    assert dmlopt.load(tmp_path / "a.json") == dmlopt.generate(
        "toy", seed=2, jobs=4, load=1.5, cluster="large"
    )
    assert (
        call(
            "generate", "toy", "--set", "jobs=4", "--seed", "2", "--set", "load=1.5", "--set", "cluster=large"
        )[1]
        == out
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["tooy"], "unknown generator 'tooy'. Did you mean 'toy'?"),
        (["toy", "--jobs", "many"], "jobs: expected an integer, got 'many'"),
        (["toy", "--load", "nan"], "load: expected a finite number, got 'nan'"),
        (
            ["toy", "--cluster", "smal"],
            "cluster: expected one of small, large, got 'smal'. Did you mean 'small'?",
        ),
        (["toy", "--seed", "-1"], "argument --seed: expected an integer >= 0"),
        (["toy", "--set", "jobs"], "--set: expected name=value, got 'jobs'"),
        (["toy", "--set", "jops=3"], "unknown option 'jops'. Did you mean 'jobs'?"),
        (["toy", "--set", "jobs=3", "--jobs", "3"], "--jobs: also given by --set"),
        (["toy", "--set", "jobs=3", "--set", "jobs=4"], "--set: 'jobs' is given twice"),
        (["toy", "-o", "no/such/place.json"], "cannot be written: no such file or directory"),
    ],
)
def test_generate_wrong(call: Call, arguments: list[str], reason: str) -> None:
    code, out, err = call("generate", *arguments)
    assert (code, out) == (2, "")
    assert reason in err


# ---------------------------------------------------------------- solve


def test_solve_prints_a_summary_and_writes_the_result(
    call: Call, files: dict[str, Path], tmp_path: Path
) -> None:
    code, out, err = call("solve", files["slack"], "--method", "best", "-o", tmp_path / "r.json")
    assert code == 0
    assert "optimal: proven" in out
    assert "14.5" in out
    assert "wrote" in err
    assert dmlopt.load(tmp_path / "r.json", SLACK).status == "optimal"


def test_solve_json_is_one_object(call: Call, files: dict[str, Path]) -> None:
    code, out, err = call("solve", files["tight"], "--method", "best", "--json", "--set", "pace=0.01")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert out.count("\n") == 1
    for name in (
        "formulation",
        "method",
        "kind",
        "status",
        "limit",
        "objective",
        "bound",
        "claimed_bound",
        "gap",
    ):
        assert name in data
    assert set(data["seconds"]) == {"build", "solve", "check", "total"}
    assert (data["objective"], data["bound"], data["verified"]) == (11.0, 14.5, True)
    assert data["parameters"]["pace"] == 0.01


def test_solve_reads_stdin(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(json.dumps(encode(SLACK)).encode())

    monkeypatch.setattr(sys, "stdin", Stdin())
    code, out, _ = call("solve", "-", "-m", "bound")
    assert code == 0
    assert "14.5 (certified)" in out


def test_solve_infeasible_names_what_is_short(call: Call, files: dict[str, Path], tmp_path: Path) -> None:
    code, out, _ = call("solve", files["short"], "--method", "best", "-o", tmp_path / "r.json")
    assert code == 3
    assert "room is short by 1: 5 needed, 4 there" in out
    assert call("check", files["short"], tmp_path / "r.json")[0] == 0


def test_solve_without_an_answer(call: Call, files: dict[str, Path], toy: ToyFormulation) -> None:
    toy.extra[:] = [
        Method("none", "heuristic", "", lambda *_: Answer()),
        Method("only-bound", "exact", "", lambda *_: Answer(claimed_bound=20.0)),
        Method("liar", "heuristic", "", lambda *_: Answer(solution=(1, 1, 1))),
    ]
    assert call("solve", files["tight"], "--method", "none")[0] == 3
    assert call("solve", files["tight"], "--method", "only-bound")[0] == 3
    code, out, _ = call("solve", files["tight"], "--method", "liar")
    assert code == 1
    assert "capacity (1) at room: 5 too much" in out


def test_solve_failures_of_the_program_are_short_too(
    call: Call, files: dict[str, Path], toy: ToyFormulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Answer:
        raise failure

    toy.extra[:] = [Method("fail", "exact", "", fail)]
    failure: BaseException = dmlopt.BackendError("solver 'x' is not installed")
    assert call("solve", files["tight"], "--method", "fail") == (
        4,
        "",
        "dmlopt: solver 'x' is not installed\n",
    )
    failure = ZeroDivisionError("oops")
    code, _, err = call("solve", files["tight"], "--method", "fail")
    assert code == 4
    assert "internal error: ZeroDivisionError: oops" in err
    monkeypatch.setenv("DMLOPT_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["solve", str(files["tight"]), "--method", "fail"])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--method", "bst"], "unknown toy method 'bst'. Did you mean 'best'?"),
        (
            ["--method", "best", "--time-limit", "0"],
            "argument --time-limit: expected a number of seconds > 0",
        ),
        (
            ["--method", "best", "--time-limit", "-3"],
            "argument --time-limit: expected a number of seconds > 0",
        ),
        (
            ["--method", "best", "--time-limit", "nan"],
            "argument --time-limit: expected a number of seconds > 0",
        ),
        (
            ["--method", "best", "--time-limit", "soon"],
            "argument --time-limit: expected a number of seconds > 0",
        ),
        (["--method", "best", "--gap", "-1"], "argument --gap: expected a number >= 0"),
        (["--method", "best", "--gap", "inf"], "argument --gap: expected a number >= 0"),
        (["--method", "best", "--threads", "0"], "argument --threads: expected an integer >= 1"),
        (["--method", "best", "--threads", "2.5"], "argument --threads: expected an integer >= 1"),
        (["--method", "best", "--seed", "x"], "argument --seed: expected an integer >= 0"),
        (["--method", "best", "--set", "pase=1"], "unknown option 'pase'. Did you mean 'pace'?"),
        (["--method", "best", "--set", "pace=fast"], "pace: expected a finite number, got 'fast'"),
        (["--method", "best", "--set", "time_limit=1"], "use --time-limit"),
        (["--method", "best", "-o", "no/such/place.json"], "cannot be written: no such file or directory"),
        ([], "the following arguments are required: --method"),
        (["--method", "best", "--jsn"], "unrecognized arguments: --jsn. Did you mean '--json'?"),
    ],
)
def test_solve_wrong(call: Call, files: dict[str, Path], arguments: list[str], reason: str) -> None:
    code, out, err = call("solve", files["tight"], *arguments)
    assert (code, out) == (2, "")
    assert reason in err


def test_unwritable_output_is_noticed_before_solving(
    call: Call, files: dict[str, Path], tmp_path: Path
) -> None:
    began = time.perf_counter()
    assert call("solve", files["tight"], "--method", "best", "--set", "pace=30", "-o", tmp_path)[0] == 2
    assert time.perf_counter() - began < 10


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: no such file or directory"),
        ("", "not JSON: the file is empty"),
        ("{", "not JSON: Expecting property name"),
        ('{"format": "dmlopt-instance/9"}', "format: expected 'dmlopt-instance/1', got 'dmlopt-instance/9'"),
        ('{"format": "dmlopt-instance/1"}', "formulation: expected a value, found nothing"),
        (
            '{"format": "dmlopt-instance/1", "formulation": "toy", "jobs": [{"values": [NaN]}]}',
            "jobs[0].values[0]: expected a finite number, got nan",
        ),
        (
            '{"format": "dmlopt-instance/1", "formulation": "toy", "capacity": -1, "jobs": []}',
            "capacity: expected an integer >= 0, got -1\n"
            "dmlopt: in.json: jobs: expected at least 1 element, got 0",
        ),
    ],
)
def test_wrong_instance_files(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("in.json").write_text(content)
    for command in (["solve", "in.json", "--method", "best"], ["check", "in.json", "in.json"]):
        code, out, err = call(*command)
        assert (code, out) == (2, "")
        assert err.startswith("dmlopt: in.json: ")
        assert reason in err


# ---------------------------------------------------------------- check


def test_check_honest_and_tampered(call: Call, files: dict[str, Path], tmp_path: Path) -> None:
    result = tmp_path / "r.json"
    call("solve", files["slack"], "--method", "best", "-o", result)
    code, out, _ = call("check", files["slack"], result)
    assert code == 0
    for word in ("instance", "digest", "solution", "objective", "certificate", "bound", "status", "verified"):
        assert word in out
    result.write_text(result.read_text().replace('"objective": 14.5,', '"objective": 14.75,'))
    code, out, _ = call("check", files["slack"], result)
    assert code == 1
    assert "not verified: digest, objective" in out
    code, out, _ = call("check", files["slack"], result, "--json")
    assert code == 1
    data = json.loads(out)
    assert data["verified"] is False
    assert {"digest", "objective"} <= set(data["failed"])
    assert {"name", "outcome", "message"} == set(data["checks"][0])


def test_check_wrong_arguments(call: Call, files: dict[str, Path], tmp_path: Path) -> None:
    result = tmp_path / "r.json"
    call("solve", files["slack"], "--method", "best", "-o", result)
    assert call("check", files["tight"], result)[0] == 1  # another instance
    assert call("check", files["tight"], files["tight"])[2].endswith("expected a result, found an instance\n")
    assert call("check", result, result)[2].endswith("expected an instance, found a result\n")
    assert call("check", "-", "-")[0] == 2
    assert call("check", files["slack"])[0] == 2


# ---------------------------------------------------------------- processes


def toy_process(*argv: str, **options: Any) -> subprocess.Popen[str]:
    """The command line with the toy, in a process of its own."""
    script = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import toy
        toy.install()
        from dmlopt.cli import main
        sys.exit(main(sys.argv[1:]))
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *argv], stdout=subprocess.PIPE, text=True, **options
    )


def test_interrupt_writes_the_best_so_far(files: dict[str, Path], tmp_path: Path) -> None:
    result = tmp_path / "r.json"
    process = toy_process(
        "solve", str(files["tight"]), "--method", "slow", "-o", str(result), stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    loaded = dmlopt.load(result, TIGHT)
    assert (loaded.limit, loaded.objective, loaded.bound) == ("interrupted", 8.0, 14.5)
    assert dmlopt.check(TIGHT, loaded).ok


def test_reader_that_leaves_early(tmp_path: Path) -> None:
    process = toy_process("generate", "toy", "--jobs", "200000", stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_permissions(call: Call, files: dict[str, Path], tmp_path: Path) -> None:
    files["slack"].chmod(0)
    assert "permission denied" in call("solve", files["slack"], "--method", "best")[2]
