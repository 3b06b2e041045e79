"""Command lines and Python calls put together at random: a documented exit code, or a DmloptError."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlopt
from dmlopt.errors import DmloptError
from tests.fuzz.harness import LONG, SHORT, campaign, folder, problems, run
from tests.fuzz.mutation import strange

COMMANDS = ("list", "generate", "solve", "check", "compare", "export")
FLAGS = (
    *(
        "--help",
        "--version",
        "--json",
        "--csv",
        "--latex",
        "--method",
        "-m",
        "--methods",
        "--time-limit",
        "--gap",
    ),
    *(
        "--threads",
        "--seed",
        "--set",
        "-o",
        "--output",
        "--figure",
        "--format",
        "--model",
        "--cluster",
        "--jobs",
    ),
    *("--load", "--jsn", "-x", "--"),
)
VALUES = (
    *(
        "i.json",
        "r.json",
        "none.json",
        "-",
        ".",
        "out",
        "f.png",
        "f.txt",
        "p.mps",
        "p.lp.gz",
        "optimus",
        "optimos",
    ),
    *(
        "greedy",
        "exact",
        "lagrangian",
        "greedy,exact",
        "greedy,,exact",
        "exct",
        "all",
        "mps",
        "lp",
        "json",
        "plans",
    ),
    *(
        "reference",
        "0",
        "1",
        "-1",
        "0.5",
        "1e-9",
        "nan",
        "inf",
        "1e400",
        "many",
        "99999999999999999999",
        "",
        " ",
    ),
    *(
        "cpu-7x16",
        "cpu",
        "ties=worker",
        "ties=x",
        "nodes=3",
        "nodes=-1",
        "jobs=2",
        "=",
        "a=b=c",
        "priority=0:2",
    ),
    *("priority=9:1", "waiting=true", "waiting=maybe", "seed=1", "\u2603", "[bold]", "\ud800", "a\x00b"),
)
tokens = st.one_of(
    st.sampled_from(FLAGS), st.sampled_from(VALUES), st.sampled_from(VALUES), st.text(max_size=6)
)
pairs = st.tuples(st.sampled_from(FLAGS), st.sampled_from(VALUES)).map(list)
STARTS = (
    *(["list"], ["list", "optimus"], ["generate", "optimus"], ["solve", "i.json", "-m", "greedy"]),
    *(
        ["solve", "i.json", "-m", "exact"],
        ["check", "i.json", "r.json"],
        ["compare", "i.json", "-m", "greedy,exact"],
    ),
    *(["export", "i.json", "--format", "lp"], ["compare", "i.json", "-", "-m"], ["export", "i.json", "-o"]),
)


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command that makes sense with some arguments added, dropped or exchanged; or none that does."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.lists(st.one_of(tokens, st.sampled_from(COMMANDS)), max_size=7))
    line = list(draw(st.sampled_from(STARTS)))
    for extra in draw(st.lists(pairs, max_size=3)):
        line += extra
    for token in draw(st.lists(tokens, max_size=2)):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 1))] = [token]
    return line


def command_case(line: list[str]) -> None:
    with folder() as here:
        problem = problems()["cpu"]
        dmlopt.save(problem, here / "i.json")
        dmlopt.save(dmlopt.solve(problem, "greedy"), here / "r.json")
        run(line, (here / "i.json").read_bytes())


@campaign(SHORT)
@given(command_lines())
def test_command_lines(line: list[str]) -> None:
    command_case(line)


@pytest.mark.long
@campaign(LONG)
@given(command_lines())
def test_command_lines_long(line: list[str]) -> None:
    command_case(line)


# ---------------------------------------------------------------- Python

NAMES = (
    "time_limit",
    "gap",
    "threads",
    "seed",
    "start",
    "prices",
    "nodes",
    "ties",
    "priority",
    "jobs",
    "cluster",
    "load",
)
methods = st.one_of(st.sampled_from(("greedy", "exact", "lagrangian", "exct")), strange)
options = st.dictionaries(st.sampled_from(NAMES), strange, max_size=3)


def call_case(action: str, method: Any, given_options: dict[str, Any], value: Any) -> None:
    problem = problems()["cpu"]
    limits = {
        key: each for key, each in given_options.items() if key in ("time_limit", "gap", "threads", "seed")
    }
    with contextlib.suppress(DmloptError), folder() as here:
        if action == "solve":
            dmlopt.solve(problem, method, **given_options)
        elif action == "generate":
            small = {key: each for key, each in given_options.items() if key not in ("start", "prices")}
            dmlopt.generate("optimus", **{"jobs": 3, **small})
        elif action == "compare":
            dmlopt.compare([problem], ["greedy", (method, {}), value], **limits)
        elif action == "compare problems":
            dmlopt.compare(value, ["greedy"], **limits)
        elif action == "export":
            dmlopt.export(problem, here / "p.lp", value, method)
        elif action == "names":
            dmlopt.methods(value)
            dmlopt.generate(value)
        elif action == "check":
            dmlopt.check(problem, value)
        else:
            dmlopt.save(value, here / "x.json", part=value)


ACTIONS = ("solve", "generate", "compare", "compare problems", "export", "names", "check", "save")
calls = given(st.sampled_from(ACTIONS), methods, options, strange)


@campaign(SHORT)
@calls
def test_calls(action: str, method: Any, given_options: dict[str, Any], value: Any) -> None:
    call_case(action, method, given_options, value)


@pytest.mark.long
@campaign(LONG)
@calls
def test_calls_long(action: str, method: Any, given_options: dict[str, Any], value: Any) -> None:
    call_case(action, method, given_options, value)
