"""State templates from the arguments of callers: enumerations by name or number, nested templates as mappings, numbers checked."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum, IntFlag
from functools import cache, lru_cache, partial, reduce
from inspect import isfunction
from itertools import islice
from operator import or_
from typing import Any, Generic, NoReturn, TypeVar

from backends.formats import WIDE, AnyFormat, CompressedFormat, Format, VertexFormat, WideFormat, find_any_format
from backends.pipe.enums import lookup
from backends.pipe.flags import check_bits
from backends.pipe.ranges import RANGES
from tgsi.language.diagnostics import UnsupportedError

MOST_ITEMS = 1 << 16
"""Most items of a sequence that a caller gives; no argument needs as many."""
_NO_SEQUENCES = (str, bytes, bytearray, memoryview, Mapping)
"""Types with a length and items that are not accepted as a sequence of values."""

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


class Remembered(Generic[T]):
    """Cache of converted arguments, by equal arguments of the same types, so that these are checked only once."""

    def __init__(self, most: int) -> None:
        """most: results that are remembered at once; one more, and all are forgotten."""
        self._most = most
        self._known: dict[tuple[Any, ...], T] = {}

    def clear(self) -> None:
        """Forget all results, with the arguments."""
        self._known.clear()

    def of(self, make: Callable[..., T], *arguments: Any) -> T:
        """The result of ``make(*arguments)``. Errors are not cached, nor are results for unhashable values."""
        kinds: list[Any] = []  # 1, True and 1.0 are equal
        for one in arguments:
            kinds.append(tuple(map(type, one)) if type(one) is tuple else type(one))
        key = (*arguments, *kinds)
        try:
            known = self._known.get(key)
        except TypeError:
            return make(*arguments)
        if known is None:
            known = make(*arguments)
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[key] = known
        return known


def flags(kind: type[E], value: E | int | str | Sequence[Any], argument: str) -> E:
    """A set of flags from a member, a number, a name, ``"A|B"``, or a sequence of these. ValueError for unknown bits."""
    if type(value) is kind:
        return value
    return _named_flags(kind, value, argument) if type(value) is str else _flags(kind, value, argument)


@lru_cache(1024)
def _named_flags(kind: type[E], value: str, argument: str) -> E:
    return _flags(kind, value, argument)


def _flags(kind: type[E], value: E | int | str | Sequence[Any], argument: str) -> E:
    if isinstance(value, int) and issubclass(kind, IntFlag):
        check_bits(kind, int(value), argument)
    if isinstance(value, str) and "|" in value:
        value = [part.strip() for part in value.split("|")]
    if isinstance(value, Sequence) and not isinstance(value, _NO_SEQUENCES):
        return reduce(or_, (lookup(kind, item, argument) for item in _items(value, argument)), kind(0))
    member: E = lookup(kind, value, argument)  # type: ignore[arg-type]
    return member


def integer(value: Any, argument: str, low: int = 0, high: int = (1 << 32) - 1) -> int:
    """`value` as an int in [low, high]; TypeError or ValueError name the argument."""
    try:
        number = value.__index__()
    except (AttributeError, TypeError):  # numpy arrays have __index__ but may refuse it with a TypeError
        raise TypeError(f"{argument}: expected an integer, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{argument}: {number} is not in {low} .. {high}")
    return int(number)


def sequence(items: Any, argument: str) -> Sequence[Any]:
    """Return the items. TypeError, naming the argument, if they are not a sequence."""
    if isinstance(items, _NO_SEQUENCES) or not (hasattr(items, "__len__") and hasattr(items, "__getitem__")):
        raise TypeError(f"{argument}: expected a sequence, not {type(items).__name__}")
    try:
        count = len(items)
    except (TypeError, ValueError):  # an array without axes, a class of sequences
        raise TypeError(f"{argument}: expected a sequence, not {type(items).__name__}") from None
    if count > MOST_ITEMS:
        raise ValueError(f"{argument}: {count} items are too many")
    values: Sequence[Any] = items
    return values


def truth(value: Any, argument: str) -> bool:
    """`value` as a boolean; TypeError, naming the argument, if it is neither true nor false."""
    try:
        return bool(value)
    except (TypeError, ValueError):  # an array of several elements
        raise TypeError(f"{argument}: expected a boolean, not {type(value).__name__}") from None


def real(value: Any, argument: str) -> float:
    """`value` as a float; TypeError names the argument."""
    try:
        if getattr(getattr(value, "dtype", None), "kind", "") == "c":  # numpy would drop the imaginary part
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{argument}: expected a number, not {type(value).__name__}") from None
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def seconds(value: Any, argument: str) -> float:
    """`value` as a time limit. TypeError and ValueError name the argument."""
    number = real(value, argument)
    if not 0 < number < float("inf"):
        raise ValueError(f"{argument}: expected a number of seconds above 0, not {number:g}; None means no limit")
    return number


def refuse(feature: str, code: str = "B063") -> NoReturn:
    """Raise UnsupportedError with a message that names a feature of Gallium that this driver lacks."""
    raise UnsupportedError.at(code, f"{feature} is not supported")


_HOMES: dict[type, str] = {}


def show_as(kind: type, module: str) -> None:
    """Let a class be seen in another module than its own: in its repr, in help, in pickles. Messages of Python about wrong arguments name
    its methods as its own, whichever part of it defines them.
    """
    _HOMES.setdefault(kind, kind.__module__)
    kind.__module__ = module
    parts = (part for part in kind.__mro__ if part.__name__ != kind.__name__)
    for part in parts:
        if part.__module__.partition(".")[0] in sys.stdlib_module_names:
            continue
        for name, method in list(vars(part).items()):
            if isfunction(method) and method.__qualname__ == f"{part.__name__}.{name}":
                method.__qualname__ = f"{kind.__name__}.{name}"
                while (method := getattr(method, "__wrapped__", None)) is not None:
                    method.__qualname__ = f"{kind.__name__}.{name}"


def hints_of(kind: type) -> dict[str, Any]:
    """The types of a class's annotations, as names of the module in which the class stands."""
    return typing.get_type_hints(kind, vars(sys.modules[_HOMES.get(kind, kind.__module__)]))


Converter = Callable[[Any, str], Any]


@cache
def _converters(kind: type[Any]) -> dict[str, Converter]:
    """The function that converts each field of a template."""
    hints = hints_of(kind)
    ranges = RANGES.get(kind, {})
    return {
        item.name: partial(_in_range, ranges[item.name]) if item.name in ranges else converter(hints[item.name]) for item in fields(kind)
    }


def _in_range(limits: tuple[int, int], value: Any, argument: str) -> int:
    if type(value) is int and limits[0] <= value <= limits[1]:
        return value
    return integer(value, argument, *limits)


def make(kind: type[T], template: T | Mapping[str, Any] | None, changes: Mapping[str, Any], argument: str) -> T:
    """A template of `kind`: the fields of `template` (or the defaults), changed by `changes`, every field converted and checked.

    Raises:
        TypeError: there is no such field, or a value is of the wrong type; the message names it.
        ValueError: a value is out of its range or names nothing.
    """
    known = _converters(kind)  # type: ignore[arg-type]
    if isinstance(template, Mapping):
        values = dict(template)
    elif isinstance(template, kind):
        values = {name: getattr(template, name) for name in known}
    elif template is None:
        values = {}
    else:
        names = ", ".join(list(known)[:4]) + (", ..." if len(known) > 4 else "")
        raise TypeError(f"{argument}: expected a {kind.__name__}, or a mapping of its fields ({names}), not {type(template).__name__}")
    values.update(changes)
    for name, value in values.items():
        if name not in known:
            from backends.pipe.foreign_fields import field_hint  # loaded only for a message

            raise TypeError(f"{argument}: {kind.__name__} has no field {name}{field_hint(kind.__name__, name, values, known)}")
        values[name] = known[name](value, f"{argument}: {name}")
    try:
        return kind(**values)
    except TypeError as error:
        raise TypeError(f"{argument}: {str(error).split(') ')[-1]}") from None


def convert(hint: Any, value: Any, argument: str) -> Any:
    """`value` converted to the type of the annotation `hint`, or TypeError or ValueError, whose message names the argument."""
    return converter(hint)(value, argument)


@cache
def converter(hint: Any) -> Converter:
    """The function that `convert` applies for a type annotation."""
    if hint == VertexFormat:
        return vertex_format
    if hint == AnyFormat:
        return any_format
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = converter(next(part for part in typing.get_args(hint) if part is not type(None)))
        return lambda value, argument: None if value is None else inner(value, argument)
    if origin is tuple:
        parts = typing.get_args(hint)
        each = tuple(converter(part) for part in parts if part is not Ellipsis)
        return partial(_any_tuple if parts[-1] is Ellipsis else _tuple, each)
    if hint is bool:
        return _boolean
    if hint is int:
        return _small_integer
    if hint is float:
        return lambda value, argument: value if type(value) is float else real(value, argument)
    if hint is Format:
        return pixel_format
    if isinstance(hint, type) and issubclass(hint, IntFlag):
        return partial(flags, hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return partial(lookup, hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return lambda value, argument: make(hint, value, {}, argument)
    return lambda value, argument: value


def _boolean(value: Any, argument: str) -> bool:
    if not isinstance(value, int):
        raise TypeError(f"{argument}: expected a boolean, not {type(value).__name__}")
    return bool(value)


def _small_integer(value: Any, argument: str) -> int:
    if type(value) is int and -(1 << 31) <= value < 1 << 32:
        return value
    return integer(value, argument, -(1 << 31))


def _items(value: Any, argument: str) -> tuple[Any, ...]:
    if type(value) not in (tuple, list) and (isinstance(value, _NO_SEQUENCES) or not hasattr(value, "__iter__")):
        raise TypeError(f"{argument}: expected a sequence, not {type(value).__name__}")
    try:
        items = tuple(islice(value, MOST_ITEMS + 1))
    except (TypeError, ValueError):  # an array without axes
        raise TypeError(f"{argument}: expected a sequence, not {type(value).__name__}") from None
    if len(items) > MOST_ITEMS:
        raise ValueError(f"{argument}: more than {MOST_ITEMS} items are too many")
    return items


def _any_tuple(inner: tuple[Converter, ...], value: Any, argument: str) -> tuple[Any, ...]:
    return tuple([inner[0](item, f"{argument}[{i}]") for i, item in enumerate(_items(value, argument))])


def _tuple(inner: tuple[Converter, ...], value: Any, argument: str) -> tuple[Any, ...]:
    items = _items(value, argument)
    if len(items) != len(inner):
        raise ValueError(f"{argument}: expected {len(inner)} values, not {len(items)}")
    return tuple([part(item, f"{argument}[{i}]") for i, (part, item) in enumerate(zip(inner, items))])


def any_format(value: AnyFormat | str, argument: str) -> AnyFormat:
    """Plain or compressed format given as a member or by name; TypeError or ValueError name the argument."""
    if isinstance(value, (Format, CompressedFormat)):
        return value
    if isinstance(value, WideFormat) or (isinstance(value, str) and value.removeprefix("PIPE_FORMAT_") in WIDE):
        raise ValueError(f"{argument}: {value} is a format of vertex elements only")
    if not isinstance(value, str):
        raise TypeError(f"{argument}: expected a Format or its name, not {type(value).__name__}")
    try:
        return find_any_format(value)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from None


def pixel_format(value: AnyFormat | str, argument: str) -> Format:
    """Plain format given as a member or by name; TypeError or ValueError name the argument."""
    format = any_format(value, argument)
    if isinstance(format, CompressedFormat):
        raise ValueError(f"{argument}: {format} is compressed; expected a format of single pixels")
    return format


def vertex_format(value: VertexFormat | str, argument: str) -> VertexFormat:
    """Format of a vertex element given as a member or by name; TypeError or ValueError name the argument."""
    if isinstance(value, WideFormat):
        return value
    if isinstance(value, str) and value.removeprefix("PIPE_FORMAT_") in WIDE:
        return WIDE[value.removeprefix("PIPE_FORMAT_")]
    return pixel_format(value, argument)
