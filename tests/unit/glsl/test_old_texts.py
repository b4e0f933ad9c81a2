"""Old and embedded GLSL compiles and computes, whatever its words mean today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tgsi
from frontends.glsl.builtins import FUNCTIONS
from tests.unit.glsl.glslang import needs_glslang

pytestmark = needs_glslang


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGSI_CACHE_DIR", str(tmp_path / "cache"))


def value(text: str, uniforms: dict[str, Any] | None = None, **options: Any) -> list[float]:
    """The first output of a fragment program without inputs."""
    program = tgsi.compile(text, stage="frag", **options)
    block = program.interface.uniforms if program.interface is not None else None
    words = {} if block is None else {0: np.frombuffer(block.pack(uniforms or {}), np.float32).reshape(-1, 4)}
    found: list[float] = tgsi.run(program, np.zeros((1, 0, 4), np.float32), constants=words, engine="interp").floats[0, 0].tolist()
    return found


CONTINUED = "#define SUM(a, b) \\\n  ((a) + \\\n   (b))\n"


@pytest.mark.parametrize("version", [100, 110, 120, 130, 140, 150, 330, 400, 410, 420, 460, "300 es", "310 es"])
def test_lines_are_continued_in_every_version(version: int | str) -> None:
    is_new = version in ("300 es", "310 es") or (isinstance(version, int) and version >= 130)
    output = "out highp vec4 color;" if is_new else ""
    name = "color" if is_new else "gl_FragColor"
    precision = "precision highp float;" if version in (100, "300 es", "310 es") else ""
    head = f"#version {version}\n" + CONTINUED + precision + output
    assert value(f"{head}\nvoid main() {{ {name} = vec4(SUM(1.0, 2.0)); }}".replace("highp vec4", "vec4")) == [3] * 4


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\r"])
def test_every_end_of_line_is_one(end: str) -> None:
    text = "\ufeff#version 120\n// a comment\n#define A 1.0 // one\nvoid main() {\n gl_FragColor = vec4(A, __LINE__, 0.0, \\\n 1.0);\n}\n"
    assert value(text.replace("\n", end)) == [1, 5, 0, 1]


@pytest.mark.parametrize(
    "body",
    [
        "float smooth = 0.5, flat = smooth; gl_FragColor = vec4(smooth + flat);",
        "float case = 0.25; struct S { float layout; vec3 uint; }; S s = S(case, vec3(4.0)); gl_FragColor = vec4(s.layout * s.uint.x);",
        "float shared = 1.0; for (int sample = 0; sample < 2; sample++) shared *= 1.0; gl_FragColor = vec4(shared);",
        "float texture = 1.0, textureLod = 0.0; gl_FragColor = vec4(texture + textureLod);",
        "float noise3 = 1.0; gl_FragColor = vec4(noise3);",
        "float filter = 1.0, input = 0.0, common = 0.0; gl_FragColor = vec4(filter + input + common);",
    ],
)
@pytest.mark.parametrize("version", ["", "#version 100\nprecision mediump float;\n", "#version 110\n", "#version 120\n"])
def test_words_of_later_versions_are_names(version: str, body: str) -> None:
    assert value(f"{version}void main() {{ {body} }}") == [1] * 4


def test_names_that_changed_on_the_way_are_those_of_the_text_in_the_interface() -> None:
    text = """#version 120
    struct Light { vec3 filter; float flat[2]; }; uniform Light shared[2]; uniform sampler2D texture, sample; varying vec2 smooth;
    void main() { gl_FragColor = texture2D(texture, smooth) * texture2D(sample, smooth) * shared[1].flat[1] * shared[0].filter.x; }"""
    interface = tgsi.compile(text, stage="frag").interface
    assert interface is not None
    assert interface.uniforms is not None
    assert sorted(interface.samplers) == ["sample", "texture"]
    assert list(interface.inputs) == ["smooth"]
    assert {"shared[1].flat", "shared[0].filter"} <= set(interface.uniforms.members)
    assert "tgsi_" not in str(interface)


def test_varyings_whose_names_changed_on_the_way_link_to_other_versions() -> None:
    old = "#version 110\nvarying vec2 filter; void main() { filter = vec2(1.0); gl_Position = vec4(0.0); }"
    new = "#version 100\nprecision highp float; varying vec2 filter; void main() { gl_FragColor = vec4(filter, 0.0, 1.0); }"
    assert len(tgsi.link(old, new, unmatched="error").rows) == 1


def test_a_function_of_the_program_is_its_own() -> None:
    own = "float shadow2D(vec2 a) { return a.x; } vec3 noise3(vec3 a) { return a; } float round(float a) { return 3.0; }"
    body = "gl_FragColor = vec4(shadow2D(vec2(2.0)), noise3(vec3(4.0)).x, round(0.2), 1.0);"
    for version in ("#version 100\nprecision highp float;\n", "#version 120\n"):
        assert value(f"{version}{own}\nvoid main() {{ {body} }}") == [2, 4, 3, 1]


def test_both_stages_stand_in_one_file() -> None:
    text = """#version 120
    varying vec2 v;
    #ifdef VERTEX
    attribute vec4 p;
    void main() { v = p.xy; gl_Position = p; }
    #else
    void main() { gl_FragData[0] = vec4(v, 0.0, 1.0); gl_FragData[1] = vec4(1.0); }
    #endif"""
    vertex, fragment = tgsi.compile(text, stage="vert", defines=["VERTEX"]), tgsi.compile(text, stage="frag")
    assert len(tgsi.link(vertex, fragment, unmatched="error").rows) == 1
    assert fragment.interface is not None
    assert len(fragment.interface.outputs) == 1
    assert vertex.interface is not None
    assert "gl_FragData" not in vertex.interface.outputs


def test_names_in_dead_code_comments_and_parameters_of_macros_are_none() -> None:
    text = """#version 120
    // texture2D(gl_Vertex)
    #if __VERSION__ > 120 || defined(NEVER)
    vec4 p = ftransform() + gl_Color;
    #endif
    #ifdef __VERSION__
    #define PICK(texture2D, noise3) texture2D
    #endif
    void main() { gl_FragColor = vec4(PICK(2.0, gl_NormalMatrix)); }"""
    assert value(text) == [2] * 4


def test_the_depth_range_has_its_first_values_and_can_be_set() -> None:
    for version, name in (("120", "gl_FragColor"), ("330", "color"), ("300 es", "color")):
        output = "" if name == "gl_FragColor" else "precision highp float; out vec4 color;"
        values = "gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff"
        text = f"#version {version}\n{output}\nvoid main() {{ {name} = vec4({values}, 1.0); }}"
        assert value(text) == [0, 1, 1, 1]
        assert value(text, {"gl_DepthRange.near": 0.25, "gl_DepthRange.diff": 0.75}) == [0.25, 1, 0.75, 1]
    text = "#version 330\nout vec4 color;\nvoid main() { gl_DepthRangeParameters r = gl_DepthRange;"
    text += " color = vec4(r.far + float(gl_NumSamples)); }"
    assert value(text, {"gl_NumSamples": 4}) == [5] * 4


def test_extensions_of_old_versions_are_there() -> None:
    text = "#version 100\n#extension GL_EXT_frag_depth : require\nprecision highp float;\n"
    text += "#ifdef GL_EXT_frag_depth\nvoid main() { gl_FragDepthEXT = 0.5; gl_FragColor = vec4(1.0); }\n#endif"
    program = tgsi.compile(text, stage="frag")
    assert "POSITION" in [item.semantic.name for item in program.declarations if item.semantic is not None]


def test_constants_of_es_have_the_values_of_the_software_device() -> None:
    with tgsi.Screen(threads=0) as screen:
        uniforms = screen.get_shader_param("FRAGMENT", "MAX_CONST_BUFFER_SIZE") // 16
        targets = screen.get_param("MAX_RENDER_TARGETS")
        units = screen.get_shader_param("FRAGMENT", "MAX_SAMPLER_VIEWS")
    text = "#version 100\nprecision highp float;\nvoid main() { gl_FragColor = vec4(gl_MaxFragmentUniformVectors, gl_MaxDrawBuffers,"
    text += " gl_MaxTextureImageUnits, gl_MaxVaryingVectors); }"
    assert value(text) == [uniforms, targets, units, 32]


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("#version 120\n#define B(x) (x) + missing\nvoid main() {\n  gl_FragColor = vec4(B(1.0)); }", "t:4:23", "missing"),
        ("#version 100\nprecision highp float;\nvoid main() { float smooth = 1.0;\n  smooth = vec2(smooth); }", "t:4:10", "="),
        ("#version 330\r\nout vec4 c;\r\nvoid main() { c = vec4(1) + \\\r\n  colr.xyz; }", "t:4:3", "colr"),
        ("#version 330\nout vec4 c;\nvoid main() { c = max(vec4(1), max(vec2(1), vec3(1))); }", "t:3:32", "max"),
        ("#version 330\nout vec4 c;\nvoid main() { c = vec4(1)\n}", "t:4:1", "}"),
        ("#version 330\nout vec4 c;\nint f(int a); int f(int b) { return 2; }\nvoid main() { c = vec4(f()); }", "t:4:24", "f"),
    ],
)
def test_messages_stand_at_the_word_in_the_text_as_it_was_written(text: str, place: str, word: str) -> None:
    with pytest.raises(tgsi.ParseError) as caught:
        tgsi.compile(text, stage="frag", name="t")
    (item,) = caught.value.diagnostics
    assert str(item.span) == place
    assert word in item.message


def test_one_unknown_name_is_one_error() -> None:
    text = "#version 330\nout vec4 c;\nvoid main() { float a = colr.x; c = vec4(colr.xyz, a); c.x = normalize(colr).y; c = vec3(1); }"
    with pytest.raises(tgsi.ParseError) as caught:
        tgsi.compile(text, stage="frag", name="t")
    assert [str(item.span) for item in caught.value.diagnostics] == ["t:3:25", "t:3:83"]


@pytest.mark.parametrize("value", ["\ud800", "x" * 3_000_000, "a\0b", "1\n#error"])
def test_macros_that_are_no_text_are_refused_by_name(value: str) -> None:
    with pytest.raises(ValueError, match=r"defines: NAME: .*(character|line)"):
        tgsi.compile("#version 450\nvoid main() { }", stage="frag", defines={"NAME": value})


def test_macros_of_any_form_reach_the_text_and_no_command_line() -> None:
    text = "#version 330\nout vec4 c;\nvoid main() { c = vec4(LONG, F(2.0), DASH, NONE 1.0); }"
    macros = {"LONG": "+".join(["1.0"] * 5000), "F(x)": "(x * x)", "DASH": "-1.0 // -o /tmp/x", "NONE": None}
    with pytest.raises(tgsi.ParseError):
        value(text)
    assert value(text, defines=macros) == [5000, 4, -1, 1]


@pytest.mark.parametrize("version", ["110", "120", "130", "150", "330", "410", "100", "300 es", "310 es"])
def test_a_text_has_functions_of_its_own_with_the_names_of_later_ones(version: str) -> None:
    number, is_es = int(version.split()[0]), version == "100" or "es" in version
    names = sorted(item.name for item in FUNCTIONS.values() if not item.is_in(number, is_es) and not item.name.startswith("gl_"))
    assert len(names) > 20
    member = names[0]
    own = "".join(f"T {name}(float x) {{ return T(x * 2.0); }}\n" for name in names)
    total = " + ".join(f"{name}(0.5).{member}" for name in names)
    is_new = number >= (300 if is_es else 130)
    color, out = ("c", "out vec4 c;\n") if is_new else ("gl_FragColor", "")
    precision = "precision highp float;\n" if is_es else ""
    text = f"#version {version}\n{precision}{out}struct T {{ float {member}; }};\n{own}void main() {{ {color} = vec4({total}); }}\n"
    program = tgsi.compile(text, stage="frag")
    assert tgsi.run(program, np.zeros((4, 1, 4), np.float32)).floats[0, 0, 0] == len(names)
