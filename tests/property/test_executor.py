"""Draws by the executor and draws whose records Python writes one by one give the same bytes and the same counts."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tgsi
from backends.abi.records import SamplerRecord, ShaderEnv, TextureRecord
from backends.device.bound import DrawState
from backends.device.commands.bound_record import Hindrance
from backends.device.needs import needs_of
from backends.pipe.enums import Prim
from backends.pipe.state import DrawInfo
from backends.raster.draw.topology import TOPOLOGIES, expand
from backends.raster.draw_record import Draw
from backends.software import renderer as renderer_module
from backends.software.commands.assembly import counting
from backends.software.commands.records import Code
from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE, VERTICES, DRAWS = 40, 60, 80
VERTEX = """VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0][0]
DCL CONST[1][0..1]
DCL TEMP[0]
IMM[0] FLT32 {0.1, 0.05, 0, 0}
U2F TEMP[0].x, SV[0].xxxx
MAD TEMP[0].xy, TEMP[0].xxxx, IMM[0], IN[0]
MOV TEMP[0].zw, IN[0]
ADD OUT[0], TEMP[0], CONST[0][0]
ADD OUT[1], IN[1], CONST[1][1]
END
"""
FRAGMENT = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0][0..2]
DCL SAMP[0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MAD OUT[0], TEMP[0], CONST[0][0], CONST[0][2]
END
"""
PLAIN = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
MODES = sorted(TOPOLOGIES)


class Scene:
    """A random sequence of draws and of changes of everything that is bound."""

    def __init__(self, screen: tgsi.Screen, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.ctx: Any = screen.context_create()
        rng, ctx = self.rng, self.ctx
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.clear(color=(0, 0, 0, 0))
        factors: dict[str, Any] = {f"{part}_{k}": "ONE" for part in ("rgb", "alpha") for k in ("src_factor", "dst_factor")}
        self.blends = [ctx.create_blend_state(blend_enable=True, **factors), ctx.create_blend_state()]
        stipple: dict[str, Any] = {"line_stipple_enable": True, "line_stipple_pattern": 0xF0F}
        self.windows: list[Any] = [(), (), (True, [{"minx": 3, "maxx": 33, "maxy": 39}]), (False, [{"minx": 20, "maxx": 25, "maxy": 39}])]
        self.planes = [(0.5, 0.25, 1, 0), (-0.5, 0.1, 0.3, 1.0)]
        self.rasterizers = [
            ctx.create_rasterizer_state(**fields)
            for fields in (
                {},
                {"flatshade_first": True},
                {"scissor": True, "cull_face": "BACK"},
                {"scissor": True, "half_pixel_center": False, "bottom_edge_rule": True, "clip_halfz": True},
                {"clip_plane_enable": 3, "poly_stipple_enable": True},
                stipple,
            )
        ]
        formats = ["R32G32B32A32_FLOAT", "R32G32B32A32_FLOAT", "R16G16_FLOAT"]
        self.elements = [
            ctx.create_vertex_elements_state(
                [(0, formats[0]), {"src_offset": 16, "src_format": formats[k], "vertex_buffer_index": 0, "instance_divisor": d}]
            )
            for k, d in ((1, 0), (2, 0), (1, 1), (1, 2))
        ]
        self.shaders = [ctx.create_fs_state(text) for text in (FRAGMENT, PLAIN)]
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        data = rng.uniform(-1, 1, (VERTICES, 8)).astype("f4")
        data[:, 3] = 1
        self.data = data
        self.buffer = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=data.nbytes, bind="VERTEX_BUFFER")
        ctx.buffer_subdata(self.buffer, data)
        self.uniforms = screen.resource_create(target="BUFFER", format="R8_UNORM", width0=256, bind="CONSTANT_BUFFER")
        texture = screen.resource_create(width0=4, height0=4, format="R8G8B8A8_UNORM", bind="SAMPLER_VIEW")
        ctx.texture_subdata(texture, rng.integers(0, 255, (4, 4, 4)).astype("u1"))
        self.views = [ctx.create_sampler_view(texture), ctx.create_sampler_view(texture, swizzle="yxwz")]
        self.samplers = [ctx.create_sampler_state(**fields) for fields in ({}, {"lod_bias": 0.5}, {"mag_img_filter": "LINEAR"})]
        ctx.bind_sampler_states("FRAGMENT", [self.samplers[0]])
        self.query = ctx.create_query("PIPELINE_STATISTICS")
        ctx.begin_query(self.query)
        for change in (*self.changes(), *self.changes()):
            change()

    def changes(self) -> list[Any]:
        ctx, rng = self.ctx, self.rng
        half = SIZE / 2

        def pick(items: Sequence[Any]) -> Any:
            return items[int(rng.integers(0, len(items)))]

        return [
            lambda: ctx.bind_blend_state(pick(self.blends)),
            lambda: ctx.bind_rasterizer_state(pick(self.rasterizers)),
            lambda: ctx.bind_vertex_elements_state(pick(self.elements)),
            lambda: ctx.bind_fs_state(pick(self.shaders)),
            lambda: ctx.set_sampler_views("FRAGMENT", [pick([*self.views, None])]),
            lambda: ctx.set_viewport_states([g.ViewportState((half, half, 0.5), (half + float(pick([0, 3.5])), half, 0.5))]),
            lambda: ctx.set_scissor_states([{"minx": int(pick([0, 9, 30])), "miny": 2, "maxx": 30, "maxy": 36}]),
            lambda: ctx.bind_sampler_states("FRAGMENT", [pick(self.samplers)]),
            lambda: ctx.set_blend_color([float(rng.random()), 0.5, 0.25, 1]),
            lambda: ctx.set_stencil_ref([int(rng.integers(0, 256)), 7]),
            lambda: ctx.set_clip_state([pick(self.planes) for _ in range(int(pick([0, 1, 1])))]),
            lambda: ctx.set_window_rectangles(*pick(self.windows)),
            lambda: ctx.set_polygon_stipple([0xFFF0FFFF ^ int(pick([0, 1])) << 9] * 32),
            lambda: ctx.set_constant_buffer("VERTEX", pick([rng.uniform(-0.5, 0.5, 4).astype("f4"), b"\0\0\0\0\0", None])),
            lambda: ctx.set_constant_buffer(
                "VERTEX", pick([rng.uniform(0, 0.2, int(rng.integers(1, 9))).astype("f4"), self.uniforms]), index=1
            ),
            lambda: ctx.set_constant_buffer("FRAGMENT", rng.uniform(0, 0.5, 12).astype("f4")),
            lambda: ctx.set_vertex_buffers(
                [pick([{"buffer": self.buffer, "stride": 32, "buffer_offset": int(pick([0, 32]))}, self.data, None])]
            ),
            lambda: ctx.set_index_buffer(self.indices(pick(["u1", "u2", "u4"]))),
            lambda: ctx.buffer_subdata(self.uniforms, rng.uniform(0, 0.3, 16).astype("f4")),
        ]

    def indices(self, kind: str) -> NDArray[Any]:
        self.index_size = np.dtype(kind).itemsize
        made = self.rng.integers(0, VERTICES + 4, 90)
        made[self.rng.random(90) < 0.1] = 77
        return made.astype(kind)

    def draw(self) -> None:
        ctx, rng = self.ctx, self.rng
        is_indexed = bool(rng.integers(0, 2))
        ctx.draw_vbo(
            mode=Prim(int(rng.choice(MODES))),
            count=int(rng.choice([0, 1, 2, 3, 4, 7, 12, 40, 95])),
            start=int(rng.choice([0, 0, 1, 30])),
            instance_count=int(rng.choice([1, 1, 1, 3])),
            start_instance=int(rng.choice([0, 0, 2])),
            index_size=self.index_size if is_indexed else 0,
            index_bias=int(rng.choice([0, 0, 3, -2])) if is_indexed else 0,
            primitive_restart=bool(rng.integers(0, 2)),
            restart_index=77,
        )

    def run(self) -> tuple[bytes, Any]:
        for _ in range(DRAWS):
            changes = self.changes()
            for _ in range(int(self.rng.choice([0, 0, 1, 3]))):
                changes[int(self.rng.integers(0, len(changes)))]()
            for _ in range(int(self.rng.integers(1, 4))):
                self.draw()
        self.ctx.end_query(self.query)
        with self.ctx.transfer_map(self.target, usage="READ") as mapped:
            return bytes(mapped.data), self.ctx.get_query_result(self.query)


@pytest.mark.parametrize("seed", range(8))
def test_the_executor_draws_what_python_draws(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for is_native in (True, False):
        if not is_native:
            monkeypatch.setattr(renderer_module.Renderer, "_draw_known", lambda *_, **__: False)
        with tgsi.Screen(threads=0) as screen:
            scene = Scene(screen, seed)
            found.append(scene.run())
            taken = scene.ctx.device._executor.record.known_draws
            assert (taken > 0) is is_native
            scene.ctx.destroy()
    assert len(set(found[0][0])) > 50
    assert found[0][1] == found[1][1]
    assert found[0][0] == found[1][0]


def content(address: int, size: int) -> bytes:
    return ctypes.string_at(address, size) if address and size else b""


def environment(address: int, units: int) -> list[bytes]:
    """Everything that an environment names."""
    env = ShaderEnv.from_address(address)
    found = [
        content(env.textures or 0, units * ctypes.sizeof(TextureRecord)),
        content(env.samplers or 0, units * ctypes.sizeof(SamplerRecord)),
    ]
    found += [content(place or 0, 4 * words) for place, words in zip(env.constants, env.constant_words)]
    return [*found, bytes(env.constant_words), bytes([env.samples])]


@pytest.mark.parametrize("seed", range(6))
def test_records_and_environments_are_those_of_a_draw_made_by_python(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    with tgsi.Screen(threads=0) as screen:
        scene = Scene(screen, seed)
        device, state = scene.ctx.device, scene.ctx.state
        executor, writer, framebuffer = device._executor, device._maker.writer, scene.ctx.targets.framebuffer
        taken = executor.draw

        def draw(state: DrawState, info: DrawInfo, **named: Any) -> Code:
            nonlocal compared
            before = executor.record.num_spans
            code: Code = taken(state, info, **named)
            if code is not Code.DONE:
                return code
            packet = writer.write(state, info, framebuffer)
            if packet is None:
                assert executor.record.num_spans == before
                return code
            span = executor._spans[before]
            made, wanted = (Draw.from_buffer_copy(content(at, ctypes.sizeof(Draw))) for at in (span.draw, packet.address))
            for record in (made, wanted):
                record.assembly.indices = 0  # vertex numbers that are written out, or the index buffer without the first index
                for a in range(record.fetch.num_attributes):
                    record.fetch.attribute[a] *= record.fetch.limit[a] > 0
            assert bytes(made) == bytes(wanted)
            units = [needs_of(stage.shader).units for stage in (state.vertex, state.fragment)]
            for address, other, count in zip((span.vertex_env, span.fragment_env), packet.environments, units):
                assert environment(address, count) == environment(other, count)
            compared += 1
            return code

        monkeypatch.setattr(executor, "draw", draw)
        state.hinder(Hindrance.PERSISTENT, True)  # entries leave draws to Python, where they are compared
        scene.run()
        scene.ctx.destroy()
    assert compared > 30


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_the_numbers_of_primitives_are_those_of_the_topology(mode: Prim) -> None:
    least, taken, size, made = counting(mode)
    for count in range(60):
        wanted = len(expand(TOPOLOGIES[mode][0], np.arange(count, dtype=np.uint32), None)) // len(TOPOLOGIES[mode][0].multiply)
        assert ((count - taken) // size * made if count >= least else 0) == wanted
