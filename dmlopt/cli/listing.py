"""`dmlopt list`: which formulations there are, and what one of them offers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from dmlopt import registry
from dmlopt.cli.common import FINE, console
from dmlopt.errors import UnknownNameError
from dmlopt.registry import Generator, Option
from dmlopt.report.tables import plain_table

EXAMPLES = """\
examples:
  dmlopt list
  dmlopt list optimus
"""


def add_parser(commands: Any) -> None:
    """Arguments of `dmlopt list`."""
    parser = commands.add_parser(
        "list",
        help="formulations; methods, options and clusters of one of them",
        description="List the formulations, or the methods, options and clusters of one.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("formulation", nargs="?", metavar="FORMULATION")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the list."""
    out = console()
    if arguments.formulation is None:
        rows = []
        for name in registry.formulation_names():
            formulation = registry.formulation(name)
            rows.append((name, formulation.title, formulation.sense, str(len(registry.methods(name)))))
        out.print(plain_table(("formulation", "title", "sense", "methods"), rows, right="0001"))
        out.print("`dmlopt list FORMULATION` shows methods, options and clusters.")
    else:
        _list_one(arguments.formulation, out)
    return FINE


def _list_one(name: str, out: Console) -> None:
    formulation = registry.formulation(name)
    out.print(f"[bold]{name}[/]: {formulation.title} ({formulation.sense}imise)\n")
    methods = registry.methods(name).values()
    rows = [(each.name, each.kind, each.summary) for each in methods]
    out.print(plain_table(("method", "kind", "what it does"), rows, "Methods"))
    owners: dict[tuple[str, str, str], list[str]] = {}
    for each in methods:
        for cells in _option_rows(each.options):
            owners.setdefault(cells, []).append(each.name)
    if owners:
        names = [each.name for each in methods]
        options = [(*cells, _abbreviated(own, names)) for cells, own in owners.items()]
        head = ("option", "default", "meaning", "of")
        out.print(plain_table(head, options, "Options of methods (--set name=value)"))
    maker = _generator(name)
    if maker is None:
        return
    rows = list(_option_rows(maker.options))
    out.print(
        plain_table(("option", "default", "meaning"), rows, "Options of the generator (--set name=value)")
    )
    out.print(plain_table(("cluster", "servers"), maker.clusters().items(), "Clusters"))


def _generator(name: str) -> Generator | None:
    try:
        return registry.generator(name)
    except UnknownNameError:
        return None


def _option_rows(options: Sequence[Option]) -> list[tuple[str, str, str]]:
    return [(each.name, _default(each.default), _meaning(each)) for each in options]


def _abbreviated(owners: list[str], names: list[str]) -> str:
    """Some of the method names; `greedy*` where they are all that begin like that."""
    if len(owners) > 2 and owners == [name for name in names if name.startswith(owners[0])]:
        return f"{owners[0]}*"
    return ", ".join(owners)


def _default(value: Any) -> str:
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meaning(option: Option) -> str:
    choices = f" ({' | '.join(map(str, option.choices))})" if option.choices else ""
    return option.help + choices
