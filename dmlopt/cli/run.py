"""`dmlopt run`: a batch experiment from a TOML file into a store."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from dmlopt.batch.dask_cluster import connected
from dmlopt.batch.executors import Executor, LocalProcesses
from dmlopt.batch.planning import Plan, only
from dmlopt.batch.runner import Summary, plan_of, run_experiment
from dmlopt.batch.store import Store
from dmlopt.cli.common import FINE, INTERRUPTED, NOT_VERIFIED, at_least_one, console, say
from dmlopt.report.batch_progress import BatchProgress
from dmlopt.report.tables import plain_table

EXAMPLES = """\
examples:
  dmlopt run experiments/main.toml                                run it into out/main.db
  dmlopt run experiments/main.toml --workers 2 --resume           go on after an interruption
  dmlopt run experiments/main.toml --only method=exact,greedy* --only jobs=12 --dry-run
  dmlopt run experiments/main.toml --store all.db --dask tcp://10.0.0.1:8786
  dmlopt results out/main.db                                      look at what is there

Every cell runs in a fresh process that is killed if it does not end in time or takes too much memory; a crash is a row
with its reason. Finished cells are in the store at once: Ctrl-C, or even kill -9, loses none of them.

Exit code 1 if something that a method delivered does not hold, or a cell failed; 130 after Ctrl-C.
"""


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt run`."""
    parser = commands.add_parser(
        "run",
        help="run a batch experiment: methods x instances x seeds",
        description="Run all cells of an experiment that are not in the store yet.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE.toml", help="the experiment")
    parser.add_argument("--store", metavar="FILE.db", help="where to keep results (default: out/NAME.db)")
    parser.add_argument(
        "--workers", metavar="N", type=at_least_one, default=1, help="cells at a time (default 1)"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="keep finished cells, run the others")
    how.add_argument("--retry", action="store_true", help="like --resume, and run failed cells again")
    how.add_argument("--fresh", action="store_true", help="run finished cells again too")
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run the cells on a dask cluster; `local` starts one with --workers workers here",
    )
    parser.add_argument(
        "--only",
        metavar="NAME=PATTERN",
        action="append",
        default=[],
        help="only cells whose method, instance, sweep, formulation, kind or axis is like that",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be run")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plan, run, say what happened."""
    name = Path(arguments.file).stem
    store = arguments.store or str(Path("out") / f"{name}.db")
    out = console()
    if arguments.dry_run:
        with BatchProgress(console(stderr=True)) as watcher:
            plan = plan_of(arguments.file, watcher)
        _show(plan, arguments.only, store, out)
        return FINE
    with BatchProgress(console(stderr=True)) as watcher, _executor(arguments) as executor:
        summary = run_experiment(
            arguments.file,
            store,
            resume=arguments.resume,
            fresh=arguments.fresh,
            retry=arguments.retry,
            only_cells=arguments.only,
            executor=executor,
            watcher=watcher,
        )
    _tell(summary, store)
    if summary.interrupted:
        return INTERRUPTED
    return NOT_VERIFIED if summary.broken else FINE


@contextmanager
def _executor(arguments: argparse.Namespace) -> Iterator[Executor]:
    """The executor that the arguments ask for."""
    if arguments.dask is None:
        yield LocalProcesses(arguments.workers)
    else:
        with connected(arguments.dask, arguments.workers) as cluster:
            yield cluster


def _show(plan: Plan, filters: list[str], store: str, out: Console) -> None:
    """The cells by sweep and method, and how many of them the store holds already."""
    cells = only(plan.cells, filters)
    finished: set[str] = set()
    if Path(store).exists():
        with Store(store, readonly=True) as opened:
            finished = opened.finished([cell.key for cell in cells])
    rows = []
    for sweep, method in dict.fromkeys((cell.sweep, cell.method) for cell in cells):
        own = [cell for cell in cells if (cell.sweep, cell.method) == (sweep, method)]
        limit = own[0].limits.time
        rows.append(
            (
                sweep,
                own[0].formulation,
                method,
                "none" if limit is None else f"{limit:g} s",
                str(len(own)),
                str(sum(cell.key in finished for cell in own)),
            )
        )
    head = ("instances", "formulation", "method", "time limit", "cells", "finished")
    out.print(plain_table(head, rows, plan.experiment.title, right="000111"))
    seconds = [cell.limits.time for cell in cells if cell.key not in finished]
    total = sum(each for each in seconds if each is not None)
    more = ", and cells without a limit" if None in seconds else ""
    out.print(
        f"{len(cells)} cells on {len({cell.instance for cell in cells})} instances, {len(finished)} finished in {store}\n"
        f"at most {total / 60:,.0f} minutes of method time on one worker{more}"
    )


def _tell(summary: Summary, store: str) -> None:
    parts = [f"{summary.done} of {summary.asked} cells in {store}"]
    if summary.found:
        parts.append(f"{summary.found} were there before")
    if summary.shared:
        parts.append(f"{summary.shared} came from another run")
    parts += [f"{count} {outcome}" for outcome, count in summary.computed.items() if outcome != "done"]
    say("; ".join(parts))
    if summary.interrupted:
        say("interrupted; --resume goes on")
