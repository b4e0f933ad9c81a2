"""The peer's side of the texture workloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl

from benchmarks import geometry
from benchmarks.peer_context import Made, PeerContext
from benchmarks.textures import texels
from benchmarks.textures.glsl import TEXTURES


def _full_screen(p: PeerContext, name: str) -> Made:
    p.target()
    return p.strip(p.ctx.program(*TEXTURES[name]), p=geometry.QUAD), True


def _trilinear(texture: Any) -> None:
    texture.build_mipmaps()
    texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
    texture.use(0)


def _array(p: PeerContext) -> Made:
    first = texels.layers()[0]
    _trilinear(p.ctx.texture_array((texels.ARRAY_SIZE, texels.ARRAY_SIZE, texels.ARRAY_LAYERS), 4, first.tobytes()))
    return _full_screen(p, "tex_array")


def _cube(p: PeerContext) -> Made:
    _trilinear(p.ctx.texture_cube((texels.CUBE_SIZE, texels.CUBE_SIZE), 4, texels.faces()[0].tobytes()))
    return _full_screen(p, "tex_cube")


def _shadow(p: PeerContext) -> Made:
    texture = p.ctx.depth_texture((texels.SHADOW_SIZE, texels.SHADOW_SIZE), texels.depths().tobytes())
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.repeat_x = texture.repeat_y = True
    texture.compare_func = "<="
    texture.use(0)
    return _full_screen(p, "tex_shadow")


def _anisotropic(most: int) -> Callable[[PeerContext], Made]:
    def make(p: PeerContext) -> Made:
        texture = p.texture(geometry.texture(texels.ANISOTROPIC_SIZE))
        _trilinear(texture)
        texture.anisotropy = float(most)
        p.target()
        position, uv = geometry.trilinear_plane()
        return p.strip(p.ctx.program(*TEXTURES["tex_anisotropic"]), p=position, t=uv), True

    return make


MAKERS: dict[str, Callable[[PeerContext], Made]] = {
    "tex_array": _array,
    "tex_cube": _cube,
    "tex_shadow": _shadow,
    "tex_aniso8": _anisotropic(8),
    "tex_aniso16": _anisotropic(16),
}
