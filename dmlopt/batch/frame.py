"""A store as a pandas DataFrame, for analysis of one's own."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from dmlopt.batch.store import read_rows

if TYPE_CHECKING:
    from pandas import DataFrame


def read_results(path: str | os.PathLike[str], experiment: str | None = None) -> DataFrame:
    """One row per finished cell; axes, options and phases are columns such as `axes.jobs` and `seconds.total`."""
    from pandas import json_normalize

    return json_normalize([asdict(row) for row in read_rows(path, experiment)])
