"""GLSL and SPIR-V for a state: the words of each field, accepted by glslang and spirv-val, with the results of the lowered program."""

from __future__ import annotations

from pathlib import Path

import pytest

import tgsi
from backends.spirv.listing import disassemble
from tests.unit.shader_key.accepted import glslang_says, spirv_val_says
from tgsi.tools.compile.cli import main

PLACE = """FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
"""
COLORS = """FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], COLOR, COLOR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
ADD OUT[0], IN[0], IN[1]
END
"""
TEXTURED = """FRAG
DCL IN[0], GENERIC[3], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL SVIEW[0..1], 2D, FLOAT
DCL CONST[0..1]
DCL CONST[1][0]
DCL CONST[2][0]
DCL TEMP[0..1]
TEX TEMP[0], IN[0], SAMP[0], 2D
TEX TEMP[1], IN[0], SAMP[1], 2D
MAD TEMP[0], TEMP[0], CONST[1], CONST[1][0]
MAD OUT[0], TEMP[0], TEMP[1], CONST[2][0]
END
"""
COUNTING = """COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL BUFFER[0..1]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL HWATOMIC[0..1]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 8}
LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx
ATOMUADD TEMP[1].x, HWATOMIC[1], IMM[0].xxxx, IMM[0].yyyy
UADD TEMP[0].x, TEMP[0].xxxx, TEMP[1].xxxx
STORE BUFFER[1].x, IMM[0].xxxx, TEMP[0].xxxx
STORE IMAGE[0], IMM[0].xyyy, TEMP[0].xxxx, 2D, PIPE_FORMAT_R32_UINT
END
"""
VERTEX = """VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
DCL OUT[2], COLOR
DCL CONST[0..3]
ADD OUT[0], IN[0], CONST[3]
MOV OUT[1], IN[1]
MOV OUT[2], IN[1]
END
"""

LINES = [
    (PLACE, "origin=LOWER_LEFT", [], ["origin_upper_left"]),
    (PLACE, "origin=UPPER_LEFT,pixel-center=INTEGER", ["layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;"], []),
    (PLACE, "origin=LOWER_LEFT,pixel-center=INTEGER", ["layout(pixel_center_integer) in vec4 gl_FragCoord;"], []),
    (PLACE, "per-sample", ["if (gl_SampleID < 0) {\n        discard;"], ["sample in"]),
    (COLORS, "flat-shade", ["layout(location = 26) flat in vec4 color0;"], ["gl_SampleID"]),
    (COLORS, "per-sample", [") sample in vec4 color0;", ") sample in vec4 varying0;"], ["gl_SampleID"]),
    (COLORS, "per-sample,flat-shade", [") flat in vec4 color0;", ") sample in vec4 varying0;"], ["gl_SampleID"]),
    (COLORS, "color-targets=3", ["layout(location = 2) out vec4 color2;", "color2 = "], ["location = 3", "//"]),
    (COLORS, "two-side=1", ["gl_FrontFacing", "layout(location = 28) in vec4 backColor0;"], []),
    (COLORS, "clamp-color", ["clamp("], []),
    (COLORS, "point-coord=1", ["gl_PointCoord"], ["varying0"]),
    (TEXTURED, "bindings=SAMP:8", ["layout(binding = 8) uniform sampler2D sampler0;", "layout(binding = 9) uniform sampler2D"], []),
    (TEXTURED, "bindings=SAMP:8+SAMP[1]:3", ["layout(binding = 3) uniform sampler2D sampler1;"], []),
    (TEXTURED, "bindings=SAMP:none", ["\nuniform sampler2D sampler0;"], []),
    (TEXTURED, "bindings=CONST:4", ["uniform vec4 CONST[2];", "layout(std140, binding = 5) uniform Block1 {"], []),
    (TEXTURED, "bindings=CONST[0]:7", ["layout(std140, binding = 7) uniform Constants { vec4 CONST[2]; };"], []),
    (TEXTURED, "bindings=CONST:none", ["layout(std140) uniform Block0 {"], []),
    (TEXTURED, "shadow-samplers=2", ["uniform sampler2DShadow sampler1;", "uniform sampler2D sampler0;"], []),
    (TEXTURED, "prefix=fs_", ["fs_CONST[2];", "uniform fs_Block0 { vec4 fs_CONST1[1]; };", "fs_sampler0;"], ["fs_varying"]),
    (TEXTURED, "names=SAMP[0]:albedo+CONST[0]:params+CONST[2]:lights+GENERIC[3]:uvs+OUT[0]:result+IN[9]:t0",
     ["uniform sampler2D albedo;", "uniform vec4 params[2];", "uniform lights {", "in vec4 uvs;", "out vec4 result;", "vec4 t0 ="], []),
    (TEXTURED, "names=SAMP[0]:t1", ["sampler2D t1;", "= texture(t1,"], ["vec4 t1 "]),
    (COUNTING, "bindings=BUFFER:3+IMAGE[0]:5+HWATOMIC:2,names=BUFFER[1]:Results+IMAGE[0]:target+HWATOMIC[1]:hits",
     ["layout(std430, binding = 3) buffer Buffer0 {", "layout(std430, binding = 4) buffer Results {",
      "layout(r32ui, binding = 5) writeonly uniform uimage2D target;", "layout(binding = 2, offset = 4) uniform atomic_uint hits;"], []),
    (VERTEX, "names=IN[0]:position+IN[1]:normal+GENERIC[3]:v_normal,prefix=vs_,origin=LOWER_LEFT,per-sample,shadow-samplers=1",
     ["layout(location = 1) in vec4 normal;", "out vec4 v_normal;", "uniform vec4 vs_CONST[4];"], ["sample"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "state", "present", "absent"), LINES, ids=[row[1] for row in LINES])
def test_glsl_has_the_words_of_the_state(text: str, state: str, present: list[str], absent: list[str]) -> None:
    made = tgsi.write_glsl(text, state=state)
    assert [words for words in present if words not in made] == []
    assert [words for words in absent if words in made] == []


def test_glslang_accepts_each_state() -> None:
    texts = {row[1]: (tgsi.parse(row[0]).processor.name, tgsi.write_glsl(row[0], state=row[1])) for row in LINES}
    assert glslang_says(texts) == []


WORDS = [
    (PLACE, "origin=LOWER_LEFT,pixel-center=INTEGER", ["OriginLowerLeft", "PixelCenterInteger"], ["OriginUpperLeft"]),
    (PLACE, "per-sample", ["OpDecorate %gl_SampleId BuiltIn SampleId", "OpCapability SampleRateShading"], [" Sample\n"]),
    (COLORS, "per-sample,flat-shade", ["OpDecorate %in_COLOR_0 Flat", "OpDecorate %in_GENERIC_0 Sample"], ["SampleId"]),
    (COLORS, "color-targets=3", ["OpDecorate %out_color_2 Location 2"], ["Location 3"]),
    (COLORS, "two-side=1", ["BuiltIn FrontFacing", "OpDecorate %in_BCOLOR_0 Location 42"], []),
    (COLORS, "point-coord=1", ["BuiltIn PointCoord"], ["in_GENERIC_0"]),
    (TEXTURED, "bindings=SAMP:8", ["OpDecorate %texture0 Binding 8", "OpDecorate %texture1 Binding 9"], []),
    (TEXTURED, "bindings=SAMP:8,sets=SAMP:0+CONST[2]:5",
     ["OpDecorate %texture0 DescriptorSet 0", "OpDecorate %const2 DescriptorSet 5"], []),
    (TEXTURED, "", ["PushConstant"], []),
    (TEXTURED, "bindings=CONST[0]:7", ["OpDecorate %const0 Binding 7"], ["PushConstant"]),
    (TEXTURED, "bindings=CONST:4", ["OpDecorate %const1 Binding 4", "OpDecorate %const2 Binding 5", "PushConstant"], []),
    (TEXTURED, "shadow-samplers=2", ["OpImageSampleDrefImplicitLod"], []),
    (TEXTURED, "prefix=fs_", ["%fs_texture0", "%fs_Constants1"], ["%fs_in"]),
    (TEXTURED, "names=SAMP[0]:albedo+CONST[2]:lights+GENERIC[3]:uvs+OUT[0]:result", ["%albedo", "%lights", "%uvs", "%result"], []),
    (COUNTING, "bindings=BUFFER:3+IMAGE[0]:5+HWATOMIC:2,names=BUFFER[1]:Results+IMAGE[0]:target+HWATOMIC[0]:hits",
     ["%buffer1 Binding 4", "%target Binding 5", "%hits Binding 2", "%Results = "], []),
    (VERTEX, "names=IN[0]:position+GENERIC[3]:v_normal,prefix=vs_,origin=LOWER_LEFT",
     ["%position ", "%v_normal ", "%vs_const0 "], ["Origin"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "state", "present", "absent"), WORDS, ids=[row[1] for row in WORDS])
def test_spirv_has_the_words_of_the_state(text: str, state: str, present: list[str], absent: list[str]) -> None:
    made = disassemble(tgsi.write_spirv(tgsi.parse(text), state=state))
    assert [words for words in present if words not in made] == []
    assert [words for words in absent if words in made] == []


def test_spirv_val_accepts_each_state() -> None:
    assert spirv_val_says({row[1]: tgsi.write_spirv(tgsi.parse(row[0]), state=row[1]) for row in WORDS}) == []


def test_a_comparison_needs_a_target_and_an_opcode_that_have_one() -> None:
    text = TEXTURED.replace("TEX TEMP[1], IN[0], SAMP[1], 2D", "TXF TEMP[1], IN[0], SAMP[1], 2D")
    with pytest.raises(tgsi.UnsupportedError) as caught:
        tgsi.write_glsl(text, state="shadow-samplers=2")
    found = caught.value.diagnostics[0]
    assert found.code == "B081"
    assert "shadow_samplers: TXF of a 2D texture does not compare" in found.render()
    assert "TXF TEMP[1]" in found.render()
    assert tgsi.write_glsl(text, state="shadow-samplers=1")


def test_an_address_among_textures_of_which_some_compare_is_refused() -> None:
    text = """FRAG
DCL OUT[0], COLOR
DCL SAMP[0..3]
DCL CONST[0]
DCL ADDR[0]
UARL ADDR[0].x, CONST[0].xxxx
TEX OUT[0], CONST[0], SAMP[ADDR[0].x], 2D
END
"""
    with pytest.raises(tgsi.UnsupportedError, match="only some of them compare"):
        tgsi.write_spirv(tgsi.parse(text), state="shadow-samplers=2")
    assert "sampler2DShadow samplers[4]" in tgsi.write_glsl(text, state="shadow-samplers=0xf")


@pytest.mark.parametrize("target", ["CUBE", "2D_ARRAY", "3D", "2D_MSAA", "BUFFER", "CUBEARRAY"])
def test_a_target_without_a_free_reference_is_refused(target: str) -> None:
    text = TEXTURED.replace("TEX TEMP[1], IN[0], SAMP[1], 2D", f"TXB TEMP[1], IN[0], SAMP[1], {target}").replace(
        "DCL SVIEW[0..1], 2D", "DCL SVIEW[0], 2D"
    )
    with pytest.raises(tgsi.UnsupportedError, match=f"TXB of a {target} texture does not compare"):
        tgsi.write_glsl(text, state="shadow-samplers=2")


def test_outputs_repeat_the_qualifiers_of_the_fragment_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fragment = COLORS.replace("GENERIC[0], PERSPECTIVE", "GENERIC[3], LINEAR")
    key = tgsi.matching_key("flat-shade,names=GENERIC[3]:normal", tgsi.parse(fragment))
    assert dict(key.qualifiers) == {"COLOR[0]": "flat", "GENERIC[3]": "noperspective"}
    made = tgsi.write_glsl(VERTEX, state=key)
    assert "layout(location = 26) flat out vec4 color0;" in made
    assert "layout(location = 3) noperspective out vec4 normal;" in made
    assert tgsi.ShaderKey.parse(str(key)) == key
    files = [tmp_path / "a.vert.tgsi", tmp_path / "a.frag.tgsi"]
    files[0].write_text(VERTEX)
    files[1].write_text(fragment)
    assert main([*map(str, files), "--emit", "glsl", "--state", "flat-shade,names=GENERIC[3]:normal"]) == 0
    assert made in capsys.readouterr().out


def test_a_stage_in_front_of_another_has_no_qualifiers_of_the_fragment_program() -> None:
    key = tgsi.matching_key("flat-shade", tgsi.parse(COLORS))
    text = VERTEX.replace("VERT\n", "VERT\nPROPERTY NEXT_SHADER GEOM\n")
    assert tgsi.write_glsl(text, state=key) == tgsi.write_glsl(text)


def test_a_key_matches_fragment_programs_alone() -> None:
    with pytest.raises(ValueError, match="matching_key: fragment: the program is of stage VERT, not FRAG"):
        tgsi.matching_key("", tgsi.parse(VERTEX))
    with pytest.raises(ValueError, match="qualifiers: COLOR\\[0\\]: `flate` is not one of centroid, sample, flat, noperspective"):
        tgsi.ShaderKey(qualifiers={"COLOR": "flate"})


def test_a_texture_that_compares_is_that_of_a_program_which_says_so() -> None:
    plain = TEXTURED.replace("IN[0], SAMP[1], 2D", "IN[0], SAMP[1], SHADOW2D").replace(
        "DCL SVIEW[0..1], 2D, FLOAT", "DCL SVIEW[0], 2D, FLOAT\nDCL SVIEW[1], SHADOW2D, FLOAT"
    )
    assert tgsi.write_glsl(TEXTURED, state="shadow-samplers=2") == tgsi.write_glsl(plain)
    assert tgsi.write_spirv(tgsi.parse(TEXTURED), state="shadow-samplers=2") == tgsi.write_spirv(tgsi.parse(plain))


@pytest.mark.parametrize("version", ["310 es", "320 es", "430"])
def test_glslang_accepts_each_state_in_other_versions(version: str) -> None:
    rows = [row for row in LINES if row[0] is not PLACE]
    texts = {row[1]: (tgsi.parse(row[0]).processor.name, tgsi.write_glsl(row[0], version, state=row[1])) for row in rows}
    assert glslang_says(texts) == []
