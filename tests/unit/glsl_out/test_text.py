"""The text of emitted GLSL: what people read."""

from __future__ import annotations

import pytest

import tgsi
from tgsi.tools.compile.cli import main

LIT = """FRAG
DCL IN[0], GENERIC[2], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0..1]
DCL TEMP[0..2]
IMM[0] FLT32 {0.5, 1.0, 0.0, 0.0}
TEX TEMP[0], IN[0].xyyy, SAMP[0], 2D
FSLT TEMP[1].x, TEMP[0].wwww, IMM[0].xxxx
UIF TEMP[1].xxxx
  KILL
ENDIF
DP3 TEMP[1].x, CONST[0].xyzz, IN[0].xyzz
MUL_SAT TEMP[2].xyz, TEMP[0].xyzz, TEMP[1].xxxx
MOV OUT[0].xyz, TEMP[2].xyzz
MOV OUT[0].w, IMM[0].yyyy
END
"""

LIT_GLSL = """#version 450

layout(location = 2) in vec4 varying2;
layout(location = 0) out vec4 color0;

uniform vec4 CONST[2];
layout(binding = 0) uniform sampler2D sampler0;

void main()
{
    vec4 t0 = texture(sampler0, varying2.xy);
    if (t0.w < 0.5) {
        discard;
    }
    color0.xyz = clamp(t0.xyz * dot(CONST[0].xyz, varying2.xyz), 0.0, 1.0);
    color0.w = 1.0;
}
"""


def test_a_program_reads_as_a_person_would_write_it() -> None:
    assert tgsi.write_glsl(LIT) == LIT_GLSL


@pytest.mark.parametrize(("word", "qualifier"), [("CONSTANT", "flat "), ("LINEAR", "noperspective "), ("PERSPECTIVE", ""), ("COLOR", "")])
def test_an_input_has_the_qualifier_of_its_interpolation(word: str, qualifier: str) -> None:
    text = f"FRAG\nDCL IN[0], GENERIC[2], {word}\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    assert f"layout(location = 2) {qualifier}in vec4 varying2;" in tgsi.write_glsl(text)


def test_a_register_of_which_only_the_last_channels_are_used_is_a_whole_vector() -> None:
    text = tgsi.write_glsl(
        """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
MUL TEMP[0].zw, IN[0].yyyx, IN[0].xxxz
ADD OUT[0], TEMP[0].zwzw, TEMP[0].wwzz
END
"""
    )
    assert "    vec4 t0;\n    t0.zw = varying0.yx * varying0.xz;\n" in text


def test_comparisons_are_bools_and_counters_are_ints() -> None:
    text = tgsi.write_glsl(
        """VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL TEMP[0..1]
IMM[0] INT32 {0, 1, 5, 0}
MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
  ISGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
  UIF TEMP[1].xxxx
    BRK
  ENDIF
  UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
I2F OUT[0], TEMP[0].xxxx
END
"""
    )
    assert "int t0 = 0;" in text
    assert "if (t0 >= 5) break;" in text
    assert "t0 += 1;" in text
    assert "gl_Position = vec4(float(t0));" in text


def test_bits_are_cast_only_where_types_disagree() -> None:
    text = tgsi.write_glsl(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nADD TEMP[0], IN[0], IN[0]\nAND OUT[0], TEMP[0], TEMP[0].yxzw\nEND\n"
    )
    assert "ivec4 t0 = floatBitsToInt(in0 + in0);" in text
    assert "gl_Position = intBitsToFloat(t0 & t0.yxzw);" in text


def test_es_has_its_own_heading() -> None:
    text = tgsi.write_glsl(LIT, "320 es")
    assert text.startswith("#version 320 es\n\nprecision highp float;\n")
    assert "uniform highp sampler2D sampler0;" in text


@pytest.mark.parametrize(
    ("text", "version", "message"),
    [
        ("VERT\nDCL OUT[0], POSITION\nDCL OUT[1], EDGEFLAG\nMOV OUT[0], OUT[1]\nEND\n", "450", "an output EDGEFLAG"),
        ("FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", "320 es", "without perspective"),
        ("FRAG\nPROPERTY MUL_ZERO_WINS 1\nDCL OUT[0], COLOR\nEND\n", "450", "products in which 0 wins"),
    ],
)
def test_what_glsl_cannot_say_is_an_error_with_its_place(text: str, version: str, message: str) -> None:
    with pytest.raises(tgsi.UnsupportedError, match=message) as caught:
        tgsi.write_glsl(text, version)
    (finding,) = caught.value.diagnostics
    assert finding.code == "B080"
    assert finding.span is not None


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(ValueError, match="330"):
        tgsi.write_glsl(LIT, "330")


def test_the_command_prints_glsl(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "lit.tgsi"
    file.write_text(LIT)
    assert main(["--emit", "glsl", "--glsl-version", "320 es", str(file)]) == 0
    assert capsys.readouterr().out.startswith("#version 320 es")
