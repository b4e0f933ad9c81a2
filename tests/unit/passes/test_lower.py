"""Lowerings: inserted instructions, clamped colors, two-sided colors, moved registers."""

from __future__ import annotations

import pytest

from passes.lower.clamp import Clamp, clamp_colors
from passes.lower.face import face_from_back_color, two_sided_from_face
from passes.lower.insert import insert
from passes.lower.registers import move_registers
from passes.validate import validate
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse

CALLS = """\
VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR[1]
  0: CAL :5
  1: IF IN[0].xxxx :3
  2:   RET
  3: ENDIF
  4: END
  5: BGNSUB
  6:   MOV OUT[1], IN[0]
  7:   RET
  8: ENDSUB
"""
FACES = "FRAG\nDCL IN[0], FACE, CONSTANT\nDCL IN[1], COLOR, COLOR\nDCL OUT[0], COLOR\n  0: MUL OUT[0], IN[0].xxxx, IN[1]\n  1: END\n"
TWO_COLORS = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], COLOR[1]\n  0: MOV OUT[0], IN[0]\n  1: END\n"
POSITION = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n"


def lines(text: object) -> list[str]:
    return [line.strip() for line in str(text).splitlines()]


def test_colors_are_clamped_before_every_end_of_main_and_labels_move_along() -> None:
    lowered = clamp_colors(parse(CALLS), Clamp.ALWAYS)
    validate(lowered)
    assert [i.opcode.name for i in lowered.instructions] == (
        ["CAL", "IF", "MAX", "MAX", "RET", "ENDIF", "MAX", "MAX", "END", "BGNSUB", "MOV", "RET", "ENDSUB"]
    )
    assert [i.label for i in lowered.instructions[:2]] == [9, 5]
    assert all(i.saturate for i in (*lowered.instructions[2:4], *lowered.instructions[6:8]))


@pytest.mark.parametrize(
    ("mode", "has_float_target", "changes"),
    [(Clamp.NEVER, False, False), (Clamp.ALWAYS, True, True), (Clamp.FIXED_ONLY, True, False), (Clamp.FIXED_ONLY, False, True)],
)
def test_when_colors_are_clamped(mode: Clamp, has_float_target: bool, changes: bool) -> None:
    program = parse(FACES)
    assert (clamp_colors(program, mode, has_float_target=has_float_target) != program) is changes


def test_programs_without_colors_are_left_alone() -> None:
    program = parse(POSITION)
    assert clamp_colors(program, Clamp.ALWAYS) is program
    assert two_sided_from_face(program) is program


def test_geometry_colors_are_clamped_before_every_emit() -> None:
    text = (
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
        "DCL IN[][0], POSITION\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n"
    )
    assert [i.opcode.name for i in clamp_colors(parse(text), Clamp.ALWAYS).instructions] == ["MOV", "MAX", "EMIT", "END"]


def test_two_sided_color_selects_by_face() -> None:
    lowered = two_sided_from_face(parse(FACES))
    validate(lowered)
    assert lines(lowered)[-3:] == [
        "0: CMP TEMP[0], IN[0].xxxx, IN[2], IN[1]",
        "1: MUL OUT[0], IN[0].xxxx, TEMP[0]",
        "2: END",
    ]
    assert "DCL IN[2], BCOLOR, COLOR" in lines(lowered)


def test_face_is_computed_from_a_two_sided_color() -> None:
    vertex, fragment = face_from_back_color(parse(POSITION), parse(FACES))
    validate(vertex)
    validate(fragment)
    assert {"DCL OUT[1], COLOR[1]", "DCL OUT[2], BCOLOR[1]"} <= set(lines(vertex))
    assert "DCL IN[0], COLOR[1], CONSTANT" in lines(fragment)
    assert "FACE" not in str(fragment)


def test_face_needs_a_free_color() -> None:
    with pytest.raises(UnsupportedError, match=r"K037.*both colors are in use"):
        face_from_back_color(parse(TWO_COLORS), parse(FACES))


def test_indexed_inputs_cannot_be_told_apart() -> None:
    text = (
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1..2], GENERIC, LINEAR\nDCL OUT[0], COLOR\nDCL ADDR[0]\n"
        "ARL ADDR[0].x, IN[0]\nMOV OUT[0], IN[ADDR[0].x+1]\nEND\n"
    )
    with pytest.raises(UnsupportedError, match=r"K037.*inputs are indexed"):
        two_sided_from_face(parse(text))


def test_colors_in_a_range_are_refused() -> None:
    text = "FRAG\nDCL IN[0..1], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n"
    with pytest.raises(UnsupportedError, match=r"K037.*COLOR stands in a range"):
        two_sided_from_face(parse(text))


def test_inserting_nothing_changes_nothing() -> None:
    program = parse(CALLS)
    assert insert(program, {}) == program


def test_registers_move_with_their_declarations_and_arrays() -> None:
    text = (
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1..2], ARRAY(1), GENERIC, LINEAR\nDCL OUT[0], COLOR\nDCL ADDR[0]\n"
        "ARL ADDR[0].x, IN[0]\nMOV OUT[0], IN[ADDR[0].x+2](1)\nEND\n"
    )
    moved = move_registers(parse(text), File.IN, {0: 7, 1: 3, 2: 4})
    assert {"DCL IN[7], COLOR, COLOR", "DCL IN[3..4], ARRAY(1), GENERIC[0], LINEAR"} <= set(lines(moved))
    assert {"0: ARL ADDR[0].x, IN[7]", "1: MOV OUT[0], IN[ADDR[0].x+4](1)"} <= set(lines(moved))


def test_sides_of_colors_and_faces_that_are_interpolated_again() -> None:
    again = "INTERP_CENTROID OUT[0], -IN[1].yxzw\nINTERP_CENTROID OUT[0].w, IN[0]\nEND\n"
    text = FACES[: FACES.index("  0:")] + again
    lowered = two_sided_from_face(parse(text))
    validate(lowered)
    assert lines(lowered)[-6:] == [
        "1: INTERP_CENTROID TEMP[1], IN[1]",
        "2: INTERP_CENTROID TEMP[2], IN[2]",
        "3: CMP TEMP[1], IN[0].xxxx, TEMP[2], TEMP[1]",
        "4: MOV OUT[0], -TEMP[1].yxzw",
        "5: INTERP_CENTROID OUT[0].w, IN[0]",
        "6: END",
    ]
    _, fragment = face_from_back_color(parse(POSITION), parse(text.replace("COLOR, COLOR", "GENERIC[0], LINEAR")))
    validate(fragment)
    assert "3: MOV OUT[0].w, TEMP[0]" in lines(fragment)
