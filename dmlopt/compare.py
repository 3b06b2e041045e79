"""Methods side by side: every method on every problem, checked like any run, measured against the best certified bound.

table = dmlopt.compare([problem], ["greedy", ("exact", {"nodes": 100}), my_function], time_limit=30)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dmlopt import registry
from dmlopt.api import require_limits, run_checked
from dmlopt.control import Clock, Progress
from dmlopt.errors import DmloptError, InputError, NotApplicableError, UnknownNameError
from dmlopt.files import instance_hash
from dmlopt.interrupt import stop_on_interrupt
from dmlopt.registry import Method, Request
from dmlopt.result import Result, Status, relative_gap
from dmlopt.verify import beats, contrast

if TYPE_CHECKING:
    from pandas import DataFrame

# What a row is worth, from its own evidence.
PROVEN = "proven"  # a recomputed certificate closes the gap, or shows that nothing is feasible
CLAIMED = "claimed"  # a solver's word
BOUND = "bound"  # a certified bound, no solution
FEASIBLE = "feasible"  # a checked solution, nothing said about the optimum
NO_ANSWER = "no answer"
NOT_APPLICABLE = "not applicable"  # the method says that this problem is not of its kind
FAILED_CHECK = "failed check"  # something that was delivered does not hold
FAILED = "failed"  # the method raised an error, or does not exist for this formulation
MARKS = (PROVEN, CLAIMED, BOUND, FEASIBLE, NO_ANSWER, NOT_APPLICABLE, FAILED_CHECK, FAILED)

CLAIM_TOLERANCE = 1e-6  # relative: by less than that, a solver's bound may lie on the wrong side


@dataclass(frozen=True)
class CompareRow:
    """One method on one instance. The fields are the columns of the table, see `compare`."""

    instance: str
    method: str
    kind: str
    objective: float | None = None
    bound: float | None = None
    claimed_bound: float | None = None
    gap: float | None = None
    own_gap: float | None = None
    build_seconds: float | None = None
    solve_seconds: float | None = None
    check_seconds: float | None = None
    seconds: float | None = None
    status: str = "error"
    limit: str = "none"
    verified: bool = False
    mark: str = FAILED
    message: str = ""


@dataclass(frozen=True)
class Step:
    """Where a comparison stands; `progress` is the running method's last sign of life, None when it starts."""

    instance: str
    method: str
    done: int
    total: int
    progress: Progress | None = None


@dataclass(frozen=True)
class _Entry:
    """A method as it was asked for: registered under a name, or a function."""

    label: str
    name: str | None
    function: Callable[..., Any] | None
    options: Mapping[str, Any]

    def method(self, formulation: str) -> tuple[Method, dict[str, Any]]:
        """The method and its options for a formulation; raises for names that it does not know."""
        if self.function is not None:
            return registry.function_method(self.function, self.label), dict(self.options)
        found = registry.find_method(formulation, str(self.name))
        return replace(found, name=self.label), registry.read_options(found.options, self.options)


def compare(
    problems: Any,
    methods: Any,
    *,
    time_limit: float | None = None,
    gap: float = 1e-9,
    threads: int = 1,
    seed: int = 0,
    progress: Callable[[Step], None] | None = None,
) -> DataFrame:
    """Run every method on every problem; a DataFrame with one row each, sorted by instance, then by gap.

    `problems`: one problem, many, (label, problem) pairs or a dict. `methods`: names, (name, options) pairs,
    functions `f(problem) -> solution`, or a dict from labels to these.

    `gap` is the distance to the best certified bound that any method found on the instance; for a row
    without a solution, the distance of its bound to the best objective. `own_gap` uses the row's own bound.
    `mark` is what the row's own evidence makes of it: proven, claimed, bound, feasible, no answer, failed check or failed.
    An error in a method becomes a row with its message. After Ctrl-C the table holds what was finished, and
    `table.attrs["interrupted"]` is true.
    """
    require_limits(time_limit, gap, threads, seed)
    instances, entries = read_problems(problems), _read_methods(methods)
    _require_known(instances, entries)
    session, rows = Clock(), []  # type: Clock, list[CompareRow]
    total, done = len(instances) * len(entries), 0
    try:
        with stop_on_interrupt(session):
            for label, problem in instances:
                own: list[CompareRow] = []
                registry.prepare(registry.formulation_of(problem).name)
                try:
                    for entry in entries:
                        step = Step(label, entry.label, done, total)
                        request = Request(Clock(time_limit, parent=session), gap, threads, seed)
                        own.append(_run(label, problem, entry, request, _teller(progress, step)))
                        done += 1
                        if session.interrupted:
                            raise KeyboardInterrupt
                finally:
                    rows += _measured(own, registry.formulation_of(problem).sense)
    except KeyboardInterrupt:
        session.interrupted = True
    return _frame(rows, session.interrupted)


# -------------------------------------------------------------------- what is asked for


def read_problems(problems: Any) -> list[tuple[str, Any]]:
    """Problems with a label each; those without one are called by formulation and content."""
    if isinstance(problems, Mapping):
        given: Sequence[Any] = list(problems.items())
    elif _is_problem(problems) or not isinstance(problems, Iterable):
        given = [problems]
    else:
        given = list(problems)
    if not given:
        raise InputError("problems: expected at least one")
    pairs = []
    for each in given:
        if isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str):
            label, problem = each
            registry.formulation_of(problem)
        else:
            problem = each
            label = f"{registry.formulation_of(problem).name}-{instance_hash(problem)[:6]}"
        pairs.append((label, problem))
    return list(zip(_distinct([label for label, _ in pairs]), [each for _, each in pairs], strict=True))


def _is_problem(value: Any) -> bool:
    try:
        registry.formulation_of(value)
    except InputError:
        return False
    return True


def _read_methods(methods: Any) -> list[_Entry]:
    if isinstance(methods, Mapping):
        entries = [replace(_entry(each), label=str(label)) for label, each in methods.items()]
    elif isinstance(methods, str) or callable(methods) or not isinstance(methods, Iterable):
        entries = [_entry(methods)]
    else:
        entries = [_entry(each) for each in methods]
    if not entries:
        raise InputError("methods: expected at least one")
    labels = _distinct([entry.label for entry in entries])
    return [replace(entry, label=label) for entry, label in zip(entries, labels, strict=True)]


def _entry(given: Any) -> _Entry:
    options: Mapping[str, Any] = {}
    what = given
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
        what, options = given
    settings = ", ".join(f"{name}={value}" for name, value in options.items())
    suffix = f"({settings})" if settings else ""
    if isinstance(what, str):
        return _Entry(what + suffix, what, None, options)
    if callable(what):
        return _Entry(str(getattr(what, "__name__", type(what).__name__)) + suffix, None, what, options)
    raise InputError(f"methods: expected a name, a (name, options) pair or a function, got {given!r}")


def _distinct(labels: Sequence[str]) -> list[str]:
    """The labels; one that occurs again is numbered."""
    taken: set[str] = set()
    found = []
    for label in labels:
        name, number = label, 1
        while name in taken:
            number += 1
            name = f"{label} #{number}"
        taken.add(name)
        found.append(name)
    return found


def _require_known(instances: Sequence[tuple[str, Any]], entries: Sequence[_Entry]) -> None:
    """Raise for a name that no formulation at hand knows, and for wrong options, before anything runs."""
    names = list(dict.fromkeys(registry.formulation_of(problem).name for _, problem in instances))
    for entry in entries:
        unknown: UnknownNameError | None = None
        for position, name in enumerate(names):
            try:
                entry.method(name)
                break
            except UnknownNameError as error:
                unknown = unknown or error
                if position == len(names) - 1:
                    raise unknown from None


# -------------------------------------------------------------------- one run


def _teller(progress: Callable[[Step], None] | None, step: Step) -> Callable[[Progress], None]:
    """Tells that a run starts, and gives what passes its signs of life on."""
    if progress is None:
        return lambda _: None
    progress(step)
    return lambda sign: progress(replace(step, progress=sign))


def _run(
    instance: str, problem: Any, entry: _Entry, request: Request, tell: Callable[[Progress], None]
) -> CompareRow:
    try:
        method, request.options = entry.method(registry.formulation_of(problem).name)
    except DmloptError as error:
        return CompareRow(instance, entry.label, "", message=str(error))
    request.progress = tell
    try:
        result = run_checked(problem, method, request)
    except NotApplicableError as error:
        return CompareRow(instance, method.name, method.kind, mark=NOT_APPLICABLE, message=str(error))
    except Exception as error:  # whatever a method does wrong is a row, not the end of the comparison
        reason = str(error) if isinstance(error, DmloptError) else f"{type(error).__name__}: {error}"
        spent = request.clock.elapsed()
        return CompareRow(instance, method.name, method.kind, seconds=spent, message=reason)
    return row_of(instance, result)


def row_of(instance: str, result: Result) -> CompareRow:
    """A result as a row that is not yet measured against others."""
    return CompareRow(
        instance=instance,
        method=result.method,
        kind=result.kind,
        objective=result.objective,
        bound=result.bound,
        claimed_bound=result.claimed_bound,
        own_gap=result.gap,
        build_seconds=result.seconds["build"],
        solve_seconds=result.seconds["solve"],
        check_seconds=result.seconds["check"],
        seconds=result.seconds["total"],
        status=str(result.status),
        limit=str(result.limit),
        verified=result.verified,
        mark=mark_of(result.status, result.certificate is not None, result.bound is not None),
        message=result.message,
    )


def mark_of(status: str, certified: bool, bounded: bool) -> str:
    """What a status is worth: `certified` says whether a certificate was recomputed, `bounded` whether it gave a bound."""
    if status == Status.ERROR:
        return FAILED_CHECK
    if status == Status.OPTIMAL or (status == Status.INFEASIBLE and certified):
        return PROVEN
    if status in (Status.OPTIMAL_CLAIMED, Status.INFEASIBLE):
        return CLAIMED
    if status == Status.BOUND:
        return BOUND if bounded else CLAIMED
    return FEASIBLE if status == Status.FEASIBLE else NO_ANSWER


# -------------------------------------------------------------------- against each other


def best_known(rows: Iterable[CompareRow], sense: str) -> tuple[float | None, float | None]:
    """The best checked objective and the tightest certified bound among the rows of one instance that hold."""
    usable = [row for row in rows if row.mark not in (FAILED_CHECK, FAILED)]
    tightest, best = (max, min) if sense == "min" else (min, max)
    bound = tightest((row.bound for row in usable if row.bound is not None), default=None)
    value = best((row.objective for row in usable if row.objective is not None), default=None)
    return value, bound


def judged(rows: Sequence[CompareRow], sense: str) -> list[CompareRow]:
    """The rows of one instance, in their order, with their gaps; contradictions between them are failed checks."""
    value, bound = best_known(rows, sense)
    return [row if row.mark in (FAILED_CHECK, FAILED) else _judged(row, bound, value, sense) for row in rows]


def _measured(rows: Sequence[CompareRow], sense: str) -> list[CompareRow]:
    """The rows of one instance, judged and sorted by gap."""
    found = judged(rows, sense)
    return sorted(found, key=lambda row: math.inf if row.gap is None else row.gap if row.gap > 1e-12 else 0.0)


def _judged(row: CompareRow, bound: float | None, value: float | None, sense: str) -> CompareRow:
    if beats(row.objective, bound, sense):
        message = f"beats a bound that was certified: {contrast(row.objective, bound)}"
        return replace(row, mark=FAILED_CHECK, message=message)
    if value is not None and row.status == Status.INFEASIBLE:
        return replace(row, mark=FAILED_CHECK, message=f"infeasible, but a solution of {value!r} was checked")
    claimed = row.claimed_bound
    distance = relative_gap(value, claimed)
    if beats(value, claimed, sense) and distance is not None and distance > CLAIM_TOLERANCE:
        message = f"a checked solution refutes the claimed bound: {contrast(value, claimed)}"
        return replace(row, mark=FAILED_CHECK, message=message)
    if row.objective is not None:
        return replace(row, gap=relative_gap(row.objective, bound))
    return replace(row, gap=relative_gap(value, row.bound))


def _frame(rows: Sequence[CompareRow], interrupted: bool) -> DataFrame:
    from pandas import DataFrame

    names = list(CompareRow.__dataclass_fields__)
    frame = DataFrame([[getattr(row, name) for name in names] for row in rows], columns=names)
    numbers = [name for name in names if name.endswith(("objective", "bound", "gap", "seconds"))]
    frame = frame.astype(dict.fromkeys(numbers, "float64"))
    frame.attrs["interrupted"] = interrupted
    return frame


def rows_of(table: DataFrame) -> list[CompareRow]:
    """The rows of a table that `compare` made; missing numbers are None again."""
    records = table.to_dict("records")
    return [CompareRow(**{name: _plain(value) for name, value in each.items()}) for each in records]


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value
