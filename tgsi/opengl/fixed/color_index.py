"""State of color indices and texture priorities, which has no effect because all framebuffers are RGBA. (OpenGL 2.1, 2.7, 3.8.11, 4.2)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.errors import bad_enum, bad_value, not_negative
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, floats, numbers, uints
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.fixed import EDGE

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


@listed
def put_index(gl: Context, value: float) -> None:
    """Set the current index."""
    gl.legacy.index = float(value)


def _setters(letter: str) -> tuple[Callable[..., None], Callable[..., None]]:
    def value(gl: Context, c: Any) -> None:
        put_index(gl, c)

    def vector(gl: Context, c: Pointer) -> None:
        put_index(gl, numbers(letter, c, 1)[0])

    return value, vector


for _word, _letter in {"d": "d", "f": "f", "i": "i", "s": "h", "ub": "B"}.items():
    _value, _vector = _setters(_letter)
    command(f"glIndex{_word}")(lists_itself(_value))
    command(f"glIndex{_word}v")(lists_itself(_vector))


@command("glIndexMask")
def index_mask(gl: Context, mask: int) -> None:
    """Set the written bits of indices."""
    gl.legacy.index_mask = mask


@command("glClearIndex")
def clear_index(gl: Context, c: float) -> None:
    """The clear value of indices."""
    gl.clear_values.index = c


@command("glIndexPointer")
def index_pointer(gl: Context, type: int, stride: int, pointer: Pointer) -> None:
    """Set an array of indices, which no framebuffer uses."""
    if type not in (GL.UNSIGNED_BYTE, GL.SHORT, GL.INT, GL.FLOAT, GL.DOUBLE):
        raise bad_enum("type", type)
    not_negative("stride", stride)


@command("glPrioritizeTextures")
def prioritize_textures(gl: Context, n: int, textures: Pointer, priorities: Pointer) -> None:
    """Set texture priorities, which have no effect because all textures are resident."""
    not_negative("n", n)
    for name, value in zip(uints(textures, n), floats(priorities, n), strict=True):
        if gl.share.textures.get(name) is not None:
            gl.legacy.priorities[name] = min(1.0, max(0.0, value))


@command("glAreTexturesResident")
def are_textures_resident(gl: Context, n: int, textures: Pointer, residences: Pointer) -> int:
    """Returns 1, because every texture is resident."""
    not_negative("n", n)
    for name in uints(textures, n):
        if gl.share.textures.get(name) is None:
            raise bad_value(f"textures: {name} is not a texture")
    return 1


VALUES[GL.CURRENT_INDEX] = "f", lambda gl: gl.legacy.index
VALUES[GL.INDEX_WRITEMASK] = "i", lambda gl: gl.legacy.index_mask
VALUES[GL.INDEX_CLEAR_VALUE] = "f", lambda gl: gl.clear_values.index
VALUES[GL.EDGE_FLAG] = "i", lambda gl: int(gl.attributes[EDGE][1][0])
