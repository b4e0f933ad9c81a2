"""Reader: dialects, values, positions, and agreement with Mesa's verdicts."""

from __future__ import annotations

import pytest

from tests.golden.accept import Row, rows
from tgsi.language.diagnostics import ParseError
from tgsi.language.facts.enums import File, ImmediateType, Interpolation, Location, Processor, ReturnType
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import DstOperand, MemoryAccess, RegisterRef, SrcOperand, TexOffset
from tgsi.language.text.parser import MAX_MISTAKES, parse


def accepts(text: str, dialect: str) -> bool:
    try:
        parse(text, dialect=dialect)
    except ParseError:
        return False
    return True


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["name"])
def test_strict_dialect_gives_the_verdict_of_mesa(row: Row) -> None:
    assert accepts(row["text"], "strict") == row["parses"]


@pytest.mark.parametrize("row", [row for row in rows() if row["parses"]], ids=lambda row: row["name"])
def test_default_dialect_accepts_what_mesa_accepts(row: Row) -> None:
    program = parse(row["text"])
    assert parse(str(program)) == program


@pytest.mark.parametrize(
    "text",
    [
        "VERT\r\nDCL IN[0]\r\nEND\r\n",
        "VERT # stage\nEND",
        "# first\nVERT\nEND",
        "VERT\nDCL OUT[0]\nMOV OUT[0], OUT[0].x\nEND",
        "VERT\nMOV TEMP[ADDR[0].x + 3], IN[0]\nEND",
        "VERT\nDEMOTE\nEND",
        "VERT\nPROPERTY SEPARABLE_PROGRAM 1\nEND",
        "VERT\nDCL IN[0], GENERIC[1]\nEND",
        "FRAG\nDCL IN[0], GENERIC[1], LINEAR, INVARIANT\nEND",
        "FRAG\nDCL IN[0], GENERIC[1], LINEAR, CYLWRAP_XY\nEND",
        "FRAG\nBGNSUB :3\nEND",
    ],
)
def test_extension_is_read_by_default_and_refused_by_strict(text: str) -> None:
    assert accepts(text, "default")
    assert not accepts(text, "strict")


def test_an_instruction_has_all_its_parts() -> None:
    program = parse(
        "frag\nmad_sat_precise out[0].xz, -|temp[addr[0].y-2](3).wzyx|, const[1][2], imm[0]\n"
        "TXF TEMP[0], IN[0], SAMP[1], 2D_ARRAY, IMM[0].xyy\nSTORE BUFFER[0], IN[0], IN[0], RESTRICT, 3D, pipe_format_r32_uint\nCAL :7"
    )
    mad, txf, store, call = program.instructions
    assert (mad.opcode.name, mad.saturate, mad.precise) == ("MAD", True, True)
    assert mad.dst == (DstOperand(RegisterRef(File.OUT, 0), 0b101),)
    first, second, third = mad.src
    assert first.register.indirect is not None
    assert (first.register.index, first.register.indirect.component, first.register.array_id) == (-2, 1, 3)
    assert (first.swizzle, first.negate, first.absolute) == ((3, 2, 1, 0), True, True)
    assert second.register.dimension is not None
    assert (second.register.dimension.index, second.register.index) == (1, 2)
    assert third == SrcOperand(RegisterRef(File.IMM, 0))
    assert (txf.texture, txf.offsets) == ("2D_ARRAY", (TexOffset(RegisterRef(File.IMM, 0), (0, 1, 1)),))
    assert store.memory == MemoryAccess(2, "3D", "PIPE_FORMAT_R32_UINT")
    assert call.label == 7


def test_a_declaration_has_all_its_parts() -> None:
    program = parse("FRAG\nDCL IN[2..3].xy, ARRAY(4), GENERIC[5], LINEAR, CENTROID\nDCL CONST[2][0..7]\nDCL SVIEW[0], CUBE, UINT")
    fragment_input, constants, view = program.declarations
    assert (fragment_input.first, fragment_input.last, fragment_input.usage_mask, fragment_input.array_id) == (2, 3, 3, 4)
    assert fragment_input.semantic == Semantic("GENERIC", 5)
    assert (fragment_input.interpolation, fragment_input.location) == (Interpolation.LINEAR, Location.CENTROID)
    assert (constants.dimension, constants.first, constants.last) == (2, 0, 7)
    assert view.view is not None
    assert (view.view.target, set(view.view.types)) == ("CUBE", {ReturnType.UINT})


@pytest.mark.parametrize(("dialect", "types"), [("default", ["FLOAT", "UINT", "SINT", "UNORM"]), ("strict", ["FLOAT"] * 4)])
def test_four_return_types_survive_in_our_dialect_only(dialect: str, types: list[str]) -> None:
    view = parse("FRAG\nDCL SVIEW[0], 2D, FLOAT, UINT, SINT, UNORM", dialect=dialect).declarations[0].view
    assert view is not None
    assert [kind.name for kind in view.types] == types


def test_empty_brackets_mean_all_vertices_and_the_vertex_bracket_is_dropped() -> None:
    program = parse("GEOM\nPROPERTY GS_INPUT_PRIMITIVE LINES_ADJACENCY\nDCL IN[][1], POSITION\nDCL OUT[], GENERIC[0]")
    vertex, whole = program.declarations
    assert (vertex.first, vertex.last, vertex.dimension) == (1, 1, None)
    assert (whole.first, whole.last) == (0, 3)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("FLT32 {1, -0.0, 0x7fc00001, 1e39}", (0x3F800000, 0x80000000, 0x7FC00001, 0x7F800000)),
        ("FLT32 {.5, 5., +1E1, 1e-46}", (0x3F000000, 0x40A00000, 0x41200000, 0)),
        ("UINT32 {0, 4294967296, 4294967297, 7}", (0, 0, 1, 7)),
        ("INT32 {-1, -2147483648, +5, 4294967295}", (0xFFFFFFFF, 0x80000000, 5, 0xFFFFFFFF)),
        ("FLT64 {1.0, -inf}", (0, 0x3FF00000, 0, 0xFFF00000)),
        ("FLT64 {nan, -nan}", (0, 0x7FF80000, 0, 0xFFF80000)),
        ("FLT64 {0x1.8p1, nan_7ff0000000000001}", (0, 0x40080000, 1, 0x7FF00000)),
        ("UINT64 {0x1ffffffff, 010}", (0xFFFFFFFF, 1, 8, 0)),
        ("UINT64 {-1, 99999999999999999999}", (0xFFFFFFFF,) * 4),
        ("INT64 {-1, -99999999999999999999}", (0xFFFFFFFF, 0xFFFFFFFF, 0, 0x80000000)),
    ],
)
def test_immediate_values_become_raw_words(written: str, words: tuple[int, ...]) -> None:
    (immediate,) = parse(f"VERT\nIMM[0] {written}").immediates
    assert immediate.words == words
    assert immediate.type is ImmediateType[written.split()[0]]


def test_named_property_values_become_numbers() -> None:
    program = parse("VERT\nPROPERTY next_shader geom\nPROPERTY VS_PROHIBIT_UCPS 4294967297")
    assert program.property("NEXT_SHADER") == Processor.GEOM
    assert program.property("VS_PROHIBIT_UCPS") == 1


def test_spans_name_line_column_and_source() -> None:
    program = parse("VERT # one\r\n  DCL IN[0]\r\n\t7: MOV IN[0], IN[0]", name="a.tgsi")
    declaration, instruction = program.declarations[0], program.instructions[0]
    assert declaration.span is not None
    assert instruction.span is not None
    assert str(declaration.span) == "a.tgsi:2:3"
    assert (instruction.span.line, instruction.span.column, instruction.span.text) == (3, 2, "7: MOV IN[0], IN[0]")


def test_reading_stops_at_a_nul_character() -> None:
    assert len(parse("VERT\nEND\0 this is not read").instructions) == 1


def test_every_mistake_is_reported_up_to_a_bound() -> None:
    with pytest.raises(ParseError) as caught:
        parse("VERT\n" + "FOO\n" * 50)
    assert [item.span.line for item in caught.value.diagnostics if item.span is not None] == list(range(2, 52))
    with pytest.raises(ParseError) as caught:
        parse("VERT\n" + "FOO\n" * 5000)
    assert len(caught.value.diagnostics) == MAX_MISTAKES


def test_one_bad_statement_does_not_hide_the_next() -> None:
    with pytest.raises(ParseError) as caught:
        parse("VERT\nDCL IN[0\nDCL OUT[0], POSITON\n  0: MOV OUT[0], IN[0].xy\n  1: MUUL OUT[0], IN[0]\n  2: END")
    assert [item.code for item in caught.value.diagnostics] == ["P004", "P007", "P012", "P005"]


@pytest.mark.parametrize("opcode", ["ADD", "ADD_SAT", "ADD_PRECISE", "ADD_SAT_PRECISE"])
def test_reading_goes_on_at_an_opcode_with_modifiers(opcode: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(f"VERT\nMOV TEMP0, TEMP[0]\n{opcode} TEMP0, TEMP[0], TEMP[0]\nEND")
    assert [item.span.line for item in caught.value.diagnostics if item.span is not None] == [2, 3]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        parse(b"VERT")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dialect must be one of default, strict, legacy, not 'loose'"):
        parse("VERT", dialect="loose")
    with pytest.raises(ValueError, match="engine must be one of"):
        parse("VERT", engine="yacc")
