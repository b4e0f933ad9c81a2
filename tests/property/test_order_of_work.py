"""Random sequences of calls leave the same bytes in all resources as with a flush after every call, with any pending work and any work
ahead of a flush.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

import tgsi
import tgsi.gallium as g
from backends.software import device
from backends.software.renderer import Renderer
from tests.property.order_programs import FRAGMENTS, GEOMETRY, GRIDS, RACES, VERTICES

pytestmark = pytest.mark.light

CALLS = 90
EXAMPLES, NIGHTLY = 6, 400
WAYS: tuple[dict[str, Any], ...] = (
    {"threads": 0},
    {"threads": 1, "batch": 1, "window": 2, "ahead": 1, "helps": True},
    {"threads": 2, "batch": 9, "window": 3, "ahead": 1, "helps": True, "arena": 1},
    {"threads": 2, "helps": True, "ahead": 40, "spans": 2},
    {"threads": 1, "helps": False, "window": 1},
)
Call = tuple[str, int]
"""The name of a method of Scene and the seed of its numbers."""

TEXTURES: tuple[dict[str, Any], ...] = (
    {"width0": 40, "height0": 24, "format": "R8G8B8A8_UNORM"},
    {"width0": 64, "height0": 64, "format": "R8G8B8A8_UNORM", "last_level": 2},
    {"width0": 200, "height0": 130, "format": "R16G16B16A16_FLOAT"},
    {"width0": 530, "height0": 70, "format": "R8G8B8A8_UNORM"},
    {"width0": 70, "height0": 90, "format": "R32G32B32A32_FLOAT"},
    {"width0": 100, "height0": 80, "format": "R8G8B8A8_UNORM", "target": "TEXTURE_2D_ARRAY", "array_size": 3},
    {"width0": 90, "height0": 66, "format": "R8G8B8A8_UNORM", "nr_samples": 4},
    {"width0": 90, "height0": 66, "format": "R8G8B8A8_UNORM", "nr_samples": 4},
    {"width0": 33, "height0": 65, "format": "B5G6R5_UNORM"},
)
LAYERED, MANY, PLAIN = 5, (6, 7), (0, 1, 2, 3, 4, 8)
DEPTHS = ("Z32_FLOAT", "Z24_UNORM_S8_UINT", "Z16_UNORM")
BYTES = 2048


class Scene:
    """Textures, buffers and programs that calls combine as they like. No draw reads its own targets."""

    def __init__(self, screen: tgsi.Screen) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        ctx, rng = self.ctx, np.random.default_rng(1)
        binds = "RENDER_TARGET|SAMPLER_VIEW|SHADER_IMAGE"
        made = [dict(given, bind="RENDER_TARGET|SAMPLER_VIEW" if k in MANY else binds) for k, given in enumerate(TEXTURES)]
        self.textures = [screen.resource_create(**given) for given in made]
        depth = {"bind": "DEPTH_STENCIL|SAMPLER_VIEW"}
        self.depths = {
            k: screen.resource_create(**{n: v for n, v in given.items() if n != "last_level"} | depth | {"format": DEPTHS[k % 3]})
            for k, given in enumerate(TEXTURES)
        }
        self.buffers = [screen.resource_create(target="BUFFER", width0=BYTES, bind="VERTEX_BUFFER|CONSTANT_BUFFER") for _ in range(5)]
        self.vertices, self.indices, self.uniforms, self.words, self.records = self.buffers
        for k in PLAIN:
            ctx.set_framebuffer_state(cbufs=[self.textures[k]])
            ctx.clear("COLOR0", color=(k / 9, 0.5, 1 - k / 9, 1))
        values = np.ones((BYTES // 16, 4), "f4")
        values[:, :3] = rng.uniform(-1, 1, (len(values), 3))
        ctx.buffer_subdata(self.vertices, values)
        ctx.buffer_subdata(self.indices, rng.integers(0, 100, BYTES // 2).astype("u2"))
        ctx.buffer_subdata(self.uniforms, rng.uniform(0, 0.5, BYTES // 4).astype("f4"))
        ctx.buffer_subdata(self.records, np.tile(np.array([9, 1, 3, 0, 0, 0, 0, 0], "u4"), BYTES // 32))
        self.views = [ctx.create_sampler_view(texture) for texture in self.textures]
        self.depth_views = {k: ctx.create_sampler_view(self.depths[k]) for k in PLAIN}
        self.fetched = ctx.create_sampler_view(self.words, format="R8G8B8A8_UNORM")
        self.vs = {name: ctx.create_vs_state(text) for name, text in VERTICES.items()}
        info = g.StreamOutputInfo((4,), (g.StreamOutput(register_index=0, num_components=4),))
        self.vs["streams"] = ctx.create_vs_state(VERTICES["plain"], stream_output=info)
        self.fs = {name: ctx.create_fs_state(text) for name, text in FRAGMENTS.items()}
        self.grids = {name: ctx.create_compute_state(text) for name, text in GRIDS.items()}
        self.gs = ctx.create_gs_state(GEOMETRY)
        self.stream = ctx.create_stream_output_target(self.words)
        less = {"enabled": True, "writemask": True, "func": "LEQUAL"}
        face = {"enabled": True, "func": "ALWAYS", "zpass_op": "INCR", "zfail_op": "INVERT"}
        self.depth_states = [
            ctx.create_depth_stencil_alpha_state(),
            ctx.create_depth_stencil_alpha_state(depth=less),
            ctx.create_depth_stencil_alpha_state(depth=less, stencil=[face]),
        ]
        add = {"blend_enable": True, "rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "ONE", "alpha_dst_factor": "ZERO"}
        self.blends = [ctx.create_blend_state(), ctx.create_blend_state(rt=[add]), ctx.create_blend_state(rt=[{"colormask": 5}])]
        self.rasterizers = [ctx.create_rasterizer_state(**given) for given in ({}, {"scissor": True}, {"multisample": True})]
        for stage in ("VERTEX", "GEOMETRY", "FRAGMENT", "COMPUTE"):
            ctx.bind_sampler_states(stage, [ctx.create_sampler_state()])
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT", 0)]))
        ctx.set_scissor_states([{"minx": 3, "miny": 5, "maxx": 60, "maxy": 50}])
        ctx.bind_rasterizer_state(self.rasterizers[0])
        ctx.bind_depth_stencil_alpha_state(self.depth_states[1])
        ctx.bind_blend_state(self.blends[0])
        ctx.set_index_buffer(self.indices, index_size=2)
        self.samples, self.answers = ctx.create_query("OCCLUSION_COUNTER"), list[Any]()
        self.shown = ctx.create_query("OCCLUSION_PREDICATE")
        self.is_counting, self.vertex, self.fragment, self.has_geometry, self.targets = False, "plain", "plain", False, tuple[int, ...]()
        self.bind(np.random.default_rng(0))

    # -- state -------------------------------------------------------------------------------------------------------------
    def bind(self, rng: Generator) -> None:
        """Other targets: one or two colors and perhaps a depth buffer, a level of a texture, all layers, depth alone, or nothing."""
        k = int(rng.integers(0, len(TEXTURES)))
        kind = rng.integers(0, 12)
        w, h = TEXTURES[k]["width0"], TEXTURES[k]["height0"]
        self.targets = (k,)
        if kind < 5:
            self.ctx.set_framebuffer_state(cbufs=[self.textures[k]], zsbuf=self.depths[k])
        elif kind < 7:
            self.ctx.set_framebuffer_state(cbufs=[self.textures[k]])
        elif kind == 7:
            self.ctx.set_framebuffer_state(zsbuf=self.depths[k])
        elif kind == 8:
            other = MANY[0] + MANY[1] - k if k in MANY else PLAIN[int(rng.integers(0, len(PLAIN)))]
            colors = [None, self.textures[k], self.textures[other]] if other != k else [self.textures[k]]
            self.targets = (k, other)
            self.ctx.set_framebuffer_state(cbufs=colors)
        elif kind == 9:
            level = int(rng.integers(0, 3))
            w, h, self.targets = 64 >> level, 64 >> level, (1,)
            self.ctx.set_framebuffer_state(cbufs=[self.ctx.create_surface(self.textures[1], level=level)])
        elif kind == 10:
            first = int(rng.integers(0, 3))
            w, h, self.targets = 100, 80, (LAYERED,)
            self.ctx.set_framebuffer_state(cbufs=[self.ctx.create_surface(self.textures[LAYERED], first_layer=first)])
        elif rng.integers(0, 2):
            self.targets = (0,)
            self.ctx.set_framebuffer_state(cbufs=[self.ctx.create_surface(self.textures[0], nr_samples=4)])
            w, h = 40, 24
        else:
            self.targets = ()
            self.ctx.set_framebuffer_state(width=w, height=h)
        self.ctx.set_viewport_states([{"scale": (w / 2, h / 2, 0.5), "translate": (w / 2, h / 2, 0.5)}])

    def change(self, rng: Generator) -> None:
        """Another state object, vertex shader or scissor."""
        ctx, kind = self.ctx, rng.integers(0, 7)
        if kind == 0:
            ctx.bind_blend_state(self.blends[int(rng.integers(0, 3))])
        elif kind == 1:
            ctx.bind_depth_stencil_alpha_state(self.depth_states[int(rng.integers(0, 3))])
        elif kind == 2:
            ctx.bind_rasterizer_state(self.rasterizers[int(rng.integers(0, 3))])
        elif kind == 3:
            self.has_geometry = bool(rng.integers(0, 2))
        elif kind == 4:
            x, y = (int(v) for v in rng.integers(0, 60, 2))
            ctx.set_scissor_states([{"minx": x, "miny": y, "maxx": x + int(rng.integers(0, 40)), "maxy": y + 30}])
        else:
            self.vertex = list(self.vs)[int(rng.integers(0, len(self.vs)))]

    def shade(self, rng: Generator) -> None:
        self.fragment = list(self.fs)[int(rng.integers(0, len(self.fs)))]

    # -- work --------------------------------------------------------------------------------------------------------------
    def draw(self, rng: Generator) -> None:
        ctx = self.ctx
        stored = int(rng.choice([k for k in (0, 1, 3) if k not in self.targets]))
        sampled = int(rng.choice([k for k in PLAIN if k not in (*self.targets, stored)]))
        for stage in ("VERTEX", "GEOMETRY", "FRAGMENT"):
            ctx.set_sampler_views(stage, [(self.views, self.depth_views)[int(rng.integers(0, 4)) == 0][sampled]])
        if self.fragment == "fetches":
            ctx.set_sampler_views("FRAGMENT", [self.fetched])
        ctx.set_shader_images("FRAGMENT", [self.textures[stored]])
        for stage in ("VERTEX", "FRAGMENT"):
            ctx.set_shader_buffers(stage, [self.words])
            if rng.integers(0, 3):
                ctx.set_constant_buffer(stage, rng.uniform(0, 0.7, 4).astype("f4"))
            else:
                ctx.set_constant_buffer(stage, self.uniforms, offset=256 * int(rng.integers(0, 7)), size=256)
        ctx.set_vertex_buffers([{"buffer": self.vertices, "stride": 16, "buffer_offset": 16 * int(rng.integers(0, 4))}])
        vertex = self.vertex
        if (vertex, self.fragment) in RACES:
            vertex = "plain"
        ctx.bind_vs_state(self.vs[vertex])
        ctx.bind_fs_state(self.fs[self.fragment])
        ctx.bind_gs_state(self.gs if self.has_geometry and vertex != "layered" else None)
        ctx.set_stream_output_targets([self.stream] if vertex == "streams" else [])
        kind, count = rng.integers(0, 9), 3 * int(rng.integers(1, 9))
        if kind < 4 or (kind == 6 and self.has_geometry):
            ctx.draw_vbo(mode="TRIANGLES", start=int(rng.integers(0, 30)), count=count, instance_count=1 + int(rng.integers(0, 3)))
        elif kind < 6:
            ctx.draw_vbo(mode="TRIANGLES", start=int(rng.integers(0, 30)), count=count, index_size=2)
        elif kind == 6:
            ctx.draw_vbo(mode="TRIANGLE_STRIP", start=3, count=20, index_size=2, primitive_restart=True, restart_index=50)
        elif kind == 7:
            ctx.draw_vbo(mode="TRIANGLES", indirect=self.records, indirect_offset=32 * int(rng.integers(0, 20)))
        else:
            rows = np.zeros(4, [("start", "u4"), ("fragment_constants", "f4", 4)])
            rows["start"], rows["fragment_constants"] = rng.integers(0, 40, 4), rng.uniform(0, 0.6, (4, 4))
            ctx.draw_many(rows, mode="TRIANGLES", count=count)

    def clear(self, rng: Generator) -> None:
        buffers = ("COLOR", "DEPTH", "COLOR|DEPTH|STENCIL", "STENCIL")[int(rng.integers(0, 4))]
        self.ctx.clear(buffers, color=tuple(rng.random(4)), depth=float(rng.random()), stencil=int(rng.integers(0, 9)))

    def clear_part(self, rng: Generator) -> None:
        k = int(rng.integers(0, len(TEXTURES)))
        box: dict[str, Any] = {"x": int(rng.integers(0, 9)), "y": int(rng.integers(0, 9)), "width": 9, "height": 7}
        self.ctx.clear_render_target(self.textures[k], color=tuple(rng.random(4)), **box)

    def write(self, rng: Generator) -> None:
        kind = rng.integers(0, 5)
        if kind == 0:
            values = np.ones((12, 4), "f4")
            values[:, :3] = rng.uniform(-1, 1, (12, 3))
            self.ctx.buffer_subdata(self.vertices, values, offset=16 * int(rng.integers(0, 40)))
        elif kind == 1:
            self.ctx.buffer_subdata(self.indices, rng.integers(0, 60, 32).astype("u2"), offset=2 * int(rng.integers(0, 60)))
        elif kind == 2:
            self.ctx.buffer_subdata(self.uniforms, rng.uniform(0, 0.6, 16).astype("f4"), offset=64 * int(rng.integers(0, 28)))
        elif kind == 3:
            self.ctx.buffer_subdata(self.words, rng.integers(0, 4, 8).astype("u4"), offset=4 * int(rng.integers(0, 9)))
        else:
            row = np.array([3 * rng.integers(1, 6), 1 + rng.integers(0, 2), rng.integers(0, 20), 0], "u4")
            self.ctx.buffer_subdata(self.records, row, offset=32 * int(rng.integers(0, 20)))

    def write_texels(self, rng: Generator) -> None:
        k = (0, 1, 3)[int(rng.integers(0, 3))]
        x, y = (int(v) for v in rng.integers(0, 12, 2))
        level = int(rng.integers(0, 2)) if k == 1 else 0
        self.ctx.texture_subdata(self.textures[k], rng.integers(0, 255, (5, 3, 4)).astype("u1"), level=level, box=(x, y, 3, 5))

    def map(self, rng: Generator) -> None:
        buffer = self.buffers[int(rng.integers(0, 3))]
        usage = ("WRITE", "READ|WRITE")[int(rng.integers(0, 2))]
        with self.ctx.transfer_map(buffer, usage=usage, box=(64 * int(rng.integers(0, 20)), 64)) as mapped:
            is_index = buffer is self.indices
            mapped.data[...] = (rng.integers(0, 60, 32).astype("u2") if is_index else rng.uniform(0, 1, 16).astype("f4")).view("u1")

    def copy(self, rng: Generator) -> None:
        a, b = (int(v) for v in rng.permutation(len(PLAIN))[:2])
        source, target = self.textures[PLAIN[a]], self.textures[PLAIN[b]]
        kind, (x, y) = rng.integers(0, 5), (int(v) for v in rng.integers(0, 10, 2))
        if kind == 0:
            self.ctx.resource_copy_region(self.textures[0], self.textures[3], src_box=(x, y, 11, 9), dstx=y)
        elif kind == 1:
            self.ctx.blit(target, src=source, src_box=(x, y, 17, 11), filter="LINEAR")
        elif kind == 2:
            self.ctx.blit(self.textures[(0, 1, 3)[int(rng.integers(0, 3))]], src=self.textures[MANY[int(rng.integers(0, 2))]])
        elif kind == 3:
            size: dict[str, Any] = {"src_box": (16 * x, 128), "dstx": 16 * y}
            self.ctx.resource_copy_region(self.uniforms, self.vertices, **size)
        else:
            self.ctx.generate_mipmap(self.textures[1])

    def compute(self, rng: Generator) -> None:
        name = list(self.grids)[int(rng.integers(0, len(self.grids)))]
        one, other = (self.buffers[int(v)] for v in rng.permutation([2, 3])[:2])
        self.ctx.bind_compute_state(self.grids[name])
        self.ctx.set_shader_buffers("COMPUTE", [self.words if name in ("changes", "samples") else one, other])
        self.ctx.set_sampler_views("COMPUTE", [self.views[PLAIN[int(rng.integers(0, len(PLAIN)))]]])
        self.ctx.set_shader_images("COMPUTE", [self.textures[(0, 1, 3)[int(rng.integers(0, 3))]]])
        self.ctx.launch_grid(block=(16, 1, 1), grid=(1, 1, 1))

    def settle(self, rng: Generator) -> None:
        """A barrier, other references and colors, or draws that depend on whether an earlier one showed anything."""
        ctx, kind = self.ctx, rng.integers(0, 6)
        if kind == 0:
            ctx.texture_barrier()
        elif kind == 1:
            ctx.memory_barrier()
        elif kind == 2:
            ctx.set_stencil_ref((int(rng.integers(0, 256)), int(rng.integers(0, 256))))
            ctx.set_blend_color(tuple(rng.random(4).tolist()))
        elif kind == 3:
            ctx.begin_query(self.shown)
            self.draw(rng)
            ctx.end_query(self.shown)
            ctx.render_condition(self.shown, condition=bool(rng.integers(0, 2)))
        else:
            ctx.render_condition(None)

    def ask(self, rng: Generator) -> None:
        """Begin a query, or end it with its result for the program or for a buffer."""
        if not self.is_counting:
            self.ctx.begin_query(self.samples)
        else:
            self.ctx.end_query(self.samples)
            if rng.integers(0, 2):
                self.ctx.get_query_result_resource(self.samples, self.words, offset=16)
            else:
                self.answers.append(self.ctx.get_query_result(self.samples))
        self.is_counting = not self.is_counting

    def read(self, rng: Generator) -> None:
        made = np.zeros(64, "u1")
        self.ctx.buffer_read(self.buffers[int(rng.integers(0, 5))], made, offset=4 * int(rng.integers(0, 40)))
        self.answers.append(int(made.astype("i8").sum()))

    # -- everything --------------------------------------------------------------------------------------------------------
    def run(self, calls: list[Call], between: Callable[[], object]) -> list[bytes]:
        for name, seed in calls:
            getattr(self, name)(np.random.default_rng(seed))
            between()
        return self.content()

    def content(self) -> list[bytes]:
        """Answers to the program, then the bytes of all resources; those of several samples are resolved."""
        found = [repr(self.answers).encode()]
        for resource in (*self.buffers, *self.textures, *self.depths.values()):
            one = resource
            if resource.samples > 1:
                is_depth = resource.format.is_depth_stencil
                size, bind = (resource.width0, resource.height0), "DEPTH_STENCIL" if is_depth else "RENDER_TARGET"
                one = self.screen.resource_create(width0=size[0], height0=size[1], format=resource.format, bind=bind)
                self.ctx.blit(one, src=resource, mask="Z" if is_depth else "RGBA")
            with self.ctx.transfer_map(one, usage="READ") as mapped:
                found.append(np.ascontiguousarray(mapped.data).tobytes())
        return found


KINDS: tuple[str, ...] = (
    ("bind",) * 7 + ("draw",) * 12 + ("change",) * 4 + ("shade",) * 4 + ("clear",) * 3 + ("write",) * 5 + ("write_texels",) * 3
)
KINDS += ("clear_part", "map", "copy", "compute", "ask", "read", "settle", "settle")


def calls_of(seed: int, count: int = CALLS) -> list[Call]:
    """A sequence of calls. Half of the sequences leave out those that have to wait for pending work."""
    rng = np.random.default_rng(seed)
    names = KINDS if seed % 2 else KINDS[:-8]
    return [(names[int(k)], int(s)) for k, s in zip(rng.integers(0, len(names), count), rng.integers(0, 1 << 30, count))]


def wanted(calls: list[Call]) -> list[bytes]:
    """All bytes if a flush follows every call."""
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen)
        return scene.run(calls, scene.ctx.flush)


def found(calls: list[Call], way: dict[str, Any], patch: pytest.MonkeyPatch) -> list[bytes]:
    """All bytes if no flush is asked for. way: options of the renderer."""
    with patch.context() as changed:
        changed.setattr(device, "Renderer", partial(Renderer, **{name: value for name, value in way.items() if name != "threads"}))
        with tgsi.Screen(threads=way["threads"]) as screen:
            return Scene(screen).run(calls, lambda: None)


@pytest.mark.parametrize("seed", [*range(EXAMPLES), *(pytest.param(k, marks=pytest.mark.nightly) for k in range(EXAMPLES, NIGHTLY))])
def test_calls_leave_the_bytes_of_a_flush_after_each_of_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = calls_of(seed)
    expected = wanted(calls)
    for way in WAYS:
        assert found(calls, way, monkeypatch) == expected, way
