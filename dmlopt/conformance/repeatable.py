"""The same seed gives the same: instances from the generator, answers from every method."""

from __future__ import annotations

from collections.abc import Iterator

from dmlopt.api import generate
from dmlopt.conformance.cases import MethodCase
from dmlopt.files import encode
from dmlopt.result import Limit, Result
from dmlopt.strict_json import canonical, readable

TIMED = (Limit.TIME, Limit.INTERRUPTED, Limit.MEMORY)  # such a run ends wherever the machine was
SEEDS = range(5)
# What a run may not leave to chance. Times, traces and statistics (iterations, seconds inside a solver) are aside.
COMPARED = ("solution", "certificate", "status", "limit", "objective", "bound", "claimed_bound", "prices")


def same_instance(formulation: str) -> Iterator[str]:
    """The generator gives the same bytes for the same seed, and not the same for all seeds."""
    texts = []
    for seed in SEEDS:
        text, again = (readable(encode(generate(formulation, seed=seed))) for _ in range(2))
        if text != again:
            yield f"seed {seed} gives another instance the second time"
        texts.append(text)
    if len(set(texts)) == 1:
        yield f"seeds {SEEDS[0]} to {SEEDS[-1]} all give one instance: the seed is not used"


def ran_to_the_end(case: MethodCase) -> bool:
    """Whether no limit cut one of the two runs short."""
    return case.first.limit not in TIMED and case.second.limit not in TIMED


def same_answer(case: MethodCase) -> Iterator[str]:
    """Two runs with one seed in one thread give the same answer; runs that a limit cut short are not compared."""
    if not ran_to_the_end(case):
        return
    first, second = _compared(case.first), _compared(case.second)
    differ = [name for name in COMPARED if first[name] != second[name]]
    if differ:
        yield f"two runs with seed {case.seed} differ in {', '.join(differ)}"


def _compared(result: Result) -> dict[str, bytes]:
    whole = encode(result)
    return {name: canonical(whole[name]) for name in COMPARED}
