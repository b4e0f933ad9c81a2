"""The peer's side of the workloads that make many small draws: uniforms, ranges and states as a moderngl program changes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from benchmarks import draw_geometry as geometry
from benchmarks.catalog import DRAWS, FRAMES, QUERIES, TARGETS
from benchmarks.geometry import QUAD, texture
from benchmarks.peer_context import Draw, PeerContext
from benchmarks.peer_shaders import GEOMETRY, SMALL_PATCHES

SIZE, SMALL = 512, 64


def _calls(p: PeerContext, program: Any, array: Any, mode: int) -> tuple[Draw, bool]:
    """Draws of a whole vertex array, the uniform `u` changed before each."""
    values, uniform = geometry.uniforms(), program["u"]

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0)
        write, render = uniform.write, array.render
        for value in values:
            write(value)
            render(mode)

    return draw, True


def _draw_calls(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    program = p.program("draw_calls")
    return _calls(p, program, p.mesh(program, p=geometry.TRIANGLE), moderngl.TRIANGLES)


def _draw_geometry(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    program = p.ctx.program(**GEOMETRY["draw_geometry"])
    return _calls(p, program, p.mesh(program, p=geometry.POINTS), moderngl.POINTS)


def _draw_patches(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    program = p.ctx.program(**SMALL_PATCHES)
    p.ctx.patch_vertices = len(geometry.POINTS)
    return _calls(p, program, p.mesh(program, p=geometry.POINTS), moderngl.PATCHES)


def _draw_constants(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    program = p.program("draw_constants")
    array, mode, values = p.mesh(program, p=geometry.TRIANGLE), moderngl.TRIANGLES, geometry.places_and_colors()

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0)
        place, color, render = program["u"].write, program["c"].write, array.render
        for where, paint in values:
            place(where)
            color(paint)
            render(mode)

    return draw, True


def _interleaved(p: PeerContext, name: str, vertices: NDArray[np.float32], indices: NDArray[np.uint32] | None = None) -> Any:
    content = [(p.ctx.buffer(vertices.tobytes()), "2f 3f", "p", "c")]
    return p.ctx.vertex_array(p.program(name), content, None if indices is None else p.ctx.buffer(indices.tobytes()))


def _ranges(p: PeerContext, array: Any, mode: int, count: int) -> tuple[Draw, bool]:
    """Draws of `count` vertices or indices each, one after the other."""
    starts = range(0, count * DRAWS, count)

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0)
        render = array.render
        for start in starts:
            render(mode, count, start)

    return draw, True


def _draw_first(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    return _ranges(p, _interleaved(p, "draw_first", geometry.triangles()), moderngl.TRIANGLES, 3)


def _draw_restart(p: PeerContext) -> tuple[Draw, bool]:
    # moderngl's contexts always restart primitives, at the index 0xFFFFFFFF
    p.target(SIZE, SIZE)
    return _ranges(p, _interleaved(p, "draw_restart", *geometry.strips()), moderngl.TRIANGLE_STRIP, geometry.STRIPS)


def _draw_states(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE, depth=True)
    ctx = p.ctx
    ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
    ctx.depth_func, ctx.cull_face = "<", "back"
    programs = [p.program("draw_states_plain"), p.program("draw_states_textured")]
    arrays = [p.mesh(program, p=geometry.TRIANGLE) for program in programs]
    textures = [p.texture(texels) for texels in np.split(texture(64), 2)]
    for item in textures:
        item.filter = (moderngl.LINEAR, moderngl.LINEAR)
    states = []
    for c in geometry.COMBINATIONS:
        flags = (moderngl.BLEND if c.blend else 0) | (moderngl.DEPTH_TEST if c.depth else 0) | (moderngl.CULL_FACE if c.cull else 0)
        states.append((flags, textures[c.texture].use, programs[c.textured]["u"].write, arrays[c.textured].render))
    draws, mode = list(zip(geometry.deep_uniforms(), states * (DRAWS // len(states)), strict=True)), moderngl.TRIANGLES

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0, depth=1.0)
        enable = ctx.enable_only
        for value, (flags, use, write, render) in draws:
            enable(flags)
            use(0)
            write(value)
            render(mode)

    return draw, True


def _draw_meshes(p: PeerContext) -> tuple[Draw, bool]:
    p.target(depth=True)
    p.ctx.enable_only(moderngl.DEPTH_TEST)
    p.ctx.depth_func = "<"
    meshes, program, mode = geometry.meshes(), p.program("draw_meshes"), moderngl.TRIANGLES
    array = p.mesh(program, meshes.indices, p=meshes.vertices)
    draws = list(zip(meshes.uniforms, meshes.starts, meshes.counts, strict=True))

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0, depth=1.0)
        write, render = program["u"].write, array.render
        for value, start, count in draws:
            write(value)
            render(mode, count, start)

    return draw, True


def _draw_uploads(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    pieces = geometry.pieces()
    buffer = p.ctx.buffer(pieces[0])
    array = p.ctx.vertex_array(p.program("draw_first"), [(buffer, "2f 3f", "p", "c")])

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0)
        write, render = buffer.write, array.render
        for piece in pieces:
            write(piece)
            render()

    return draw, True


def _draw_targets(p: PeerContext) -> tuple[Draw, bool]:
    first = p.ctx.texture((SMALL, SMALL), 4)
    p.target(SMALL, SMALL)
    source = p.texture(texture(SMALL))
    for item in (first, source):
        item.filter = (moderngl.LINEAR, moderngl.LINEAR)
    quad = p.strip(p.program("tex_bilinear"), p=QUAD)
    turns = [(p.ctx.framebuffer([first]).use, source.use), (p.fbo.use, first.use)] * (TARGETS // 2)

    def draw() -> None:
        for bind, read in turns:
            bind()
            read(0)
            quad()

    return draw, True


def _draw_queries(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SIZE, SIZE)
    array, mode = _interleaved(p, "draw_first", geometry.triangles()), moderngl.TRIANGLES
    queries = [p.ctx.query(samples=True) for _ in range(QUERIES)]

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0)
        render, passed = array.render, 0
        for first in range(0, DRAWS, QUERIES):
            for k, query in enumerate(queries, first):
                with query:
                    render(mode, 3, 3 * k)
            passed += sum(query.samples for query in queries)
        if not passed:
            raise RuntimeError("draw_queries: no sample has passed")

    return draw, True


def _small_frames(p: PeerContext) -> tuple[Draw, bool]:
    p.target(SMALL, SMALL)
    array, host = _interleaved(p, "draw_first", geometry.large_triangles()), bytearray(SMALL * SMALL * 4)

    def draw() -> None:
        mode, fbo = moderngl.TRIANGLES, p.fbo
        for start in range(0, 3 * FRAMES, 3):
            fbo.clear(0, 0, 0, 0)
            array.render(mode, 3, start)
            fbo.read_into(host, components=4, alignment=1)

    return draw, True


MAKERS: dict[str, Callable[[PeerContext], tuple[Draw, bool]]] = {
    "draw_calls": _draw_calls,
    "draw_many": _draw_calls,
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
