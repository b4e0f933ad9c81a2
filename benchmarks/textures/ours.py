"""Our side of the texture workloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import geometry
from benchmarks.our_context import Made, OurContext
from benchmarks.textures import texels


def _bind(o: OurContext, texture: Any, **sampler: Any) -> None:
    o.ctx.set_sampler_views("FRAGMENT", [o.ctx.create_sampler_view(texture)])
    filters = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR"}
    o.ctx.bind_sampler_states("FRAGMENT", [o.ctx.create_sampler_state(**filters | sampler)])


def _layered(o: OurContext, target: str, levels: Sequence[NDArray[np.uint8]]) -> None:
    """Bind a texture of several layers or faces, filtered trilinearly. Levels have the shape (layers, size, size, 4)."""
    layers, size = levels[0].shape[:2]
    texture = o.screen.resource_create(
        target=target,
        format="R8G8B8A8_UNORM",
        width0=size,
        height0=size,
        array_size=layers,
        bind="SAMPLER_VIEW",
        last_level=len(levels) - 1,
    )
    for number, level in enumerate(levels):
        o.ctx.texture_subdata(texture, level, level=number)
    _bind(o, texture, min_mip_filter="LINEAR", seamless_cube_map=True)


def _full_screen(o: OurContext, name: str) -> Made:
    o.target()
    o.program(name)
    return o.strip(geometry.QUAD), True


def _array(o: OurContext) -> Made:
    _layered(o, "TEXTURE_2D_ARRAY", texels.layers())
    return _full_screen(o, "tex_array")


def _cube(o: OurContext) -> Made:
    _layered(o, "TEXTURE_CUBE", texels.faces())
    return _full_screen(o, "tex_cube")


def _shadow(o: OurContext) -> Made:
    values = np.round(texels.depths().astype("f8") * (2**24 - 1)).astype("u4")
    size = texels.SHADOW_SIZE
    texture = o.screen.resource_create(format="Z24X8_UNORM", width0=size, height0=size, bind="SAMPLER_VIEW")
    o.ctx.texture_subdata(texture, values)
    _bind(o, texture, compare_mode="R_TO_TEXTURE", compare_func="LEQUAL")
    return _full_screen(o, "tex_shadow")


def _anisotropic(most: int) -> Callable[[OurContext], Made]:
    def make(o: OurContext) -> Made:
        o.target()
        o.program("tex_anisotropic")
        o.texture(geometry.mipmaps(geometry.texture(texels.ANISOTROPIC_SIZE)), mip_filter="LINEAR", max_anisotropy=most)
        return o.strip(*geometry.trilinear_plane()), True

    return make


MAKERS: dict[str, Callable[[OurContext], Made]] = {
    "tex_array": _array,
    "tex_cube": _cube,
    "tex_shadow": _shadow,
    "tex_aniso8": _anisotropic(8),
    "tex_aniso16": _anisotropic(16),
}
