"""Instance files, result files and certificates damaged or forged: an answer or a message, no traceback."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlopt
from dmlopt.errors import DmloptError
from tests.fuzz.harness import LONG, SHORT, campaign, folder, instances, problems, results, run
from tests.fuzz.mutation import mutated, spelled

METHODS = ("exact", "greedy", "lp-round", "lagrangian", "greedy-share-skip-lookahead", "mip-highs")
wrong_instances = spelled(mutated(instances()))
limits = ("--time-limit", "2")


def instance_case(raw: bytes, method: str, action: str) -> None:
    with folder() as here:
        (here / "i.json").write_bytes(raw)
        if action == "solve":
            code, _, _ = run(["solve", "i.json", "-m", method, *limits, "-o", "r.json"])
            if code in (0, 3):
                assert run(["check", "i.json", "r.json"])[0] in (0, code // 3)  # 3 may be a mere claim
        elif action == "compare":
            run(["compare", "i.json", "-m", f"{method},greedy", *limits])
        elif action == "export":
            run(
                [
                    "export",
                    "i.json",
                    "--format",
                    "lp",
                    "--model",
                    "plans" if method == "exact" else "reference",
                ]
            )
        else:
            with contextlib.suppress(DmloptError):
                dmlopt.load(here / "i.json")


instance_cases = given(
    wrong_instances,
    st.sampled_from(METHODS),
    st.sampled_from(("solve", "solve", "compare", "export", "load")),
)


@campaign(SHORT)
@instance_cases
def test_instances(raw: bytes, method: str, action: str) -> None:
    instance_case(raw, method, action)


@pytest.mark.long
@campaign(LONG)
@instance_cases
def test_instances_long(raw: bytes, method: str, action: str) -> None:
    instance_case(raw, method, action)


# ---------------------------------------------------------------- results


@st.composite
def wrong_results(draw: st.DrawFn, under: str | None) -> tuple[str, bytes]:
    """The name of an instance, and a wrong result for it."""
    usable = [each for each in results() if under is None or isinstance(each["document"].get(under), dict)]
    chosen = draw(st.sampled_from(usable))
    return chosen["instance"], draw(spelled(mutated([chosen["document"]], under)))


def result_case(case: tuple[str, bytes]) -> None:
    name, raw = case
    with folder() as here:
        problem = problems()[name]
        dmlopt.save(problem, here / "i.json")
        (here / "r.json").write_bytes(raw)
        run(["check", "i.json", "r.json"])
        run(["check", "i.json", "-", "--json"], raw)
        with contextlib.suppress(DmloptError):
            loaded: Any = dmlopt.load(here / "r.json", problem)
            if isinstance(loaded, dmlopt.Result):
                assert loaded.summary()
                dmlopt.check(problem, loaded)
                dmlopt.solve(problem, "exact", start=loaded, prices=loaded.prices, time_limit=2)


result_cases = given(st.one_of(wrong_results(None), wrong_results("certificate"), wrong_results("solution")))


@campaign(SHORT)
@result_cases
def test_results(case: tuple[str, bytes]) -> None:
    result_case(case)


@pytest.mark.long
@campaign(LONG)
@result_cases
def test_results_long(case: tuple[str, bytes]) -> None:
    result_case(case)
