"""Views of textures. (OpenGL 4.3 core, 8.18)"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tgsi.gallium import Format
from tgsi.opengl.calls import command
from tgsi.opengl.commands.texture_storage import sized
from tgsi.opengl.errors import bad_enum, bad_operation, bad_value
from tgsi.opengl.objects.texture import Texture, extent
from tgsi.opengl.pixels.internal_formats import is_compressed
from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.opengl.context import Context

_PLANE = {GL.TEXTURE_2D, GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP, GL.TEXTURE_CUBE_MAP_ARRAY}
FAMILIES = (
    {GL.TEXTURE_1D, GL.TEXTURE_1D_ARRAY}, _PLANE, {GL.TEXTURE_3D}, {GL.TEXTURE_RECTANGLE},
    {GL.TEXTURE_2D_MULTISAMPLE, GL.TEXTURE_2D_MULTISAMPLE_ARRAY},
)  # fmt: skip
"""Groups of targets that can be views of each other."""
LAYERED = {GL.TEXTURE_1D_ARRAY, GL.TEXTURE_2D_ARRAY, GL.TEXTURE_CUBE_MAP_ARRAY, GL.TEXTURE_2D_MULTISAMPLE_ARRAY}


def _check(target: int, origin: Texture, layers: int) -> None:
    if not any(target in family for family in FAMILIES):
        raise bad_enum("target", target)
    if not any(target in family and origin.target in family for family in FAMILIES):
        raise bad_operation("target: it does not view textures of this target")
    if target == GL.TEXTURE_CUBE_MAP and layers != 6:
        raise bad_value(f"numlayers: a cube has 6, not {layers}")
    if target == GL.TEXTURE_CUBE_MAP_ARRAY and layers % 6:
        raise bad_value(f"numlayers: {layers} is not a multiple of 6")
    if target not in LAYERED and target != GL.TEXTURE_CUBE_MAP and layers != 1:
        raise bad_value(f"numlayers: the target has 1, not {layers}")


@command("glTextureView")
def texture_view(
    gl: Context,
    texture: int,
    target: int,
    origtexture: int,
    internalformat: int,
    minlevel: int,
    numlevels: int,
    minlayer: int,
    numlayers: int,
) -> None:
    """Create a texture that shares levels and layers of another one."""
    origin = gl.share.textures.get(origtexture)
    if origin is None:
        raise bad_value(f"origtexture: {origtexture} is not the name of a texture")
    if not texture or texture not in gl.share.textures.objects:
        raise bad_value(f"texture: {texture} is not a name that glGenTextures returned")
    if gl.share.textures.get(texture) is not None:
        raise bad_operation(f"texture: {texture} has a target already")
    if not origin.is_immutable or origin.resource is None:
        raise bad_operation("origtexture: its storage is not immutable")
    row = sized(internalformat)
    first = origin.images[0, 0]
    if Format[row.format].block_bytes != Format[first.row.format].block_bytes or is_compressed(row.format) != is_compressed(
        first.row.format
    ):
        raise bad_operation("internalformat: its texels have another size")
    _, all_layers = extent(origin.target, origin.base[0])
    all_layers = origin.layers or all_layers
    if minlevel >= origin.levels or minlayer >= max(all_layers, 1):
        raise bad_value("minlevel, minlayer: they lie outside of the texture")
    levels, layers = min(numlevels, origin.levels - minlevel), min(numlayers, max(all_layers, 1) - minlayer)
    if origin.target == GL.TEXTURE_3D:
        layers = 1
    _check(target, origin, layers)
    view = gl.share.textures.put(texture, Texture(texture, target))
    view.of, view.is_immutable, view.resource, view.levels = origin, True, origin.resource, levels
    view.first_level, view.first_layer = origin.first_level + minlevel, origin.first_layer + minlayer
    view.layers = 0 if target == GL.TEXTURE_3D else layers
    for level in range(levels):
        source = origin.images[0, minlevel + level]
        width, height, depth = source.size
        if target == GL.TEXTURE_1D_ARRAY:
            height = layers
        elif origin.target == GL.TEXTURE_1D_ARRAY:
            height = 1
        if target in LAYERED and target != GL.TEXTURE_1D_ARRAY:
            depth = layers
        elif target != GL.TEXTURE_3D:
            depth = 1
        for face in range(6 if target == GL.TEXTURE_CUBE_MAP else 1):
            image = replace(
                source, size=(width, height, depth), internal=internalformat, row=row, level=view.first_level + level, layer=face
            )
            view.images[face, level] = image
    view.base = view.images[0, 0].size, levels
    gl.note_storage()
