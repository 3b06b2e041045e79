"""What every formulation and every method must do, as checks that anyone can run on their own.

A check is a function that yields what is wrong, a text each, and nothing when all is well. Those of methods take a
`MethodCase`:

    case = MethodCase(problem, "mine", Known(value, bound))
    list(same_answer(case))        # [] or ["two runs with seed 0 differ in solution"]

`suite.run(formulation)` makes all of them, on the formulation's library and with all its methods; `dmlopt conformance`
is that for the shell.
"""

from dmlopt.conformance.cases import Check, Finding, Known, MethodCase, known_from
from dmlopt.conformance.certificates import certificate_proves_bound
from dmlopt.conformance.look_ahead import no_look_ahead
from dmlopt.conformance.mutants import Mutant, mutants
from dmlopt.conformance.options import generator_options_refused, method_options_refused
from dmlopt.conformance.rejection import wrong_instances_refused, wrong_solutions_rejected
from dmlopt.conformance.repeatable import same_answer, same_instance
from dmlopt.conformance.round_trip import answer_round_trip, instance_round_trip
from dmlopt.conformance.sandwich import claims_not_refuted, exact_methods_agree, right_side_of_bounds
from dmlopt.conformance.tampering import changed_results_refused
from dmlopt.conformance.time_limit import time_limit_kept
from dmlopt.conformance.traces import trace_tells_the_truth
from dmlopt.conformance.verdicts import answer_holds, kind_kept, problem_untouched

__all__ = [
    "Check",
    "Finding",
    "Known",
    "MethodCase",
    "Mutant",
    "answer_holds",
    "answer_round_trip",
    "certificate_proves_bound",
    "changed_results_refused",
    "claims_not_refuted",
    "exact_methods_agree",
    "generator_options_refused",
    "instance_round_trip",
    "kind_kept",
    "known_from",
    "method_options_refused",
    "mutants",
    "no_look_ahead",
    "problem_untouched",
    "right_side_of_bounds",
    "same_answer",
    "same_instance",
    "time_limit_kept",
    "trace_tells_the_truth",
    "wrong_instances_refused",
    "wrong_solutions_rejected",
]
