"""Whatever is wrong with a certificate is told as CertificateError, nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from dmlopt.engine.certificate import CertificateError, recompute
from tests.engine.forgery import written
from tests.engine.toys import table_packing

LEAF = {"node": "leaf", "prices": [0], "bound": 1e300}
DEEP = {"node": "split", "agent": 0, "cell": "0" * 3000, "cut": [[0]] * 3000, "count": 0, "children": [1, 2]}


@pytest.mark.parametrize(
    ("nodes", "classes"),
    [([LEAF], [[]]), ([DEEP, LEAF, LEAF], [])],
    ids=["empty class", "deep cell"],
)
def test_only_certificate_errors(nodes: Any, classes: Any) -> None:
    packing = table_packing([[(1.0, [1]), (2.0, [2])], [(1.0, [1]), (2.0, [2])]], [3])
    with pytest.raises(CertificateError):
        recompute(written(nodes, classes=classes), packing)
