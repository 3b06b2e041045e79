"""Every figure and table whose store is there, and the table of claims: what `make figures` runs."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType

import claims
from drawing import run

FOLDER = Path(__file__).parent


def figures() -> list[ModuleType]:
    """All scripts of this folder that draw something from the store of an experiment."""
    names = sorted(path.stem for path in FOLDER.glob("*.py"))
    modules = [importlib.import_module(name) for name in names if name not in ("all", "claims", "drawing")]
    return [module for module in modules if hasattr(module, "draw")]


def main(argv: list[str] | None = None) -> int:
    """Draw what can be drawn; 0 if nothing went wrong with that."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--stores", type=Path, default=Path("out"), metavar="DIR", help="folder of the stores (default out)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("out/figures"), metavar="DIR", help="folder (default %(default)s)"
    )
    arguments = parser.parse_args(argv)
    codes = []
    for module in figures():
        store = arguments.stores / f"{module.EXPERIMENT}.db"
        if not store.exists():
            print(f"{module.NAME}: needs `dmlopt run experiments/{module.EXPERIMENT}.toml`")
            continue
        places = ["--store", str(store), "--out", str(arguments.out)]
        codes.append(run(module.NAME, module.EXPERIMENT, module.draw, places))
    codes.append(claims.main(["--stores", str(arguments.stores), "--out", str(arguments.out)]))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
