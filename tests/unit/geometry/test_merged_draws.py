"""Neighboring draws with a geometry or tessellation shader go through the rasterizer together where it sees no change between them.

Each sequence of calls gives the bytes and counts that it gives with a flush after every draw, which leaves no neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tgsi import gallium as g

pytestmark = pytest.mark.light

SIZE, DRAWS = 64, 24
VS = (
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL CONST[0][0..1]\n"
    "ADD OUT[0], IN[0], CONST[0][0]\nMOV OUT[1], CONST[0][1]\nEND\n"
)
TES = (
    "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\n"
    "DCL OUT[1], GENERIC[0]\nDCL TEMP[0]\nMUL TEMP[0], IN[0][0], SV[0].xxxx\nMAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]\n"
    "MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]\nMOV OUT[1], IN[0][1]\nEND\n"
)


def quads(more: str = "", outputs: int = 2, body: str = "") -> str:
    """A geometry program that makes two triangles of a point. `outputs` registers a vertex, which decide about the vertices' size."""
    lines = [
        "GEOM",
        "PROPERTY GS_INPUT_PRIMITIVE POINTS",
        "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP",
        "PROPERTY GS_MAX_OUTPUT_VERTICES 4",
    ]
    lines += ["DCL IN[][0], POSITION", "DCL IN[][1], GENERIC[0]", "DCL OUT[0], POSITION", "DCL OUT[1], GENERIC[0]", "DCL CONST[0][0]"]
    lines += [f"DCL OUT[{k}], GENERIC[{k - 1}]" for k in range(2, outputs)]
    lines += [more, "IMM[0] UINT32 {0, 0, 0, 0}", "IMM[1] FLT32 {0, 0.2, 0, 0.5}"]
    for corner in ("xxxx", "yxxx", "xyxx", "yyxx"):
        lines += [f"ADD OUT[0], IN[0][0], IMM[1].{corner}", "ADD OUT[1], IN[0][1], CONST[0][0]", body]
        lines += [f"MOV OUT[{k}], IN[0][1].wzyx" for k in range(2, outputs)]
        lines += ["EMIT IMM[0].xxxx"]
    return "\n".join([line for line in lines if line] + ["END\n"])


def fragment(more: str = "", value: str = "IN[0]") -> str:
    return f"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0][0]\n{more}ADD OUT[0], {value}, CONST[0][0]\nEND\n"


class Sequence:
    """A context, and the draws of one test in it."""

    def __init__(self, screen: g.Screen, is_apart: bool) -> None:
        self.screen, self.ctx, self.is_apart = screen, screen.context_create(), is_apart
        ctx, made = self.ctx, screen.resource_create
        self.targets = [made(width0=SIZE, height0=SIZE, format="R8G8B8A8_UNORM", bind="RENDER_TARGET|SAMPLER_VIEW") for _ in range(2)]
        self.depth = made(width0=SIZE, height0=SIZE, format="Z32_FLOAT", bind="DEPTH_STENCIL")
        self.rng = np.random.default_rng(5)
        self.counts: list[Any] = []
        self.bind(0)
        ctx.set_viewport_states([self.viewport()])
        ctx.bind_depth_stencil_alpha_state(
            ctx.create_depth_stencil_alpha_state(depth={"enabled": True, "writemask": True, "func": "LEQUAL"})
        )
        ctx.bind_vs_state(ctx.create_vs_state(VS))
        ctx.bind_gs_state(ctx.create_gs_state(quads()))
        ctx.bind_fs_state(ctx.create_fs_state(fragment()))
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT")]))
        points = self.rng.uniform(-0.3, 0.3, (12, 4)).astype("f4")
        points[:, 3] = 1
        ctx.set_vertex_buffers([g.VertexBuffer(points, 16)])
        for stage in ("GEOMETRY", "FRAGMENT"):
            ctx.set_constant_buffer(stage, np.zeros(4, "f4"))
        ctx.clear("COLOR|DEPTH", color=(0, 0, 0, 0), depth=1.0)

    def viewport(self, scale: float = 1.0) -> dict[str, Any]:
        return {"scale": (SIZE / 2 * scale, SIZE / 2, 0.5), "translate": (SIZE / 2, SIZE / 2, 0.5)}

    def bind(self, target: int) -> None:
        self.ctx.set_framebuffer_state(cbufs=[self.targets[target]], zsbuf=self.depth)

    def draw(self, mode: str = "POINTS", count: int = 4, **call: Any) -> None:
        """Draw with new constants of the vertex shader."""
        values = np.concatenate([self.rng.uniform(-0.8, 0.8, 2), self.rng.uniform(-0.4, 0.4, 1), [0], self.rng.random(4)]).astype("f4")
        self.ctx.set_constant_buffer("VERTEX", values)
        self.ctx.draw_vbo(mode=mode, count=count, **call)
        if self.is_apart:
            self.ctx.flush()

    def result(self) -> list[Any]:
        self.ctx.flush()
        return [*(np.array(t.blocks()).tobytes() for t in (*self.targets, self.depth)), *self.counts]


def constants_of_vertices(s: Sequence, k: int) -> None:
    s.draw()


def constants_of_the_geometry_shader(s: Sequence, k: int) -> None:
    if k % 3 == 0:
        s.ctx.set_constant_buffer("GEOMETRY", s.rng.uniform(0, 0.3, 4).astype("f4"))
    s.draw()


def constants_of_fragments(s: Sequence, k: int) -> None:
    if k % 2:
        s.ctx.set_constant_buffer("FRAGMENT", s.rng.uniform(0, 0.3, 4).astype("f4"))
    s.draw()


def viewports_and_scissors(s: Sequence, k: int) -> None:
    s.ctx.set_viewport_states([s.viewport(1 - (k // 3) / 20)])
    if k % 4 == 0:
        s.ctx.bind_rasterizer_state(s.ctx.create_rasterizer_state(scissor=True))
        s.ctx.set_scissor_states([{"minx": k, "miny": 0, "maxx": 64, "maxy": 60 - k}])
    s.draw()


def targets(s: Sequence, k: int) -> None:
    if k % 5 == 0:
        s.bind(k // 5 % 2)
    s.draw()


def clears(s: Sequence, k: int) -> None:
    if k % 6 == 2:
        s.ctx.clear("COLOR|DEPTH", color=(0.1, 0.2, 0.3, 1), depth=0.7)
    s.draw()


def blending(s: Sequence, k: int) -> None:
    if k in (2, 9, 17):
        on = {"blend_enable": True, "rgb_src_factor": "CONST_COLOR", "rgb_dst_factor": "ONE"}
        s.ctx.bind_blend_state(s.ctx.create_blend_state(rt=[on] if k != 9 else [{}]))
    if k % 7 == 0:
        s.ctx.set_blend_color((0.1 * (k % 5), 0.3, 0.5, 1))
    s.draw()


def sizes_of_vertices(s: Sequence, k: int) -> None:
    if k % 8 == 0:  # 3 and 7 registers: 48 and 112 bytes
        s.ctx.bind_gs_state(s.ctx.create_gs_state(quads(outputs=3 + k // 2)))
    s.draw(count=1 + k % 5)


def numbers_of_primitives(s: Sequence, k: int) -> None:
    if k == 0:
        more = "DCL IN[1], PRIM_ID, CONSTANT\nDCL TEMP[0]\nIMM[0] FLT32 {0.05, 0, 0, 0}\n"
        more += "U2F TEMP[0], IN[1].xxxx\nMUL TEMP[0], TEMP[0], IMM[0].xxxx\n"
        s.ctx.bind_fs_state(s.ctx.create_fs_state(fragment(more, "TEMP[0]")))
    s.draw(count=2 + k % 5)


def indices_and_instances(s: Sequence, k: int) -> None:
    s.draw(count=3 + k % 4, index=np.array([5, 0, 7, 3, 11, 1, 2], "u2"), instance_count=1 + k % 3)


def nothing_to_be_seen(s: Sequence, k: int) -> None:
    s.ctx.set_viewport_states([{"scale": (4, 4, 0.5), "translate": (SIZE * 4 if k % 3 == 1 else 30, 30, 0.5)}])
    s.draw()


def plain_draws_between(s: Sequence, k: int) -> None:
    s.draw()
    if k % 3 == 0:
        s.ctx.bind_gs_state(None)
        s.draw("TRIANGLES", 6)
        s.ctx.bind_gs_state(s.ctx.create_gs_state(quads()))


def patches(s: Sequence, k: int) -> None:
    if k == 0:
        s.ctx.bind_gs_state(None)
        s.ctx.bind_tes_state(s.ctx.create_tes_state(TES))
        s.ctx.set_tess_state((2, 3, 2, 1), (2, 1))
    s.draw("PATCHES", 6, vertices_per_patch=3)


def many_points(s: Sequence, k: int) -> None:
    if k == 0:
        points = s.rng.uniform(-0.7, 0.7, (700, 4)).astype("f4")
        points[:, 3] = 1
        s.ctx.set_vertex_buffers([g.VertexBuffer(points, 16)])
    s.draw(count=100 + 25 * k)


def queries(s: Sequence, k: int) -> None:
    kinds = ("OCCLUSION_COUNTER", "PIPELINE_STATISTICS", "PRIMITIVES_GENERATED")
    running = [s.ctx.create_query(kind) for kind in kinds]
    for query in running:
        s.ctx.begin_query(query)
    s.draw()
    if k % 2:
        s.draw()
    for query in running:
        s.ctx.end_query(query)
    s.counts += [str(s.ctx.get_query_result(query, wait=True)) for query in running]


CASES: dict[str, Callable[[Sequence, int], None]] = {
    case.__name__.replace("_", " "): case
    for case in (
        constants_of_vertices,
        constants_of_the_geometry_shader,
        constants_of_fragments,
        viewports_and_scissors,
        targets,
        clears,
        blending,
        sizes_of_vertices,
        numbers_of_primitives,
        indices_and_instances,
        nothing_to_be_seen,
        plain_draws_between,
        patches,
        many_points,
        queries,
    )
}


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize("case", CASES)
def test_neighbors_give_what_each_draw_gives_alone(case: str, threads: int) -> None:
    with g.Screen(threads=threads) as screen:
        results = []
        for is_apart in (True, False):
            sequence = Sequence(screen, is_apart)
            for repetition in range(2):  # the second frame draws through generated code alone
                for k in range(DRAWS):
                    CASES[case](sequence, k)
                sequence.counts.append(repetition)
                results.append(sequence.result())
            sequence.ctx.destroy()
    assert results[:2] == results[2:]
    assert len(set(results[0][0])) > 4
