"""JSON without its traps: no NaN, no infinities, no duplicate keys; errors with positions; atomic writing."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import re
import secrets
import stat
import zlib
from pathlib import Path
from typing import Any

from dmlopt.errors import InputError
from dmlopt.fields import shown

GZIP_MAGIC = b"\x1f\x8b"
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # maybe half of a pair: worth looking closely


# -------------------------------------------------------------------- reading


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file; InputError with the reason when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {_reason(error)}", os.fspath(path)) from None


def parse(raw: bytes, source: str) -> Any:
    """The JSON value in `raw` (UTF-8, gzip allowed). `source` names it in messages."""
    try:
        if raw.startswith(GZIP_MAGIC):
            raw = gzip.decompress(raw)
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error):
        raise InputError("cannot be read: damaged gzip data", source) from None
    except UnicodeDecodeError as error:
        raise InputError(f"not JSON: byte {error.start} is not UTF-8 text", source) from None
    if not text.strip():
        raise InputError("not JSON: the file is empty", source)
    reader = _Reader()
    try:
        value = json.loads(
            text,
            object_pairs_hook=reader.object,
            parse_constant=reader.constant,
            parse_float=reader.number,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"not JSON: {error.msg} at {where}", source) from None
    except RecursionError:
        raise InputError("not JSON: nested too deeply", source) from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise InputError("not JSON: a number has too many digits", source) from None
    problems = [f"duplicate key {shown(key)}" for key in reader.duplicates]
    if reader.infinite or SURROGATE.search(text):
        problems += _wrong_places(value)
    if problems:
        raise InputError(problems, source)
    return value


class _Reader:
    """Remembers what the JSON module would let pass."""

    def __init__(self) -> None:
        self.duplicates: list[str] = []
        self.infinite = False

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self.duplicates.append(key)
                seen.add(key)
        return result

    def constant(self, name: str) -> float:
        self.infinite = True
        return float(name)

    def number(self, text: str) -> float:
        value = float(text)
        if math.isinf(value):
            self.infinite = True
        return value


def _wrong_places(root: Any) -> list[str]:
    """Paths of numbers that are not finite and of texts that are not text (halves of surrogate pairs)."""
    places: list[str] = []
    waiting: list[tuple[str, Any]] = [("", root)]
    while waiting:
        path, value = waiting.pop()
        head = f"{path}: " if path else ""
        if isinstance(value, float) and not math.isfinite(value):
            places.append(f"{head}expected a finite number, got {shown(value)}")
        elif isinstance(value, str) and not _is_text(value):
            places.append(f"{head}expected a text, got {shown(value)} with half of a surrogate pair")
        elif isinstance(value, dict):
            places += [
                f"{head}expected names that are text, got {shown(k)}" for k in value if not _is_text(k)
            ]
            inner = [(f"{path}.{key}" if path else key, each) for key, each in value.items() if _is_text(key)]
            waiting += reversed(inner)
        elif isinstance(value, list):
            waiting += [(f"{path}[{at}]", value[at]) for at in reversed(range(len(value)))]
    return places


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


# -------------------------------------------------------------------- writing


def canonical(data: Any) -> bytes:
    """The one spelling of a JSON value that hashes are taken of: sorted keys, no spaces, shortest numbers."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain).encode()


def digest(data: Any) -> str:
    """sha256 of the canonical spelling."""
    return hashlib.sha256(canonical(data)).hexdigest()


def compact(data: Any) -> str:
    """A JSON value on one line."""
    return json.dumps(data, allow_nan=False, default=_plain, ensure_ascii=False)


def readable(data: dict[str, Any]) -> str:
    """An object with a line per member and a line per element of its lists of objects: easy to compare."""
    members = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            elements = ",\n".join(f"  {compact(each)}" for each in value)
            spelled = f"[\n{elements}\n ]"
        else:
            spelled = compact(value)
        members.append(f" {compact(key)}: {spelled}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def _plain(value: Any) -> Any:
    """numpy scalars and arrays as plain numbers and lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def write(text: str, path: str | os.PathLike[str]) -> None:
    """Replace a file in one step: readers see the old content or the new, never half. `.gz` compresses."""
    raw = text.encode()
    if os.fspath(path).endswith(".gz"):
        raw = gzip.compress(raw, mtime=0)
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):  # a pipe or device: not replaceable
            target.write_bytes(raw)
            return
        temporary = _beside(target)
        try:
            temporary.write_bytes(raw)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {_reason(error)}", os.fspath(path)) from None


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise InputError now if `write` would fail later, so that no long run ends without its result."""
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
        if not target.exists() or stat.S_ISREG(target.stat().st_mode):
            temporary = _beside(target)
            temporary.touch()
            temporary.unlink()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {_reason(error)}", os.fspath(path)) from None


def _beside(target: Path) -> Path:
    """A name for this one write: several processes and threads may write the same file at once."""
    return target.with_name(f".{target.name[:100]}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error) or type(error).__name__
