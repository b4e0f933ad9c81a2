"""Our side of the scenes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.geometry import QUAD, Floats
from benchmarks.our_context import FLOATS, Draw, Made, OurContext, shader_text
from benchmarks.scene import world
from tgsi import gallium as g

SRC_ALPHA = {"rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA", "alpha_src_factor": "SRC_ALPHA"}
BLENDING = {"blend_enable": True, **SRC_ALPHA, "alpha_dst_factor": "INV_SRC_ALPHA"}
SIDE = {"enabled": True, "func": "ALWAYS", "valuemask": 255, "writemask": 255}


def _buffer(o: OurContext, content: NDArray[Any]) -> Any:
    buffer = o.screen.resource_create(target="BUFFER", width0=content.nbytes, bind="VERTEX_BUFFER|INDEX_BUFFER")
    o.ctx.buffer_subdata(buffer, np.ascontiguousarray(content))
    return buffer


def _attributes(o: OurContext, mesh: world.Mesh) -> list[tuple[Any, int]]:
    """Buffers of positions, normals and texture coordinates, each with its number of components."""
    return [(_buffer(o, a), a.shape[1]) for a in (mesh.position, mesh.normal, mesh.uv)]


def _drawing(o: OurContext, attributes: Sequence[tuple[Any, int]], indices: Any, count: int) -> Draw:
    """Draw call of indexed triangles that binds its buffers."""
    ctx = o.ctx
    layout = ctx.create_vertex_elements_state([(0, FLOATS[size], i) for i, (_, size) in enumerate(attributes)])
    buffers = [{"buffer": buffer, "stride": 4 * size} for buffer, size in attributes]
    call = o.drawing(mode="TRIANGLES", count=count, index_size=4)

    def draw() -> None:
        ctx.bind_vertex_elements_state(layout)
        ctx.set_vertex_buffers(buffers)
        ctx.set_index_buffer(indices)
        call()

    return draw


def _program(o: OurContext, name: str, vertex: Floats, fragment: Floats | None = None) -> Draw:
    """Call that binds the shaders of a scene and their constants."""
    ctx, vs, fs = o.ctx, o.ctx.create_vs_state(shader_text(name, "vert")), o.ctx.create_fs_state(shader_text(name, "frag"))

    def bind() -> None:
        ctx.bind_vs_state(vs)
        ctx.bind_fs_state(fs)
        ctx.set_constant_buffer("VERTEX", vertex)
        if fragment is not None:
            ctx.set_constant_buffer("FRAGMENT", fragment)

    return bind


def _texture(o: OurContext, kind: tuple[tuple[int, int, int], int, int]) -> tuple[Any, Any]:
    """View of a texture with mipmaps, and a trilinear sampler."""
    levels = world.texture(*kind)
    size, ctx = world.TEXTURE_SIZE, o.ctx
    texture = o.screen.resource_create(format="R8G8B8A8_UNORM", width0=size, height0=size, bind="SAMPLER_VIEW", last_level=len(levels) - 1)
    for number, level in enumerate(levels):
        ctx.texture_subdata(texture, level, level=number)
    filters = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "min_mip_filter": "LINEAR"}
    return ctx.create_sampler_view(texture), ctx.create_sampler_state(**filters)


def _sampling(o: OurContext, *pairs: tuple[Any, Any]) -> Draw:
    """Call that binds views and samplers to the units from 0 on."""
    ctx, (views, samplers) = o.ctx, zip(*pairs, strict=True)

    def bind() -> None:
        ctx.set_sampler_views("FRAGMENT", views)
        ctx.bind_sampler_states("FRAGMENT", samplers)

    return bind


def _depth_state(o: OurContext, *, write: bool, **more: Any) -> Any:
    return o.ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": write, "func": "LESS"}, **more)


def _viewport(width: int, height: int) -> Mapping[str, tuple[float, float, float]]:
    return {"scale": (width / 2, height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}


def _shadow_map(o: OurContext) -> tuple[Any, tuple[Any, Any]]:
    """Depths of the light's view: the texture, and its view with a sampler that compares."""
    size, ctx = world.SHADOW_SIZE, o.ctx
    depths = o.screen.resource_create(format="Z24X8_UNORM", width0=size, height0=size, bind="DEPTH_STENCIL|SAMPLER_VIEW")
    compare = {"min_img_filter": "LINEAR", "mag_img_filter": "LINEAR", "compare_mode": "R_TO_TEXTURE", "compare_func": "LEQUAL"}
    return depths, (ctx.create_sampler_view(depths), ctx.create_sampler_state(**compare))


def _scene_frame(o: OurContext) -> Made:
    o.target(depth=True)
    ctx, size, (target,), zsbuf = o.ctx, world.SHADOW_SIZE, o.targets, o.depth
    height, width = target.height0, target.width0
    depths, shadow = _shadow_map(o)
    m, light = world.camera_matrix(), world.light_matrix()
    eye = np.append(world.camera()[0], 0).astype("f4")
    depth, ground = _program(o, "scene_depth", light), _program(o, "scene_ground", np.concatenate([m, light]), eye)
    stone, smoke = _program(o, "scene_stone", np.concatenate([m, light]), eye), _program(o, "scene_smoke", m)
    grass, rock, moss, puff = (_texture(o, kind) for kind in (world.GRASS, world.ROCK, world.MOSS, world.SMOKE))
    casters, solids = [], []
    for mesh, bind, textures in ((world.ground(), ground, (grass, rock, shadow)), (world.stones(), stone, (moss, shadow))):
        attributes, indices = _attributes(o, mesh), _buffer(o, mesh.indices)
        casters.append(_drawing(o, attributes[:1], indices, mesh.indices.size))
        solids.append((bind, _sampling(o, *textures), _drawing(o, attributes, indices, mesh.indices.size)))
    mesh = world.puffs()
    puffs, smoky = _drawing(o, _attributes(o, mesh), _buffer(o, mesh.indices), mesh.indices.size), _sampling(o, puff)
    opaque, blended = ctx.create_blend_state(), ctx.create_blend_state(**BLENDING)
    tested, kept = _depth_state(o, write=True), _depth_state(o, write=False)

    def draw() -> None:
        ctx.bind_blend_state(opaque)
        ctx.bind_depth_stencil_alpha_state(tested)
        ctx.set_framebuffer_state(zsbuf=depths)
        ctx.set_viewport_states([_viewport(size, size)])
        ctx.clear(g.Clear.DEPTH, depth=1.0)
        depth()
        for cast in casters:
            cast()
        ctx.set_framebuffer_state(cbufs=[target], zsbuf=zsbuf)
        ctx.set_viewport_states([_viewport(width, height)])
        ctx.clear(g.Clear.COLOR0 | g.Clear.DEPTH, color=(0.62, 0.7, 0.8, 1.0), depth=1.0)
        for bind, sample, solid in solids:
            bind()
            sample()
            solid()
        ctx.bind_blend_state(blended)
        ctx.bind_depth_stencil_alpha_state(kept)
        smoke()
        smoky()
        puffs()

    return draw, True


def _stencil_shadows(o: OurContext) -> Made:
    o.target()
    ctx, (target,) = o.ctx, o.targets
    zsbuf = o.screen.resource_create(format="Z24_UNORM_S8_UINT", width0=target.width0, height0=target.height0, bind="DEPTH_STENCIL")
    ctx.set_framebuffer_state(cbufs=[target], zsbuf=zsbuf)
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True, front_ccw=True))
    m, mesh = world.camera_matrix(), world.ground(world.FLOOR_CELLS)
    ground = _drawing(o, _attributes(o, mesh)[:2], _buffer(o, mesh.indices), mesh.indices.size)
    position, indices = world.volumes()
    volumes = _drawing(o, [(_buffer(o, position), 3)], _buffer(o, indices), indices.size)
    quad = [(_buffer(o, QUAD), 2)]
    dark = _drawing(o, quad, _buffer(o, np.array([0, 1, 2, 1, 3, 2], "u4")), 6)
    lit, volume, darkness = (_program(o, name, m) for name in ("stencil_ground", "stencil_volume", "stencil_dark"))
    solid = ctx.create_blend_state(), _depth_state(o, write=True)
    sides = ({**SIDE, "zfail_op": "DECR_WRAP"}, {**SIDE, "zfail_op": "INCR_WRAP"})
    counted = ctx.create_blend_state(rt=[{"colormask": 0}]), _depth_state(o, write=False, stencil=sides)
    inside: tuple[dict[str, Any], ...] = ({**SIDE, "func": "NOTEQUAL"}, {})
    shaded = ctx.create_blend_state(**BLENDING), ctx.create_depth_stencil_alpha_state(stencil=inside)
    everything = g.Clear.COLOR0 | g.Clear.DEPTH | g.Clear.STENCIL
    steps = ((solid, lit, ground), (counted, volume, volumes), (shaded, darkness, dark))

    def draw() -> None:
        ctx.clear(everything, color=(0, 0, 0, 0), depth=1.0, stencil=0)
        for (blend, test), bind, part in steps:
            ctx.bind_blend_state(blend)
            ctx.bind_depth_stencil_alpha_state(test)
            bind()
            part()

    return draw, True


MAKERS: dict[str, Callable[[OurContext], Made]] = {"stencil_shadows": _stencil_shadows, "scene_frame": _scene_frame}
