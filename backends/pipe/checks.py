"""State templates from the arguments of callers: enumerations by name or number, nested templates as mappings, numbers checked."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from enum import Enum, Flag
from functools import cache, reduce
from operator import or_
from typing import Any, TypeVar

from backends.formats import WIDE, AnyFormat, CompressedFormat, Format, VertexFormat, WideFormat, find_any_format
from backends.pipe.enums import lookup

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


def flags(kind: type[E], value: E | int | str | Sequence[Any], argument: str) -> E:
    """A set of flags from a member, a number, a name, ``"A|B"``, or a sequence of these."""
    if isinstance(value, str) and "|" in value:
        value = [part.strip() for part in value.split("|")]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return reduce(or_, (lookup(kind, item, argument) for item in value), kind(0))
    found: E = lookup(kind, value, argument)
    return found


def integer(value: Any, argument: str, low: int = 0, high: int = (1 << 32) - 1) -> int:
    """`value` as an int in [low, high]; TypeError or ValueError name the argument."""
    try:
        number = value.__index__()
    except (AttributeError, TypeError):  # numpy arrays have __index__ but may refuse it with a TypeError
        raise TypeError(f"{argument}: an integer is wanted, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{argument}: {number} is not in {low} .. {high}")
    return int(number)


def real(value: Any, argument: str) -> float:
    """`value` as a float; TypeError names the argument."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{argument}: a number is wanted, not {type(value).__name__}") from None
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def make(kind: type[T], template: T | Mapping[str, Any] | None, given: Mapping[str, Any], argument: str) -> T:
    """A template of `kind`: the fields of `template` (or the defaults), changed by `given`, every field converted and checked.

    Raises:
        TypeError: there is no such field, or a value is of the wrong type; the message names it.
        ValueError: a value is out of its range or names nothing.
    """
    names = [item.name for item in fields(kind)]  # type: ignore[arg-type]
    if isinstance(template, Mapping):
        values = dict(template)
    elif isinstance(template, kind):
        values = {name: getattr(template, name) for name in names}
    elif template is None:
        values = {}
    else:
        raise TypeError(f"{argument}: a {kind.__name__} is wanted, not {type(template).__name__}")
    values.update(given)
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    for name, value in values.items():
        if name not in hints:
            close = get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise TypeError(f"{argument}: {kind.__name__} has no field {name}{hint}")
        values[name] = convert(hints[name], value, f"{argument}: {name}")
    try:
        return kind(**values)
    except TypeError as error:
        raise TypeError(f"{argument}: {str(error).split(') ')[-1]}") from None


def convert(hint: Any, value: Any, argument: str) -> Any:
    """`value` converted to the type of the annotation `hint`, or TypeError or ValueError, whose message names the argument."""
    if hint == VertexFormat:
        return vertex_format(value, argument)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return convert(next(part for part in typing.get_args(hint) if part is not type(None)), value, argument)
    if origin is tuple:
        return _tuple(typing.get_args(hint), value, argument)
    if hint is bool:
        if not isinstance(value, int):
            raise TypeError(f"{argument}: a boolean is wanted, not {type(value).__name__}")
        return bool(value)
    if hint is int:
        return integer(value, argument, -(1 << 31))
    if hint is float:
        return real(value, argument)
    if hint is Format:
        return pixel_format(value, argument)
    if isinstance(hint, type) and issubclass(hint, Flag):
        return flags(hint, value, argument)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lookup(hint, value, argument)
    if is_dataclass(hint) and isinstance(hint, type):
        return make(hint, value, {}, argument)
    return value


def _tuple(parts: tuple[Any, ...], value: Any, argument: str) -> tuple[Any, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{argument}: a sequence is wanted, not {type(value).__name__}")
    items = tuple(value)
    if parts[-1] is Ellipsis:
        return tuple(convert(parts[0], item, f"{argument}[{i}]") for i, item in enumerate(items))
    if len(items) != len(parts):
        raise ValueError(f"{argument}: {len(parts)} values are wanted, not {len(items)}")
    return tuple(convert(part, item, f"{argument}[{i}]") for i, (part, item) in enumerate(zip(parts, items)))


def any_format(value: AnyFormat | str, argument: str) -> AnyFormat:
    """Plain or compressed format given as a member or by name; TypeError or ValueError name the argument."""
    if isinstance(value, (Format, CompressedFormat)):
        return value
    if isinstance(value, WideFormat) or (isinstance(value, str) and value.removeprefix("PIPE_FORMAT_") in WIDE):
        raise ValueError(f"{argument}: {value} is a format of vertex elements only")
    if not isinstance(value, str):
        raise TypeError(f"{argument}: a Format or its name is wanted, not {type(value).__name__}")
    try:
        return find_any_format(value)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from None


def pixel_format(value: AnyFormat | str, argument: str) -> Format:
    """Plain format given as a member or by name; TypeError or ValueError name the argument."""
    found = any_format(value, argument)
    if isinstance(found, CompressedFormat):
        raise ValueError(f"{argument}: {found} is compressed; a format of single pixels is wanted")
    return found


def vertex_format(value: VertexFormat | str, argument: str) -> VertexFormat:
    """Format of a vertex element given as a member or by name; TypeError or ValueError name the argument."""
    if isinstance(value, WideFormat):
        return value
    if isinstance(value, str) and value.removeprefix("PIPE_FORMAT_") in WIDE:
        return WIDE[value.removeprefix("PIPE_FORMAT_")]
    return pixel_format(value, argument)
