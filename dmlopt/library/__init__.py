"""Libraries of frozen instances, one folder per formulation, with the best that is known about each.

| in the folder | holds |
|---|---|
| recipes.toml | per instance: size, a line about it, seed and options of the generator that made it |
| instances/ | the instance files: what counts. Once there, they never change |
| best_known.csv | per instance: best checked value, best certified bound, by which method, when |
| answers/ | the solution and the certificate behind every row of the table |

A formulation joins by an entry point in the group `dmlopt.libraries` that names its folder.
"""

from dmlopt.library.best_known import BestKnown, read_table
from dmlopt.library.entries import SIZES, LibraryEntry, entries, library_paths, load_library, select
from dmlopt.library.improve import Improvement, improve
from dmlopt.library.make import make
from dmlopt.library.verify import verify

__all__ = [
    "SIZES",
    "BestKnown",
    "Improvement",
    "LibraryEntry",
    "entries",
    "improve",
    "library_paths",
    "load_library",
    "make",
    "read_table",
    "select",
    "verify",
]
