"""Values of a patch between tessellation programs: plain ones, blocks, arrays of blocks, with and without names and locations."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.picture import screen

pytestmark = needs_glslang

VERTEX = "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }"
CONTROL = """layout(vertices = 3) out;
{declarations}
void main() {{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;
    {body}
}}"""
EVALUATION = """layout(triangles) in;
{declarations}
out vec4 color;
void main() {{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
    color = {value};
}}"""
FRAGMENT = "in vec4 color; out vec4 c; void main() { c = color; }"


def drawn(declarations: str, body: str, value: str, version: str = "430", evaluation: str | None = None) -> list[float]:
    """A color that a control program hands over a patch. Declarations say `out`; those of the evaluation program `in`."""
    there = declarations.replace(" out ", " in ") if evaluation is None else evaluation
    head = f"#version {version}\n" + "precision highp float;\n" * version.endswith("es")
    context = screen().context_create()
    target = screen().resource_create(format="R32G32B32A32_FLOAT", width0=4, height0=4)
    context.set_framebuffer_state(cbufs=[target])
    context.set_viewport_states([{"scale": (2, -2, 0.5), "translate": (2, 2, 0.5)}])
    context.bind_vs_state(context.create_vs_state(head + VERTEX))
    context.bind_tcs_state(context.create_tcs_state(head + CONTROL.format(declarations=declarations, body=body)))
    context.bind_tes_state(context.create_tes_state(head + EVALUATION.format(declarations=there, value=value)))
    context.bind_fs_state(context.create_fs_state(head + FRAGMENT))
    context.bind_rasterizer_state(context.create_rasterizer_state(half_pixel_center=True))
    context.set_patch_vertices(3)
    context.draw_vbo(mode="PATCHES", count=3)
    return [float(number) for number in np.asarray(target).reshape(4, 4, 4)[2, 1]]


CASES = {
    "plain values": ("patch out vec2 a; patch out vec2 b;", "a = vec2(1, 2); b = vec2(3, 4);", "vec4(a, b)"),
    "a block": ("patch out P { vec2 a; float q[2]; } p;", "p.a = vec2(1, 2); p.q[0] = 3.0; p.q[1] = 4.0;", "vec4(p.a, p.q[0], p.q[1])"),
    "a block without a name": ("patch out P { vec2 a; vec2 b; };", "a = vec2(1, 2); b = vec2(3, 4);", "vec4(a, b)"),
    "an array of blocks": ("patch out P { vec2 a; } p[2];", "p[0].a = vec2(1, 2); p[1].a = vec2(3, 4);", "vec4(p[0].a, p[1].a)"),
    "an index of elements": (
        "patch out P { vec2 a; float q[2]; } p;",
        "p.a = vec2(1, 2); if (gl_InvocationID < 2) p.q[gl_InvocationID] = float(gl_InvocationID + 3);",
        "vec4(p.a, p.q[int(gl_TessCoord.x * 0.0)], p.q[int(gl_TessCoord.x * 0.0) + 1])",
    ),
    "an index of blocks": (
        "patch out P { vec2 a; } p[2];",
        "if (gl_InvocationID < 2) p[gl_InvocationID].a = vec2(1, 2) + float(2 * gl_InvocationID);",
        "vec4(p[int(gl_TessCoord.x * 0.0)].a, p[int(gl_TessCoord.x * 0.0) + 1].a)",
    ),
    "structs and matrices": (
        "struct S { vec2 a; float b; }; patch out P { mat2 m; S s[2]; } p;",
        "p.m = mat2(1, 9, 9, 2); p.s[0] = S(vec2(9, 3), 9.0); p.s[1] = S(vec2(9), 4.0);",
        "vec4(p.m[0].x, p.m[1].y, p.s[0].a.y, p.s[1].b)",
    ),
    "whole blocks beside values of vertices": (
        "patch out P { vec2 a; } p; out V { vec2 b; } v[]; patch out float c;",
        "p.a = vec2(1, 2); v[gl_InvocationID].b = vec2(3, 0); c = 4.0;",
        "vec4(p.a, v[1].b.x, c)",
    ),
}
LOCATED = {
    "a block with a location": (
        "layout(location = 3) patch out P { vec2 a; vec2 b; } p;",
        "p.a = vec2(1, 2); p.b = vec2(3, 4);",
        "vec4(p.a, p.b)",
    ),
    "members with locations": (
        "patch out P { layout(location = 4) vec2 a; layout(location = 1) vec2 b; } p;",
        "p.a = vec2(1, 2); p.b = vec2(3, 4);",
        "vec4(p.a, p.b)",
    ),
    "located and unlocated values": (
        "patch out vec2 a; layout(location = 0) patch out P { vec2 b; } p;",
        "a = vec2(1, 2); p.b = vec2(3, 4);",
        "vec4(a, p.b)",
    ),
    "members of locations that others would get": (
        "patch out vec2 a; patch out P { layout(location = 0) float b; layout(location = 2) float c; } p;",
        "a = vec2(1, 2); p.b = 3.0; p.c = 4.0;",
        "vec4(a, p.b, p.c)",
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("version", ["430", "320 es"])
def test_values_of_a_patch_arrive(case: str, version: str) -> None:
    assert drawn(*CASES[case], version) == [1, 2, 3, 4]


@pytest.mark.parametrize("case", LOCATED)
def test_values_of_a_patch_with_locations_arrive(case: str) -> None:
    assert drawn(*LOCATED[case], "440") == [1, 2, 3, 4]


@pytest.mark.parametrize("version", ["430", "320 es"])
def test_values_that_only_one_stage_uses_do_not_move_the_others(version: str) -> None:
    declarations = "patch out vec4 a; patch out P { vec4 b; vec4 c; } p; patch out vec4 d;"
    body = "a = vec4(9); p.b = vec4(8); p.c = vec4(1, 2, 3, 4); d = vec4(7);"
    assert drawn(declarations, body, "p.c", version) == [1, 2, 3, 4]
    assert drawn(declarations, "a = d = vec4(0); p.c = vec4(1, 2, 3, 4);", "p.c + a + d", version) == [1, 2, 3, 4]


def test_a_patch_block_is_in_the_interface_with_its_members() -> None:
    text = "#version 430\n" + CONTROL.format(declarations="patch out P { vec3 w; float q[2]; } pb[2];", body="pb[1].w = vec3(1);")
    program = tgsi.compile(text, stage="tesc")
    assert program.interface is not None
    outputs = program.interface.outputs
    assert {"P[0].w", "P[0].q", "P[1].w", "P[1].q"} <= set(outputs)
    assert len({outputs[name].semantic for name in outputs}) == len(outputs)


@pytest.mark.parametrize("index", ["2 - gl_InvocationID", "int(gl_InvocationID)"])
def test_invocations_write_components_of_one_value_beside_each_other(index: str) -> None:
    """Each invocation picks its component while the program runs; reading and writing the whole vector would undo what others write."""
    places = [0, 1, 2] if index.startswith("int") else [2, 1, 0]
    found = drawn("patch out vec4 v;", f"if (gl_InvocationID == 0) v = vec4(9.0); barrier(); v.wxy[{index}] = float(gl_InvocationID);", "v")
    expected = [9.0] * 4
    for invocation, place in enumerate(places):
        expected[(3, 0, 1)[place]] = float(invocation)
    assert found == expected


def test_invocations_write_levels_beside_each_other() -> None:
    found = drawn(
        "patch out float unused;",
        "gl_TessLevelOuter[gl_InvocationID] = float(gl_InvocationID + 1);",
        "vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], 1.0)",
        evaluation="",
    )
    assert found == [1.0, 2.0, 3.0, 1.0]
