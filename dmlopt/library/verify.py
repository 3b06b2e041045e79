"""Recompute everything that the table says about an instance: hash, feasibility, value, bound, gap, status.

Nothing is taken from a method or from the table: the value comes from the formulation's checker, the bound from the
certificate recomputed over the plain plan set.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dmlopt import registry
from dmlopt.checking import FAILS, HOLDS, CheckLine, CheckReport
from dmlopt.errors import DmloptError, InputError
from dmlopt.files import instance_hash, load, read_solution
from dmlopt.library.best_known import ANSWERS, BestKnown, read_table, status_of
from dmlopt.library.entries import LibraryEntry
from dmlopt.result import StoredCertificate, StoredSolution, relative_gap
from dmlopt.verify import Facts, beats, contrast, establish, rejection, same_number


def verify(entry: LibraryEntry) -> CheckReport:
    """One line per statement about this instance."""
    return CheckReport(tuple(_lines(entry)))


def strays(formulation: str, folder_entries: list[LibraryEntry]) -> list[str]:
    """Rows without a recipe and answer files that no row names, of one library."""
    folder = registry.library_folder(formulation)
    rows = read_table(folder)
    known = {each.name for each in folder_entries}
    found = [f"row '{name}' has no recipe" for name in rows if name not in known]
    named = {file for row in rows.values() for file in (row.solution, row.certificate)}
    answers = folder / ANSWERS
    if answers.is_dir():
        files = sorted(each.name for each in answers.iterdir() if not each.name.startswith("."))
        found += [f"{ANSWERS}/{name} belongs to no row" for name in files if name not in named]
    return found


def _lines(entry: LibraryEntry) -> Iterator[CheckLine]:
    formulation = registry.formulation(entry.formulation)
    row = read_table(entry.folder).get(entry.name)
    if row is None:
        yield CheckLine("row", FAILS, "the table has no row for this instance")
        return
    try:
        problem = entry.problem()
    except DmloptError as error:
        yield CheckLine("instance", FAILS, str(error))
        return
    actual = instance_hash(problem)
    yield _line("instance", actual == row.instance_hash, f"sha256 {actual[:12]}", row.instance_hash[:12])
    yield _line("size", row.size == entry.size, entry.size, row.size)
    yield _line("sense", row.sense == formulation.sense, formulation.sense, row.sense)
    try:
        solution, certificate = stored_answers(entry, row, problem)
    except DmloptError as error:
        yield CheckLine("answers", FAILS, str(error))
        return
    data = None if certificate is None else certificate.data
    facts = establish(formulation, problem, solution, data)
    yield from _check_value(row, facts)
    yield from _check_bound(row, facts, certificate, formulation.sense)
    gap = relative_gap(facts.objective, facts.bound)
    yield _line("gap", same_number(gap, row.gap), repr(gap), repr(row.gap))
    status = status_of(facts.objective, facts.bound, facts.infeasible)
    yield _line("status", status == row.status, status, row.status)


def stored_answers(
    entry: LibraryEntry, row: BestKnown, problem: Any
) -> tuple[Any | None, StoredCertificate | None]:
    """The solution (read against the problem) and the certificate that a row names."""
    answers = entry.folder / ANSWERS
    solution = certificate = None
    if row.solution:
        solution = _of_kind(answers / row.solution, StoredSolution, row)
        solution = read_solution(problem, solution)
    if row.certificate:
        certificate = _of_kind(answers / row.certificate, StoredCertificate, row)
    return solution, certificate


def _of_kind(path: Path, kind: type[StoredSolution] | type[StoredCertificate], row: BestKnown) -> Any:
    found = load(path)
    if not isinstance(found, kind):
        what = kind.__name__.removeprefix("Stored").lower()
        raise InputError(f"expected a {what}, found a {type(found).__name__}", str(path))
    if found.instance_hash != row.instance_hash:
        raise InputError("belongs to another instance", str(path))
    return found


def _check_value(row: BestKnown, facts: Facts) -> Iterator[CheckLine]:
    if facts.verdict is not None and not facts.verdict.feasible:
        yield CheckLine("solution", FAILS, rejection(facts.verdict))
        return
    if facts.verdict is not None:
        yield CheckLine("solution", HOLDS, "feasible: every constraint of the formulation holds")
    yield _line("value", same_number(facts.objective, row.value), repr(facts.objective), repr(row.value))


def _check_bound(
    row: BestKnown, facts: Facts, certificate: StoredCertificate | None, sense: str
) -> Iterator[CheckLine]:
    if facts.trouble:
        yield CheckLine("certificate", FAILS, facts.trouble)
        return
    if certificate is not None:
        proves = "nothing is feasible" if facts.infeasible else "a bound"
        yield CheckLine("certificate", HOLDS, f"recomputed from the instance, proves that {proves}")
        yield _line(
            "certificate's bound", same_number(facts.bound, certificate.bound), "", repr(certificate.bound)
        )
    yield _line("bound", same_number(facts.bound, row.bound), repr(facts.bound), repr(row.bound))
    if facts.infeasible and facts.verdict is not None:
        yield CheckLine("bound", FAILS, "proven infeasible, but there is a solution")
    if beats(facts.objective, facts.bound, sense):
        yield CheckLine("bound", FAILS, f"the value beats it: {contrast(facts.objective, facts.bound)}")


def _line(name: str, holds: bool, found: str, stated: str) -> CheckLine:
    message = found if holds else f"found {found}, the table says {stated}"
    return CheckLine(name, HOLDS if holds else FAILS, message)
