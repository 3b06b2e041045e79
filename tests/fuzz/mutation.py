"""Mutations of JSON documents, of bytes and of command lines, drawn by hypothesis."""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from dmlopt.strict_json import digest

STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**53 + 1, 2**63, -(2**63), 10**400),
    *(0.0, -0.0, 0.5, -1.5, 1e-320, 1e300, -1e300, float("inf"), float("-inf"), float("nan")),
    *(
        "",
        " ",
        "x",
        "0",
        "1e5",
        "sync",
        "table",
        "optimal",
        "leaf",
        "split",
        "ray",
        "\u00e4\u2603",
        "\ud800",
        "\x00",
        "[/]",
    ),
    *([], [[]], [0], [1, 2, 3], [None], {}, {"": 0}, {"a": []}),
)
strange = st.one_of(
    st.sampled_from(STRANGE).map(copy.deepcopy),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=8),
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All paths into a document; long lists by their ends only."""
    found = [at] if at else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*at, key))
    elif isinstance(value, list):
        inside = range(len(value)) if len(value) <= 6 else (0, 1, len(value) // 2, len(value) - 1)
        for index in inside:
            found += places(value[index], (*at, index))
    return found


def holder(document: Any, path: Sequence[Any]) -> Any:
    """What holds the value at a path."""
    for step in path[:-1]:
        document = document[step]
    return document


@st.composite
def mutated(draw: st.DrawFn, documents: Sequence[Any], under: str | None = None) -> Any:
    """One of the documents with one to four things changed; `under`: inside that member only."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 4))):
        known = [path for path in places(document) if under is None or path[0] == under]
        if not known:
            break
        path = draw(st.sampled_from(known))
        _mutate(draw, document, holder(document, path), path[-1], known)
    return document


def _mutate(draw: st.DrawFn, document: Any, inside: Any, key: Any, known: list[tuple[Any, ...]]) -> None:
    value = inside[key]
    action = draw(
        st.sampled_from(("replace", "replace", "scale", "drop", "twice", "swap", "rename", "add", "nest"))
    )
    if action == "scale" and isinstance(value, int | float) and not isinstance(value, bool):
        factor = draw(st.sampled_from((-1, 0, 2, 1000, 10**9, 0.5, 1e-9, 1 + 1e-12)))
        try:
            inside[key] = value * factor
        except OverflowError:
            inside[key] = factor
    elif action == "drop":
        del inside[key]
    elif action == "twice" and isinstance(value, list):
        inside[key] = value + copy.deepcopy(value[-1:])
    elif action == "swap":
        other = draw(st.sampled_from(known))
        inside[key] = copy.deepcopy(holder(document, other)[other[-1]])
    elif action == "rename" and isinstance(inside, dict):
        inside[draw(st.sampled_from(("", "x", f"{key}s", str(key)[:-1])))] = inside.pop(key)
    elif action == "add" and isinstance(value, dict):
        value[draw(st.text(max_size=4))] = draw(strange)
    elif action == "nest":
        inside[key] = [value] if draw(st.booleans()) else {"x": value}
    else:
        inside[key] = draw(strange)


@st.composite
def spelled(draw: st.DrawFn, documents: st.SearchStrategy[Any]) -> bytes:
    """A document as bytes: mostly whole, sometimes resealed, cut, damaged or compressed."""
    document = draw(documents)
    if isinstance(document, dict) and "digest" in document and draw(st.booleans()):
        rest = {key: value for key, value in document.items() if key != "digest"}
        with contextlib.suppress(ValueError):  # infinities cannot be sealed
            document = {**rest, "digest": digest(rest)}
    raw = json.dumps(document).encode()
    action = draw(st.sampled_from((*["whole"] * 12, "cut", "damage", "insert", "gzip", "bad gzip", "deep")))
    at = draw(st.integers(0, max(0, len(raw) - 1)))
    if action == "cut":
        return raw[:at]
    if action == "damage":
        return raw[:at] + bytes([draw(st.integers(0, 255))]) + raw[at + 1 :]
    if action == "insert":
        return raw[:at] + draw(st.binary(max_size=6)) + raw[at:]
    if action == "gzip":
        return gzip.compress(raw)
    if action == "bad gzip":
        return gzip.compress(raw)[: 12 + at]
    if action == "deep":
        return (
            b"[" * 100_000
            if draw(st.booleans())
            else raw.replace(b"null", b'{"a":' * 2000 + b"1" + b"}" * 2000, 1)
        )
    return raw
