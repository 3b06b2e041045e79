"""The command line, one file per command: list, generate, solve, check, compare, export, run, results, report, library,
conformance.

Exit codes: 0 fine; 1 something does not hold; 2 wrong input; 3 proven infeasible, or no feasible answer
found; 4 a solver library is missing or failed; 130 interrupted, after writing the best answer so far.
"""

from dmlopt.cli.entry import main

__all__ = ["main"]
