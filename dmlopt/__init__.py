"""dmlopt: exact optimisation and certified bounds for scheduling distributed machine-learning jobs.

import dmlopt

problem = dmlopt.generate("optimus", cluster="cpu-7x16", jobs=12, seed=1)
result = dmlopt.solve(problem, "exact", time_limit=30)
print(result.summary())
"""

from importlib.metadata import version as _version

from dmlopt.api import formulations, generate, load, methods, save, solve
from dmlopt.batch.frame import read_results
from dmlopt.batch.runner import run_experiment
from dmlopt.checking import CheckReport, check
from dmlopt.compare import compare
from dmlopt.errors import BackendError, DmloptError, InputError, UnknownNameError
from dmlopt.export import export
from dmlopt.files import instance_hash
from dmlopt.library import library_paths, load_library
from dmlopt.registry import Method, Option, method
from dmlopt.result import Limit, Result, Status

__version__ = _version("dmlopt")

__all__ = [
    "BackendError",
    "CheckReport",
    "DmloptError",
    "InputError",
    "Limit",
    "Method",
    "Option",
    "Result",
    "Status",
    "UnknownNameError",
    "check",
    "compare",
    "export",
    "formulations",
    "generate",
    "instance_hash",
    "library_paths",
    "load",
    "load_library",
    "method",
    "methods",
    "read_results",
    "run_experiment",
    "save",
    "solve",
]
