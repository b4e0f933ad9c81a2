"""Queries of lights, materials, generated coordinates and stipple as integers or doubles. (OpenGL 2.1, 6.1.3)"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.calls import command
from tgsi.opengl.commands.gets import as_integers
from tgsi.opengl.drawing.pixel_access import write_raw
from tgsi.opengl.errors import bad_enum
from tgsi.opengl.fixed.environments import COORDINATES, unit
from tgsi.opengl.fixed.lighting import COLORS, light_values, material_values
from tgsi.opengl.memory import Pointer, write
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context


def _integers(name: int, values: tuple[Any, ...]) -> list[int]:
    return as_integers("n" if name in COLORS or name == GL.EMISSION else "f", values)


@command("glGetLightiv")
def get_light_integers(gl: Context, light: int, pname: int, params: Pointer) -> None:
    """A parameter of a light; colors are scaled to the integer range."""
    write("i", params, _integers(pname, light_values(gl, light, pname)))


@command("glGetMaterialiv")
def get_material_integers(gl: Context, face: int, pname: int, params: Pointer) -> None:
    """A parameter of a material; colors are scaled to the integer range."""
    write("i", params, _integers(pname, material_values(gl, face, pname)))


def _generation(letter: str) -> Callable[..., None]:
    def get(gl: Context, coord: int, pname: int, params: Pointer) -> None:
        if coord not in COORDINATES:
            raise bad_enum("coord", coord)
        item = unit(gl).coordinates[COORDINATES[coord]]
        values: dict[int, tuple[Any, ...]] = {
            GL.TEXTURE_GEN_MODE: (item.mode,), GL.OBJECT_PLANE: item.object_plane, GL.EYE_PLANE: item.eye_plane,
        }  # fmt: skip
        if pname not in values:
            raise bad_enum("pname", pname)
        write(letter, params, [round(value) for value in values[pname]] if letter == "i" else [float(value) for value in values[pname]])

    return get


for _letter in "dfi":
    command(f"glGetTexGen{_letter}v")(_generation(_letter))


@command("glGetPolygonStipple")
def get_polygon_stipple(gl: Context, mask: Pointer) -> None:
    """The polygon stipple pattern: 32 rows of 32 bits, stored by the pack parameters."""
    words = np.array(gl.raster.stipple, ">u4").view(np.uint8).reshape(32, 4)
    if gl.pack.lsb_first:
        words = np.packbits(np.unpackbits(words, axis=1), axis=1, bitorder="little")
    write_raw(gl, mask, np.ascontiguousarray(words).tobytes(), "glGetPolygonStipple")
