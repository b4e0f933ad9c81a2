"""Frozen slotted dataclasses whose constructor is cheap: a parse makes hundreds of thousands of them."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make a frozen slotted dataclass that writes its fields through the slots' descriptors.

    The stock constructor of a frozen dataclass looks ``object.__setattr__`` up for every field; this one takes half the time.
    """
    made: Any = dataclass(frozen=True, slots=True)(cls)
    names = [item.name for item in fields(made)]
    scope: dict[str, Any] = {f"set_{name}": getattr(made, name).__set__ for name in names}
    scope |= {f"default_{item.name}": item.default for item in fields(made)}
    parameters = [name if scope[f"default_{name}"] is MISSING else f"{name}=default_{name}" for name in names]
    exec(f"def __init__(self, {', '.join(parameters)}):\n" + "".join(f" set_{name}(self, {name})\n" for name in names), scope)
    made.__init__ = scope["__init__"]
    return made  # type: ignore[no-any-return]
