"""Layouts of transform feedback (xfb_offset) become Gallium's stream output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = [needs_glslang, pytest.mark.light]

VERTEX = """#version 450
layout(xfb_buffer = 2) out;
struct Pair { float a; vec2 b; };
layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 40) out float grid[2][3];
layout(location = 8, component = 1, xfb_buffer = 0, xfb_offset = 32) out vec2 late;
layout(location = 10, xfb_offset = 0) out Data { float y; layout(xfb_offset = 8) dvec3 d; vec4 kept; } data;
layout(location = 20, xfb_buffer = 1, xfb_offset = 0) out Pair pairs[2];
layout(location = 30) out vec4 free;
void main() {
    for (int i = 0; i < 6; i++) grid[i / 3][i % 3] = float(i + 10 * gl_VertexID);
    late = vec2(7, 8); data.y = 1.5; data.d = dvec3(2, 3, 4); data.kept = vec4(5); free = vec4(9);
    pairs[1].a = 6.0; pairs[1].b = vec2(0.5, 0.25); pairs[0].a = -1.0;
    gl_Position = vec4(0, 0, 0, 1);
}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path / "cache"))


def streamed(text: str, count: int, sizes: dict[int, int], stage: str = "vert") -> dict[int, Any]:
    """Words of each buffer, as floats, after points were drawn."""
    program = tgsi.compile(text, stage=stage)
    assert program.interface is not None
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        buffers = {at: screen.buffer_from(np.full(size, -7, np.float32)) for at, size in sizes.items()}
        targets = [ctx.create_stream_output_target(buffers[at]) if at in buffers else None for at in range(4)]
        create, bind = (getattr(ctx, f"{word}_{'vs' if stage == 'vert' else 'gs'}_state") for word in ("create", "bind"))
        bind(create(program, stream_output=program.interface.stream_output))
        if stage == "geom":
            ctx.bind_vs_state(ctx.create_vs_state("#version 330\nvoid main() { gl_Position = vec4(0); }"))
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(rasterizer_discard=True))
        ctx.set_stream_output_targets(targets, offsets=[0] * 4)
        ctx.draw_vbo(mode="POINTS", count=count)
        ctx.set_stream_output_targets()
        return {at: np.frombuffer(buffer.tobytes(), np.float32) for at, buffer in buffers.items()}


def test_outputs_go_to_their_offsets_in_their_buffers() -> None:
    found = streamed(VERTEX, 2, {0: 20, 1: 12, 2: 24})
    assert found[0].reshape(2, 10).tolist() == [
        [-7, 0, 1, 2, 3, 4, 5, -7, 7, 8],
        [-7, 10, 11, 12, 13, 14, 15, -7, 7, 8],
    ]
    assert found[1].reshape(2, 6)[1].tolist() == [-1, 0, 0, 6, 0.5, 0.25]
    rows = found[2].reshape(2, 12)
    assert rows[1, 0] == 1.5
    assert rows[1, 1] == -7
    assert rows[1, 2:8].copy().view(np.float64).tolist() == [2, 3, 4]
    assert rows[1, 8:12].tolist() == [5] * 4


def test_blocks_of_an_array_go_to_buffers_one_after_the_other() -> None:
    text = "#version 450\nlayout(xfb_buffer = 1, xfb_offset = 0) out Side { float a; vec2 b; } sides[2];\n"
    found = streamed(text + "void main() { gl_Position = vec4(0); sides[0].b = vec2(1, 2); sides[1].a = 3.0; }", 1, {1: 3, 2: 3})
    assert {at: words.tolist() for at, words in found.items()} == {1: [0, 1, 2], 2: [3, 0, 0]}


def test_built_in_outputs_and_streams_of_geometry_shaders_are_captured() -> None:
    text = "#version 450\nlayout(points) in; layout(points, max_vertices = 2) out;\n"
    text += "layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };\n"
    text += "layout(stream = 1, xfb_buffer = 3, xfb_offset = 4) out vec2 other;\n"
    text += "void main() { gl_Position = vec4(1, 2, 3, 4); EmitStreamVertex(0); other = vec2(5, 6); EmitStreamVertex(1); }"
    found = streamed(text, 1, {0: 4, 3: 3}, "geom")
    assert {at: words.tolist() for at, words in found.items()} == {0: [1, 2, 3, 4], 3: [-7, 5, 6]}


def test_a_text_without_such_layouts_streams_nothing_out() -> None:
    program = tgsi.compile("#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = gl_Position = vec4(0); }", stage="vert")
    assert program.interface is not None
    assert program.interface.stream_output is None


def test_a_buffer_beyond_the_fourth_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(module: bytes, **options: Any) -> tgsi.Program:
        words = np.frombuffer(module, np.uint32).copy()
        places = [at for at in range(len(words) - 3) if words[at] == 4 << 16 | 71 and words[at + 2] == 36]  # OpDecorate, XfbBuffer
        words[[at + 3 for at in places]] = 1 << 30
        return tgsi.read_spirv(words.tobytes(), **options)

    monkeypatch.setattr("frontends.glsl.compiling.read", read)
    text = "#version 450\nlayout(location = 0, xfb_buffer = 1, xfb_offset = 0) out vec4 c;\nvoid main() { c = gl_Position = vec4(0); }"
    with pytest.raises(tgsi.UnsupportedError, match=r"M023.*buffer 1073741824"):
        tgsi.compile(text, stage="vert")
