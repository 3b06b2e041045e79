"""Seeds derived from named axes: what shares randomness, and what does not, is declared and not an accident of order.

A seed is a hash of the experiment's base seed and of the values of some axes. Two cells whose chosen axes agree get the
same seed; adding an instance or a method to the experiment changes nobody else's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dmlopt.strict_json import digest

LARGEST = 2**31


def derived_seed(base: int, purpose: str, axes: Mapping[str, Any], chosen: Sequence[str]) -> int:
    """A seed in [0, 2^31) from the chosen axes; `purpose` keeps seeds of instances and of methods apart."""
    content = {"base": base, "purpose": purpose, "axes": {name: axes[name] for name in chosen}}
    return int(digest(content)[:8], 16) % LARGEST
