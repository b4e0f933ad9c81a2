"""Programs with a thousand nested blocks: texts of GLSL and of TGSI, in both engines and in draws."""

from __future__ import annotations

import numpy as np
import pytest

import tgsi
from tests.nights import sampled
from tests.unit.glsl.glslang import needs_glslang

KINDS = ("elseif", "nested", "ternary", "switch", "returns", "loop")
TRIANGLE = np.array([[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]], np.float32)


def glsl(kind: str, cases: int) -> str:
    """A program whose output is the number of the case that its input chooses, or -1 for others."""
    numbers = range(cases)
    tools, body = "", ""
    if kind == "elseif":
        body = "float r = -1.0; " + "".join(f"{'else ' * (k > 0)}if (k == {k}) r = {k}.0;\n" for k in numbers)
    elif kind == "nested":
        body = (
            "float r = -1.0; if (k >= 0) {" + "".join(f" r += 1.0; if (k > {k}) {{\n" for k in numbers[:-1]) + " r += 1.0; " + "}" * cases
        )
        body += f" if (k >= {cases}) r = -1.0;"
    elif kind == "ternary":
        body = "float r = " + "".join(f"k == {k} ? {k}.0 * one :\n" for k in numbers) + "-1.0;"
    elif kind == "switch":
        body = "float r = -1.0; switch (k) {" + "".join(f"case {k}: r = {k}.0; break;\n" for k in numbers) + "}"
    elif kind == "returns":
        tools = "float pick(int k) {" + "".join(f"if (k == {k}) return {k}.0;\n" for k in numbers) + "return -1.0; }\n"
        body = "float r = pick(k);"
    else:
        arms = "".join(f"{'else ' * (k > 0)}if (k == {k}) {{ if (i == 1) {{ r = {k}.0; break; }} }}\n" for k in numbers)
        body = f"float r = -1.0; for (int i = 0; i < 3; i++) {{\n{arms} else if (i == 2) continue; }}"
    return (
        "#version 430\nuniform float one; layout(location = 0) in vec4 v; layout(location = 0) out vec4 c;\n"
        f"{tools}void main() {{ int k = int(v.x);\n{body}\nc = vec4(r); }}\n"
    )


def chosen(program: tgsi.Program, choices: list[int], engine: str) -> list[float]:
    """The first output of a program for each first input."""
    inputs = np.zeros((len(choices), 1, 4), np.float32)
    inputs[:, 0, 0] = choices
    ran = tgsi.run(program, inputs, constants={0: np.ones((1, 4), np.float32)}, engine=engine)
    return [float(value) for value in ran.floats[:, 0, 0]]


@needs_glslang
@pytest.mark.parametrize(("kind", "cases"), sampled([(kind, cases) for kind in KINDS for cases in (120, 1000)], 4))
def test_a_thousand_cases_are_told_apart_by_both_engines(kind: str, cases: int) -> None:
    program = tgsi.compile(glsl(kind, cases), stage="frag")
    choices = [0, 1, 31, 99, 100, 101, cases - 1, cases]
    for engine in ("jit", "interp"):
        assert chosen(program, choices, engine) == [0, 1, 31, 99, 100, 101, cases - 1, -1]
    assert chosen(tgsi.optimize(program), choices, "interp") == [0, 1, 31, 99, 100, 101, cases - 1, -1]


@needs_glslang
@pytest.mark.parametrize("kind", sampled(KINDS[::-1], 2))
def test_deep_programs_are_drawn_and_written_in_other_languages(kind: str) -> None:
    program = tgsi.compile(glsl(kind, 200), stage="frag")
    assert tgsi.write_spirv(program)
    again = tgsi.compile(tgsi.write_glsl(program), stage="frag")
    assert chosen(again, [0, 150, 199], "interp") == [0, 150, 199]
    with tgsi.Screen() as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=200, height0=1)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (100, 0.5, 0.5), "translate": (100, 0.5, 0.5)}])
        vertex = "#version 430\nin vec4 p; layout(location = 0) out vec4 v; void main() { gl_Position = p; v = 100.0 + 100.0 * p.xxxx; }"
        ctx.bind_vs_state(ctx.create_vs_state(vertex))
        ctx.bind_fs_state(ctx.create_fs_state(glsl(kind, 200)))
        ctx.set_uniforms({"one": 1.0} if kind == "ternary" else {})
        ctx.set_vertices({"p": TRIANGLE})
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        assert np.asarray(target.pixels())[0, :, 0].tolist() == list(range(200))


@needs_glslang
def test_a_chain_that_is_too_long_for_glslang_is_refused_with_the_way_out() -> None:
    with pytest.raises(tgsi.ParseError, match=r"memory exhausted(.|\n)*write a switch"):
        tgsi.compile(glsl("elseif", 2500), stage="frag")


def tokens(cases: int) -> str:
    """A chain of `else if` as Mesa's virgl driver writes it: nested, with a register for each value."""
    lines = [
        f"FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..{2 * cases}]",
        *(f"IMM[{k}] UINT32 {{{k}, {int(np.float32(k).view(np.uint32))}, 0, 0}}" for k in range(cases)),
        "F2I TEMP[0].x, IN[0].xxxx",
    ]
    for k in range(cases):
        lines += [f"USEQ TEMP[{2 * k + 1}].x, TEMP[0].xxxx, IMM[{k}].xxxx", f"MOV TEMP[{2 * k + 2}].x, TEMP[{2 * k + 1}].xxxx"]
        lines += [f"UIF TEMP[{2 * k + 2}].xxxx", f"MOV OUT[0], IMM[{k}].yyyy", "ELSE"]
    return "\n".join([*lines, "MOV OUT[0], IMM[1].yyyy", *["ENDIF"] * cases, "END", ""])


@pytest.mark.parametrize("cases", [150, pytest.param(1000, marks=pytest.mark.slow), pytest.param(5000, marks=pytest.mark.nightly)])
def test_registers_and_blocks_of_a_client_have_no_limit_below_what_its_tokens_say(cases: int) -> None:
    program = tgsi.parse(tokens(cases))
    choices = [0, 7, 149, cases - 1, cases]
    engines = ("jit", "interp") if cases < 5000 else ("interp",)
    for engine in engines:
        assert chosen(program, choices, engine) == [0, 7, 149, cases - 1, 1]


def many(temporaries: int, live: int) -> str:
    """Sums of whole numbers in registers of their own, of which `live` are needed at a time."""
    head = f"FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..{temporaries}]\nIMM[0] UINT32 {{1, 0, 0, 0}}\n"
    body = "".join(
        f"UADD TEMP[{k}].x, {'IN[0]' if k == 0 else f'TEMP[{k - 1}]'}.xxxx, {f'TEMP[{k - live}]' if k >= live else 'IMM[0]'}.xxxx\n"
        for k in range(temporaries)
    )
    return f"{head}{body}MOV OUT[0], TEMP[{temporaries - 1}].xxxx\nEND\n"


@pytest.mark.slow
@pytest.mark.parametrize(("live", "engine"), sampled([(500, "jit"), (2, "jit"), (2, "interp"), (500, "interp")], 2))
def test_ten_thousand_registers_hold_what_they_were_given(live: int, engine: str) -> None:
    expected = []
    for first in range(4):
        sums = [first + 1]
        for k in range(1, 10_000):
            sums.append((sums[-1] + (sums[k - live] if k >= live else 1)) & 0xFFFFFFFF)
        expected.append(sums[-1])
    inputs = np.zeros((4, 1, 4), np.uint32)
    inputs[:, 0, 0] = range(4)
    assert tgsi.run(tgsi.parse(many(10_000, live)), inputs, engine=engine).outputs[:, 0, 0].tolist() == expected


@needs_glslang
@pytest.mark.parametrize("engine", ["jit", "interp"])
@pytest.mark.parametrize("skip", ["if ((id & 1u) == 1u) continue;", "switch (id % 3u) { case 1u: continue; case 2u: break; }", ""])
def test_all_invocations_meet_at_a_barrier_in_the_step_of_a_loop(skip: str, engine: str) -> None:
    text = (
        "#version 430\nlayout(local_size_x = 8) in;\nlayout(std430, binding = 0) buffer B { uint o[8]; };\n"
        "shared uint s[8];\nuint sum = 0u, id = gl_LocalInvocationIndex;\n"
        "uint next(uint i) { s[id] = id + i; barrier(); sum += s[(id + 1u) % 8u]; barrier(); return i + 1u; }\n"
        f"void main() {{ for (uint i = 0u; i < 3u; i = next(i)) {{ {skip} sum += 100u; }} o[id] = sum; }}"
    )
    program = tgsi.compile(text, stage="comp")
    ran = tgsi.run(program, buffers={0: np.zeros(8, np.uint32)}, engine=engine, lanes=4)
    skipped = [(skip.startswith("if") and bool(k & 1)) or (skip.startswith("switch") and k % 3 == 1) for k in range(8)]
    assert ran.buffers[0].view(np.uint32).tolist() == [3 * ((k + 1) % 8) + 3 + 300 * (not skipped[k]) for k in range(8)]
    assert str(program).count("BARRIER") == 2
