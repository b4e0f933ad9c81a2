"""Attributes packed as 10, 10, 10 and 2 bits, and glArrayElement. (OpenGL 3.3, 2.7; 2.1, 2.8)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.commands.vertex_values import put_current
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.fixed.immediate import put_attribute, put_vertex
from tgsi.opengl.fixed.listed_draws import values_of
from tgsi.opengl.memory import Pointer, uints
from tgsi.opengl.objects.vertex_array import MAX_ATTRIBUTES
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import COLOR, MAX_UNITS, NORMAL, SECONDARY, TEXTURE, VERTEX

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

_BITS = ((0, 10), (10, 10), (20, 10), (30, 2))
Put = Callable[["Context", int, tuple[float, ...]], None]


def unpacked(type: int, word: int, count: int, *, normalized: bool) -> tuple[float, ...]:
    """The first components of a packed number. Raises GL_INVALID_ENUM for other types."""
    if type == GL.UNSIGNED_INT_10F_11F_11F_REV and not normalized and count == 3:
        from tgsi.gallium import Format, texels

        texel = texels.unpack(Format.R11G11B10_FLOAT, np.array([[word]], np.uint32).view(np.uint8))
        return tuple(float(value) for value in texel[0, :3])
    if type not in (GL.INT_2_10_10_10_REV, GL.UNSIGNED_INT_2_10_10_10_REV):
        raise bad_enum("type", type)
    components = []
    for shift, bits in _BITS[:count]:
        value = word >> shift & ((1 << bits) - 1)
        top = (1 << bits) - 1
        if type == GL.INT_2_10_10_10_REV:
            value -= (1 << bits) if value >> (bits - 1) else 0
            top = (1 << (bits - 1)) - 1
        components.append(max(-1.0, value / top) if normalized else float(value))
    return tuple(components)


def _vertex(gl: Context, _: int, values: tuple[float, ...]) -> None:
    put_vertex(gl, values)


def _coordinates(gl: Context, target: int, values: tuple[float, ...]) -> None:
    if not 0 <= target - GL.TEXTURE0 < MAX_UNITS:
        raise bad_enum("target", target)
    put_attribute(gl, TEXTURE + target - GL.TEXTURE0, values)


def _at(location: int) -> Put:
    return lambda gl, _, values: put_attribute(gl, location, values)


def _offer(name: str, count: int, put: Put, *, has_target: bool, normalized: bool) -> None:
    def value(gl: Context, *arguments: int) -> None:
        target, (type, word) = (arguments[0], arguments[1:]) if has_target else (0, arguments)
        put(gl, target, unpacked(type, word, count, normalized=normalized))

    def vector(gl: Context, *arguments: Any) -> None:
        value(gl, *arguments[:-1], uints(arguments[-1], 1)[0])

    command(name)(lists_itself(value))
    command(f"{name}v")(lists_itself(vector))


_TABLE: tuple[tuple[str, tuple[int, ...], Put, bool, bool], ...] = (
    ("glVertexP", (2, 3, 4), _vertex, False, False),
    ("glTexCoordP", (1, 2, 3, 4), _at(TEXTURE), False, False),
    ("glMultiTexCoordP", (1, 2, 3, 4), _coordinates, True, False),
    ("glNormalP", (3,), _at(NORMAL), False, True),
    ("glColorP", (3, 4), _at(COLOR), False, True),
    ("glSecondaryColorP", (3,), _at(SECONDARY), False, True),
)
for _name, _counts, _put, _has_target, _normalized in _TABLE:
    for _count in _counts:
        _offer(f"{_name}{_count}ui", _count, _put, has_target=_has_target, normalized=_normalized)


def _generic(count: int) -> tuple[Callable[..., None], Callable[..., None]]:
    def value(gl: Context, index: int, type: int, normalized: int, word: int) -> None:
        if index >= MAX_ATTRIBUTES:
            raise bad_value(f"index: {index} is not below {MAX_ATTRIBUTES}")
        put_current(gl, index, "f", unpacked(type, word, count, normalized=bool(normalized)))

    def vector(gl: Context, index: int, type: int, normalized: int, words: Pointer) -> None:
        value(gl, index, type, normalized, uints(words, 1)[0])

    return value, vector


for _count in (1, 2, 3, 4):
    _value, _vector = _generic(_count)
    command(f"glVertexAttribP{_count}ui")(_value)
    command(f"glVertexAttribP{_count}uiv")(_vector)


@command("glArrayElement")
@lists_itself
def array_element(gl: Context, i: int) -> None:
    """Set the attributes of the enabled arrays from one element, and add the vertex."""
    if i < 0:
        raise bad_value(f"i: {i} is negative")
    array = gl.vertex_array
    enabled = [index for index, item in enumerate(array.attributes) if item.is_enabled]
    first = 0 if 0 in enabled else VERTEX
    for index in [*(k for k in enabled if k not in (0, VERTEX)), *([first] if first in enabled else [])]:
        item = array.attributes[index]
        values = tuple(float(part) for part in values_of(gl, item, array.bindings[item.binding], np.array([i]))[0])
        if index == first:
            put_vertex(gl, values)
        elif index < MAX_ATTRIBUTES:
            put_current(gl, index, "f", values)
        else:
            put_attribute(gl, index, values)
