"""Values between stages have one type in both: OpenGL refuses to link programs that state two."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang
from tests.unit.picture import screen
from tgsi.language.diagnostics import LinkError

pytestmark = needs_glslang

CORNERS = "gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1);"


def vertex(declarations: str, body: str, version: int = 440) -> str:
    return f"#version {version}\n{declarations}\nvoid main() {{ {body} {CORNERS} }}"


def fragment(declarations: str, value: str, version: int = 440) -> str:
    return f"#version {version}\n{declarations}\nout vec4 c;\nvoid main() {{ c = {value}; }}"


WRONG = {
    "floats and integers": ("out vec3 tint;", "tint = vec3(1);", "flat in ivec3 tint;", "vec4(tint, 1)", "vec3 tint", "ivec3 tint"),
    "integers and unsigned ones": ("flat out int k;", "k = 1;", "flat in uint k;", "vec4(k)", "int k", "uint k"),
    "sizes of vectors": ("out vec4 tint;", "tint = vec4(1);", "in vec3 tint;", "vec4(tint, 1)", "vec4 tint", "vec3 tint"),
    "sizes of arrays": ("out float a[2];", "a[0] = a[1] = 1.0;", "in float a[3];", "vec4(a[2])", "float[2] a", "float[3] a"),
    "matrices and vectors": ("out mat2 m;", "m = mat2(1);", "in vec2 m;", "vec4(m, 0, 1)", "mat2 m", "vec2 m"),
    "members of blocks": (
        "out P { vec3 a; vec2 b; } p;",
        "p.a = vec3(1); p.b = vec2(1);",
        "in P { vec3 a; flat ivec2 b; } q;",
        "vec4(q.b, 0, 1)",
        "vec2 P.b",
        "ivec2 P.b",
    ),
    "structs": (
        "struct S { vec4 a; }; out S s;",
        "s.a = vec4(1);",
        "struct S { vec4 a; vec4 b; }; in S s;",
        "s.a + s.b",
        "struct s",
        "struct s",
    ),
    "numbers at one location": (
        "layout(location = 1) out vec3 a;",
        "a = vec3(1);",
        "layout(location = 1) flat in uvec3 b;",
        "vec4(b, 1)",
        "vec3 a",
        "uvec3 b",
    ),
}
RIGHT = {
    "the same type": ("out vec3 tint;", "tint = vec3(1);", "in vec3 tint;", "vec4(tint, 1)"),
    "another interpolation": ("out vec3 tint;", "tint = vec3(1);", "flat in vec3 tint;", "vec4(tint, 1)"),
    "fewer numbers at one location": (
        "layout(location = 1) out vec4 a;",
        "a = vec4(1);",
        "layout(location = 1) in vec3 b;",
        "vec4(b, 1)",
    ),
    "an input that is not used": ("out vec3 tint; out float a;", "tint = vec3(1); a = 1.0;", "flat in ivec3 tint; in float a;", "vec4(a)"),
}


def draw(first: object, second: object) -> list[float]:
    context = screen().context_create()
    target = screen().resource_create(format="R32G32B32A32_FLOAT", width0=2, height0=2)
    context.set_framebuffer_state(cbufs=[target])
    context.set_viewport_states([{"scale": (1, -1, 0.5), "translate": (1, 1, 0.5)}])
    context.bind_vs_state(context.create_vs_state(first))  # type: ignore[arg-type]
    context.bind_fs_state(context.create_fs_state(second))  # type: ignore[arg-type]
    for _ in range(2):
        context.draw_vbo(mode="TRIANGLES", count=3)
    return [float(number) for number in np.asarray(target).reshape(-1, 4)[0]]


@pytest.mark.parametrize("case", WRONG)
def test_two_types_of_one_value_are_an_error_that_names_both(case: str) -> None:
    outputs, body, inputs, value, one, other = WRONG[case]
    first, second = vertex(outputs, body), fragment(inputs, value)
    found = tgsi.findings(tgsi.compile(first, stage="vert"), tgsi.compile(second, stage="frag"))
    assert [item.code for item in found] == ["K008"]
    assert f"`{one}` in the VERT program" in found[0].message
    assert f"`{other}` in the FRAG program" in found[0].message
    for call in (tgsi.link, draw):
        with pytest.raises(LinkError, match="K008"):
            call(first, second)


@pytest.mark.parametrize("case", RIGHT)
def test_values_that_fit_are_drawn(case: str) -> None:
    outputs, body, inputs, value = RIGHT[case]
    first, second = vertex(outputs, body), fragment(inputs, value)
    assert not [item for item in tgsi.findings(first, second) if item.code == "K008"]
    assert draw(first, second) == [1, 1, 1, 1]


def test_a_draw_of_programs_that_fit_follows_a_refused_one() -> None:
    first, wrong = vertex("out vec3 tint;", "tint = vec3(1);"), fragment("flat in ivec3 tint;", "vec4(tint, 1)")
    with pytest.raises(LinkError):
        draw(first, wrong)
    assert draw(first, fragment("in vec3 tint;", "vec4(tint, 1)")) == [1, 1, 1, 1]


def test_types_are_compared_before_every_stage() -> None:
    geometry = """#version 440
layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
flat in ivec3 tint[];
void main() { gl_Position = vec4(tint[0], 1); EmitVertex(); }"""
    found = tgsi.findings(tgsi.compile(vertex("out vec3 tint;", "tint = vec3(1);"), stage="vert"), tgsi.compile(geometry, stage="geom"))
    assert [item.code for item in found] == ["K008"]
    fine = geometry.replace("flat in ivec3", "in vec3")
    assert not tgsi.findings(tgsi.compile(vertex("out vec3 tint;", "tint = vec3(1);"), stage="vert"), tgsi.compile(fine, stage="geom"))


def test_values_of_a_patch_that_lie_at_two_places_are_an_error() -> None:
    control = """#version 430
layout(vertices = 3) out; patch out vec4 a; patch out vec4 b;
void main() { a = vec4(1); b = vec4(2); gl_TessLevelOuter[0] = 1.0; }"""
    evaluation = "#version 430\nlayout(triangles) in; patch in vec4 b; void main() { gl_Position = b; }"
    found = tgsi.findings(tgsi.compile(control, stage="tesc"), tgsi.compile(evaluation, stage="tese"))
    assert [item.code for item in found if item.code == "K008"] == ["K008"]
    assert "PATCH[1]" in found[0].message


def test_hlsl_may_read_fewer_numbers_than_are_written() -> None:
    first = "void main(uint id : SV_VertexID, out float4 p : SV_Position, out float4 t : TEXCOORD0) { p = 0; t = id; }"
    second = "float4 main(float4 p : SV_Position, float2 uv : TEXCOORD0) : SV_Target { return float4(uv, 0, 1); }"
    wrong = second.replace("float2 uv", "nointerpolation int2 uv")
    one = tgsi.compile(first, stage="vert", language="hlsl")
    assert not [item for item in tgsi.findings(one, tgsi.compile(second, stage="frag", language="hlsl")) if item.code == "K008"]
    assert [item.code for item in tgsi.findings(one, tgsi.compile(wrong, stage="frag", language="hlsl"))] == ["K008"]
