"""Random sequences of draws with tessellation and stream output: known ones in generated code, carried out in Python, and one by one.

All three give the same bytes, the same amounts of streamed data and the same counts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.software.commands.executor import Executor
from tests.property.test_staged_draws import FRAGMENT, POINTS, SIZE, VERTEX
from tests.unit.geometry.programs import passthrough
from tests.unit.raster.canvas import of_draws
from tgsi import gallium as g

pytestmark = pytest.mark.light

STEPS, KINDS, ROOM = 160, 16, 64 * 40
CONTROL = """TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[0]
DCL OUT[2], TESSOUTER
DCL OUT[3], TESSINNER
DCL SV[0], INVOCATIONID
DCL SV[1], PRIM_ID
DCL ADDR[0..1]
DCL TEMP[0..1]
DCL CONST[0]
IMM[0] UINT32 {{1, 3, 0, 0}}
IMM[1] FLT32 {{1.5, 0.75, 3.0, 0.0}}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
{barrier}
UADD TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UMOD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
UARL ADDR[1].x, TEMP[0].xxxx
MOV OUT[ADDR[0].x][1], OUT[ADDR[1].x][0]
U2F TEMP[1].x, SV[1].xxxx
MAD TEMP[1], TEMP[1].xxxx, IMM[1].yyyy, CONST[0]
MOV OUT[2], TEMP[1]
{inner}
END
"""
EVALUATION = """TESS_EVAL
PROPERTY TES_PRIM_MODE {mode}
PROPERTY TES_SPACING 2
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0]
DCL TEMP[0..1]
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP OUT[0], SV[0].yyyy, IN[2][0], TEMP[0]
MAD OUT[1], IN[1][1], CONST[0], SV[0]
END
"""
SAMPLING = EVALUATION.replace("LRP TEMP[0]", "DCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nTXL TEMP[1], SV[0], SAMP[0], 2D\nLRP TEMP[0]").replace(
    "CONST[0], SV[0]", "CONST[0], TEMP[1]"
)
"""The same with a texel in the place of the coordinates."""
WHOLE = g.StreamOutputInfo((8,), (g.StreamOutput(0), g.StreamOutput(1, dst_offset=4)))
APART = g.StreamOutputInfo((5, 3), (g.StreamOutput(0, 0, 4, 0, 1), g.StreamOutput(1, 1, 2, 1, 0)))
MODES = ("POINTS", "LINE_LOOP", "TRIANGLES", "TRIANGLE_STRIP", "QUADS")


class Scene:
    """Context with all objects from which the steps of a random sequence choose."""

    def __init__(self, screen: Any) -> None:
        self.screen, self.ctx = screen, screen.context_create()
        ctx = self.ctx
        self.target = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        ctx.set_framebuffer_state(cbufs=[self.target])
        ctx.clear(color=(0, 0, 0, 0))
        ctx.set_viewport_states([g.ViewportState((SIZE / 2, SIZE / 2, 0.5), (SIZE / 2, SIZE / 2, 0.5))])
        self.streams = (None, WHOLE, APART)
        self.vertex = [ctx.create_vs_state(VERTEX, stream_output=info) for info in self.streams]
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        controls = [CONTROL.format(barrier=b, inner=i) for b, i in (("BARRIER", "MOV OUT[3], TEMP[1].yyyy"), ("NOP", "NOP"))]
        self.controls = [None, *map(ctx.create_tcs_state, controls)]
        self.evaluations = [ctx.create_tes_state(EVALUATION.format(mode=m), stream_output=s) for m in (4, 7, 1) for s in self.streams[:2]]
        self.sampling = ctx.create_tes_state(SAMPLING.format(mode=4))
        self.texture = screen.resource_create(width0=SIZE, height0=SIZE, format="R32G32B32A32_FLOAT")
        ctx.set_sampler_views("TESS_EVAL", [ctx.create_sampler_view(self.texture)])
        ctx.bind_sampler_states("TESS_EVAL", [ctx.create_sampler_state()])
        shapes = [POINTS, passthrough("TRIANGLES"), passthrough("LINES")]
        self.geometry = {text: [ctx.create_gs_state(text, stream_output=s) for s in self.streams[:2]] for text in shapes}
        self.rasterizers = [ctx.create_rasterizer_state(rasterizer_discard=d, flatshade_first=d) for d in (False, True)]
        ctx.bind_rasterizer_state(self.rasterizers[0])
        factors = {f"{part}_{k}": "ONE" for part in ("rgb", "alpha") for k in ("src_factor", "dst_factor")}
        ctx.bind_blend_state(ctx.create_blend_state(blend_enable=True, **factors))
        elements = [(0, "R32G32B32A32_FLOAT"), (16, "R32G32B32A32_FLOAT")]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state(elements))
        data = np.random.default_rng(1).uniform(-0.9, 0.9, (128, 8)).astype("f4")
        data[:, 2], data[:, 3] = 0, 1
        self.buffers = [self.buffer(data), self.buffer(data[::-1])]
        self.places = [
            ctx.create_stream_output_target(b, buffer_offset=32 * 64, buffer_size=ROOM) for b in (*self.buffers, self.buffer(data))
        ]
        ctx.set_vertex_buffers([g.VertexBuffer(self.buffers[0], stride=32)])
        indices = np.random.default_rng(2).integers(0, 128, 300).astype("u2")
        indices[::7] = 0xFFFF
        ctx.set_index_buffer(indices)
        for stage in ("VERTEX", "TESS_CTRL", "TESS_EVAL", "GEOMETRY", "FRAGMENT"):
            self.constants(stage, random.Random(3))

    def buffer(self, data: Any) -> Any:
        made = self.screen.resource_create(target="BUFFER", format="R8_UNORM", width0=32 * 256, bind="VERTEX_BUFFER")
        self.ctx.buffer_subdata(made, np.ascontiguousarray(data))
        return made

    def constants(self, stage: str, rng: random.Random) -> None:
        low, high = (1, 5) if stage == "TESS_CTRL" else (-0.4, 0.4)
        self.ctx.set_constant_buffer(stage, np.array([rng.uniform(low, high) for _ in range(4)], "f4"))

    def change(self, rng: random.Random) -> None:
        """Change values that belong to no combination, and sometimes the targets of stream output."""
        ctx, change = self.ctx, rng.randrange(9)
        if change < 4:
            self.constants(("VERTEX", "TESS_CTRL", "TESS_EVAL", "GEOMETRY")[change], rng)
        elif change == 4:
            ctx.set_tess_state([rng.uniform(0, 5) for _ in range(4)], [rng.uniform(1, 4) for _ in range(2)])
        elif change == 5:
            ctx.set_vertex_buffers([g.VertexBuffer(rng.choice(self.buffers), stride=32)])
        elif change == 6:
            ctx.set_patch_vertices(rng.choice((3, 4)))
        elif change == 7:
            ctx.texture_subdata(self.texture, np.full((SIZE, SIZE, 4), rng.uniform(0, 0.5), "f4"))
        if rng.random() < 0.3:
            targets = rng.choice(((), (0,), (1,), (2,), (0, 1), (2, 0), (None, 1)))
            offsets = [rng.choice((-1, -1, 0, 64)) for _ in targets]
            ctx.set_stream_output_targets([None if k is None else self.places[k] for k in targets], offsets=offsets)

    def draw(self, rng: random.Random) -> None:
        """Draw with a random combination."""
        ctx = self.ctx
        ctx.bind_rasterizer_state(self.rasterizers[rng.random() < 0.2])
        info: dict[str, Any] = {"count": rng.choice((3, 4, 12, 30, 100)), "start": rng.choice((0, 0, 3, 20))}
        kinds: tuple[Any, Any] = (None, None)
        if rng.random() < 0.5:
            mode, kinds = "PATCHES", (rng.choice(self.controls), rng.choice((*self.evaluations, self.sampling)))
            shapes = [None, passthrough("LINES" if kinds[1] in self.evaluations[4:6] else "TRIANGLES")]
            info["vertices_per_patch"] = rng.choice((0, 0, 3, 5))
        else:
            mode = rng.choice(MODES)
            shapes = [None, POINTS if mode == "POINTS" else passthrough("LINES" if "LINE" in mode else "TRIANGLES")]
        ctx.bind_vs_state(rng.choice(self.vertex))
        ctx.bind_tcs_state(kinds[0])
        ctx.bind_tes_state(kinds[1])
        shape = rng.choice(shapes)
        ctx.bind_gs_state(None if shape is None else rng.choice(self.geometry[shape]))
        if rng.random() < 0.3:
            info |= {"instance_count": rng.choice((2, 5)), "start_instance": rng.choice((0, 2))}
        if rng.random() < 0.4:
            info |= {"index_size": 2, "index_bias": rng.choice((0, 0, 1)), "primitive_restart": rng.random() < 0.5, "restart_index": 0xFFFF}
        if rng.random() < 0.1 and mode != "PATCHES":
            ctx.draw_vbo(mode=mode, count_from_stream_output=rng.choice(self.places), start=info["start"])
        else:
            ctx.draw_vbo(mode=mode, **info)


def result(seed: int, threads: int, after: Callable[[Any], object]) -> tuple[list[Any], int]:
    """Bytes of all memory, streamed amounts and counts after a random sequence of draws, and how many draws Python took.

    `after` is called after each draw.
    """
    screen = tgsi.Screen(threads=threads)
    scene, rng = Scene(screen), random.Random(seed)
    found: list[Any] = []
    for _ in range(STEPS):
        scene.change(rng)
        scene.draw(random.Random(f"{seed} {rng.randrange(KINDS)}"))
        after(scene.ctx)
        found.append([(place.offset, place.stride) for place in scene.places])
    with scene.ctx.transfer_map(scene.target, usage="READ") as mapped:
        found.append(np.array(mapped.data).tobytes())
    for place in scene.places:
        with scene.ctx.transfer_map(place.resource, usage="READ") as mapped:
            found.append(np.array(mapped.data).tobytes())
    statistics = scene.ctx.device.statistics()
    found.append(asdict(of_draws(statistics)))
    return found, statistics.other_draws


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 20))])
def test_random_draws_of_patches_and_streams_give_the_same_together_one_by_one_and_in_python(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, others = result(seed, 0, lambda ctx: None)
    assert any(together[-5]), "something was drawn"
    assert result(seed, 2, lambda ctx: ctx.flush())[0] == together
    monkeypatch.setattr(Executor, "learn_staged", lambda *_: None)
    in_python, others_in_python = result(seed, 1, lambda ctx: None)
    assert in_python == together
    assert others < others_in_python / 2
