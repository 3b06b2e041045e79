"""Wrong options are answered with their name; defaults are valid values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dmlopt import registry
from dmlopt.api import generate, solve
from dmlopt.errors import DmloptError, InputError, UnknownNameError
from dmlopt.registry import Option

UNKNOWN = "no_such_option"
WRONG = {int: "many", float: "much", bool: "perhaps"}


def method_options_refused(problem: Any, method: str) -> Iterator[str]:
    """Unknown and wrong options of a method, and limits that make no sense, raise an error that names them."""
    options = registry.find_method(registry.formulation_of(problem).name, method).options

    def call(**given: Any) -> Any:
        return solve(problem, method, **{"time_limit": 10.0, **given})

    yield from _refused(call, options)
    for name, value in {"time_limit": -1.0, "gap": -1.0, "threads": 0, "seed": -1}.items():
        yield from _complains(call, name, value, InputError)


def generator_options_refused(formulation: str) -> Iterator[str]:
    """The same for the generator."""
    maker = registry.generator(formulation)

    def call(**given: Any) -> Any:
        return generate(formulation, **given)

    yield from _refused(call, maker.options)
    yield from _complains(call, "seed", -1, InputError)


def _refused(call: Callable[..., Any], options: Sequence[Option]) -> Iterator[str]:
    names = [option.name for option in options]
    if len(set(names)) < len(names):
        yield "two options have the same name"
    yield from _complains(call, UNKNOWN, 1, UnknownNameError)
    for option in options:
        try:
            if option.default is not None and option.read(option.default, option.name) != option.default:
                yield f"{option.name}: the default is not of its type"
        except InputError as error:
            yield f"the default is refused: {error}"
        if option.type in WRONG:
            yield from _complains(call, option.name, WRONG[option.type], InputError)
        if option.choices:
            yield from _complains(call, option.name, "no such choice", InputError)


def _complains(call: Callable[..., Any], name: str, value: Any, kind: type[DmloptError]) -> Iterator[str]:
    """What is wrong with the answer to a wrong value; nothing if it is an error that names the option."""
    try:
        call(**{name: value})
    except kind as error:
        if name not in str(error):
            yield f"{name}={value!r}: the message does not name it: {error}"
    except Exception as error:
        yield f"{name}={value!r}: raises {type(error).__name__}: {error}"
    else:
        yield f"{name}={value!r}: accepted"
