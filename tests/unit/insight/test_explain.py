"""Explanations of pixels: verdicts, sentences, fragments with their fates, and the proof that they end in the stored pixel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from backends.gallium.tracing.history import HistoryContext
from backends.pipe.enums import Clear
from tests.unit.insight.programs import FS, FS_CONSTANT, FULL, LESS, SIZE, VS, Stage
from tgsi.insight.answers import explain_trace
from tgsi.insight.events import COMMAND, Fate, Verdict

pytestmark = pytest.mark.light
MIDDLE = SIZE // 2


@pytest.fixture
def stage() -> Iterator[Stage]:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        yield Stage(ctx)


def proved(stage: Stage, x: int = MIDDLE, y: int = MIDDLE, **given: Any) -> Any:
    """An explanation whose computed values equal the stored ones."""
    found = stage.ctx.explain(x, y, **given)
    assert [event.proof for event in found.events if event.proof] == []
    return found


def test_a_pixel_that_a_draw_wrote(stage: Stage) -> None:
    stage.ctx.clear("COLOR", color=(0, 0, 1, 1))
    stage.triangle()
    found = proved(stage)
    assert found.verdict is Verdict.WRITTEN
    assert "GENERIC[0] = (1, 0.5, 0.25, 1)" in found.sentence
    clear, draw = found.events
    assert (clear.kind, draw.kind, draw.draw) == ("clear", "draw", 0)
    assert clear.after == (0, 0, 1, 1)
    assert [item.fate for item in draw.fragments] == [Fate.PASSED]
    stored = stage.color.pixels()[MIDDLE, MIDDLE]
    assert np.allclose(draw.after, stored / 255)


def test_inputs_have_their_names_of_glsl_and_commands_of_a_frontend_are_named(stage: Stage) -> None:
    vertex = tgsi.compile(
        "#version 330\nlayout(location = 0) in vec4 p; layout(location = 1) in vec4 c; out vec4 tint;\n"
        "void main() { tint = c; gl_Position = p; }",
        stage="vert",
    )
    fragment = tgsi.compile("#version 330\nin vec4 tint; out vec4 color; void main() { color = tint; }", stage="frag")
    stage.programs(vertex, fragment)
    stage.ctx.emit_string_marker("a marker")
    stage.ctx.emit_string_marker(f"{COMMAND}glDrawArrays(GL_TRIANGLES, 0, 3) at program.py:7")
    stage.triangle()
    found = stage.ctx.explain(4, 4)
    assert found.sentence.startswith("glDrawArrays(GL_TRIANGLES, 0, 3) at program.py:7 wrote (1, 0.501961, 0.25098, 1)")
    assert list(found.events[-1].fragments[0].inputs) == ["IN[0] tint"]
    assert (found.events[-1].marker, found.events[-1].command[:12]) == ("a marker", "glDrawArrays")


def test_a_pixel_that_nothing_reached(stage: Stage) -> None:
    stage.ctx.clear("COLOR", color=(0, 0, 1, 1))
    stage.triangle([[-1, -1], [0, -1], [-1, 0]])
    found = proved(stage, SIZE - 1, 0)
    assert found.verdict is Verdict.NOTHING_DREW
    assert "clear" in found.sentence


def test_every_fragment_has_its_fate_with_its_numbers(stage: Stage) -> None:
    stage.ctx.clear("COLOR|DEPTH", depth=0.5)
    stage.tests(**LESS)
    stage.triangle(z=0.5)
    stage.triangle(z=-0.5, color=(0, 1, 0, 1))
    found = proved(stage)
    fates = [item.fate for event in found.events for item in event.fragments]
    assert fates == [Fate.DEPTH, Fate.PASSED]
    assert "0.749999985 < 0.50000003" in found.events[1].fragments[0].detail
    assert "LESS" in found.events[1].fragments[0].detail
    depth = proved(stage, target=stage.depth)
    assert depth.events[-1].after == pytest.approx([0.25, 0], abs=1e-6)


BLENDS = [
    {"rgb_src_factor": "SRC_ALPHA", "rgb_dst_factor": "INV_SRC_ALPHA", "alpha_src_factor": "ONE", "alpha_dst_factor": "ONE"},
    {"rgb_func": "REVERSE_SUBTRACT", "rgb_src_factor": "CONST_COLOR", "rgb_dst_factor": "ONE"},
    {"rgb_func": "MAX", "alpha_func": "MIN", "rgb_dst_factor": "ONE", "alpha_dst_factor": "ONE"},
]


@pytest.mark.parametrize("format", ["R8G8B8A8_UNORM", "B5G6R5_UNORM", "R16G16B16A16_FLOAT", "R8G8B8A8_SRGB", "R8G8B8A8_SNORM"])
def test_blending_is_computed_to_the_bit(format: str) -> None:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx, format=format)
        ctx.clear("COLOR", color=(0.3, 0.2, 0.9, 0.7))
        ctx.set_blend_color((0.2, 0.4, 0.6, 0.8))
        for k, fields in enumerate(BLENDS):
            stage.blend(blend_enable=True, **fields)
            stage.triangle(color=(0.37 + k / 10, 0.6, 0.11, 0.45))
        found = proved(stage)
        assert [event.wrote for event in found.events] == [True] * 4
        assert "blended" in found.sentence


def test_samples_have_fates_of_their_own() -> None:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx, samples=4)
        stage.rasterizer(multisample=True)
        stage.tests(**LESS)
        ctx.clear("COLOR|DEPTH", depth=1.0)
        stage.triangle([[-1, -1], [1, -1], [-1, 1]])
        stage.triangle(z=0.2, color=(0, 0, 1, 1))
        edge = [proved(stage, x, SIZE - 1 - x) for x in range(4, 8)] + [proved(stage, x, x) for x in range(4, 8)]
        parts = [{s.fate for event in found.events for item in event.fragments for s in item.samples} for found in edge]
        assert any(fates == {Fate.PASSED, Fate.DEPTH} for fates in parts)
        one = proved(stage, 5, 5, sample=3)
        assert "sample 3" in one.subject


def test_layers_and_viewports_are_told_apart() -> None:
    vs = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL SV[0], INSTANCEID\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL OUT[2], LAYER\n"
    vs += "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nMOV OUT[2].x, SV[0].xxxx\nEND\n"
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        layers = screen.resource_create(target="TEXTURE_2D_ARRAY", width0=SIZE, height0=SIZE, array_size=3)
        ctx.set_framebuffer_state(cbufs=[layers])
        stage.programs(vs, "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n")
        stage.triangle(instance_count=2)
        assert proved(stage, layer=1).verdict is Verdict.WRITTEN
        other = proved(stage, layer=2)
        assert other.verdict is Verdict.REJECTED
        assert {item.fate for item in other.events[-1].fragments} == {Fate.OTHER_LAYER}


def test_a_later_call_replaced_it(stage: Stage) -> None:
    stage.triangle()
    source = stage.screen.texture_from(np.full((SIZE, SIZE, 4), 77, np.uint8))
    stage.ctx.resource_copy_region(stage.color, source)
    found = proved(stage)
    assert found.verdict is Verdict.REPLACED
    assert "resource_copy_region" in found.sentence
    assert found.events[-1].kind == "copy"


@pytest.mark.parametrize(
    ("buffers", "shown"),
    [(1023, "COLOR|DEPTHSTENCIL"), ("COLOR", "COLOR"), (("COLOR0", "DEPTH"), "DEPTH|COLOR0"), (Clear.COLOR0, "COLOR0")],
)
def test_buffers_of_a_clear_have_their_names_however_they_were_given(stage: Stage, buffers: Any, shown: str) -> None:
    stage.ctx.clear(buffers, color=(0, 0, 1, 1))
    (event,) = proved(stage).events
    assert event.call.startswith(f'clear("{shown}", color=')


def test_the_text_begins_with_the_pixel_and_the_sentence(stage: Stage) -> None:
    stage.triangle()
    found = proved(stage)
    first, second, *rest = str(found).splitlines()
    assert first.startswith(f"pixel ({MIDDLE}, {MIDDLE}) of <Resource TEXTURE_2D")
    assert first.endswith("the shader wrote this.")
    assert second == found.sentence
    assert any("primitive 0, front" in line or "primitive 0, back" in line for line in rest)


# -- recording ---------------------------------------------------------------------------------------------------------------
def test_without_a_recording_the_error_names_both_ways() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx, pytest.raises(RuntimeError, match=r"history=True.*capture"):
        ctx.explain(0, 0)


def test_a_capture_begins_with_what_is_bound() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        stage.blend(blend_enable=True, rgb_src_factor="SRC_ALPHA", rgb_dst_factor="INV_SRC_ALPHA")
        stage.tests(**LESS)
        ctx.clear("COLOR|DEPTH", color=(0.2, 0.4, 0.6, 1), depth=1.0)
        stage.triangle(z=0.7)
        with ctx.capture():
            stage.triangle(z=0.5, color=(1, 0, 0, 0.5))
            inside = proved(stage)
        stage.triangle(z=-0.5, color=(0, 0, 1, 1))
        after = proved(stage)
        assert str(inside) == str(after)
        assert inside.verdict is Verdict.WRITTEN
        assert "middle of the program's work" in str(inside)
        assert type(ctx) is tgsi.gallium.Context


def test_a_texture_and_constants_from_before_a_capture_are_known() -> None:
    fs = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n"
    fs += "TEX TEMP[0], CONST[0], SAMP[0], 2D\nMUL OUT[0], TEMP[0], CONST[0]\nEND\n"
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        stage.programs(VS, fs)
        texture = screen.texture_from(np.full((4, 4, 4), 128, np.uint8))
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state()])
        buffer = screen.buffer_from(np.array([0.5, 0.25, 1, 1], np.float32))
        ctx.set_constant_buffer("FRAGMENT", buffer)
        with ctx.capture():
            stage.triangle()
        assert proved(stage).events[-1].after == pytest.approx([0.25, 0.125, 0.5, 0.5], abs=3e-3)


@pytest.mark.parametrize("place", [(-1, 0), (SIZE, 0), (0, SIZE)])
def test_a_pixel_outside_of_the_target_is_refused_with_its_size(stage: Stage, place: tuple[int, int]) -> None:
    stage.triangle()
    with pytest.raises(ValueError, match=f"outside of the target, .*{SIZE} x {SIZE}"):
        stage.ctx.explain(*place)


def test_a_target_that_no_call_names_is_refused(stage: Stage) -> None:
    other = stage.ctx.screen.resource_create(width0=4, height0=4)
    with pytest.raises(RuntimeError, match="no recorded call names"):
        stage.ctx.explain(0, 0, target=other)
    with pytest.raises(TypeError, match="a Resource, a Surface or a number"):
        stage.ctx.explain(0, 0, target="color")


def test_a_history_forgets_the_oldest_calls_and_says_so() -> None:
    with tgsi.Screen(threads=0, history=True, history_memory=1 << 22) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        big = screen.resource_create(target="BUFFER", width0=1 << 19)
        for k in range(12):
            ctx.buffer_subdata(big, bytes([k]) * (1 << 19))
            stage.triangle(color=(k / 12, 0, 0, 1))
            ctx.flush()
        found = proved(stage)
        assert found.verdict is Verdict.WRITTEN
        assert 1 <= len([event for event in found.events if event.kind == "draw"]) < 12
        assert isinstance(ctx, HistoryContext)
        assert sum(len(part.data) for part in ctx.recorded_parts()) <= 1 << 22


def test_a_frame_that_does_not_fit_the_history_is_refused_with_the_way_out() -> None:
    with tgsi.Screen(threads=0, history=True, history_memory=1 << 22) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        big = screen.resource_create(target="BUFFER", width0=1 << 20)
        for k in range(6):
            ctx.buffer_subdata(big, bytes([k]) * (1 << 20))
        stage.triangle()
        with pytest.raises(RuntimeError, match="more than there is room for; give more history_memory"):
            ctx.explain(0, 0)
        ctx.flush()
        stage.triangle()
        assert proved(stage).verdict is Verdict.WRITTEN


def test_pictures_are_the_same_with_a_history() -> None:
    def draw(**given: Any) -> bytes:
        with tgsi.Screen(threads=0, **given) as screen, screen.context_create() as ctx:
            stage = Stage(ctx)
            stage.programs(VS, FS_CONSTANT)
            for k in range(5):
                ctx.set_constant_buffer("FRAGMENT", np.array([k / 5, 1 - k / 5, 0.5, 1], np.float32))
                stage.triangle([[-1 + k / 4, -1], [1, -1], [0, 1]])
            return stage.color.tobytes()

    assert draw() == draw(history=True)


def test_a_trace_is_explained_as_the_context_is(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"

    def draw(ctx: Any) -> Stage:
        stage = Stage(ctx)
        ctx.clear("COLOR", color=(0, 0, 1, 1))
        stage.triangle()
        return stage

    with tgsi.Screen(threads=0) as screen, screen.context_create(trace=path) as ctx:
        draw(ctx)
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        live = draw(ctx).ctx.explain(3, 4)
        traced = explain_trace(screen, bytearray(path.read_bytes()), 3, 4)
    assert traced.sentence == live.sentence
    assert [event.fragments[0].outputs for event in traced.events if event.fragments] == [
        event.fragments[0].outputs for event in live.events if event.fragments
    ]


def test_a_query_that_counts_a_watched_draw_does_not_end_the_replay(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    with tgsi.Screen(threads=0) as screen, screen.context_create(trace=path) as ctx:
        stage = Stage(ctx)
        target = ctx.create_stream_output_target(screen.resource_create(target="BUFFER", width0=1024))
        output: Any = {"stride": [4], "output": [{"register_index": 0, "num_components": 4}]}
        ctx.bind_vs_state(ctx.create_vs_state(VS, stream_output=output))
        ctx.set_stream_output_targets([target], offsets=[0])
        query = ctx.create_query("PRIMITIVES_GENERATED")
        ctx.begin_query(query)
        stage.triangle()
        ctx.end_query(query)
        assert ctx.get_query_result(query) == 1
        ctx.clear("COLOR", color=(0, 0, 1, 1))
    with tgsi.Screen(threads=0) as screen:
        found = explain_trace(screen, bytearray(path.read_bytes()), 9, 9)
    assert not found.notes
    assert found.verdict is Verdict.REPLACED


def test_a_trace_without_targets_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    with tgsi.Screen(threads=0) as screen:
        with screen.context_create(trace=path) as ctx:
            ctx.flush()
        with pytest.raises(ValueError, match="never binds a target"):
            explain_trace(screen, bytearray(path.read_bytes()), 0, 0)


def _draw_indirect(stage: Stage) -> None:
    records = stage.screen.buffer_from(np.array([[3, 1, 0, 0], [3, 1, 3, 0]], np.uint32))
    data = np.array([[x, y, 0, k, 1, 0, 1] for k in range(2) for x, y in ((-1, -1), (3, -1), (-1, 3))], np.float32)
    stage.ctx.set_vertex_buffers([data])
    stage.ctx.draw_vbo(mode="TRIANGLES", indirect=records, draw_count=2)


def _draw_indexed(stage: Stage) -> None:
    stage.ctx.set_vertex_buffers([np.array([[x, y, 0, 1, 1, 0, 1] for x, y in ((-1, -1), (3, -1), (-1, 3))], np.float32)])
    stage.ctx.draw_vbo(
        mode="TRIANGLE_STRIP", index=np.array([0, 1, 2, 0xFFFF, 2, 1, 0], np.uint16), primitive_restart=True, restart_index=0xFFFF
    )


@pytest.mark.parametrize(("draw", "events"), [(_draw_indirect, 2), (_draw_indexed, 1)])
def test_draws_of_every_kind_have_their_fragments(stage: Stage, draw: Callable[[Stage], None], events: int) -> None:
    draw(stage)
    found = proved(stage)
    assert len(found.events) == events
    assert sum(len(event.fragments) for event in found.events) == 2


def test_a_program_that_reads_the_samples_behind_the_depth_test_is_computed_with_them() -> None:
    fs = "FRAG\nPROPERTY FS_POST_DEPTH_COVERAGE 1\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\n"
    fs += "DCL SV[0], SAMPLEMASK\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
    fs += "IMM[0] FLT32 {0.0625, 1.0, 0.0, 0.0}\nU2F TEMP[0].x, SV[0].xxxx\nMUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx\nEND\n"
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx, samples=4)
        stage.rasterizer(multisample=True)
        stage.tests(**LESS)
        ctx.clear("COLOR|DEPTH", depth=1.0)
        stage.triangle([[-1, -1], [1, -1], [-1, 1]], z=-0.5)
        stage.programs(VS, fs)
        stage.triangle(z=0.5)
        places = ((3, 20), (20, 3), (16, 16))
        assert [proved(stage, x, y).events[-1].wrote for x, y in places] == [False, True, True]


def test_a_centroid_follows_the_samples_behind_the_depth_test() -> None:
    """Some samples of a pixel lie behind the first triangle. The second one's input is read at the first of the others."""
    fs = (
        "FRAG\nPROPERTY FS_POST_DEPTH_COVERAGE 1\nDCL IN[0], GENERIC[0], PERSPECTIVE, CENTROID\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    )
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx, samples=4, format="R32G32B32A32_FLOAT")
        stage.rasterizer(multisample=True)
        stage.tests(**LESS)
        ctx.clear("COLOR|DEPTH", depth=1.0)
        stage.triangle([[-1, -1], [1, -1], [-1, 1]], z=-0.5)
        stage.programs(VS, fs)
        ctx.set_vertex_buffers([np.array([[-1, -1, 0.5, 0, 0, 0, 1], [3, -1, 0.5, 4, 0, 0, 1], [-1, 3, 0.5, 0, 4, 0, 1]], np.float32)])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        edge = proved(stage, 16, 16).events[-1]
        assert [s.fate for s in edge.fragments[0].samples].count(Fate.DEPTH) in (1, 2, 3)
        inside = proved(stage, 24, 8).events[-1].fragments[0]
        assert inside.inputs["IN[0] GENERIC[0]"][:2] == (24.5 / 16, 2 - 8.5 / 16)


READS_COVERAGE = {
    "SAMPLEMASK": "DCL SV[0], SAMPLEMASK\nDCL OUT[0], COLOR\nU2F OUT[0], SV[0].xxxx\nEND\n",
    "CENTROID": "DCL IN[0], GENERIC[0], PERSPECTIVE, CENTROID\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
    "INTERP_CENTROID": "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nINTERP_CENTROID OUT[0], IN[0]\nEND\n",
}


@pytest.mark.parametrize("name", READS_COVERAGE)
@pytest.mark.parametrize("mask", [0b0110, 0b1000, 0])
def test_programs_read_the_coverage_that_the_sample_mask_leaves(name: str, mask: int) -> None:
    with tgsi.Screen(threads=0, history=True) as screen, screen.context_create() as ctx:
        stage = Stage(ctx, samples=4, format="R32G32B32A32_FLOAT")
        stage.rasterizer(multisample=True)
        stage.programs(VS, "FRAG\n" + READS_COVERAGE[name])
        ctx.set_sample_mask(mask)
        ctx.set_vertex_buffers([np.array([[-1, -1, 0, 0, 0, 0, 1], [3, -1, 0, 4, 0, 0, 1], [-1, 3, 0, 0, 4, 0, 1]], np.float32)])
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        fragment = proved(stage, 20, 20).events[-1].fragments[0]
        masked = [s.sample for s in fragment.samples if s.fate is Fate.SAMPLE_MASK]
        assert masked == [s for s in range(4) if not mask >> s & 1]
        if mask:
            written = np.array([*fragment.trace().outputs().values()], np.uint32).view(np.float32)
            assert written[0].tolist() == list(fragment.outputs["OUT[0] COLOR"])


def test_the_trace_of_a_program_that_reads_its_target_begins_with_the_pixel_as_it_was(stage: Stage) -> None:
    stage.programs(
        VS,
        FS.replace("DCL OUT", "DCL TEMP[0]\nDCL OUT")
        .replace("MOV", "FBFETCH TEMP[0], OUT[0]\nADD")
        .replace("IN[0]\nEND", "IN[0], TEMP[0]\nEND"),
    )
    ctx = stage.ctx
    ctx.set_vertex_buffers([np.array([[*corner, 0, *(c / 4,) * 4] for c in (1, 2) for corner in FULL], np.float32)])
    ctx.draw_vbo(mode="TRIANGLES", count=6)
    fragments = proved(stage).events[-1].fragments
    assert len(fragments) == 2
    for fragment in fragments:
        written = np.array([*fragment.trace().outputs().values()], np.uint32).view(np.float32)
        assert written[0].tolist() == list(fragment.outputs["OUT[0] COLOR"])


@pytest.mark.parametrize("place", [(3, 3), (SIZE - 1, 0), (0, SIZE - 1)])
def test_draws_away_from_the_pixel_are_told_as_if_they_had_been_logged(
    stage: Stage, place: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    corners = [[[-1, -1], [-0.6, -1], [-1, -0.6]], [[0.4, 0.4], [1, 0.4], [1, 1]], [[-1, -1], [3, -1], [-1, 3]]]
    for k, triangle in enumerate(corners * 2):
        stage.triangle(triangle, color=(k / 6, 0, 0, 1))
    quick = str(stage.ctx.explain(*place))
    monkeypatch.setattr("tgsi.insight.history_of_pixel.primitives_if_away", lambda *given: None)
    assert str(stage.ctx.explain(*place)) == quick
    assert "not proved" not in quick
    assert "away from the pixel" in quick


def test_the_memory_of_forgotten_calls_is_used_again() -> None:
    most = 1 << 23
    with tgsi.Screen(threads=0, history=True, history_memory=most) as screen, screen.context_create() as ctx:
        stage = Stage(ctx)
        big = screen.resource_create(target="BUFFER", width0=1 << 19)
        assert isinstance(ctx, HistoryContext)
        for k in range(60):
            ctx.buffer_subdata(big, bytes([k]) * (1 << 19))
            ctx.clear("COLOR", color=(k / 60, 0, 0, 1))
            ctx.flush()
            before = [] if ctx._before is None else ctx._before[1].blocks
            blocks = [*before, *ctx._tracer.memory.blocks, *ctx._spare]
            assert len({id(block) for block in blocks}) == len(blocks)
            assert sum(map(len, blocks)) <= most + most // 8
        assert proved(stage).events[-1].after[0] == pytest.approx(59 / 60, abs=3e-3)


@pytest.mark.parametrize("multisample", [False, True])
def test_a_written_sample_mask_counts_where_multisample_is_on(stage: Stage, multisample: bool) -> None:
    fs = "FRAG\nDCL OUT[0], COLOR\nDCL OUT[1], SAMPLEMASK\nIMM[0] FLT32 {1, 1, 1, 1}\nIMM[1] UINT32 {2, 0, 0, 0}\n"
    stage.rasterizer(multisample=multisample)
    stage.programs(VS, fs + "MOV OUT[0], IMM[0]\nMOV OUT[1].x, IMM[1].xxxx\nEND\n")
    stage.triangle()
    found = proved(stage)
    assert found.verdict is (Verdict.REJECTED if multisample else Verdict.WRITTEN)
    assert multisample or "multisample is off" in found.sentence


def test_a_viewport_that_was_never_set_places_primitives_at_the_origin(stage: Stage) -> None:
    vs = VS.replace("DCL OUT[1]", "DCL OUT[2], VIEWPORT_INDEX\nIMM[0] UINT32 {5, 0, 0, 0}\nDCL OUT[1]")
    stage.programs(vs.replace("MOV OUT[1]", "MOV OUT[2].x, IMM[0].xxxx\nMOV OUT[1]"), FS)
    stage.triangle([[0.2, 0.2], [0.9, 0.2], [0.2, 0.9]])
    assert stage.color.pixels()[0, 0].any()
    assert proved(stage, 0, 0).verdict is Verdict.WRITTEN
