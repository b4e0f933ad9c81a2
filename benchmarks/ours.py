"""Our side: every workload through the public Screen and Context, with the TGSI that Mesa makes of the peer's GLSL."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from benchmarks import geometry, our_draws
from benchmarks.catalog import HEIGHT, LAYERS, PATCH_DRAWS, WIDTH, Check
from benchmarks.compute import ours as our_grids
from benchmarks.load.ticks import tick_reader
from benchmarks.our_context import Draw, Made, OurContext, both, shader_text
from benchmarks.scene import ours as our_scene
from benchmarks.side import Job, Unsupported
from benchmarks.textures import ours as our_textures


def _bits(literal: str) -> int:
    return int(struct.unpack("<I", struct.pack("<f", float(literal)))[0])


def compile_texts(serial: int) -> tuple[str, str]:
    """TGSI of one shader pair of shader_compile: the first recorded pair with other immediates."""
    vertex, (scale, bias, phase, power) = geometry.compile_constants(serial)
    vs, fs = shader_text("shader_compile", "vert00"), shader_text("shader_compile", "frag00")
    vs = _replaced(vs, "IMM[0] UINT32", (_bits("0.5"), _bits(vertex), 0, 0))
    fs = _replaced(fs, "IMM[0] UINT32", (_bits(scale), 0, 4, _bits(bias)))
    return vs, _replaced(fs, "IMM[1] UINT32", (_bits(phase), 1, _bits(power), 0))


def _replaced(text: str, start: str, words: Sequence[int]) -> str:
    lines = [f"{start} {{{', '.join(map(str, words))}}}" if line.startswith(start) else line for line in text.splitlines()]
    return "\n".join(lines) + "\n"


class Ours(OurContext):
    """Our renderer under measurement."""

    def describe(self) -> str:
        threads, lanes = self.screen.threads, self.screen.lanes
        counts = f"{'default' if threads is None else threads} threads, {lanes or 'default'} lanes"
        return f"{self.screen.get_name()}, {counts}, code for {self.screen.cpu}"

    def close(self) -> None:
        if self.ctx is not None:
            self.ctx.destroy()
            self.ctx = None

    def prepare(self, name: str) -> Job:
        self.close()
        maker = MAKERS.get(name) or our_draws.OF_HISTORY.get(name)
        if maker is None:
            raise Unsupported(f"no {name} here yet")
        self.ctx = self.screen.context_create()
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True))
        try:
            draw, look = maker(self)
        except tgsi.UnsupportedError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        return Job(lambda: self._finished(draw), self._check if look is True else look or None, self._phases)

    def _finished(self, draw: Draw) -> None:
        try:
            draw()
        except tgsi.UnsupportedError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        self.finish()

    def _check(self) -> Check:
        return geometry.check(self.pixels())

    def _phases(self) -> dict[str, float]:
        """Running totals of the phases as time-stamp counts, and the count of now."""
        pool = self.ctx.device._pool
        totals, work = pool.scene.totals, sum(sum(worker.ticks) for worker in pool.workers)
        return {"clock": tick_reader()(), "front": totals.front_ticks, "tiles": totals.tile_ticks, "work": work}


# ---------------------------------------------------------------------------------------------------------- workloads
# Each function creates its target. It returns the frame without its fence, and its check: True for the picture of the target.


def _clear(o: OurContext) -> tuple[Draw, bool]:
    o.target(depth=True)
    return o.clearing(depth=True, color=(0.25, 0.5, 0.75, 1.0)), True


def _full_screen(name: str, **target: Any) -> Callable[[OurContext], tuple[Draw, bool]]:
    def make(o: OurContext) -> tuple[Draw, bool]:
        o.target(**target)
        o.program(name)
        return o.strip(geometry.QUAD), True

    return make


def _fill_flat(o: OurContext) -> tuple[Draw, bool]:
    o.target()
    o.program("fill_flat")
    o.ctx.set_constant_buffer("FRAGMENT", geometry.FLAT_COLOR)
    return o.strip(geometry.QUAD), True


def _gouraud(w: tuple[float, float, float, float]) -> Callable[[OurContext], tuple[Draw, bool]]:
    def make(o: OurContext) -> tuple[Draw, bool]:
        o.target()
        o.program("gouraud")
        return o.strip(geometry.quad_with_w(w), geometry.CORNER_COLORS), True

    return make


def _tex_bilinear(o: OurContext) -> tuple[Draw, bool]:
    o.target()
    o.program("tex_bilinear")
    o.texture([geometry.texture(256)])
    return o.strip(geometry.QUAD), True


def _tex_trilinear_min(o: OurContext) -> tuple[Draw, bool]:
    o.target()
    o.program("tex_trilinear_min")
    o.texture(geometry.mipmaps(geometry.texture(1024)), mip_filter="LINEAR")
    return o.strip(*geometry.trilinear_plane()), True


def _layers(name: str, direction: float, *, blend: bool) -> Callable[[OurContext], tuple[Draw, bool]]:
    def make(o: OurContext) -> tuple[Draw, bool]:
        o.target(depth=not blend)
        o.program(name)
        o.ctx.set_constant_buffer("VERTEX", np.array([direction, 0, 0, 0], "f4"))
        if blend:
            factors = {"src_factor": "SRC_ALPHA", "dst_factor": "INV_SRC_ALPHA"}
            blending = {f"{part}_{k}": v for part in ("rgb", "alpha") for k, v in factors.items()}
            o.ctx.bind_blend_state(o.ctx.create_blend_state(blend_enable=True, **blending))
        else:
            o.depth_test()
        return both(o.clearing(depth=not blend), o.strip(geometry.QUAD, instances=LAYERS)), True

    return make


def _indexed(o: OurContext, indices: NDArray[np.uint32]) -> tuple[Draw, bool]:
    o.depth_test()
    o.ctx.set_index_buffer(indices)
    return both(o.clearing(depth=True), o.drawing(mode="TRIANGLES", count=indices.size, index_size=4)), True


def _small_tris(o: OurContext) -> tuple[Draw, bool]:
    o.target(2048, 2048, depth=True)
    o.program("small_tris")
    position, color, indices = geometry.small_triangles()
    o.attributes(position, color)
    return _indexed(o, indices)


def _mesh(name: str) -> Callable[[OurContext], tuple[Draw, bool]]:
    def make(o: OurContext) -> tuple[Draw, bool]:
        o.target(depth=True)
        o.program(name)
        o.ctx.set_constant_buffer("VERTEX", np.concatenate(geometry.torus_matrices()))
        position, normal, indices = geometry.torus()
        o.attributes(position, normal)
        return _indexed(o, indices)

    return make


def _geometry_mesh(o: OurContext) -> tuple[Draw, bool]:
    o.ctx.bind_gs_state(o.ctx.create_gs_state(shader_text("geometry_mesh", "geom")))
    return _mesh("geometry_mesh")(o)


def _geometry_quads(o: OurContext) -> tuple[Draw, bool]:
    o.target(depth=True)
    o.program("geometry_quads")
    o.ctx.bind_gs_state(o.ctx.create_gs_state(shader_text("geometry_quads", "geom")))
    position, color = geometry.sprites()
    o.attributes(position, color)
    o.depth_test()
    return both(o.clearing(depth=True), o.drawing(mode="POINTS", count=len(position))), True


def _tess_surface(o: OurContext) -> tuple[Draw, bool]:
    o.target(depth=True)
    o.program("tess_surface")
    o.ctx.bind_tcs_state(o.ctx.create_tcs_state(shader_text("tess_surface", "tesc")))
    o.ctx.bind_tes_state(o.ctx.create_tes_state(shader_text("tess_surface", "tese")))
    o.ctx.set_constant_buffer("TESS_EVAL", np.concatenate(geometry.torus_matrices()))
    points = geometry.patches()
    o.attributes(points)
    o.depth_test()
    clear, count = o.clearing(depth=True), len(points) // PATCH_DRAWS
    draws = [o.drawing(mode="PATCHES", start=k * count, count=count, vertices_per_patch=16) for k in range(PATCH_DRAWS)]

    def draw() -> None:
        clear()
        for part in draws:
            part()

    return draw, True


def _vertex_bound(o: OurContext) -> tuple[Draw, bool]:
    o.target(256, 256)
    o.program("vertex_bound")
    matrix, vertices = geometry.vertex_bound()
    o.ctx.set_constant_buffer("VERTEX", matrix)
    o.attributes(vertices)
    return o.drawing(mode="TRIANGLES", count=len(vertices)), True


def _msaa4_resolve(o: OurContext) -> tuple[Draw, bool]:
    o.target()
    shown, ctx = o.targets[0], o.ctx
    sampled = o.screen.resource_create(format=shown.format, width0=WIDTH, height0=HEIGHT, bind="RENDER_TARGET", nr_samples=4)
    ctx.set_framebuffer_state(cbufs=[sampled])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True, multisample=True))
    o.program("gouraud")
    o.attributes(*geometry.random_triangles(64))
    drawn = both(o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=192))
    return both(drawn, lambda: ctx.blit(shown, src=sampled)), True


def _readback(o: OurContext) -> tuple[Draw, bool]:
    _fill_flat(o)[0]()
    o.finish()
    host, ctx, target = np.zeros((HEIGHT, WIDTH, 4), "u1"), o.ctx, o.targets[0]

    return lambda: ctx.texture_read(target, host), True


def _shader_compile(o: OurContext) -> tuple[Draw, bool]:
    o.target(64, 64)
    o.texture([np.zeros((8, 8, 4), "u1")])
    o.ctx.set_constant_buffer("VERTEX", np.eye(4, dtype="f4"))
    o.ctx.set_constant_buffer("FRAGMENT", np.zeros(4, "f4"))
    quad, frames, ctx = o.strip(geometry.QUAD), iter(range(1 << 30)), o.ctx

    def draw() -> None:
        for serial in geometry.compile_serials(next(frames)):
            vertex, fragment = compile_texts(serial)
            vs, fs = ctx.create_vs_state(vertex), ctx.create_fs_state(fragment)
            ctx.bind_vs_state(vs)
            ctx.bind_fs_state(fs)
            quad()
            o.finish()
            ctx.bind_vs_state(None)
            ctx.bind_fs_state(None)
            ctx.destroy_vs_state(vs)
            ctx.destroy_fs_state(fs)

    return draw, False


MAKERS: dict[str, Callable[[OurContext], Made]] = {
    "clear": _clear,
    "fill_flat": _fill_flat,
    "gouraud": _gouraud((1, 1, 1, 1)),
    "gouraud_persp": _gouraud((1, 2, 3, 4)),
    "tex_bilinear": _tex_bilinear,
    "tex_trilinear_min": _tex_trilinear_min,
    "blend16": _layers("blend16", 0.0, blend=True),
    "depth_front_to_back": _layers("depth_front_to_back", 1.0, blend=False),
    "depth_back_to_front": _layers("depth_back_to_front", -1.0, blend=False),
    "alu_mandel64": _full_screen("alu_mandel64"),
    "divergent_loop": _full_screen("divergent_loop"),
    "raymarch": _full_screen("raymarch", width=640, height=360),
    "small_tris": _small_tris,
    "mesh_torus": _mesh("mesh_torus"),
    "tess_surface": _tess_surface,
    "geometry_mesh": _geometry_mesh,
    "geometry_quads": _geometry_quads,
    "vertex_bound": _vertex_bound,
    "mrt4_rgba16f": _full_screen("mrt4_rgba16f", count=4, format="R16G16B16A16_FLOAT"),
    "msaa4_resolve": _msaa4_resolve,
    **our_draws.MAKERS,
    "readback": _readback,
    "shader_compile": _shader_compile,
    **our_grids.MAKERS,
    **our_textures.MAKERS,
    **our_scene.MAKERS,
}
