"""Old GLSL becomes GLSL of today word by word, and lines keep their numbers."""

from __future__ import annotations

import pytest

from frontends.glsl.upgrade import Prepared, prepare
from tgsi.language.diagnostics import ParseError
from tgsi.language.facts.enums import Processor
from tgsi.language.source import Source


def upgraded(text: str, stage: Processor = Processor.FRAG) -> Prepared:
    return prepare(Source(text, "shader"), stage)


def lines(text: str, stage: Processor = Processor.FRAG) -> list[str]:
    return upgraded(text, stage).text.split("\n")


def test_text_of_today_is_left_as_it_is() -> None:
    text = "#version 330 core\nin vec2 texture;\nvoid main() { }\n"
    assert upgraded(text).text == text
    assert upgraded(text).added == []


@pytest.mark.parametrize(
    ("version", "target"), [("110", "330"), ("120", "330"), ("140", "330"), ("150", "330"), ("100", "330"), ("300 es", "330")]
)
def test_versions_become_one_that_is_compiled(version: str, target: str) -> None:
    assert lines(f"#version {version}\nvoid main() {{ }}")[0] == f"#version {target} core"


def test_versions_of_es_that_have_more_become_later_ones() -> None:
    assert lines("#version 310 es\n", Processor.COMP)[0] == "#version 450 core"
    assert lines("#version 320 es\n")[0] == "#version 460 core"


def test_varyings_go_out_of_vertex_shaders_and_into_fragment_shaders() -> None:
    text = "#version 120\nattribute vec4 a; varying vec2 v; centroid varying vec2 w;"
    assert lines(text, Processor.VERT)[1] == "in vec4 a; out vec2 v; centroid out vec2 w;"
    assert lines(text)[1] == "in vec4 a; in vec2 v; centroid in vec2 w;"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("texture2D(t, u)", "texture(t, u)"),
        ("textureCube(t, u, 1.0)", "texture(t, u, 1.0)"),
        ("texture2DProj(t, u)", "textureProj(t, u)"),
        ("texture2DLod(t, u, 0.0)", "textureLod(t, u, 0.0)"),
        ("texture2DProjLodEXT(t, u, 0.0)", "textureProjLod(t, u, 0.0)"),
        ("texture2DGradARB(t, u, a, b)", "textureGrad(t, u, a, b)"),
        ("texelFetch2D(t, u, 0)", "texelFetch(t, u, 0)"),
        ("shadow2D(t, f(u))", "vec4(vec3(texture(t, f(u))), 1.0)"),
        ("shadow2D(t, shadow1D(s, u).xyz)", "vec4(vec3(texture(t, vec4(vec3(texture(s, u)), 1.0).xyz)), 1.0)"),
        ("x.texture2D", "x.texture2D"),
        ("__VERSION__ /* texture2D */", "120 /* texture2D */"),
    ],
)
def test_functions_have_the_names_of_today(old: str, new: str) -> None:
    assert lines(f"#version 120\nx = {old};")[1] == f"x = {new};"


def test_a_name_of_the_program_that_means_something_today_gets_another() -> None:
    found = upgraded(
        "#version 110\nuniform sampler2D texture; float filter;\nvoid main() { gl_FragColor = texture2D(texture, vec2(filter)); }"
    )
    assert found.text.split("\n")[1:] == [
        "uniform sampler2D tgsi_texture; float tgsi_filter;",
        "void main() { gl_FragColor = texture(tgsi_texture, vec2(tgsi_filter)); }",
    ]
    assert found.old["texture"] == {"texture2D"}


def test_colors_of_several_buffers_are_an_array_after_the_extensions() -> None:
    text = "#version 120\n#extension GL_X : enable\n#ifdef A\n#extension GL_Y : enable\n#endif\nvoid main() { gl_FragData[2] = vec4(0); }"
    found = upgraded(text)
    made = found.text.split("\n")
    assert made[5] == "layout(location = 0) out vec4 tgsi_FragData[3];"
    assert made[6] == "void main() { tgsi_FragData[2] = vec4(0); }"
    assert [found.line(number) for number in (1, 5, 7)] == [1, 5, 6]


def test_a_text_without_a_version_gets_one_in_a_line_of_its_own() -> None:
    found = upgraded("varying vec2 v;\nvoid main() { }")
    assert found.text.split("\n")[:2] == ["#version 330 core", "in vec2 v;"]
    assert found.line(2) == 1
    assert lines("out vec4 c;\nvoid main() { }")[0] == "#version 450 core"


def test_line_directives_and_known_extensions_leave_the_lines_as_they_are() -> None:
    made = lines("#version 100\n#extension GL_OES_standard_derivatives : enable\n#line 70\nvoid main() { }")
    assert [line.strip() for line in made] == ["#version 330 core", "", "", "void main() { }"]


def test_includes_get_their_extension() -> None:
    found = upgraded('#version 450\n#include "a.glsl"\nvoid main() { }')
    assert found.text.split("\n")[1] == "#extension GL_GOOGLE_include_directive : require"
    assert found.line(3) == 2


def test_every_name_of_the_fixed_functions_is_refused_at_its_place() -> None:
    with pytest.raises(ParseError) as caught:
        upgraded(
            "#version 120\nvoid main() { gl_Position = ftransform();\n  v = gl_MultiTexCoord0 + gl_NormalMatrix * gl_Normal; }",
            Processor.VERT,
        )
    found = caught.value.diagnostics
    assert [(item.code, item.span.text if item.span else "") for item in found] == [
        ("G012", "ftransform"),
        ("G012", "gl_MultiTexCoord0"),
        ("G012", "gl_NormalMatrix"),
        ("G012", "gl_Normal"),
    ]
    assert found[0].hint == "multiply an attribute by a uniform matrix"


def test_parentheses_that_do_not_end_are_refused() -> None:
    with pytest.raises(ParseError, match=r"G013.*shadow2D"):
        upgraded("#version 120\n#define S shadow2D(t\nvoid main() { }")
    with pytest.raises(ParseError, match=r"G013.*no version 999"):
        upgraded("#version 999 es\nvoid main() { }")


def test_macros_of_extensions_that_are_left_out_are_defined() -> None:
    text = "#version 100\n#extension GL_OES_standard_derivatives : enable\n#extension GL_EXT_frag_depth : disable\n"
    text += "#if defined(GL_OES_standard_derivatives) && GL_OES_standard_derivatives == 1\n#endif\n#ifdef GL_EXT_frag_depth\n#endif\n"
    made = lines(text)
    assert made[1] == "#define tgsi_GL_OES_standard_derivatives 1"
    assert made[4] == "#if defined(tgsi_GL_OES_standard_derivatives) && tgsi_GL_OES_standard_derivatives == 1"
    assert made[6] == "#ifdef GL_EXT_frag_depth"
    assert upgraded(text).added == [2]
