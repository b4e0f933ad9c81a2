"""Limits of draws that the screen answers, reached; what lies beyond is refused by name where it can be."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.gallium.cap_answers import cap, f32, words
from tests.unit.picture import PASS, STRIP, Picture, both, screen
from tgsi import gallium as g
from tgsi.language.diagnostics import LimitError, ValidationError

pytestmark = pytest.mark.light


# -- draws ---------------------------------------------------------------------------------------------------------------------
def test_every_varying_that_the_cap_counts_reaches_the_fragment_shader() -> None:
    count = cap("MAX_VARYINGS")
    assert count == screen().get_shader_param("FRAGMENT", "MAX_INPUTS")
    outs = "".join(f"DCL OUT[{k + 1}], GENERIC[{k}]\n" for k in range(count))
    moves = "".join(f"ADD OUT[{k + 1}], IN[1], IMM[{k}]\n" for k in range(count))
    imms = "".join(f"IMM[{k}] FLT32 {{{float(k)}, 0.0, 0.0, 0.0}}\n" for k in range(count))
    vertex = f"VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\n{outs}{imms}MOV OUT[0], IN[0]\n{moves}END\n"
    ins = "".join(f"DCL IN[{k}], GENERIC[{k}], PERSPECTIVE\n" for k in range(count))
    sums = "".join(f"ADD TEMP[0], TEMP[0], IN[{k}]\n" for k in range(count))
    fragment = f"FRAG\n{ins}DCL OUT[0], COLOR\nDCL TEMP[0]\n{sums}MOV OUT[0], TEMP[0]\nEND\n"
    picture = Picture(4, 4).draw(fragment, vertex, values=np.full((4, 4), 1, np.float32))
    assert picture.pixels()[0, 0].tolist() == [count + sum(range(count)), count, count, count]


def test_every_vertex_input_that_the_cap_counts_is_fetched_at_the_largest_stride_and_offset() -> None:
    count, stride = screen().get_shader_param("VERTEX", "MAX_INPUTS"), cap("MAX_VERTEX_ATTRIB_STRIDE")
    offset = cap("MAX_VERTEX_ELEMENT_SRC_OFFSET")
    picture = Picture(4, 4)
    ctx = picture.ctx
    words = np.zeros((4 * stride + offset) // 4 + 4, np.float32)
    for vertex in range(4):
        words[(vertex * stride + offset) // 4 :][:4] = vertex
    ins = "".join(f"DCL IN[{k}]\n" for k in range(count))
    sums = "".join(f"ADD TEMP[0], TEMP[0], IN[{k}]\n" for k in range(1, count))
    text = f"VERT\n{ins}DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0]\n{sums}MOV OUT[0], IN[0]\nMOV OUT[1], TEMP[0]\nEND\n"
    ctx.bind_vs_state(ctx.create_vs_state(text))
    ctx.bind_fs_state(ctx.create_fs_state("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"))
    far = {"src_offset": offset, "src_format": "R32G32B32A32_FLOAT", "vertex_buffer_index": 1}
    ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state([(0, "R32G32B32A32_FLOAT"), *[far] * (count - 1)]))
    ctx.set_vertex_buffers([STRIP, g.VertexBuffer(words, stride)])
    ctx.draw_vbo(mode="TRIANGLE_STRIP", count=4)
    assert set(picture.pixels()[..., 0].ravel().tolist()) == {2.0 * (count - 1), 3.0 * (count - 1)}
    with pytest.raises(ValueError, match="stride"):
        ctx.set_vertex_buffers([g.VertexBuffer(words, stride + 1)])
    with pytest.raises(ValueError, match="src_offset"):
        ctx.create_vertex_elements_state([far | {"src_offset": offset + 1}])


def test_every_render_target_that_the_cap_counts_is_written_and_fetched() -> None:
    count = cap("MAX_RENDER_TARGETS")
    assert count == cap("FBFETCH")
    outs = "".join(f"DCL OUT[{k}], COLOR[{k}]\n" for k in range(count))
    body = "".join(f"FBFETCH TEMP[0], OUT[{k}]\nADD OUT[{k}], TEMP[0], IMM[{k}]\n" for k in range(count))
    imms = "".join(f"IMM[{k}] FLT32 {{{float(k + 1)}, 0.0, 0.0, 0.0}}\n" for k in range(count))
    fragment = f"FRAG\n{outs}DCL TEMP[0]\n{imms}{body}END\n"
    picture = Picture(4, 4, targets=count)
    picture.draw(fragment).draw(fragment)
    assert [picture.pixels(k)[0, 0, 0] for k in range(count)] == [2.0 * (k + 1) for k in range(count)]


def test_the_last_viewport_and_the_last_window_rectangle_count() -> None:
    last = cap("MAX_VIEWPORTS") - 1
    vertex = (
        f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], VIEWPORT_INDEX\nIMM[0] UINT32 {{{last}, 0, 0, 0}}\n"
        "MOV OUT[0], IN[0]\nMOV OUT[1].x, IMM[0].xxxx\nEND\n"
    )
    picture = Picture(8, 8)
    picture.ctx.set_viewport_states([g.ViewportState((1.0, 1.0, 0.5), (5.0, 5.0, 0.5))], start=last)
    covered = picture.draw(vertex=vertex).covered()
    assert np.argwhere(covered).tolist() == [[4, 4], [4, 5], [5, 4], [5, 5]]
    none = g.ScissorState(0, 0, 0, 0)
    count = cap("MAX_WINDOW_RECTANGLES")
    picture = Picture(8, 8)
    picture.ctx.set_window_rectangles(True, [none] * (count - 1) + [g.ScissorState(2, 3, 4, 4)])
    assert np.argwhere(picture.draw().covered()).tolist() == [[3, 2], [3, 3]]
    with pytest.raises(ValueError, match="set_window_rectangles"):
        picture.ctx.set_window_rectangles(True, [none] * (count + 1))
    with pytest.raises(ValueError, match="set_viewport_states"):
        picture.ctx.set_viewport_states([g.ViewportState((1.0, 1.0, 0.5), (0.0, 0.0, 0.5))], start=last + 1)


@pytest.mark.parametrize("stage", ["VERTEX", "FRAGMENT"])
def test_the_last_unit_and_the_last_constant_buffer_are_read(stage: str) -> None:
    units, views, constants = (
        screen().get_shader_param(stage, name) for name in ("MAX_TEXTURE_SAMPLERS", "MAX_SAMPLER_VIEWS", "MAX_CONST_BUFFERS")
    )
    assert views >= units
    picture = Picture(4, 4)
    ctx = picture.ctx
    texture = ctx.screen.resource_create(width0=1, height0=1, format="R32_FLOAT")
    ctx.texture_subdata(texture, f32([[3]]))
    ctx.set_sampler_views(stage, [ctx.create_sampler_view(texture)], start=units - 1)
    ctx.bind_sampler_states(stage, [ctx.create_sampler_state()], start=units - 1)
    ctx.set_constant_buffer(stage, f32([10, 0, 0, 0]), index=constants - 1)
    body = f"TXL TEMP[0], IN[0], SAMP[{units - 1}], 2D\nADD TEMP[0].x, TEMP[0], CONST[{constants - 1}][0]\n"
    head = f"DCL SAMP[{units - 1}]\nDCL SVIEW[{units - 1}], 2D, FLOAT\nDCL CONST[{constants - 1}][0]\nDCL TEMP[0]\n"
    if stage == "VERTEX":
        vertex = f"VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n{head}{body}MOV OUT[0], IN[0]\nMOV OUT[1], TEMP[0]\nEND\n"
        picture.draw("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", vertex)
    else:
        picture.draw(f"FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\n{head}{body}MOV OUT[0], TEMP[0]\nEND\n")
    assert picture.pixels()[0, 0, 0] == 13
    with pytest.raises(ValueError, match="bind_sampler_states"):
        ctx.bind_sampler_states(stage, [ctx.create_sampler_state()], start=units)
    with pytest.raises(ValueError, match="set_constant_buffer: index"):
        ctx.set_constant_buffer(stage, f32([0]), index=constants)


@pytest.mark.parametrize(
    ("opcode", "low", "high"),
    [("TEX", "MIN_TEXEL_OFFSET", "MAX_TEXEL_OFFSET"), ("TG4", "MIN_TEXTURE_GATHER_OFFSET", "MAX_TEXTURE_GATHER_OFFSET")],
)
def test_texel_offsets_reach_as_far_as_the_caps_say(opcode: str, low: str, high: str) -> None:
    for offset in (cap(low), cap(high)):
        picture = Picture(1, 1)
        ctx = picture.ctx
        texture = ctx.screen.resource_create(width0=128, height0=1, format="R32_FLOAT")
        ctx.texture_subdata(texture, np.arange(128, dtype=np.float32)[None])
        ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
        ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(wrap_s="CLAMP_TO_EDGE")])
        component = ", IMM[1].xxxx" if opcode == "TG4" else ""
        picture.draw(
            "FRAG\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\n"
            f"IMM[0] FLT32 {{{64.25 / 128}, 0.5, 0.0, 0.0}}\nIMM[1] INT32 {{0, {offset}, 0, 0}}\n"
            f"{opcode} OUT[0], IMM[0]{component}, SAMP[0], 2D, IMM[1].yxx\nEND\n"
        )
        assert picture.pixels()[0, 0, 0] == 64 + offset - (opcode == "TG4")


def test_the_bias_of_levels_reaches_as_far_as_the_cap_says() -> None:
    most = screen().get_paramf("MAX_TEXTURE_LOD_BIAS")
    assert most >= cap("MAX_TEXTURE_2D_LEVELS") - 1
    picture = Picture(1, 1)
    ctx = picture.ctx
    levels = cap("MAX_TEXTURE_2D_LEVELS")
    texture = ctx.screen.resource_create(width0=1 << levels - 1, height0=1, format="R8_UNORM", last_level=levels - 1)
    ctx.texture_subdata(texture, b"\xff", level=levels - 1)
    ctx.set_sampler_views("FRAGMENT", [ctx.create_sampler_view(texture)])
    ctx.bind_sampler_states("FRAGMENT", [ctx.create_sampler_state(lod_bias=most, min_mip_filter="NEAREST", max_lod=100.0)])
    picture.draw(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
        f"IMM[0] FLT32 {{{2.0 ** -(levels - 1)}, 1.0, 0.0, 0.0}}\nMUL TEMP[0], IN[0], IMM[0]\nTEX OUT[0], TEMP[0], SAMP[0], 2D\nEND\n"
    )
    assert picture.pixels()[0, 0, 0] == 1


@pytest.mark.parametrize("smooth", [False, True])
def test_lines_and_points_are_as_wide_as_the_caps_say(smooth: bool) -> None:
    suffix = "_AA" if smooth else ""
    wide, large = screen().get_paramf(f"MAX_LINE_WIDTH{suffix}"), screen().get_paramf(f"MAX_POINT_WIDTH{suffix}")
    for width, rows in ((wide, wide), (wide + 9, wide)):
        picture = Picture(4, 300)
        picture.draw(points=f32([[-2, 0, 0, 1], [2, 0, 0, 1]]), mode="LINES", rasterizer={"line_width": width, "line_smooth": smooth})
        assert abs(int(picture.covered()[:, 1].sum()) - rows) <= smooth
    size = int(large) // 2  # a framebuffer has at most 8192 rows, so half of the point is looked at
    picture = Picture(1, size)
    picture.ctx.set_viewport_states([g.ViewportState((0.5, size / 2, 0.5), (0.5, size / 2, 0.5))])
    picture.draw(
        points=f32([[0, -1, 0, 1]]), mode="POINTS", rasterizer={"point_size": large, "point_smooth": smooth, "point_tri_clip": True}
    )
    assert abs(int(picture.covered().sum()) - size) <= smooth


def test_a_geometry_shader_emits_as_many_vertices_and_components_as_the_caps_say() -> None:
    vertices, components = cap("MAX_GEOMETRY_OUTPUT_VERTICES"), cap("MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS")
    outputs = components // vertices // 4
    assert outputs == screen().get_shader_param("GEOMETRY", "MAX_OUTPUTS")
    picture = Picture(4, 4)
    ctx = picture.ctx
    outs = "".join(f"DCL OUT[{k}], {f'GENERIC[{k}]' if k else 'POSITION'}\n" for k in range(outputs))
    moves = "".join(f"MOV OUT[{k}], TEMP[0].xxxx\n" for k in range(outputs))
    text = (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
        f"PROPERTY GS_MAX_OUTPUT_VERTICES {vertices}\n{outs}DCL TEMP[0]\nIMM[0] UINT32 {{0, 1, {vertices + 5}, 0}}\n"
        "BGNLOOP\nUSEQ TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz\nUIF TEMP[0].yyyy\nBRK\nENDIF\n"
        f"{moves}EMIT IMM[0].xxxx\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nEND\n"
    )
    row = g.StreamOutput(register_index=outputs - 1, num_components=4)
    target = ctx.screen.resource_create(target="BUFFER", width0=16 * vertices + 64, bind="STREAM_OUTPUT")
    ctx.set_stream_output_targets([ctx.create_stream_output_target(target)])
    ctx.bind_gs_state(ctx.create_gs_state(text, stream_output=g.StreamOutputInfo((4,), (row,))))
    emitted = picture.counted("PRIMITIVES_EMITTED", lambda: picture.draw(points=STRIP[:1], mode="POINTS"))
    assert emitted == vertices
    assert words(ctx, target, 4 * vertices)[3::4].tolist() == list(range(vertices))


def test_a_geometry_shader_has_a_round_for_each_component_that_the_caps_count() -> None:
    vertices, components = cap("MAX_GEOMETRY_OUTPUT_VERTICES"), cap("MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS")
    picture = Picture(4, 4)
    ctx = picture.ctx
    until = "USEQ TEMP[0].z, TEMP[0].{}, IMM[0].{}\nUIF TEMP[0].zzzz\nBRK\nENDIF\n"
    text = (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
        f"PROPERTY GS_MAX_OUTPUT_VERTICES {vertices}\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0]\n"
        f"IMM[0] UINT32 {{0, 1, {vertices}, {components // vertices}}}\n"
        f"BGNLOOP\n{until.format('xxxx', 'zzzz')}MOV TEMP[0].y, IMM[0].xxxx\n"
        f"BGNLOOP\n{until.format('yyyy', 'wwww')}UADD TEMP[0].yw, TEMP[0].yyyw, IMM[0].yyyy\nENDLOOP\n"
        "MOV OUT[0], IMM[0].xxxx\nMOV OUT[1], TEMP[0].wwww\nEMIT IMM[0].xxxx\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nEND\n"
    )
    target = ctx.screen.resource_create(target="BUFFER", width0=4 * vertices, bind="STREAM_OUTPUT")
    ctx.set_stream_output_targets([ctx.create_stream_output_target(target)])
    ctx.bind_gs_state(
        ctx.create_gs_state(text, stream_output=g.StreamOutputInfo((1,), (g.StreamOutput(register_index=1, num_components=1),)))
    )
    assert picture.counted("PRIMITIVES_EMITTED", lambda: picture.draw(points=STRIP[:1], mode="POINTS")) == vertices
    assert words(ctx, target, vertices).tolist() == list(range(components // vertices, components + 1, components // vertices))


def test_a_primitive_has_as_many_invocations_as_the_cap_says() -> None:
    most = cap("MAX_GS_INVOCATIONS")
    head = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
    text = (
        "PROPERTY GS_INVOCATIONS {}\nDCL SV[0], INVOCATIONID\nDCL OUT[0], POSITION\nIMM[0] UINT32 {{0, 0, 0, 0}}\n"
        "MOV OUT[0], SV[0].xxxx\nEMIT IMM[0].xxxx\nEND\n"
    )
    picture = Picture(4, 4)
    picture.ctx.bind_gs_state(picture.ctx.create_gs_state(head + text.format(most)))
    assert picture.counted("PRIMITIVES_GENERATED", lambda: picture.draw(points=STRIP[:1], mode="POINTS")) == most


def test_stream_output_has_as_many_buffers_and_components_as_the_caps_say() -> None:
    buffers, components = cap("MAX_STREAM_OUTPUT_BUFFERS"), cap("MAX_STREAM_OUTPUT_INTERLEAVED_COMPONENTS")
    assert components == cap("MAX_STREAM_OUTPUT_SEPARATE_COMPONENTS")
    for buffer in range(buffers):
        picture = Picture(4, 4)
        ctx = picture.ctx
        rows = tuple(
            g.StreamOutput(register_index=1, num_components=4, output_buffer=buffer, dst_offset=4 * k) for k in range(components // 4)
        )
        memory = ctx.screen.resource_create(target="BUFFER", width0=4 * components, bind="STREAM_OUTPUT")
        ctx.set_stream_output_targets([None] * buffer + [ctx.create_stream_output_target(memory)])
        info = g.StreamOutputInfo((0,) * buffer + (components,), rows)
        picture.draw(points=STRIP[:1], values=f32([[1, 2, 3, 4]]), mode="POINTS", stream_output=info)
        assert words(ctx, memory, components).view(np.float32).tolist() == [1, 2, 3, 4] * (components // 4)


def fragment(temporaries: int = 1, instructions: int = 0, depth: int = 0) -> str:
    """A program with as many temporaries and nested loops, and with as many instructions if that is more than the loops need."""
    head = f"FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0..{temporaries - 1}]\nIMM[0] UINT32 {{1, 0, 0, 0}}\n"
    return head + "BGNLOOP\n" * depth + "BRK\nENDLOOP\n" * depth + "NOP\n" * (instructions - 3 * depth - 1) + "END\n"


def check_size(ctx: g.Context, field: str, most: int) -> None:
    ctx.create_fs_state(fragment(**{field: most}))
    with pytest.raises((LimitError, ValidationError), match=r"beyond|limit|deep"):
        ctx.create_fs_state(fragment(**{field: most + 1}))


@pytest.mark.parametrize(("field", "name"), [("temporaries", "MAX_TEMPS"), ("depth", "MAX_CONTROL_FLOW_DEPTH")])
def test_a_program_is_as_large_as_the_caps_say_and_no_larger(ctx: g.Context, field: str, name: str) -> None:
    check_size(ctx, field, screen().get_shader_param("FRAGMENT", name))


@pytest.mark.slow
def test_a_program_has_as_many_instructions_as_the_caps_say(ctx: g.Context) -> None:
    names = ("MAX_INSTRUCTIONS", "MAX_ALU_INSTRUCTIONS", "MAX_TEX_INSTRUCTIONS", "MAX_TEX_INDIRECTIONS")
    (most,) = {screen().get_shader_param("FRAGMENT", name) for name in names}
    check_size(ctx, "instructions", most)


@pytest.mark.parametrize("times", [1, 3, 10])
def test_a_deeply_nested_program_runs(times: int) -> None:
    depth = times * screen().get_shader_param("VERTEX", "MAX_CONTROL_FLOW_DEPTH")
    text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nIMM[0] UINT32 {1, 0, 0, 0}\nIMM[1] FLT32 {1.0, 0.0, 0.0, 0.0}\n"
    body = "UIF IN[0].xxxx\nADD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx\n" * depth + "ENDIF\n" * depth
    result = both(text + body + "MOV OUT[0], TEMP[0].xxxx\nEND\n", f32([[[1, 0, 0, 0]], [[0, 0, 0, 0]]]))
    assert result.floats[:, 0, 0].tolist() == [depth, 0]


def test_every_patch_varying_that_the_cap_counts_reaches_the_evaluation_shader() -> None:
    count = cap("MAX_SHADER_PATCH_VARYINGS")
    picture = Picture(4, 4)
    ctx = picture.ctx
    outs = "".join(f"DCL OUT[{k + 2}], PATCH[{k}]\n" for k in range(count))
    imms = "".join(f"IMM[{k}] FLT32 {{{float(k + 1)}, 0.0, 0.0, 0.0}}\n" for k in range(count))
    moves = "".join(f"MOV OUT[{k + 2}], IMM[{k}].xxxx\n" for k in range(count))
    ctx.bind_tcs_state(
        ctx.create_tcs_state(
            "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL SV[0], INVOCATIONID\n"
            "DCL OUT[][0], POSITION\nDCL OUT[1], TESSOUTER\n"
            f"DCL ADDR[0]\n{outs}{imms}UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\n"
            f"MOV OUT[1], IMM[0].xxxx\n{moves}END\n"
        )
    )
    ins = "".join(f"DCL IN[{k + 1}], PATCH[{k}]\n" for k in range(count))
    sums = "".join(f"ADD TEMP[0], TEMP[0], IN[{k + 1}]\n" for k in range(count))
    ctx.bind_tes_state(
        ctx.create_tes_state(
            "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\n"
            f"DCL OUT[1], GENERIC[0]\nDCL TEMP[0..1]\n{ins}MUL TEMP[1], IN[0][0], SV[0].xxxx\nMAD TEMP[1], IN[1][0], SV[0].yyyy, TEMP[1]\n"
            f"MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[1]\n{sums}MOV OUT[1], TEMP[0]\nEND\n"
        )
    )
    triangle = f32([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]])
    picture.draw(
        "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
        PASS,
        triangle,
        mode="PATCHES",
        vertices_per_patch=3,
    )
    assert picture.pixels()[0, 0, 0] == sum(range(1, count + 1))
