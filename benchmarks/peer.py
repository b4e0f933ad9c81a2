"""The peer: Mesa's llvmpipe through moderngl and EGL, without a display.

Environment variables choose the driver, its threads and its vector width (see `environment`); they must be set before the process
starts. Every frame ends with glFinish, so llvmpipe cannot drop overdrawn tiles of an earlier frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np

from benchmarks import geometry, peer_draws
from benchmarks.catalog import HEIGHT, LAYERS, PATCH_DRAWS, WIDTH, Check
from benchmarks.compute import peer as peer_grids
from benchmarks.peer_context import Draw, Made, PeerContext
from benchmarks.peer_shaders import GEOMETRY, TESSELLATION, compile_sources
from benchmarks.scene import peer as peer_scene
from benchmarks.side import Job, Unsupported
from benchmarks.textures import peer as peer_textures

DTYPES = {"f1": "u1", "f2": "f2", "f4": "f4"}


def environment(threads: int, vector_width: int) -> dict[str, str]:
    """Environment variables that choose llvmpipe, its threads and its vector width in bits, and disable the shader disk cache."""
    return {
        "GALLIUM_DRIVER": "llvmpipe",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "LP_NUM_THREADS": str(threads),
        "LP_NATIVE_VECTOR_WIDTH": str(vector_width),
        "MESA_SHADER_CACHE_DISABLE": "true",
    }


class Peer(PeerContext):
    """Mesa's llvmpipe under measurement."""

    def describe(self) -> str:
        return f"{self.ctx.info['GL_RENDERER']}, {self.ctx.info['GL_VERSION']}"

    def close(self) -> None:
        self.ctx.release()

    def prepare(self, name: str) -> Job:
        if name not in MAKERS:
            raise Unsupported(f"the peer has no {name}")
        self.ctx.enable_only(0)
        draw, look = MAKERS[name](self)
        finish = self.ctx.finish

        def frame() -> None:
            draw()
            finish()

        finish()
        return Job(frame, self._check if look is True else look or None)

    def _check(self) -> Check:
        kind = self.fbo.color_attachments[0].dtype
        data = self.fbo.read(components=4, dtype=kind, alignment=1)
        return geometry.check(np.frombuffer(data, DTYPES[kind]).reshape(-1, 4))


# ---------------------------------------------------------------------------------------------------------- workloads
# Each function creates its target. It returns the frame without its glFinish, and its check: True for the picture of the target.


def _clear(p: PeerContext) -> tuple[Draw, bool]:
    p.target(depth=True)
    return lambda: p.fbo.clear(0.25, 0.5, 0.75, 1.0, depth=1.0), True


def _full_screen(name: str, **target: Any) -> Callable[[PeerContext], tuple[Draw, bool]]:
    def make(p: PeerContext) -> tuple[Draw, bool]:
        p.target(**target)
        return p.strip(p.program(name), p=geometry.QUAD), True

    return make


def _gouraud(w: tuple[float, float, float, float]) -> Callable[[PeerContext], tuple[Draw, bool]]:
    def make(p: PeerContext) -> tuple[Draw, bool]:
        p.target()
        return p.strip(p.program("gouraud"), p=geometry.quad_with_w(w), c=geometry.CORNER_COLORS), True

    return make


def _tex_bilinear(p: PeerContext) -> tuple[Draw, bool]:
    p.texture(geometry.texture(256)).filter = (moderngl.LINEAR, moderngl.LINEAR)
    p.target()
    return p.strip(p.program("tex_bilinear"), p=geometry.QUAD), True


def _tex_trilinear_min(p: PeerContext) -> tuple[Draw, bool]:
    texture = p.texture(geometry.texture(1024))
    texture.build_mipmaps()
    texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
    p.target()
    position, uv = geometry.trilinear_plane()
    return p.strip(p.program("tex_trilinear_min"), p=position, t=uv), True


def _layers(direction: float, *, blend: bool) -> Callable[[PeerContext], tuple[Draw, bool]]:
    def make(p: PeerContext) -> tuple[Draw, bool]:
        p.target(depth=not blend)
        program = p.program("layers")
        program["dir"].value = direction
        array, mode, ctx = p.mesh(program, p=geometry.QUAD), moderngl.TRIANGLE_STRIP, p.ctx
        ctx.enable_only(moderngl.BLEND if blend else moderngl.DEPTH_TEST)
        ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        ctx.depth_func = "<"

        def draw() -> None:
            p.fbo.clear(0, 0, 0, 0, depth=1.0)
            array.render(mode, instances=LAYERS)

        return draw, True

    return make


def _indexed(p: PeerContext, array: Any) -> tuple[Draw, bool]:
    p.ctx.enable_only(moderngl.DEPTH_TEST)
    p.ctx.depth_func = "<"
    mode = moderngl.TRIANGLES

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0, depth=1.0)
        array.render(mode)

    return draw, True


def _small_tris(p: PeerContext) -> tuple[Draw, bool]:
    p.target(2048, 2048, depth=True)
    position, color, indices = geometry.small_triangles()
    return _indexed(p, p.mesh(p.program("small_tris"), indices, p=position, c=color))


def _mesh_torus(p: PeerContext) -> tuple[Draw, bool]:
    p.target(depth=True)
    position, normal, indices = geometry.torus()
    program = p.program("mesh_torus")
    for name, matrix in zip(("mv", "pr"), geometry.torus_matrices(), strict=True):
        program[name].write(matrix.tobytes())
    return _indexed(p, p.mesh(program, indices, p=position, n=normal))


def _geometry_mesh(p: PeerContext) -> tuple[Draw, bool]:
    p.target(depth=True)
    position, normal, indices = geometry.torus()
    program = p.ctx.program(**GEOMETRY["geometry_mesh"])
    for name, matrix in zip(("mv", "pr"), geometry.torus_matrices(), strict=True):
        program[name].write(matrix.tobytes())
    return _indexed(p, p.mesh(program, indices, p=position, n=normal))


def _geometry_quads(p: PeerContext) -> tuple[Draw, bool]:
    p.target(depth=True)
    position, color = geometry.sprites()
    array, mode = p.mesh(p.ctx.program(**GEOMETRY["geometry_quads"]), p=position, c=color), moderngl.POINTS
    p.ctx.enable_only(moderngl.DEPTH_TEST)
    p.ctx.depth_func = "<"

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0, depth=1.0)
        array.render(mode)

    return draw, True


def _tess_surface(p: PeerContext) -> tuple[Draw, bool]:
    p.target(depth=True)
    program = p.ctx.program(**TESSELLATION)
    for name, matrix in zip(("mv", "pr"), geometry.torus_matrices(), strict=True):
        program[name].write(matrix.tobytes())
    p.ctx.enable_only(moderngl.DEPTH_TEST)
    p.ctx.depth_func = "<"
    p.ctx.patch_vertices = 16
    points = geometry.patches()
    array, mode, count = p.mesh(program, p=points), moderngl.PATCHES, len(points) // PATCH_DRAWS

    def draw() -> None:
        p.fbo.clear(0, 0, 0, 0, depth=1.0)
        for k in range(PATCH_DRAWS):
            array.render(mode, count, first=k * count)

    return draw, True


def _vertex_bound(p: PeerContext) -> tuple[Draw, bool]:
    p.target(256, 256)
    matrix, vertices = geometry.vertex_bound()
    program = p.program("vertex_bound")
    program["m"].write(matrix.tobytes())
    array, mode = p.mesh(program, p=vertices), moderngl.TRIANGLES
    return lambda: array.render(mode), True


def _msaa4_resolve(p: PeerContext) -> tuple[Draw, bool]:
    if p.ctx.max_samples < 4:
        raise Unsupported("the peer has no four samples")
    p.target()
    shown, ctx = p.fbo, p.ctx
    sampled = ctx.framebuffer([ctx.renderbuffer((WIDTH, HEIGHT), 4, samples=4)])
    sampled.viewport = (0, 0, WIDTH, HEIGHT)
    position, color = geometry.random_triangles(64)
    array, mode = p.mesh(p.program("gouraud"), p=position, c=color), moderngl.TRIANGLES

    def draw() -> None:
        sampled.use()
        sampled.clear(0, 0, 0, 0)
        array.render(mode)
        ctx.copy_framebuffer(shown, sampled)

    return draw, True


def _readback(p: PeerContext) -> tuple[Draw, bool]:
    p.target()
    p.strip(p.program("fill_flat"), p=geometry.QUAD)()
    buffer = bytearray(WIDTH * HEIGHT * 4)
    return lambda: p.fbo.read_into(buffer, components=4, alignment=1), True


def _shader_compile(p: PeerContext) -> tuple[Draw, bool]:
    p.target(64, 64)
    p.ctx.texture((8, 8), 4, bytes(256)).use(0)
    ctx, frames = p.ctx, iter(range(1 << 30))

    def draw() -> None:
        for serial in geometry.compile_serials(next(frames)):
            program = ctx.program(*compile_sources(serial))
            buffer = ctx.buffer(geometry.QUAD.tobytes())
            array = ctx.vertex_array(program, [(buffer, "2f", "p")])
            array.render(moderngl.TRIANGLE_STRIP)
            ctx.finish()
            array.release()
            buffer.release()
            program.release()

    return draw, False


MAKERS: dict[str, Callable[[PeerContext], Made]] = {
    "clear": _clear,
    "fill_flat": _full_screen("fill_flat"),
    "gouraud": _gouraud((1, 1, 1, 1)),
    "gouraud_persp": _gouraud((1, 2, 3, 4)),
    "tex_bilinear": _tex_bilinear,
    "tex_trilinear_min": _tex_trilinear_min,
    "blend16": _layers(0.0, blend=True),
    "depth_front_to_back": _layers(1.0, blend=False),
    "depth_back_to_front": _layers(-1.0, blend=False),
    "alu_mandel64": _full_screen("alu_mandel64"),
    "divergent_loop": _full_screen("divergent_loop"),
    "raymarch": _full_screen("raymarch", width=640, height=360),
    "small_tris": _small_tris,
    "mesh_torus": _mesh_torus,
    "tess_surface": _tess_surface,
    "geometry_mesh": _geometry_mesh,
    "geometry_quads": _geometry_quads,
    "vertex_bound": _vertex_bound,
    "mrt4_rgba16f": _full_screen("mrt4_rgba16f", count=4, dtype="f2"),
    "msaa4_resolve": _msaa4_resolve,
    **peer_draws.MAKERS,
    "readback": _readback,
    "shader_compile": _shader_compile,
    **peer_grids.MAKERS,
    **peer_textures.MAKERS,
    **peer_scene.MAKERS,
}
