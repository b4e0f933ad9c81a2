"""Frames of every kind through one context. Each sets all state that it needs, so its picture does not depend on the frames before it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tgsi
from backends.gallium.tracing.trace_player import Digest, TracePlayer
from tests.images.tessellated import TCS_LENGTH, TES_PATCH, corners
from tests.property.order_programs import FRAGMENTS, GEOMETRY, GRIDS, VERTICES
from tests.texts import VS_POSITION
from tests.unit.gallium.compute_cases import SUM
from tests.unit.geometry.mesh.programs import mesh, task
from tgsi import gallium as g

WIDTH, HEIGHT = 96, 72
SIZES = ((WIDTH, HEIGHT), (300, 130), (1100, 20), (64, 64))
_SEED = 7
_POINT = "MOV OUT[0], IMM[3].xyxy\nMOV OUT[0].x, IMM[3].wwww\nMOV OUT[1], IMM[3].yyyy\nMOV OUT[2], IMM[1].xxxx\n"
MESH = mesh(_POINT, kind="POINTS", vertices=1)
TASK = task("EMIT_MESH_TASKS IMM[1].yyyy\n")
COLOR = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"


def f4(values: list[float]) -> NDArray[np.float32]:
    """Constants."""
    return np.array(values, np.float32)


class Frames:
    """A screen with one context, and the pictures of frames. threads: of the screen."""

    def __init__(self, threads: int = 1, **options: Any) -> None:
        self.screen = tgsi.Screen(threads=threads, **options)
        self.ctx = self.screen.context_create()
        rng = np.random.default_rng(_SEED)
        self.points = np.ones((90, 4), "f4")
        self.points[:, :3] = rng.uniform(-1, 1, (90, 3))
        self.numbers = rng.integers(0, 90, 120).astype("u2")
        self.texels = rng.integers(0, 255, (64, 64, 4)).astype("u1")

    def close(self) -> None:
        """End the context and the screen."""
        self.screen.destroy()

    # -- parts ---------------------------------------------------------------------------------------------------------------
    def target(self, width: int = WIDTH, height: int = HEIGHT, **given: Any) -> Any:
        """A cleared color target."""
        both = {"format": "R8G8B8A8_UNORM", "bind": "RENDER_TARGET|SAMPLER_VIEW"} | given
        return self.screen.resource_create(width0=width, height0=height, **both)

    def reset(self, *colors: Any, depth: Any = None) -> None:
        """State of a plain draw, with these targets, cleared; nothing else is bound."""
        ctx = self.ctx
        ctx.render_condition(None)
        for stage in ("VERTEX", "GEOMETRY", "FRAGMENT", "COMPUTE"):
            ctx.set_sampler_views(stage, [None])
            ctx.set_shader_buffers(stage, [None, None])
            ctx.set_constant_buffer(stage, None)
        ctx.set_shader_images("FRAGMENT", [None])
        ctx.set_stream_output_targets([])
        for bind in (
            ctx.bind_gs_state,
            ctx.bind_tcs_state,
            ctx.bind_tes_state,
            ctx.bind_ms_state,
            ctx.bind_ts_state,
            ctx.bind_compute_state,
        ):
            bind(None)
        self.bind(*colors, depth=depth)
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state())
        ctx.bind_blend_state(ctx.create_blend_state())
        less = {"enabled": depth is not None, "writemask": True, "func": "LEQUAL"}
        ctx.bind_depth_stencil_alpha_state(ctx.create_depth_stencil_alpha_state(depth=less))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
        ctx.set_vertex_buffers([self.points])
        ctx.set_index_buffer(None)
        self.shaders("plain", "plain")

    def bind(self, *colors: Any, depth: Any = None) -> None:
        """Targets with a viewport of their size, cleared."""
        ctx, first = self.ctx, (*colors, depth)[0]
        ctx.set_framebuffer_state(cbufs=list(colors), zsbuf=depth)
        half = first.width0 / 2, first.height0 / 2, 0.5
        ctx.set_viewport_states([{"scale": half, "translate": half}])
        ctx.clear("COLOR0|DEPTH" if depth is not None else "COLOR0", color=(0.25, 0, 0.5, 1), depth=1.0, stencil=0)

    def shaders(self, vertex: str, fragment: str) -> None:
        """Programs of `tests.property.order_programs`, and constants."""
        ctx = self.ctx
        ctx.bind_vs_state(ctx.create_vs_state(VERTICES[vertex]))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENTS[fragment]))
        ctx.set_constant_buffer("VERTEX", f4([0.1, -0.1, 0, 0]))
        ctx.set_constant_buffer("FRAGMENT", f4([0.5, 0.25, 0.5, 1]))

    def buffer(self, content: Any) -> Any:
        """A buffer with this content."""
        values = np.ascontiguousarray(content)
        made = self.screen.resource_create(target="BUFFER", width0=values.nbytes)
        self.ctx.buffer_subdata(made, values)
        return made

    def bytes_of(self, *resources: Any) -> bytes:
        """Their bytes, read back."""
        found = b""
        for resource in resources:
            with self.ctx.transfer_map(resource, usage="READ") as mapped:
                found += np.ascontiguousarray(mapped.data).tobytes()
        return found

    def sampled(self, stage: str = "FRAGMENT") -> Any:
        """Bind a texture with two levels, filled."""
        ctx, texture = self.ctx, self.target(64, 64, last_level=1)
        ctx.texture_subdata(texture, self.texels)
        ctx.generate_mipmap(texture)
        ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture)])
        ctx.bind_sampler_states(stage, [ctx.create_sampler_state(min_mip_filter="LINEAR", min_img_filter="LINEAR")])
        return texture

    # -- frames --------------------------------------------------------------------------------------------------------------
    def plain(self) -> bytes:
        """Triangles from arrays of the caller, with depth."""
        depth = self.target(format="Z32_FLOAT", bind="DEPTH_STENCIL")
        target = self.target()
        self.reset(target, depth=depth)
        for k in range(0, 60, 6):
            self.ctx.set_constant_buffer("FRAGMENT", f4([0.5, k / 60, 0.5, 1]))
            self.ctx.draw_vbo(mode="TRIANGLES", start=k, count=12)
        return self.bytes_of(target, depth)

    def known(self) -> bytes:
        """Draws of one combination from buffers, many times."""
        target = self.target()
        self.reset(target)
        self.ctx.set_vertex_buffers([{"buffer": self.buffer(self.points), "stride": 16}])
        self.ctx.set_index_buffer(self.buffer(self.numbers), index_size=2)
        for k in range(90):
            self.ctx.set_constant_buffer("VERTEX", f4([k / 100, -0.1, 0, 0]))
            self.ctx.draw_vbo(mode="TRIANGLES", start=k, count=9, index_size=2)
            if k == 50:
                self.ctx.flush()
        self.ctx.draw_vbo(mode="TRIANGLE_STRIP", count=100, index_size=2, primitive_restart=True, restart_index=int(self.numbers[40]))
        return self.bytes_of(target)

    def textured(self) -> bytes:
        """Textures with levels, blended."""
        target = self.target()
        self.reset(target)
        self.sampled()
        add = {"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "ONE", "alpha_dst_factor": "ZERO"}
        self.ctx.bind_blend_state(self.ctx.create_blend_state(rt=[add]))
        self.shaders("plain", "textured")
        self.ctx.draw_vbo(mode="TRIANGLES", count=90)
        return self.bytes_of(target)

    def memory(self) -> bytes:
        """Fragments that count in a buffer."""
        target = self.target()
        self.reset(target)
        words = self.buffer(np.zeros(64, "u4"))
        self.sampled()
        self.ctx.set_shader_buffers("FRAGMENT", [words])
        self.shaders("plain", "counts")
        self.ctx.draw_vbo(mode="TRIANGLES", count=60, instance_count=2)
        return self.bytes_of(target, words)

    def geometry(self) -> bytes:
        """A geometry program that samples."""
        target = self.target()
        self.reset(target)
        self.sampled("GEOMETRY")
        self.ctx.bind_gs_state(self.ctx.create_gs_state(GEOMETRY))
        for k in range(3):
            self.ctx.draw_vbo(mode="TRIANGLES", start=3 * k, count=60)
        return self.bytes_of(target)

    def tessellation(self) -> bytes:
        """Patches with a control program."""
        target = self.target()
        self.reset(target)
        ctx = self.ctx
        ctx.bind_vs_state(ctx.create_vs_state(VS_POSITION))
        ctx.bind_fs_state(ctx.create_fs_state(COLOR))
        ctx.bind_tcs_state(ctx.create_tcs_state(TCS_LENGTH))
        ctx.bind_tes_state(ctx.create_tes_state(TES_PATCH.format(mode=7, spacing=1, points=0)))
        ctx.set_constant_buffer("TESS_CTRL", np.array([12, 0, 0, 0], "f4"))
        ctx.set_vertex_buffers([np.array(corners(1, 2), "f4")])
        ctx.draw_vbo(mode="PATCHES", count=16, vertices_per_patch=4)
        return self.bytes_of(target)

    def meshes(self) -> bytes:
        """Tasks that launch meshes."""
        target = self.target()
        self.reset(target)
        ctx = self.ctx
        ctx.bind_ts_state(ctx.create_ts_state(TASK))
        ctx.bind_ms_state(ctx.create_ms_state(MESH))
        ctx.bind_fs_state(ctx.create_fs_state(COLOR))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(point_size=40.0))
        ctx.draw_mesh_tasks(grid=(3, 2, 1))
        return self.bytes_of(target)

    def compute(self) -> bytes:
        """Grids with shared memory and barriers, and with images."""
        words, sums = self.buffer(np.arange(800, dtype="u4")), self.buffer(np.zeros(8, "u4"))
        ctx = self.ctx
        ctx.bind_compute_state(ctx.create_compute_state(SUM))
        ctx.set_shader_buffers("COMPUTE", [words, sums])
        ctx.launch_grid(block=(100, 1, 1), grid=(8, 1, 1))
        ctx.bind_compute_state(ctx.create_compute_state(GRIDS["copies"]))
        ctx.set_shader_buffers("COMPUTE", [sums, words])
        ctx.launch_grid(block=(8, 1, 1), grid=(1, 1, 1))
        return self.bytes_of(words, sums)

    def streams(self) -> bytes:
        """Vertices streamed out, then drawn from there."""
        target = self.target()
        self.reset(target)
        ctx, words = self.ctx, self.buffer(np.zeros((120, 4), "f4"))
        info = g.StreamOutputInfo((4,), (g.StreamOutput(register_index=0, num_components=4),))
        plain, streaming = (ctx.create_vs_state(VERTICES["plain"], stream_output=given) for given in (None, info))
        ctx.bind_vs_state(streaming)
        stream = ctx.create_stream_output_target(words)
        ctx.set_stream_output_targets([stream])
        ctx.draw_vbo(mode="TRIANGLES", count=60)
        ctx.set_stream_output_targets([])
        ctx.bind_vs_state(plain)
        ctx.set_vertex_buffers([{"buffer": words, "stride": 16}])
        ctx.draw_vbo(mode="TRIANGLES", count_from_stream_output=stream)
        return self.bytes_of(target, words)

    def queries(self) -> bytes:
        """Counts of samples and of the pipeline, and draws that depend on one."""
        target = self.target()
        self.reset(target)
        ctx, answers = self.ctx, list[Any]()
        for kind in ("OCCLUSION_COUNTER", "PIPELINE_STATISTICS", "PRIMITIVES_GENERATED", "OCCLUSION_PREDICATE"):
            query = ctx.create_query(kind)
            ctx.begin_query(query)
            ctx.draw_vbo(mode="TRIANGLES", count=30)
            ctx.end_query(query)
            answers.append(ctx.get_query_result(query))
            if kind == "OCCLUSION_PREDICATE":
                ctx.render_condition(query)
                ctx.draw_vbo(mode="TRIANGLES", start=30, count=30)
                ctx.render_condition(None)
            ctx.destroy_query(query)
        return self.bytes_of(target) + repr(answers).encode()

    def resized(self) -> bytes:
        """Targets of several sizes in turn, with layers and samples."""
        targets = [self.target(*size) for size in SIZES]
        targets.append(self.target(80, 60, target="TEXTURE_2D_ARRAY", array_size=5))
        targets.append(self.target(200, 70, nr_samples=4))
        for target in targets:
            self.reset(target)
            if target.array_size > 1:
                self.shaders("layered", "plain")
            self.ctx.draw_vbo(mode="TRIANGLES", count=60, instance_count=2)
        for target in targets[:4]:
            self.bind(target)
            self.ctx.draw_vbo(mode="TRIANGLES", start=30, count=60)
        resolved = self.target(200, 70)
        self.ctx.blit(resolved, src=targets.pop())
        return self.bytes_of(*targets, resolved)

    def many(self) -> bytes:
        """draw_many, with constants for each draw."""
        target = self.target()
        self.reset(target)
        rows = np.zeros(40, [("start", "u4"), ("fragment_constants", "f4", 4)])
        rows["start"], rows["fragment_constants"][:, 1] = np.arange(40), np.arange(40) / 40
        self.ctx.draw_many(rows, mode="TRIANGLES", count=9)
        return self.bytes_of(target)

    def recorded(self) -> bytes:
        """A bundle, replayed twice."""
        target = self.target()
        self.reset(target)
        vertices = self.buffer(self.points)
        with self.ctx.record() as bundle:
            for k in range(6):
                bundle.set_constant_buffer("VERTEX", f4([k / 12, 0, 0, 0]))
                bundle.set_vertex_buffers([{"buffer": vertices, "stride": 16}])
                bundle.draw_vbo(mode="TRIANGLES", start=6 * k, count=12)
            bundle.buffer_subdata(vertices, self.points[::-1])
        for _ in range(2):
            self.ctx.replay(bundle)
        return self.bytes_of(target)

    def traced(self) -> bytes:
        """Draws of a second context whose calls go to a file, and the digests of the file played."""
        found: list[Digest] = []
        with tempfile.TemporaryDirectory() as folder:
            path, first = Path(folder) / "a.trace", self.ctx
            self.ctx = self.screen.context_create(trace=path)
            try:
                picture = self.plain()
            finally:
                traced, self.ctx = self.ctx, first
                traced.destroy()
            player = self.screen.context_create()
            try:
                TracePlayer(self.screen, player, found.append).play(bytearray(path.read_bytes()))
            finally:
                player.destroy()
        return picture + repr([digest.is_same for digest in found]).encode()

    def copied(self) -> bytes:
        """Copies, scaled ones among them, clears of parts, transfers both ways."""
        ctx, target, other = self.ctx, self.target(), self.target(300, 130)
        self.reset(target)
        ctx.draw_vbo(mode="TRIANGLES", count=60)
        ctx.blit(other, src=target, filter="LINEAR")
        ctx.resource_copy_region(other, target, src_box=(0, 0, 30, 20), dstx=100, dsty=40)
        ctx.clear_render_target(other, color=(0, 1, 0, 1), x=5, y=6, width=70, height=8)
        with ctx.transfer_map(other, usage="READ|WRITE", box=(10, 10, 20, 20)) as mapped:
            mapped.data[...] = np.asarray(mapped.data)[::-1] // 2
        read = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        ctx.texture_read(target, read)
        return self.bytes_of(other) + read.tobytes()

    def large(self) -> bytes:
        """More than a window of batches."""
        target = self.target(256, 256)
        self.reset(target)
        points = np.tile(self.points, (700, 1))
        points[:, :2] = points[:, :2] * 0.2 + np.random.default_rng(1).uniform(-0.8, 0.8, (len(points) // 3, 1, 2)).repeat(3, 1).reshape(
            -1, 2
        )
        self.ctx.set_vertex_buffers([points.astype("f4")])
        self.ctx.draw_vbo(mode="TRIANGLES", count=len(points))
        return self.bytes_of(target)


NAMES = (
    *("plain", "known", "textured", "memory", "geometry", "tessellation", "meshes", "compute", "streams", "queries", "resized"),
    *("many", "recorded", "traced", "copied", "large"),
)
KINDS: dict[str, Callable[[Frames], bytes]] = {name: getattr(Frames, name) for name in NAMES}
