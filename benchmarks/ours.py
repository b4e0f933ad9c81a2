"""Our side: every workload through the public Screen and Context, with the TGSI that Mesa makes of the peer's GLSL."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from benchmarks import geometry
from benchmarks.catalog import HEIGHT, LAYERS, PATCH_DRAWS, WIDTH, Check
from benchmarks.side import Job, Unsupported
from tgsi import gallium as g

Draw = Callable[[], None]
SHADERS = Path(__file__).parent / "shaders"
FLOATS = {1: "R32_FLOAT", 2: "R32G32_FLOAT", 3: "R32G32B32_FLOAT", 4: "R32G32B32A32_FLOAT"}
DEPTH_FORMATS = ("Z24X8_UNORM", "Z24_UNORM_S8_UINT")


def shader_text(name: str, stage: str) -> str:
    """Stored TGSI of a workload. `stage` is "vert", "tesc", "tese", "geom" or "frag"."""
    return (SHADERS / f"{name}.{stage}.tgsi").read_text()


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


class Ours:
    """Our renderer under measurement."""

    def __init__(self, *, threads: int | None = None, lanes: int | None = None) -> None:
        self.screen = tgsi.Screen(threads=threads, lanes=lanes, cache_dir="")
        self.ctx: Any = None
        self.targets: list[Any] = []
        self.depth: Any = None

    def describe(self) -> str:
        threads, lanes = self.screen.threads, self.screen.lanes
        return f"{self.screen.get_name()}, {'default' if threads is None else threads} threads, {lanes or 'default'} lanes"

    def close(self) -> None:
        if self.ctx is not None:
            self.ctx.destroy()
            self.ctx = None

    def prepare(self, name: str) -> Job:
        self.close()
        if name not in MAKERS:
            raise Unsupported(f"no {name} here yet")
        self.ctx = self.screen.context_create()
        self.ctx.bind_rasterizer_state(self.ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True))
        try:
            draw, checked = MAKERS[name](self)
        except tgsi.UnsupportedError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        return Job(lambda: self._finished(draw), self._check if checked else None)

    def _finished(self, draw: Draw) -> None:
        try:
            draw()
        except tgsi.UnsupportedError as error:
            raise Unsupported(str(error).splitlines()[0]) from error
        self.finish()

    # -- used by the workloads below
    def finish(self) -> None:
        """Wait until all drawing is in memory."""
        self.screen.fence_finish(self.ctx.flush())

    def target(
        self, width: int = WIDTH, height: int = HEIGHT, *, count: int = 1, format: str = "R8G8B8A8_UNORM", depth: bool = False
    ) -> None:
        """Create and bind the framebuffer of the workload and a viewport that covers it, with y up."""
        self.targets = [self._texture(width, height, format, "RENDER_TARGET") for _ in range(count)]
        self.depth = self._texture(width, height, self._depth_format(), "DEPTH_STENCIL") if depth else None
        self.ctx.set_framebuffer_state(cbufs=self.targets, zsbuf=self.depth)
        self.ctx.set_viewport_states([{"scale": (width / 2, height / 2, 0.5), "translate": (width / 2, height / 2, 0.5)}])

    def _texture(self, width: int, height: int, format: str, bind: str, levels: int = 1) -> Any:
        return self.screen.resource_create(
            target="TEXTURE_2D", format=format, width0=width, height0=height, bind=bind, last_level=levels - 1
        )

    def _depth_format(self) -> str:
        return next(f for f in DEPTH_FORMATS if self.screen.is_format_supported(f, target="TEXTURE_2D", bind="DEPTH_STENCIL"))

    def program(self, name: str) -> None:
        """Create and bind the shaders of a workload."""
        self.shaders(shader_text(name, "vert"), shader_text(name, "frag"))

    def shaders(self, vertex: str, fragment: str) -> None:
        """Create and bind two shaders."""
        self.ctx.bind_vs_state(self.ctx.create_vs_state(vertex))
        self.ctx.bind_fs_state(self.ctx.create_fs_state(fragment))

    def attributes(self, *arrays: NDArray[Any]) -> None:
        """Bind a vertex buffer and a float vertex element for each array of shape (vertices, components)."""
        elements = [(0, FLOATS[a.shape[1]], i) for i, a in enumerate(arrays)]
        self.ctx.bind_vertex_elements_state(self.ctx.create_vertex_elements_state(elements))
        self.ctx.set_vertex_buffers([np.ascontiguousarray(a, "f4") for a in arrays])

    def strip(self, *arrays: NDArray[Any], instances: int = 1) -> Draw:
        """Draw call of four vertices as a triangle strip."""
        self.attributes(*arrays)
        return self.drawing(mode="TRIANGLE_STRIP", count=4, instance_count=instances)

    def drawing(self, **info: Any) -> Draw:
        """Draw call whose arguments are prepared once."""
        ready, ctx = g.DrawInfo(**info | {"mode": g.Prim.__members__[info["mode"]]}), self.ctx
        return lambda: ctx.draw_vbo(ready)

    def clearing(self, *, depth: bool, color: tuple[float, float, float, float] = (0, 0, 0, 0)) -> Draw:
        """Clear of the color and, if requested, of the depth to 1."""
        buffers, ctx = g.Clear.COLOR0 | (g.Clear.DEPTH if depth else 0), self.ctx
        return lambda: ctx.clear(buffers, color=color, depth=1.0, stencil=0)

    def depth_test(self) -> None:
        """Bind a depth test with LESS and depth writes."""
        state = self.ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LESS"})
        self.ctx.bind_depth_stencil_alpha_state(state)

    def texture(self, levels: Sequence[NDArray[np.uint8]], *, mip_filter: str = "NONE") -> None:
        """Bind a repeating, linearly filtered RGBA8 texture."""
        height, width = levels[0].shape[:2]
        texture = self._texture(width, height, "R8G8B8A8_UNORM", "SAMPLER_VIEW", len(levels))
        for i, texels in enumerate(levels):
            self.ctx.texture_subdata(texture, texels, level=i)
        sampler = self.ctx.create_sampler_state(min_img_filter="LINEAR", mag_img_filter="LINEAR", min_mip_filter=mip_filter)
        self.ctx.set_sampler_views("FRAGMENT", [self.ctx.create_sampler_view(texture)])
        self.ctx.bind_sampler_states("FRAGMENT", [sampler])

    def pixels(self) -> NDArray[Any]:
        """Copy of the first color target, of shape (height, width, 4)."""
        with self.ctx.transfer_map(self.targets[0], usage="READ") as mapped:
            return np.array(mapped.data)

    def _check(self) -> Check:
        return geometry.check(self.pixels())


# ---------------------------------------------------------------------------------------------------------- workloads
# Each function creates its target. It returns the frame without its fence, and True if there is a picture to check.


def _both(first: Draw, second: Draw) -> Draw:
    def draw() -> None:
        first()
        second()

    return draw


def _clear(o: Ours) -> tuple[Draw, bool]:
    o.target(depth=True)
    return o.clearing(depth=True, color=(0.25, 0.5, 0.75, 1.0)), True


def _full_screen(name: str, **target: Any) -> Callable[[Ours], tuple[Draw, bool]]:
    def make(o: Ours) -> tuple[Draw, bool]:
        o.target(**target)
        o.program(name)
        return o.strip(geometry.QUAD), True

    return make


def _fill_flat(o: Ours) -> tuple[Draw, bool]:
    o.target()
    o.program("fill_flat")
    o.ctx.set_constant_buffer("FRAGMENT", geometry.FLAT_COLOR)
    return o.strip(geometry.QUAD), True


def _gouraud(w: tuple[float, float, float, float]) -> Callable[[Ours], tuple[Draw, bool]]:
    def make(o: Ours) -> tuple[Draw, bool]:
        o.target()
        o.program("gouraud")
        return o.strip(geometry.quad_with_w(w), geometry.CORNER_COLORS), True

    return make


def _tex_bilinear(o: Ours) -> tuple[Draw, bool]:
    o.target()
    o.program("tex_bilinear")
    o.texture([geometry.texture(256)])
    return o.strip(geometry.QUAD), True


def _tex_trilinear_min(o: Ours) -> tuple[Draw, bool]:
    o.target()
    o.program("tex_trilinear_min")
    o.texture(geometry.mipmaps(geometry.texture(1024)), mip_filter="LINEAR")
    return o.strip(*geometry.trilinear_plane()), True


def _layers(name: str, direction: float, *, blend: bool) -> Callable[[Ours], tuple[Draw, bool]]:
    def make(o: Ours) -> tuple[Draw, bool]:
        o.target(depth=not blend)
        o.program(name)
        o.ctx.set_constant_buffer("VERTEX", np.array([direction, 0, 0, 0], "f4"))
        if blend:
            factors = {"src_factor": "SRC_ALPHA", "dst_factor": "INV_SRC_ALPHA"}
            both = {f"{part}_{k}": v for part in ("rgb", "alpha") for k, v in factors.items()}
            o.ctx.bind_blend_state(o.ctx.create_blend_state(blend_enable=True, **both))
        else:
            o.depth_test()
        return _both(o.clearing(depth=not blend), o.strip(geometry.QUAD, instances=LAYERS)), True

    return make


def _indexed(o: Ours, indices: NDArray[np.uint32]) -> tuple[Draw, bool]:
    o.depth_test()
    o.ctx.set_index_buffer(indices)
    return _both(o.clearing(depth=True), o.drawing(mode="TRIANGLES", count=indices.size, index_size=4)), True


def _small_tris(o: Ours) -> tuple[Draw, bool]:
    o.target(2048, 2048, depth=True)
    o.program("small_tris")
    position, color, indices = geometry.small_triangles()
    o.attributes(position, color)
    return _indexed(o, indices)


def _mesh(name: str) -> Callable[[Ours], tuple[Draw, bool]]:
    def make(o: Ours) -> tuple[Draw, bool]:
        o.target(depth=True)
        o.program(name)
        o.ctx.set_constant_buffer("VERTEX", np.concatenate(geometry.torus_matrices()))
        position, normal, indices = geometry.torus()
        o.attributes(position, normal)
        return _indexed(o, indices)

    return make


def _geometry_mesh(o: Ours) -> tuple[Draw, bool]:
    o.ctx.bind_gs_state(o.ctx.create_gs_state(shader_text("geometry_mesh", "geom")))
    return _mesh("geometry_mesh")(o)


def _geometry_quads(o: Ours) -> tuple[Draw, bool]:
    o.target(depth=True)
    o.program("geometry_quads")
    o.ctx.bind_gs_state(o.ctx.create_gs_state(shader_text("geometry_quads", "geom")))
    position, color = geometry.sprites()
    o.attributes(position, color)
    o.depth_test()
    return _both(o.clearing(depth=True), o.drawing(mode="POINTS", count=len(position))), True


def _tess_surface(o: Ours) -> tuple[Draw, bool]:
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


def _vertex_bound(o: Ours) -> tuple[Draw, bool]:
    o.target(256, 256)
    o.program("vertex_bound")
    matrix, vertices = geometry.vertex_bound()
    o.ctx.set_constant_buffer("VERTEX", matrix)
    o.attributes(vertices)
    return o.drawing(mode="TRIANGLES", count=len(vertices)), True


def _msaa4_resolve(o: Ours) -> tuple[Draw, bool]:
    o.target()
    shown, ctx = o.targets[0], o.ctx
    sampled = o.screen.resource_create(format=shown.format, width0=WIDTH, height0=HEIGHT, bind="RENDER_TARGET", nr_samples=4)
    ctx.set_framebuffer_state(cbufs=[sampled])
    ctx.bind_rasterizer_state(ctx.create_rasterizer_state(half_pixel_center=True, depth_clip=True, multisample=True))
    o.program("gouraud")
    o.attributes(*geometry.random_triangles(64))
    drawn = _both(o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=192))
    return _both(drawn, lambda: ctx.blit(shown, src=sampled)), True


def _draw_calls(o: Ours) -> tuple[Draw, bool]:
    o.target(512, 512)
    o.program("draw_calls")
    o.attributes(np.array([[0, 0], [1, 0], [0, 1]], "f4"))
    clear, triangle, uniforms, ctx = o.clearing(depth=False), o.drawing(mode="TRIANGLES", count=3), geometry.draw_uniforms(), o.ctx

    def draw() -> None:
        clear()
        vertex, change = g.ShaderType.VERTEX, ctx.set_constant_buffer
        for value in uniforms:
            change(vertex, value)
            triangle()

    return draw, True


def _readback(o: Ours) -> tuple[Draw, bool]:
    _fill_flat(o)[0]()
    o.finish()
    host, ctx, target = np.zeros((HEIGHT, WIDTH, 4), "u1"), o.ctx, o.targets[0]

    def draw() -> None:
        with ctx.transfer_map(target, usage="READ") as mapped:
            host[...] = mapped.data

    return draw, True


def _shader_compile(o: Ours) -> tuple[Draw, bool]:
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


MAKERS: dict[str, Callable[[Ours], tuple[Draw, bool]]] = {
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
    "draw_calls": _draw_calls,
    "readback": _readback,
    "shader_compile": _shader_compile,
}
