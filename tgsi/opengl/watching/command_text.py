"""Text of commands with their arguments: ``glDrawArrays(GL_TRIANGLES, 0, 3)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from tgsi.opengl.registry import enums
from tgsi.opengl.registry.table import Parameter, command, enum_names

_SUFFIXES = ("_ARB", "_EXT", "_OES", "_NV", "_KHR", "_ATI", "_APPLE", "_INTEL")
_SMALL: dict[str, dict[int, str]] = {
    "PrimitiveType": {0: "GL_POINTS", 1: "GL_LINES"},
    "BlendingFactor": {0: "GL_ZERO", 1: "GL_ONE"},
    "StencilOp": {0: "GL_ZERO"},
    "Boolean": {0: "GL_FALSE", 1: "GL_TRUE"},
}
"""Names of 0 and 1 in the groups of enumerants that define them; in other groups, 0 is GL_NONE."""
_CLEARED = ("COLOR_BUFFER_BIT", "DEPTH_BUFFER_BIT", "STENCIL_BUFFER_BIT", "ACCUM_BUFFER_BIT")
_BITS = {"ClearBufferMask": {getattr(enums, name): f"GL_{name}" for name in _CLEARED}}
_OFFSET = 10_000_000
"""Pointers below this value are offsets in buffers."""


def enum_text(value: int, group: str = "") -> str:
    """The name of an enumerant, or its number in hexadecimal."""
    small = _SMALL.get(group, {0: "GL_NONE"}).get(value)
    names = [name for name in enum_names().get(value, ()) if not name.endswith("_BIT")]
    if small is not None or not names or value <= 1:
        return small or f"{value:#06x}"
    return min(names, key=lambda name: (name.endswith(_SUFFIXES), len(name)))


def _bits(value: int, group: str) -> str:
    known = _BITS.get(group, {})
    parts = [name for bit, name in known.items() if value & bit]
    rest = value & ~sum(known)
    return " | ".join([*parts, f"{rest:#x}"] if rest else parts) or "0"


def _pointer(value: int | None) -> str:
    if not value:
        return "NULL"
    return str(value) if value < _OFFSET else "pointer"


def _formatter(parameter: Parameter) -> Callable[[Any], str]:
    kind, name, group, _ = parameter
    if kind == "e":
        return lambda value: enum_text(value, group)
    if kind == "b" and group in _BITS:
        return lambda value: _bits(value, group)
    if kind == "o" and group == "Boolean":
        return lambda value: enum_text(value, group)
    if kind in "fd":
        return lambda value: f"{value:g}"
    if kind == "p":
        return _pointer
    if name == "internalformat":
        return lambda value: enum_text(value) if value > 4 else str(value)
    return str


@cache
def _formatters(name: str) -> tuple[Callable[[Any], str], ...]:
    row = command(name)
    return tuple(_formatter(parameter) for parameter in row.parameters) if row is not None else ()


def command_text(name: str, values: Sequence[Any]) -> str:
    """A command in C syntax."""
    return f"{name}({', '.join(show(value) for show, value in zip(_formatters(name), values, strict=False))})"
