"""Numbers that GLSL leaves open: limits of a NaN, integers of large floats, denormal numbers, as OpenGL's drivers have them."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = needs_glslang

NAN, DENORMAL = float("nan"), 1e-40

CASES = {
    "max(0.25, n)": 0.25,
    "max(n, 0.25)": 0.25,
    "min(0.25, n)": 0.25,
    "min(n, 0.25)": 0.25,
    "max(n, v)": 0.75,
    "max(v, n)": 0.75,
    "min(n, v)": 0.75,
    "min(v, n)": 0.75,
    "clamp(n, 0.25, 0.5)": 0.25,
    "clamp(n, 0.0, 1.0)": 0.0,
    "smoothstep(0.0, 1.0, n)": 0.0,
    "max(vec2(n, v), vec2(v, n)).y": 0.75,
    "max(max(n, n), v)": 0.75,
    "float(int(v * 1e20))": 2.0**31,
    "float(int(v * -1e20))": -(2.0**31),
    "float(d > 0.0)": 0.0,
    "float(d == 0.0)": 1.0,
    "float(d != 0.0)": 0.0,
    "float(n != 0.0)": 1.0,
    "float(n == 0.0)": 0.0,
}
HLSL = {text: result for text, result in CASES.items() if "vec2" not in text}


def _run(program: tgsi.Program, engine: str) -> float:
    inputs = np.array([[[NAN, 0.75, DENORMAL, 0]]], np.float32)
    return float(tgsi.run(program, inputs, engine=engine).floats[0, 0, 0])


def _glsl(text: str) -> str:
    return f"#version 330\nin vec4 i; out vec4 c; void main() {{ float n = i.x, v = i.y, d = i.z; c = vec4({text}); }}"


@pytest.mark.parametrize("text", CASES)
def test_a_text_has_the_number_that_drivers_give(text: str) -> None:
    program = tgsi.compile(_glsl(text), stage="frag")
    assert [_run(program, engine) for engine in ("interp", "jit")] == [CASES[text]] * 2


@pytest.mark.parametrize("text", HLSL)
def test_hlsl_has_the_number_that_drivers_give(text: str) -> None:
    source = f"float4 main(float4 i : A) : SV_Target {{ float n = i.x, v = i.y, d = i.z; return float4({text}, 0, 0, 0); }}"
    assert _run(tgsi.compile(source, stage="frag", language="hlsl"), "jit") == CASES[text]


def test_a_module_has_the_numbers_of_its_text_and_the_reader_those_of_the_module() -> None:
    program = tgsi.parse("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMAX OUT[0], IN[0].yyyy, IN[0].xxxx\nEND\n")
    module = tgsi.write_spirv(program)
    assert _run(tgsi.compile(module), "jit") == 0.75
    assert np.isnan(_run(tgsi.read_spirv(module), "jit"))


def test_a_drawn_text_and_one_that_is_run_give_the_same_numbers() -> None:
    quad = "#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }"
    fragment = "#version 330\nuniform float n; out vec4 c; void main() { c = vec4(max(0.25, n), min(n, 0.5), clamp(n, 0.0, 1.0), n); }"
    with tgsi.Screen(threads=0) as screen:
        context = screen.context_create()
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=2, height0=2)
        context.set_framebuffer_state(cbufs=[target])
        context.set_viewport_states([{"scale": (1, -1, 0.5), "translate": (1, 1, 0.5)}])
        context.bind_vs_state(context.create_vs_state(quad))
        context.bind_fs_state(context.create_fs_state(fragment))
        context.set_uniforms({"n": NAN})
        context.draw_vbo(mode="TRIANGLES", count=3)
        assert np.asarray(target).reshape(-1, 4)[0, :3].tolist() == [0.25, 0.5, 0.0]
