"""Parameters of pixel transfer: scales, biases and maps. (OpenGL 2.1, 3.6.3)"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.calls import command, lists_itself
from tgsi.opengl.drawing.pixel_access import read_raw
from tgsi.opengl.errors import bad_enum, bad_value
from tgsi.opengl.gets.values import VALUES
from tgsi.opengl.lists import listed
from tgsi.opengl.memory import Pointer, write
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.state.legacy import COLOR_MAPS, PIXEL_MAPS, PixelTransfer

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

MAX_MAP = 256
SCALES = {GL.RED_SCALE: 0, GL.GREEN_SCALE: 1, GL.BLUE_SCALE: 2, GL.ALPHA_SCALE: 3}
BIASES = {GL.RED_BIAS: 0, GL.GREEN_BIAS: 1, GL.BLUE_BIAS: 2, GL.ALPHA_BIAS: 3}
FIELDS = {
    GL.DEPTH_SCALE: "depth_scale", GL.DEPTH_BIAS: "depth_bias", GL.INDEX_SHIFT: "index_shift", GL.INDEX_OFFSET: "index_offset",
    GL.MAP_COLOR: "maps_color", GL.MAP_STENCIL: "maps_stencil",
}  # fmt: skip
SIZES = {map_: size for size, map_ in zip(
    (GL.PIXEL_MAP_R_TO_R_SIZE, GL.PIXEL_MAP_G_TO_G_SIZE, GL.PIXEL_MAP_B_TO_B_SIZE, GL.PIXEL_MAP_A_TO_A_SIZE, GL.PIXEL_MAP_I_TO_R_SIZE,
     GL.PIXEL_MAP_I_TO_G_SIZE, GL.PIXEL_MAP_I_TO_B_SIZE, GL.PIXEL_MAP_I_TO_A_SIZE, GL.PIXEL_MAP_I_TO_I_SIZE, GL.PIXEL_MAP_S_TO_S_SIZE),
    PIXEL_MAPS, strict=True)}  # fmt: skip
TOPS = {"f": 1, "I": 4294967295, "H": 65535}


@command("glPixelTransferf", "glPixelTransferi")
def pixel_transfer(gl: Context, pname: int, param: float) -> None:
    """Set a scale or a bias, or turn maps on or off."""
    state = gl.legacy.transfer
    if pname in SCALES:
        state.scale[SCALES[pname]] = float(param)
    elif pname in BIASES:
        state.bias[BIASES[pname]] = float(param)
    elif pname in FIELDS:
        before = getattr(state, FIELDS[pname])
        setattr(state, FIELDS[pname], type(before)(param))
    elif GL.POST_CONVOLUTION_RED_SCALE <= pname <= GL.POST_CONVOLUTION_ALPHA_BIAS:
        raise bad_enum("pname", pname)
    else:
        raise bad_enum("pname", pname)


@listed
def put_map(gl: Context, name: int, values: tuple[float, ...]) -> None:
    """Set a map."""
    gl.legacy.transfer.maps[name] = values


def _setter(letter: str) -> Callable[..., None]:
    def set_map(gl: Context, map: int, size: int, values: Pointer) -> None:
        if map not in PIXEL_MAPS:
            raise bad_enum("map", map)
        if not 1 <= size <= MAX_MAP or (map not in COLOR_MAPS and size & (size - 1)):
            raise bad_value(f"mapsize: {size}")
        table = np.frombuffer(read_raw(gl, values, 4 * size if letter != "H" else 2 * size, "glPixelMap"), f"={letter}").astype(np.float64)
        if map in (GL.PIXEL_MAP_I_TO_I, GL.PIXEL_MAP_S_TO_S):
            put_map(gl, map, tuple(table.tolist()))
        else:
            put_map(gl, map, tuple(np.clip(table / TOPS[letter], 0.0, 1.0).tolist()))

    return set_map


def _getter(letter: str) -> Callable[..., None]:
    def get_map(gl: Context, map: int, values: Pointer) -> None:
        if map not in PIXEL_MAPS:
            raise bad_enum("map", map)
        table = gl.legacy.transfer.maps[map]
        top = 1 if map in (GL.PIXEL_MAP_I_TO_I, GL.PIXEL_MAP_S_TO_S) else TOPS[letter]
        write(letter, values, table if letter == "f" else [round(value * top) for value in table])

    return get_map


for _word, _letter in {"fv": "f", "uiv": "I", "usv": "H"}.items():
    command(f"glPixelMap{_word}")(lists_itself(_setter(_letter)))
    command(f"glGetPixelMap{_word}")(_getter(_letter))


def _value(find: Callable[[PixelTransfer], Any]) -> Callable[[Context], Any]:
    return lambda gl: find(gl.legacy.transfer)


def _part(field: str, index: int) -> Callable[[PixelTransfer], Any]:
    return lambda state: getattr(state, field)[index]


def _size(name: int) -> Callable[[PixelTransfer], int]:
    return lambda state: len(state.maps[name])


for _name, _index in SCALES.items():
    VALUES[_name] = "f", _value(_part("scale", _index))
for _name, _index in BIASES.items():
    VALUES[_name] = "f", _value(_part("bias", _index))
for _name, _field in FIELDS.items():
    VALUES[_name] = "i" if "depth" not in _field else "f", _value(attrgetter(_field))
for _map, _name in SIZES.items():
    VALUES[_name] = "i", _value(_size(_map))
VALUES[GL.MAX_PIXEL_MAP_TABLE] = "i", lambda gl: MAX_MAP
