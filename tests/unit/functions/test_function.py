"""`tgsi.function`: functions of GLSL and programs of TGSI, called from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from frontends.glsl.functions import signatures
from tests.unit.glsl.glslang import needs_glslang

TEXT = """#version 330
#define TWICE(x) ((x) + (x))
uniform float gain;
uniform sampler2D map;
struct Light { vec3 at; };
float square(float x) { return x * x; }
int square(int x) { return x * x; }
vec3 brighten(const in vec3 color) { return color * gain; }
vec3 mixed(mat2x3 m, uint k, bool pick, out float q, inout int w[2], float[3] z) {
    q = float(k); w[0] += 5; w[1] = -w[1];
    return pick ? m[1] + z[2] : TWICE(m[0]);
}
vec4 look(sampler2D t, vec2 at) { return textureLod(t, at, 0.0); }
float slope(float x) { return dFdx(x); }
float lit(Light light) { return light.at.x; }
double half_of(double x) { return x / 2.0LF; }
out vec4 color;
void main() { color = vec4(square(2.0)); }
"""
ENGINES = pytest.mark.parametrize("engine", ["jit", "interp"])


def of(name: str, **options: Any) -> Any:
    text = TEXT if name == "half_of" else TEXT.replace("double half_of(double x) { return x / 2.0LF; }", "")
    return tgsi.function(text.replace("330", "400") if name == "half_of" else text, name, **options)


@needs_glslang
@ENGINES
def test_values_of_all_kinds_go_in_and_come_back(engine: str) -> None:
    mixed = of("mixed", engine=engine)
    matrix = [[1, 2], [3, 4], [5, 6]]
    value, q, w = mixed(matrix, np.uint32(1 << 31), np.array([True, False]), [1, 2], [0, 0, 0.5])
    assert value.tolist() == [[2.5, 4.5, 6.5], [2, 6, 10]]
    assert (q.tolist(), q.dtype) == ([2.0**31] * 2, np.float32)
    assert (w.tolist(), w.dtype) == ([[6, -2]] * 2, np.int32)


@needs_glslang
@pytest.mark.parametrize("stage", ["vert", "frag", "comp"])
def test_axes_are_broadcast_in_every_stage(stage: str) -> None:
    text = "vec2 sum(vec2 a, float b) { return a + b; }"
    total = tgsi.function(f"#version 300 es\nprecision highp float;\n{text}", "sum", stage=stage)
    a, b = np.arange(60, dtype=np.float32).reshape(5, 1, 6, 2), np.arange(42, dtype=np.float32).reshape(7, 6)
    assert np.array_equal(total(a, b), a + b[..., None])
    assert total(np.zeros((0, 2)), 1.0).shape == (0, 2)
    one = total([1, 2], 0.5)
    assert (one.shape, one.tolist()) == ((2,), [1.5, 2.5])


@needs_glslang
def test_overloads_are_told_apart_by_kind_and_the_result_is_a_number() -> None:
    square = of("square")
    assert (square(3), square(1.5)) == (9, 2.25)
    assert (square(3).dtype, square(1.5).dtype) == (np.int32, np.float32)
    assert str(square).count("square(") == 2


@needs_glslang
def test_quads_of_fragments_have_derivatives_and_doubles_keep_their_bits() -> None:
    assert of("slope", stage="frag")([0.0, 1, 4, 9]).tolist() == [5, 5, 5, 5]  # those of the row that the language takes for the quad
    assert of("half_of")(0.1) == 0.05


@needs_glslang
def test_uniforms_and_textures_are_wanted_by_name() -> None:
    assert of("brighten", uniforms={"gain": 2})([1, 2, 3]).tolist() == [2, 4, 6]
    with pytest.raises(ValueError, match=r"it reads the uniform gain, float; give it: uniforms=\{'gain'"):
        of("brighten")([1, 2, 3])
    texels = np.array([[[[1, 2, 3, 4]]]], np.float32).view(np.uint8).reshape(1, 1, 1, 16)
    texture = tgsi.TextureData(tgsi.gallium.Format.R32G32B32A32_FLOAT, (texels,))
    assert of("look")(texture, [[0.5, 0.5], [0, 0]]).tolist() == [[1, 2, 3, 4]] * 2


@needs_glslang
@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("brihgten", (), "has no function 'brihgten'; did you mean 'brighten'"),
        ("brighten", (), r"vec3 brighten\(vec3 color\): expected 1 arguments, not 0"),
        ("brighten", ([1, 2],), r"argument 1, color: expected vec3, an array of \(..., 3\), not of \(2,\)"),
        ("brighten", ("red",), "expected vec3"),
        ("mixed", (np.eye(2), 1, True, [1, 2], [1, 2, 3]), r"expected mat2x3, an array of \(..., 3, 2\)"),
        ("mixed", (np.zeros((3, 2)), -1, True, [1, 2], [1, 2, 3]), "uint holds 0 to"),
        ("mixed", (np.zeros((3, 2)), 1.5, True, [1, 2], [1, 2, 3]), "whole numbers"),
        ("mixed", (np.zeros((3, 2)), 1, 1, [1, 2], [1, 2, 3]), "True or False"),
        ("mixed", (np.zeros((4, 3, 2)), np.arange(3), True, [1, 2], [1, 2, 3]), "cannot be broadcast"),
        ("look", (np.zeros((2, 2)), [0, 0]), "expected sampler2D, a tgsi.TextureData, not ndarray"),
        ("lit", (1,), "values of type Light cannot be passed"),
    ],
)
def test_wrong_calls_name_function_argument_and_type(name: str, arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        of(name, uniforms={"gain": 1.0})(*arguments)


@needs_glslang
def test_a_mistake_in_the_text_shows_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.glsl"
    file.write_text("#version 330\nfloat f(float x) {\n    return y;\n}\n")
    with pytest.raises(tgsi.ParseError, match=r"broken\.glsl:3"):
        tgsi.function(file, "f")(1.0)


@ENGINES
def test_a_program_of_tgsi_is_called_by_its_inputs(engine: str) -> None:
    text = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nADD OUT[0], IN[0], IN[1]\nMUL OUT[1], IN[0], IN[1]\nEND"
    total, product = tgsi.function(text, engine=engine)(np.arange(8.0).reshape(2, 4), [1, 2, 3, 4])
    assert total.tolist() == [[1, 3, 5, 7], [5, 7, 9, 11]]
    assert product.tolist() == [[0, 2, 6, 12], [4, 10, 18, 28]]
    with pytest.raises(ValueError, match="only function is 'main'"):
        tgsi.function(text, "other")
    with pytest.raises(TypeError, match="2 input registers, and 1"):
        tgsi.function(text)([1, 2, 3, 4])


@pytest.mark.parametrize(
    "text", ["float f ( float [ ) {", "f ( const ) { float g ( in ) {", "float f ( float x [ 99999999999 ] ) {", "( ( ) ) {", ""]
)
def test_broken_texts_have_signatures_or_none(text: str) -> None:
    for item in signatures(text.split(), str):
        assert str(item)
