"""Our side of the workloads that make many small draws: constants, ranges and states as a program changes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import draw_geometry as geometry
from benchmarks.catalog import DRAWS, FRAMES, HABITS, QUERIES, TARGETS, UPLOADS
from benchmarks.geometry import QUAD, texture
from benchmarks.our_context import Draw, OurContext, shader_text
from tgsi import gallium as g

SIZE, SMALL, TILE = 512, 64, 128


def _calls(o: OurContext, call: Draw) -> tuple[Draw, bool]:
    """Repetitions of one draw, the vertex shader's constant changed before each."""
    clear, values, ctx = o.clearing(depth=False), geometry.uniforms(), o.ctx

    def draw() -> None:
        clear()
        vertex, change = g.ShaderType.VERTEX, ctx.set_constant_buffer
        for value in values:
            change(vertex, value)
            call()

    return draw, True


def _draw_calls(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_calls")
    o.attributes(geometry.TRIANGLE)
    return _calls(o, o.drawing(mode="TRIANGLES", count=3))


def _draw_many(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_calls")
    o.attributes(geometry.TRIANGLE)
    rows, clear, ctx = geometry.uniform_rows(), o.clearing(depth=False), o.ctx
    records = np.zeros(DRAWS, [("vertex_constants", "f4", 4)])

    def draw() -> None:
        clear()
        records["vertex_constants"] = rows  # a program's constants are new in each frame
        ctx.draw_many(records, mode="TRIANGLES", count=3)

    return draw, True


def _draw_geometry(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_geometry")
    o.ctx.bind_gs_state(o.ctx.create_gs_state(shader_text("draw_geometry", "geom")))
    o.attributes(geometry.POINTS)
    return _calls(o, o.drawing(mode="POINTS", count=len(geometry.POINTS)))


def _draw_patches(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_patches")
    o.ctx.bind_tcs_state(o.ctx.create_tcs_state(shader_text("draw_patches", "tesc")))
    o.ctx.bind_tes_state(o.ctx.create_tes_state(shader_text("draw_patches", "tese")))
    o.attributes(geometry.POINTS)
    count = len(geometry.POINTS)
    return _calls(o, o.drawing(mode="PATCHES", count=count, vertices_per_patch=count))


def _draw_constants(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_constants")
    o.attributes(geometry.TRIANGLE)
    clear, triangle, values, ctx = o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=3), geometry.places_and_colors(), o.ctx

    def draw() -> None:
        clear()
        vertex, fragment, change = g.ShaderType.VERTEX, g.ShaderType.FRAGMENT, ctx.set_constant_buffer
        for where, paint in values:
            change(vertex, where)
            change(fragment, paint)
            triangle()

    return draw, True


def _interleaved(o: OurContext, name: str, vertices: NDArray[np.float32]) -> None:
    o.target(SIZE, SIZE)
    o.program(name)
    o.ctx.bind_vertex_elements_state(o.ctx.create_vertex_elements_state([(0, "R32G32_FLOAT", 0), (8, "R32G32B32_FLOAT", 0)]))
    o.ctx.set_vertex_buffers([vertices])


def _ranges(o: OurContext, mode: str, count: int, **info: Any) -> tuple[Draw, bool]:
    """Draws of `count` vertices or indices each, one after the other."""
    clear, ctx, prim, starts = o.clearing(depth=False), o.ctx, g.Prim.__members__[mode], range(0, count * DRAWS, count)

    def draw() -> None:
        clear()
        call = ctx.draw_vbo
        for start in starts:
            call(mode=prim, start=start, count=count, **info)

    return draw, True


def _draw_first(o: OurContext) -> tuple[Draw, bool]:
    _interleaved(o, "draw_first", geometry.triangles())
    return _ranges(o, "TRIANGLES", 3)


def _draw_restart(o: OurContext) -> tuple[Draw, bool]:
    vertices, indices = geometry.strips()
    _interleaved(o, "draw_restart", vertices)
    o.ctx.set_index_buffer(indices)
    return _ranges(o, "TRIANGLE_STRIP", geometry.STRIPS, index_size=4, primitive_restart=True, restart_index=geometry.RESTART)


def _draw_states(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE, depth=True)
    ctx = o.ctx
    o.attributes(geometry.TRIANGLE)
    factors = {f"{part}_{k}": v for part in ("rgb", "alpha") for k, v in (("src_factor", "SRC_ALPHA"), ("dst_factor", "INV_SRC_ALPHA"))}
    blends = [ctx.create_blend_state(), ctx.create_blend_state(blend_enable=True, **factors)]
    depths = [
        ctx.create_depth_stencil_alpha_state(),
        ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"}),
    ]
    faces = [ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True, cull_face=face) for face in ("NONE", "BACK")]
    names = "draw_states_plain", "draw_states_textured"
    shaders = [(ctx.create_vs_state(shader_text(name, "vert")), ctx.create_fs_state(shader_text(name, "frag"))) for name in names]
    views = [[o.texture([texels])] for texels in np.split(texture(64), 2)]
    states = [(blends[c.blend], depths[c.depth], faces[c.cull], *shaders[c.textured], views[c.texture]) for c in geometry.COMBINATIONS]
    draws = list(zip(geometry.deep_uniforms(), states * (DRAWS // len(states)), strict=True))
    clear, triangle = o.clearing(depth=True), o.drawing(mode="TRIANGLES", count=3)

    def draw() -> None:
        clear()
        vertex, fragment = g.ShaderType.VERTEX, g.ShaderType.FRAGMENT
        for value, (blend, depth, face, vs, fs, view) in draws:
            ctx.bind_blend_state(blend)
            ctx.bind_depth_stencil_alpha_state(depth)
            ctx.bind_rasterizer_state(face)
            ctx.bind_vs_state(vs)
            ctx.bind_fs_state(fs)
            ctx.set_sampler_views(fragment, view)
            ctx.set_constant_buffer(vertex, value)
            triangle()

    return draw, True


def _draw_meshes(o: OurContext) -> tuple[Draw, bool]:
    o.target(depth=True)
    o.program("draw_meshes")
    o.depth_test()
    meshes, ctx, clear = geometry.meshes(), o.ctx, o.clearing(depth=True)
    o.attributes(meshes.vertices)
    ctx.set_index_buffer(meshes.indices)
    draws = list(zip(meshes.uniforms, meshes.starts, meshes.counts, strict=True))

    def draw() -> None:
        clear()
        prim, vertex, change, call = g.Prim.TRIANGLES, g.ShaderType.VERTEX, ctx.set_constant_buffer, ctx.draw_vbo
        for value, start, count in draws:
            change(vertex, value)
            call(mode=prim, start=start, count=count, index_size=4)

    return draw, True


def _draw_uploads(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_first")
    ctx, clear, triangle = o.ctx, o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=3)
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT", 0), (8, "R32G32B32_FLOAT", 0)]))
    pieces = geometry.pieces()
    buffer = o.screen.resource_create(target="BUFFER", width0=len(pieces[0]), bind="VERTEX_BUFFER")
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": len(pieces[0]) // 3}])

    def draw() -> None:
        clear()
        write = ctx.buffer_subdata
        for piece in pieces:
            write(buffer, piece)
            triangle()

    return draw, True


def _draw_targets(o: OurContext) -> tuple[Draw, bool]:
    o.target(SMALL, SMALL, bind="RENDER_TARGET|SAMPLER_VIEW", count=2)
    o.program("tex_bilinear")
    ctx, (second, first) = o.ctx, o.targets
    source, quad = o.texture([texture(SMALL)]), o.strip(QUAD)
    turns = [(ctx.create_surface(first), source), (ctx.create_surface(second), ctx.create_sampler_view(first))] * (TARGETS // 2)

    def draw() -> None:
        fragment = g.ShaderType.FRAGMENT
        for target, view in turns:
            ctx.set_framebuffer_state(cbufs=[target])
            ctx.set_sampler_views(fragment, [view])
            quad()

    return draw, True


def _draw_queries(o: OurContext) -> tuple[Draw, bool]:
    _interleaved(o, "draw_first", geometry.triangles())
    clear, ctx, prim = o.clearing(depth=False), o.ctx, g.Prim.TRIANGLES
    queries = [ctx.create_query("OCCLUSION_COUNTER") for _ in range(QUERIES)]

    def draw() -> None:
        clear()
        begin, end, call, passed = ctx.begin_query, ctx.end_query, ctx.draw_vbo, 0
        for first in range(0, DRAWS, QUERIES):
            for k, query in enumerate(queries, first):
                begin(query)
                call(mode=prim, start=3 * k, count=3)
                end(query)
            passed += sum(map(ctx.get_query_result, queries))
        if not passed:
            raise RuntimeError("draw_queries: no sample has passed")

    return draw, True


def _small_frames(o: OurContext) -> tuple[Draw, bool]:
    _interleaved(o, "draw_first", geometry.large_triangles())
    o.target(SMALL, SMALL)
    clear, ctx, target, host = o.clearing(depth=False), o.ctx, o.targets[0], np.zeros((SMALL, SMALL, 4), "u1")

    def draw() -> None:
        prim = g.Prim.TRIANGLES
        for start in range(0, 3 * FRAMES, 3):
            clear()
            ctx.draw_vbo(mode=prim, start=start, count=3)
            ctx.texture_read(target, host)

    return draw, True


def _draw_bindings(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_calls")
    o.attributes(geometry.TRIANGLE)
    ctx, clear, triangle, values = o.ctx, o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=3), geometry.uniforms()
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True, scissor=True))
    buffers = []
    for _ in range(2):
        buffers.append(o.screen.resource_create(target="BUFFER", width0=geometry.TRIANGLE.nbytes, bind="VERTEX_BUFFER"))
        ctx.buffer_subdata(buffers[-1], geometry.TRIANGLE)
    stride = geometry.TRIANGLE.strides[0]
    blends = [ctx.create_blend_state(), ctx.create_blend_state(dither=True)]
    viewports = [[g.ViewportState((half, half, 0.5), (SIZE / 2, SIZE / 2, 0.5))] for half in (SIZE / 2, SIZE / 4)]
    scissors = [[g.ScissorState(0, 0, SIZE, high)] for high in (SIZE, SIZE // 2)]

    def draw() -> None:
        clear()
        vertex = g.ShaderType.VERTEX
        for k, value in enumerate(values):
            which = k & 1
            ctx.set_vertex_buffers([{"buffer": buffers[which], "stride": stride}])
            ctx.bind_blend_state(blends[which])
            ctx.set_viewport_states(viewports[which])
            ctx.set_scissor_states(scissors[which])
            ctx.set_constant_buffer(vertex, value)
            triangle()

    return draw, True


def _large_uploads(o: OurContext) -> tuple[Draw, bool]:
    o.target(SMALL, SMALL)
    o.program("tex_bilinear")
    quad, clear, ctx = o.strip(QUAD), o.clearing(depth=False), o.ctx
    pictures = [np.roll(texture(TILE), k, axis=1) for k in range(2)]
    image = o._texture(TILE, TILE, "R8G8B8A8_UNORM", "SAMPLER_VIEW")
    o.texture(pictures[:1])
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(image)])
    vertices = np.resize(np.float32(QUAD), (pictures[0].nbytes // 8, 2))
    buffer = o.screen.resource_create(target="BUFFER", width0=vertices.nbytes, bind="VERTEX_BUFFER")
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": 8}])

    def draw() -> None:
        clear()
        for k in range(UPLOADS):
            ctx.texture_subdata(image, pictures[k & 1])
            ctx.buffer_subdata(buffer, vertices)
            quad()

    return draw, True


def _draw_maps(o: OurContext) -> tuple[Draw, bool]:
    o.target(SIZE, SIZE)
    o.program("draw_first")
    ctx, clear, triangle = o.ctx, o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=3)
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32_FLOAT", 0), (8, "R32G32B32_FLOAT", 0)]))
    pieces = [np.frombuffer(piece, np.uint8) for piece in geometry.pieces()[:HABITS]]
    buffer = o.screen.resource_create(target="BUFFER", width0=len(pieces[0]), bind="VERTEX_BUFFER")
    ctx.set_vertex_buffers([{"buffer": buffer, "stride": len(pieces[0]) // 3}])

    def draw() -> None:
        clear()
        for piece in pieces:
            with ctx.transfer_map(buffer, usage=g.Transfer.WRITE) as mapped:
                mapped.data[:] = piece
            triangle()

    return draw, True


def _draw_views(o: OurContext) -> tuple[Draw, bool]:
    o.target(SMALL, SMALL)
    o.program("tex_bilinear")
    clear, ctx, quad = o.clearing(depth=False), o.ctx, o.strip(QUAD)
    textures = [o.texture([np.roll(texture(SMALL), k, axis=1)]).texture for k in range(2)]

    def draw() -> None:
        clear()
        fragment = g.ShaderType.FRAGMENT
        for k in range(HABITS):
            ctx.set_sampler_views(fragment, [ctx.create_sampler_view(textures[k & 1])])
            quad()

    return draw, True


OF_HISTORY: dict[str, Callable[[OurContext], tuple[Draw, bool]]] = {
    "draw_bindings": _draw_bindings,
    "large_uploads": _large_uploads,
    "draw_maps": _draw_maps,
    "draw_views": _draw_views,
}
"""Workloads of `benchmarks.history`."""
MAKERS: dict[str, Callable[[OurContext], tuple[Draw, bool]]] = {
    "draw_calls": _draw_calls,
    "draw_many": _draw_many,
    "draw_constants": _draw_constants,
    "draw_first": _draw_first,
    "draw_restart": _draw_restart,
    "draw_states": _draw_states,
    "draw_meshes": _draw_meshes,
    "draw_geometry": _draw_geometry,
    "draw_patches": _draw_patches,
    "draw_uploads": _draw_uploads,
    "draw_queries": _draw_queries,
    "draw_targets": _draw_targets,
    "small_frames": _small_frames,
}
