"""Current values of generic attributes. (OpenGL 4.6 core, 10.2.1)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command
from tgsi.opengl.errors import bad_value
from tgsi.opengl.memory import Pointer, numbers
from tgsi.opengl.objects.vertex_array import MAX_ATTRIBUTES
from tgsi.opengl.state import dirty

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def put_current(gl: Context, index: int, letter: str, values: tuple[Any, ...]) -> None:
    """Set the current value of an attribute; missing components are 0, 0, 0, 1."""
    if index >= MAX_ATTRIBUTES:
        raise bad_value(f"index: {index} is not below {MAX_ATTRIBUTES}")
    vector = (*values, *(0, 0, 0, 1)[len(values) :])
    if gl.batch is not None and letter == "f":
        if index == 0:
            gl.batch.vertex(vector)
        else:
            gl.batch.put(index, vector)
        return
    gl.attributes[index] = letter, vector
    gl.dirty |= dirty.VERTICES


_TOP = {"b": 127, "B": 255, "h": 32767, "H": 65535, "i": 2147483647, "I": 4294967295}


def _scaled(letter: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(max(-1.0, value / _TOP[letter]) for value in values)


def _setter(letter: str, count: int, *, vector: str = "", scaled: str = "") -> Callable[..., None]:
    """A command that sets a current value from its arguments or from a vector of numbers of a struct letter; integers may be normalized."""

    def of_vector(gl: Context, index: int, v: Pointer) -> None:
        values = numbers(vector, v, count)
        put_current(gl, index, letter, _scaled(vector, values) if scaled else values)

    def of_values(gl: Context, index: int, *values: Any) -> None:
        put_current(gl, index, letter, _scaled(scaled, values) if scaled else values)

    return of_vector if vector else of_values


for _count in (1, 2, 3, 4):
    for _kind in "sfd":
        command(f"glVertexAttrib{_count}{_kind}")(_setter("f", _count))
        command(f"glVertexAttrib{_count}{_kind}v")(_setter("f", _count, vector={"s": "h", "f": "f", "d": "d"}[_kind]))
    command(f"glVertexAttribI{_count}i")(_setter("i", _count))
    command(f"glVertexAttribI{_count}ui")(_setter("I", _count))
    command(f"glVertexAttribI{_count}iv")(_setter("i", _count, vector="i"))
    command(f"glVertexAttribI{_count}uiv")(_setter("I", _count, vector="I"))
for _kind, _vector in {"b": "b", "ub": "B", "us": "H", "i": "i", "ui": "I"}.items():
    command(f"glVertexAttrib4{_kind}v")(_setter("f", 4, vector=_vector))
for _kind, _vector in {"b": "b", "ub": "B", "s": "h", "us": "H", "i": "i", "ui": "I"}.items():
    command(f"glVertexAttrib4N{_kind}v")(_setter("f", 4, vector=_vector, scaled=_vector))
for _kind, _vector in {"b": "b", "ub": "B", "s": "h", "us": "H"}.items():
    command(f"glVertexAttribI4{_kind}v")(_setter("i" if _kind in "bs" else "I", 4, vector=_vector))
for _count in (1, 2, 3, 4):
    command(f"glVertexAttribL{_count}d")(_setter("d", _count))
    command(f"glVertexAttribL{_count}dv")(_setter("d", _count, vector="d"))
command("glVertexAttrib4Nub")(_setter("f", 4, scaled="B"))
