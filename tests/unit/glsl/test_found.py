"""Faults that piglit's shaders found: integer functions, wide attributes, chosen components, the front of triangles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tgsi
from tests.unit.glsl.glslang import needs_glslang

pytestmark = [needs_glslang, pytest.mark.light]

WORDS = [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x12345678, 0xFFFF8000, 0x00018001]
FUNCTIONS: list[tuple[str, Callable[[int, int, int, int], int]]] = [
    ("absoluteDifference(a, b)", lambda a, b, low, high: abs(a - b)),
    ("addSaturate(a, b)", lambda a, b, low, high: min(max(a + b, low), high)),
    ("subtractSaturate(a, b)", lambda a, b, low, high: min(max(a - b, low), high)),
    ("average(a, b)", lambda a, b, low, high: (a + b) >> 1),
    ("averageRounded(a, b)", lambda a, b, low, high: (a + b + 1) >> 1),
]


@pytest.mark.parametrize("engine", ["jit", "interp"])
@pytest.mark.parametrize("kind", ["int", "uint", "int64_t", "uint64_t"])
def test_integer_functions_do_not_overflow(kind: str, engine: str) -> None:
    wide, signed = "64" in kind, not kind.startswith("u")
    values = [word << 32 | other for word, other in zip(WORDS, reversed(WORDS), strict=True)] if wide else WORDS
    pairs = [(a, b) for a in values for b in values]
    bits = 64 if wide else 32
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    numbers = [[value - (1 << bits) if signed and value > high else value for value in pair] for pair in pairs]
    results = "; ".join(f"r[{place}] = u{kind.lstrip('u')}({text})" for place, (text, _) in enumerate(FUNCTIONS))
    read = f"{kind} a = {kind}(packUint2x32(v.xy)), b = {kind}(packUint2x32(v.zw))" if wide else f"{kind} a = {kind}(v.x), b = {kind}(v.y)"
    write = "unpackUint2x32(uint64_t(r[i]))" if wide else "uvec2(r[i], 0u)"
    text = f"""#version 450
    #extension GL_ARB_gpu_shader_int64 : require
    #extension GL_INTEL_shader_integer_functions2 : require
    layout(location = 0) in uvec4 v; layout(location = 0) out uvec2 c[{len(FUNCTIONS)}];
    void main() {{
      {read}; u{kind.lstrip("u")} r[{len(FUNCTIONS)}];
      {results};
      for (int i = 0; i < {len(FUNCTIONS)}; i++) c[i] = {write};
    }}"""
    program = tgsi.compile(text, stage="vert")
    inputs = np.zeros((len(pairs), 1, 4), np.uint32)
    inputs[:, 0] = [[a & 0xFFFFFFFF, a >> 32, b & 0xFFFFFFFF, b >> 32] if wide else [a, b, 0, 0] for a, b in pairs]
    found = tgsi.run(program, inputs.view(np.float32), engine=engine).outputs.view(np.uint32)
    for place, (_, function) in enumerate(FUNCTIONS):
        wanted = [function(a, b, low, high) & (1 << bits) - 1 for a, b in numbers]
        seen = found[:, place, 0].astype(np.uint64) | found[:, place, 1].astype(np.uint64) << np.uint64(32)
        assert seen.tolist() == wanted


def test_zeros_are_counted_and_low_halves_are_multiplied() -> None:
    text = """#version 450
    #extension GL_INTEL_shader_integer_functions2 : require
    layout(location = 0) in uvec2 v; layout(location = 0) out uvec4 c;
    void main() {
      c = uvec4(countLeadingZeros(v.x), countTrailingZeros(v.x), multiply32x16(int(v.x), int(v.y)), multiply32x16(v.x, v.y)); }"""
    inputs = np.zeros((len(WORDS), 1, 4), np.uint32)
    inputs[:, 0, 0], inputs[:, 0, 1] = WORDS, WORDS[::-1]
    found = tgsi.run(tgsi.compile(text, stage="vert"), inputs.view(np.float32), engine="interp").outputs.view(np.uint32)[:, 0]
    for row, (a, b) in zip(found.tolist(), zip(WORDS, WORDS[::-1], strict=True), strict=True):
        low = b & 0xFFFF
        signed = low - (low >> 15 << 16)
        trailing = 32 if a == 0 else (a & -a).bit_length() - 1
        assert row == [32 - a.bit_length(), trailing, a * signed & 0xFFFFFFFF, a * low & 0xFFFFFFFF]


def test_attributes_after_wide_vectors_have_registers_of_their_own() -> None:
    text = "#version 410\nin vec4 a; in dvec4 b; in dmat2x3 m; in vec3 p; out vec4 c;\n"
    text += "void main() { gl_Position = vec4(p, a.x); c = vec4(b) + float(m[1].z); }"
    program = tgsi.compile(text, stage="vert")
    assert program.interface is not None
    taken: list[int] = []
    for port in program.interface.inputs.values():
        taken += range(port.location, port.location + port.registers)
    assert sorted(taken) == list(range(8))
    stated = "#version 410\nlayout(location = 1) in dvec3 b; layout(location = 4) in vec3 p;\nvoid main() { gl_Position = vec4(p, b.z); }"
    found = tgsi.compile(stated, stage="vert").interface
    assert found is not None
    assert {port.name: port.location for port in found.inputs.values()} == {"b": 1, "p": 4}


def drawn(fragment: str, uniforms: dict[str, Any], **rasterizer: Any) -> list[float]:
    """The one pixel of a draw as docs/glsl.md sets the viewport: the upper row first."""
    vertex = """#version 330
    out vec3 v;
    void main() { vec2 p = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1); v = vec3(1, 2, 3); gl_Position = vec4(p, 0, 1); }"""
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=1, height0=1)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (0.5, -0.5, 0.5), "translate": (0.5, 0.5, 0.5)}])
        ctx.bind_rasterizer_state(ctx.create_rasterizer_state(**rasterizer))
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(fragment))
        if uniforms:
            ctx.set_uniforms(uniforms)
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        found: list[float] = np.array(ctx.transfer_map(target, usage="READ")).view(np.float32).ravel().tolist()
        return found


def test_triangles_that_turn_left_in_opengl_are_in_front_with_front_ccw() -> None:
    text = "#version 330\nout vec4 c;\nvoid main() { c = vec4(gl_FrontFacing ? 1 : 2); }"
    assert drawn(text, {}, front_ccw=True) == [1, 1, 1, 1]
    assert drawn(text, {}, front_ccw=False) == [2, 2, 2, 2]


@pytest.mark.parametrize("component", range(3))
def test_a_component_that_a_uniform_chooses_is_interpolated_at_a_place(component: int) -> None:
    text = "#version 440\nin vec3 v; uniform int n; out vec4 c;\n"
    text += "void main() { c = vec4(interpolateAtOffset(v[n], vec2(0)), interpolateAtCentroid(v[n]), v[n], 0); }"
    assert drawn(text, {"n": component}) == [component + 1, component + 1, component + 1, 0]


def test_an_array_of_structs_takes_no_more_elements_than_it_has() -> None:
    text = "#version 330\nstruct Light { vec2 at; float power; }; uniform Light lights[2]; out vec4 c;\n"
    text += "void main() { c = vec4(lights[0].at, lights[0].power, lights[1].power); }"
    light = {"at": (1, 2), "power": 3}
    assert drawn(text, {"lights": [light, {"power": 4}]}) == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="set_uniforms: lights: expected 2 elements at most, not 3"):
        drawn(text, {"lights": [light] * 3})
