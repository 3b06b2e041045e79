"""The oracle: brute force on the worked examples, the PuLP program against brute force, its names."""

import pulp
import pytest
from hypothesis import given, settings
from optimus_examples import UNIT, example_1, example_2, example_3
from optimus_random import problems

from formulations.optimus import Job, OptimusProblem
from formulations.optimus.checker import check
from formulations.optimus.reference import (
    allocation_from_program,
    available_pairs,
    brute_force,
    plain_packing,
    reference_program,
)


@pytest.mark.parametrize(
    ("problem", "value", "pairs"),
    [
        (example_1(6), 1215, [(1, 2), (1, 2)]),
        (example_1(8), 1008 + 1 / 3, [(2, 3), (1, 2)]),
        (example_1(10), 843 + 1 / 3, [(2, 3), (2, 3)]),
        (example_1(12), 753 + 1 / 3, [(3, 4), (2, 3)]),
        (example_2(), 44, [(2, 2)]),
        (example_3(), 95648 + 1 / 3, [(1, 2), (3, 2), (1, 1)]),
        # Only two jobs fit; waiting costs the same for each, so the slowest job, J2 (137200 s), waits.
        (example_3((10, 2, 40), waiting=1e6), 48520 + 1e6 + 4875, [(1, 1), (0, 0), (1, 1)]),
    ],
)
def test_optimum_of_the_examples(problem, value, pairs):
    found, allocation = brute_force(problem)
    assert found == pytest.approx(value, rel=1e-12)
    assert allocation.pairs() == pairs
    assert check(problem, allocation).objective == pytest.approx(value, rel=1e-12)


def test_example_3_has_1400_combinations():
    # Brute force tries every combination of the three tables; 34 pairs in all.
    sizes = [len(pairs) for _, pairs in available_pairs(example_3())]
    assert sum(sizes) == 34
    assert sizes[0] * sizes[1] * sizes[2] == 1400


def solve(problem: OptimusProblem):
    program = reference_program(problem)
    status = program.solve(pulp.HiGHS(msg=False, gapRel=0))
    if pulp.LpStatus[status] != "Optimal":
        return None
    values = {variable.name: variable.value() for variable in program.variables()}
    return pulp.value(program.objective), allocation_from_program(problem, values)


@given(problems())
@settings(max_examples=25, deadline=None)
def test_program_and_brute_force_agree(problem):
    found, best = solve(problem), brute_force(problem)
    if best is None:
        assert found is None
        return
    assert found[0] == pytest.approx(best[0], rel=1e-7)
    assert check(problem, found[1]).feasible
    assert check(problem, found[1]).objective == pytest.approx(best[0], rel=1e-7)


def test_program_of_example_3():
    program = reference_program(example_3())
    assert len(program.variables()) == 34
    names = [
        "one_pair_0",
        "one_pair_1",
        "one_pair_2",
        "capacity_0_cpu",
        "capacity_1_gpu",
        "capacity_2_memory",
    ]
    assert program.numConstraints() == len(names)
    assert None not in [program.get_constraint_by_name(name) for name in names]
    value, allocation = solve(example_3())
    assert value == pytest.approx(95648.3333, abs=1e-3)
    assert allocation.pairs() == [(1, 2), (3, 2), (1, 1)]


@given(problems())
def test_plain_table_lists_the_available_pairs(problem):
    table = plain_packing(problem).planner
    for agent, (_, pairs) in enumerate(available_pairs(problem)):
        assert [table.plan(int(row)).detail for row in table.rows_of(agent)] == pairs


def test_infeasible():
    assert brute_force(example_3((10, 2, 40))) is None
    assert solve(example_3((10, 2, 40))) is None


def test_unmeasured_pairs_are_never_chosen():
    # Only (1, 2) and (2, 1) were measured; (1, 2) is faster.
    problem = OptimusProblem.from_jobs(UNIT, [4], [Job("table", 10, (1,), (1,), speed=((0, 2), (1, 0)))])
    assert brute_force(problem)[1].pairs() == [(1, 2)]
    assert [pairs for _, pairs in available_pairs(problem)] == [[(1, 2), (2, 1)]]
