"""Frozen slotted dataclasses with a cheap constructor: a parse makes hundreds of thousands of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T] | None = None, /, *, kw_only: bool = False) -> Any:
    """Make a frozen slotted dataclass that writes its fields through the slots' descriptors.

    The stock constructor of a frozen dataclass looks ``object.__setattr__`` up for every field; this one takes half the time.
    `kw_only`: as in `dataclasses.dataclass`; a class may also have a `KW_ONLY` field.
    """
    return _made(cls, kw_only) if cls is not None else lambda named: _made(named, kw_only)


def _made(cls: type[T], kw_only: bool) -> type[T]:
    made: Any = dataclass(frozen=True, slots=True, kw_only=kw_only)(cls)
    scope: dict[str, Any] = {f"set_{item.name}": getattr(made, item.name).__set__ for item in fields(made)}
    scope |= {f"default_{item.name}": item.default for item in fields(made)}
    parameters: list[str] = []
    for item in sorted(fields(made), key=lambda item: bool(item.kw_only)):
        if item.kw_only and "*" not in parameters:
            parameters.append("*")
        parameters.append(item.name if item.default is MISSING else f"{item.name}=default_{item.name}")
    body = "".join(f" set_{item.name}(self, {item.name})\n" for item in fields(made))
    exec(f"def __init__(self, {', '.join(parameters)}):\n{body}", scope)
    made.__init__ = scope["__init__"]
    return made  # type: ignore[no-any-return]
