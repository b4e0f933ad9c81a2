"""`ShaderKey`: values, texts, and errors that name the field and the way out."""

from __future__ import annotations

from typing import Any

import pytest

import tgsi
from tgsi import LoweringOptions, ShaderKey
from tgsi.tools.compile.cli import main

TEXT = (
    "per-sample,two-side=3,origin=LOWER_LEFT,pixel-center=INTEGER,shadow-samplers=5,color-targets=4,"
    "bindings=CONST[0]:2+IMAGE:none+SAMP:8,sets=SAMP:1,names=CONST[0]:parameters+GENERIC[3]:normal,prefix=fs_"
)
KEY = ShaderKey(
    lowering=LoweringOptions(per_sample=True, two_side=3),
    origin="lower-left",
    pixel_center="INTEGER",
    shadow_samplers=5,
    color_targets=4,
    bindings={"SAMP": 8, "const[0]": 2, "IMAGE": None},
    sets={"SAMP": 1},
    names={"GENERIC[3]": "normal", " CONST [ 0 ]": "parameters"},
    prefix="fs_",
)


def test_a_key_is_its_text() -> None:
    assert str(KEY) == TEXT
    assert ShaderKey.parse(TEXT) == KEY
    assert hash(ShaderKey.parse(TEXT)) == hash(KEY)
    assert str(ShaderKey()) == ""
    assert ShaderKey.parse(" ") == ShaderKey()


def test_keys_that_differ_are_unequal() -> None:
    texts = [*TEXT.replace(",bindings", ";bindings").replace(",sets", ";sets").replace(",names", ";names").split(";")]
    keys = {ShaderKey.parse(text) for text in (*texts, TEXT, "")}
    assert len(keys) == len(texts) + 2


def test_lowerings_are_a_record_or_their_text() -> None:
    assert ShaderKey(lowering="two-side=3") == ShaderKey(lowering=LoweringOptions(two_side=3)) == ShaderKey.parse("two_side=3")


def test_a_semantic_without_a_number_is_the_first() -> None:
    assert dict(ShaderKey(names={"COLOR": "tint", "HWATOMIC[2]": "hits"}).names) == {"COLOR[0]": "tint", "HWATOMIC[0][2]": "hits"}


WRONG_TEXTS = {
    "orign=LOWER_LEFT": "there is no state `orign`; did you mean `origin`?",
    "two-sides": "there is no state `two-sides`; did you mean `two-side`?",
    "zzz": "there is no state `zzz`; known are origin, pixel-center",
    "origin": "origin: a value is missing, as in `origin=LOWER_LEFT`",
    "origin=LEFT": "origin: `LEFT` is not one of UPPER_LEFT, LOWER_LEFT",
    "origin=UPPER_LEFT,origin=LOWER_LEFT": "origin is given twice",
    "pixel-center=0.5": "pixel_center: `0.5` is not one of HALF_INTEGER, INTEGER",
    "shadow-samplers=a": "shadow-samplers: `a` is not an integer; it is written as in `shadow-samplers=0x5`",
    "shadow-samplers=0x100000000": "shadow_samplers: 4294967296 is not from 0 to 4294967295",
    "color-targets=9": "color_targets: 9 is not from 1 to 8",
    "bindings=SAMP": "bindings: `SAMP` is not a pair; it is written as in `bindings=SAMP:8+CONST[1]:3`",
    "bindings=SAMP:x": "bindings: SAMP: `x` is not a number",
    "bindings=SAMP:-1": "bindings: SAMP: -1 is not a number from 0 to 65535",
    "bindings=SAM:1": "bindings: `SAM` is not a register that has one; did you mean `SAMP`?",
    "bindings=SAMP[0]:1+samp[0]:2": "bindings: SAMP[0] is given twice",
    "bindings=SAMP[0][1]:1": "bindings: `SAMP[0][1]` has an index too many; write `SAMP[0]`",
    "sets=SAMP:none": "sets: SAMP: expected a number from 0 to 65535, not None",
    "names=SAMP:a": "names: `SAMP` names no register of the file; write `SAMP[0]`",
    "names=SAMP[0]:2d": "names: SAMP[0]: `2d` is not a name; names have letters, digits and _, and begin with no digit",
    "names=SAMP[0]:gl_x": "names: SAMP[0]: `gl_x` is reserved",
    "names=SAMP[0]:a__b": "names: SAMP[0]: `a__b` is reserved",
    "prefix=9": "prefix: `9` is not a name",
}


@pytest.mark.parametrize("text", WRONG_TEXTS)
def test_a_wrong_text_is_told_with_its_field(text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        ShaderKey.parse(text)
    assert str(caught.value).startswith(WRONG_TEXTS[text])


WRONG_VALUES: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "lowering": ({"lowering": 3}, TypeError, "lowering: expected a LoweringOptions or its text, not 3"),
    "a lowering's text": ({"lowering": "two-sid"}, ValueError, "lowering: there is no lowering `two-sid`; did you mean `two-side`?"),
    "origin": ({"origin": 1}, TypeError, "origin: expected a word, not 1; it is one of UPPER_LEFT, LOWER_LEFT"),
    "shadow_samplers": ({"shadow_samplers": True}, TypeError, "shadow_samplers: expected an integer, not True"),
    "bindings": ({"bindings": 8}, TypeError, "bindings: expected a mapping such as {'SAMP': 8}, not 8"),
    "a binding": ({"bindings": {"SAMP": "8"}}, TypeError, "bindings: SAMP: expected a number from 0 to 65535 or None, not '8'"),
    "a register": ({"bindings": {3: 8}}, TypeError, "bindings: expected a register such as `SAMP[0]`, not 3"),
    "names": ({"names": ["a"]}, TypeError, "names: expected a mapping such as {'SAMP[0]': 'albedo'}, not ['a']"),
    "a name": ({"names": {"SAMP[0]": 3}}, TypeError, "names: SAMP[0]: expected a name, not 3"),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_a_wrong_value_is_told_with_its_field(name: str) -> None:
    values, kind, message = WRONG_VALUES[name]
    with pytest.raises(kind) as caught:
        ShaderKey(**values)
    assert str(caught.value) == message


PAIR = """FRAG
DCL IN[0], GENERIC[2], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL CONST[0]
DCL TEMP[0]
TEX TEMP[0], IN[0].xyyy, SAMP[0], 2D
TEX OUT[0], TEMP[0].xyyy, SAMP[1], 2D
ADD OUT[0].x, TEMP[0], CONST[0]
END
"""
ARRAY = """FRAG
DCL OUT[0], COLOR
DCL SAMP[0..3]
DCL CONST[0]
DCL ADDR[0]
UARL ADDR[0].x, CONST[0].xxxx
TEX OUT[0], CONST[0], SAMP[ADDR[0].x], 2D
END
"""
MIDDLE = """GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], GENERIC[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[1]
IMM[0] INT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][0]
EMIT IMM[0].xxxx
END
"""
CLASHES = [
    (PAIR, "glsl", "bindings=SAMP[0]:1", "bindings: SAMP[0] and SAMP[1] both have binding 1; give one of them another number"),
    (PAIR, "spirv", "bindings=SAMP[0]:1", "bindings: SAMP[0] and SAMP[1] both have binding 1 of set 1; give one of them another number"),
    (PAIR, "spirv", "bindings=CONST[0]:1,sets=CONST:1", "bindings: SAMP[1] and CONST[0] both have binding 1 of set 1"),
    (PAIR, "spirv", "bindings=SAMP:none", "bindings: SAMP[0]: each resource of SPIR-V has a binding; give a number instead of None"),
    (PAIR, "glsl", "sets=SAMP:1", "sets: GLSL for OpenGL has no descriptor sets; leave the field out, or write SPIR-V"),
    (PAIR, "glsl", "names=SAMP[0]:a+SAMP[1]:a", "names: SAMP[0] and SAMP[1] are both called `a`; give one of them another name"),
    (PAIR, "glsl", "names=SAMP[0]:vec4", "names: SAMP[0]: `vec4` is a word of GLSL; choose another name"),
    (ARRAY, "glsl", "bindings=SAMP[2]:9", "bindings: SAMP[2] is an element of the array of SAMP[0]; give that one alone"),
    (ARRAY, "glsl", "names=SAMP[1]:a", "names: SAMP[1] is an element of the array of SAMP[0]; give that one alone"),
    (MIDDLE, "glsl", "names=GENERIC[1]:a", "names: GENERIC[1] is IN[0] and OUT[1] of one program; name each by its register"),
    (PAIR, "glsl", "point-coord=0x0,two-sid", "there is no state `two-sid`; did you mean `two-side`?"),
]


def _write(text: str, language: str, state: Any) -> object:
    return tgsi.write_glsl(text, state=state) if language == "glsl" else tgsi.write_spirv(tgsi.parse(text), state=state)


@pytest.mark.parametrize(("text", "language", "state", "message"), CLASHES)
def test_what_does_not_fit_a_program_is_told_with_its_field(text: str, language: str, state: str, message: str) -> None:
    with pytest.raises(ValueError, match="state: ") as caught:
        _write(text, language, state)
    assert str(caught.value).startswith(f"write_{language}: state: {message}")


@pytest.mark.parametrize("language", ["glsl", "spirv"])
def test_a_state_is_a_key_or_lowerings_or_text(language: str) -> None:
    made = [
        _write(PAIR, language, state) for state in (ShaderKey(lowering="clamp-color"), LoweringOptions(clamp_color=True), "clamp-color")
    ]
    assert made[0] == made[1] == made[2] != _write(PAIR, language, None)
    with pytest.raises(TypeError, match="state: expected a ShaderKey, a LoweringOptions or the text of one, not int"):
        _write(PAIR, language, 3)


@pytest.mark.parametrize("language", ["glsl", "spirv"])
def test_a_key_without_fields_changes_nothing(language: str) -> None:
    for text in (PAIR, ARRAY, MIDDLE):
        assert _write(text, language, ShaderKey()) == _write(text, language, None)


def test_the_command_takes_the_text_of_a_key(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shader = tmp_path / "a.tgsi"
    shader.write_text(PAIR)
    state = "clamp-color,bindings=SAMP:4,names=SAMP[1]:detail"
    assert main([str(shader), "--emit", "glsl", "--state", state]) == 0
    assert capsys.readouterr().out == tgsi.write_glsl(PAIR, state=state)
    assert main([str(shader), "--emit", "spirv", "--state", state, "-o", str(tmp_path / "a.spv")]) == 0
    assert (tmp_path / "a.spv").read_bytes() == tgsi.write_spirv(tgsi.parse(PAIR), state=state)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--emit", "glsl", "--state", "orign=1"], "--state: there is no state `orign`; did you mean `origin`?"),
        (["--emit", "glsl", "--state", "bindings=SAMP[0]:1"], "--state: bindings: SAMP[0] and SAMP[1] both have binding 1"),
        (["--emit", "text", "--state", "two-side"], "--state: it goes with --emit glsl, spirv or spirv-text; other outputs take --lower"),
        (["--check", "--state", "two-side"], "--state: it goes with --emit glsl, spirv or spirv-text; other outputs take --lower"),
    ],
)
def test_the_command_refuses_a_wrong_key(arguments: list[str], message: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shader = tmp_path / "a.tgsi"
    shader.write_text(PAIR)
    assert main([str(shader), *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"tgsi-compile: {message}")
