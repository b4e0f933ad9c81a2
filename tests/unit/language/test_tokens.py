"""Token streams and Mesa's dump: equal to Mesa's for the same texts, and safe to read for any words."""

from __future__ import annotations

import pytest

from tests.golden.accept import Row, rows
from tgsi.language.diagnostics import ParseError, UnsupportedError
from tgsi.language.facts.enums import File
from tgsi.language.facts.formats import FORMAT_NAMES, FORMAT_NUMBERS
from tgsi.language.ir import Declaration, Immediate
from tgsi.language.program import Program
from tgsi.language.text.dumper import dump, dump_mesa
from tgsi.language.text.parser import parse
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode

ACCEPTED = [row for row in rows() if row["parses"]]


@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: row["name"])
def test_tokens_and_dump_are_those_of_mesa(row: Row) -> None:
    program = parse(row["text"], dialect="strict")
    words = encode(program)
    assert [f"{word:08x}" for word in words] == row["tokens"]
    assert dump_mesa(program) == row["dump"]
    decoded = decode(words)
    assert decoded == program
    assert dump_mesa(decoded) == row["dump"]
    assert encode(decoded) == words


GOOD = encode(parse("FRAG\nDCL OUT[0], COLOR\nIMM FLT32 {0, 0, 0, 0}\nTEX OUT[0], IMM[0], SAMP[0], 2D, IMM[0].xyz\nEND"))


@pytest.mark.parametrize(
    ("at", "word", "code", "message"),
    [
        (0, 0x00000003, "P041", "the header says that it has 3 words, not 2"),
        (0, 0x7FFFFF02, "P041", "the header promises 8388609 words, there are 17"),
        (1, 0x0000000F, "P043", "there is no shader stage 15"),
        (2, 0x0000000F, "P042", "there is no token type 15"),
        (2, 0x002FF030, "P043", "there is no register file 15"),
        (2, 0x002F3040, "P044", "the statement says that it has 4 words, its parts make 3"),
        (4, 0x000000FF, "P043", "there is no semantic 255"),
        (5, 0x00180051, "P043", "there is no immediate type 6"),
        (5, 0x00000001, "P044", "an immediate has 1 to 4 data words, not -1"),
        (10, 0x110FF042, "P043", "there is no opcode 255"),
        (10, 0x10234042, "P043", "TEX does not take 1 destinations and 0 sources"),
        (10, 0x01234042, "P044", "TEX needs a texture word"),
        (11, 0x000000FF, "P043", "there is no texture target 255"),
        (11, 0x00000F02, "P044", "an instruction has at most 4 texture offsets, not 15"),
        (16, 0x0007501F, "P042", "there is no token type 15"),
    ],
)
def test_wrong_word_is_named(at: int, word: int, code: str, message: str) -> None:
    words = list(GOOD)
    words[at] = word
    with pytest.raises(ParseError) as caught:
        decode(words)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (code, message)
    assert found.span is not None


def test_a_finding_shows_the_word_and_its_offset() -> None:
    with pytest.raises(ParseError) as caught:
        decode([*GOOD[:2], 0xDEADBEEF, *GOOD[3:]], name="a.tokens")
    assert str(caught.value) == "error[P042]: there is no token type 15\n --> a.tokens:3:1\n  |\n3 | deadbeef\n  | ^^^^^^^^ word 2"


@pytest.mark.parametrize("size", range(len(GOOD)))
def test_a_stream_cut_short_is_refused(size: int) -> None:
    cut = GOOD[:size]
    with pytest.raises(ParseError):
        decode(cut)
    if size >= 2:  # with a matching header, the stream ends inside of a statement or between two
        try:
            decode((2 | size - 2 << 8, *cut[1:]))
        except ParseError as error:
            assert {item.code for item in error.diagnostics} <= {"P040"}  # noqa: PT017


DECLARED = "BUFFER[4]", "IMAGE[0], 2D, PIPE_FORMAT_R32_UINT", "SVIEW[0], 2D, FLOAT", "MEMORY[0], SHARED", "TEMP[0]", "OUT[0], POSITION"


@pytest.mark.parametrize("declared", DECLARED)
def test_the_text_of_a_declaration_whose_local_bit_is_set_can_be_read(declared: str) -> None:
    words = [*encode(parse(f"VERT\nDCL {declared}\nEND"))]
    words[2] |= 1 << 24
    program = decode(words)
    assert parse(program.text).text == program.text
    assert ("LOCAL" in program.text) is declared.startswith(("TEMP", "OUT"))


@pytest.mark.parametrize(
    ("stage", "declared", "has"),
    [("GEOM", "OUT[0], GENERIC[1]", True), ("MESH", "OUT[0], GENERIC[1]", False), ("GEOM", "SV[0], PRIM_ID", False)],
)
def test_stream_bits_count_for_outputs_of_geometry_programs(stage: str, declared: str, has: bool) -> None:
    words = [*encode(parse(f"{stage}\nDCL {declared}\nEND"))]
    words[4] |= 1 << 28
    program = decode(words)
    assert parse(program.text).text == program.text
    assert ("STREAM" in program.text) is has


def test_a_view_that_returns_the_unknown_type_is_refused() -> None:
    words = [*encode(parse("VERT\nDCL SVIEW[0], 2D, FLOAT\nEND"))]
    decode(words)
    words[4] = words[4] & ~(63 << 26) | 5 << 26
    with pytest.raises(ParseError, match=r"a sampler view cannot return type 5 \(UNKNOWN\)"):
        decode(words)


def test_dump_takes_a_style() -> None:
    program = parse("VERT\nIMM FLT32 {0.1, 0, 0, 0}\nEND")
    assert dump(program) == str(program)
    assert dump(program, style="mesa-dump") == dump_mesa(program) != str(program)
    with pytest.raises(ValueError, match="style must be one of text, canonical, mesa, mesa-dump, not 'c'"):
        dump(program, style="c")


def test_wrong_elements_are_named() -> None:
    with pytest.raises(TypeError, match="words must be int, not str"):
        decode(["2"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="a word is 32 bits, not -1"):
        decode([-1])


def test_a_program_made_by_hand_is_encoded_in_canonical_order() -> None:
    made = parse("VERT\nIMM UINT32 {1, 2, 3, 4}\nDCL IN[0]\nPROPERTY NEXT_SHADER FRAG\nEND")
    kinds = [item.__class__ for item in (*made.declarations, *made.immediates)]
    assert kinds == [Declaration, Immediate]
    by_text = encode(made)
    by_hand = encode(Program(made.processor, (Declaration(File.IN, 0, 0),), made.immediates, made.properties, made.instructions))
    assert [word & 15 for word in (by_text[2], by_hand[2])] == [1, 3]
    assert sorted(by_text) == sorted(by_hand)


def test_format_numbers_are_unique_and_those_of_gallium() -> None:
    assert len(FORMAT_NUMBERS) == len(FORMAT_NAMES) == 301
    assert FORMAT_NUMBERS["PIPE_FORMAT_R32_FLOAT"] == 28
    assert FORMAT_NUMBERS["PIPE_FORMAT_R32_UINT"] == 193
    assert max(FORMAT_NAMES) == 306


def test_a_format_without_a_number_cannot_be_encoded() -> None:
    with pytest.raises(UnsupportedError, match="PIPE_FORMAT_NO_SUCH has no number"):
        encode(parse("FRAG\nDCL IMAGE[0], 2D, PIPE_FORMAT_NO_SUCH\nEND"))
