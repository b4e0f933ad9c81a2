"""Subroutines in GLSL: a uniform holds the number of the function that is called."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = needs_glslang

TEXT = """#version 430
subroutine float Kind(float a, inout float b, float[2], const in float c[2]);
subroutine(Kind) float plus(float a, inout float b, float d[2], float[2] e) { b += 1.0; return a + d[1] + e[0]; }
layout(index = 5) subroutine(Kind) float times(float a, inout float b, float d[2], float e[2]) { b *= 4.0; return a * d[0] * e[1]; }
subroutine uniform Kind kinds[2];
out vec4 c;
void main()
{
    float b = 3.0;
    float[2] d = float[2](2.0, 5.0);
    float first = kinds[0](kinds[1](2.0, b, d, d), b, d, d);
    c = vec4(first, b, float(kinds.length()), 0.0);
}
"""


def test_calls_go_to_the_function_of_the_number() -> None:
    program = tgsi.compile(TEXT, stage="frag", language="glsl")
    face = program.interface
    assert face is not None
    assert face.uniforms is not None
    assert dict(face.subroutines) == {"plus": 0, "times": 5}
    assert face.subroutine_uniforms["kinds"].compatible == (0, 5)
    for chosen, wanted in {
        (0, 0): (16.0, 5.0),
        (0, 5): (27.0, 13.0),
        (5, 0): (90.0, 16.0),
        (5, 5): (200.0, 48.0),
        (9, 9): (16.0, 5.0),
    }.items():
        data = np.frombuffer(bytes(face.uniforms.pack({"kinds": chosen})) + bytes(-face.uniforms.size % 16), np.float32)
        found = tgsi.run(program, np.zeros((4, 0, 4), np.float32), constants={0: data.reshape(-1, 4)}).floats
        assert found[0, 0].tolist() == [*wanted, 2.0, 0.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("subroutine float K(float x); subroutine(K) int f(float x) { return 1; }", "`f` differs from `K` in its parameters or result"),
        ("subroutine float K(float x); subroutine(K) float f(out float x) { return 1.0; }", "`f` differs from `K` in its parameters"),
        ("subroutine(K) float f() { return 1.0; }", "`K` is not a subroutine type"),
        ("subroutine uniform K u;", "`K` is not a subroutine type"),
        ("subroutine K;", "a subroutine type is declared like a function"),
        ("subroutine float K(); subroutine(K)", "expected a function after"),
        ("subroutine float K(); layout(binding = 1) subroutine uniform K u;", "subroutines have no layout `binding`"),
        ("subroutine float K(); layout(index = 1 + 1) subroutine(K) float f() { return 1.0; }", "`index` of a subroutine must be a number"),
        ("subroutine float K(); layout(index = 256) subroutine(K) float f() { return 1.0; }", "`f` has index 256; the largest is 255"),
        (
            "subroutine float K(); layout(index = 1) subroutine(K) float f() { return 1.0; } "
            "layout(index = 1) subroutine(K) float g() { return 1.0; }",
            "two subroutines have the same index",
        ),
        ("subroutine float K(); subroutine uniform K u; subroutine(K) float f() { return u(); }", "GLSL has no recursion"),
        ("subroutine", "a subroutine type is declared like a function"),
        ("subroutine uniform", "is not a subroutine type"),
    ],
)
def test_mistakes_are_reported_at_their_place(text: str, message: str) -> None:
    with pytest.raises(tgsi.ParseError) as error:
        tgsi.compile(f"#version 430\nout vec4 c; void main() {{ c = vec4(0.0); }}\n{text}", stage="frag", language="glsl")
    assert message in str(error.value)
    assert error.value.diagnostics[0].labels[0].span.line >= 3


def test_a_name_of_older_versions_stays_a_name() -> None:
    text = "#version 330\nout vec4 c; uniform float subroutine; void main() { c = vec4(subroutine); }"
    program = tgsi.compile(text, stage="frag", language="glsl")
    assert program.interface is not None
    assert program.interface.uniforms is not None
    assert [*program.interface.uniforms.members] == ["subroutine"]


def test_the_extension_brings_subroutines_to_older_versions() -> None:
    text = "#version 150\n#extension GL_ARB_shader_subroutine : require\n" + TEXT.partition("\n")[2].replace("layout(index = 5) ", "")
    program = tgsi.compile(text, stage="frag", language="glsl")
    assert program.interface is not None
    assert dict(program.interface.subroutines) == {"plus": 0, "times": 1}
