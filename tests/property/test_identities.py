"""Text, tokens and JSON give each other back: the same text, the same words, the same program."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

import tgsi
from tests.golden.accept import rows
from tests.property.language_strategies import programs
from tgsi.language.diagnostics import ParseError, UnsupportedError
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.from_json import program_from_json
from tgsi.language.ir import Declaration, DstOperand, Immediate, Instruction, SrcOperand
from tgsi.language.listing import program_as_json
from tgsi.language.program import Program
from tgsi.language.text.dumper import write_mesa
from tgsi.language.text.parser import parse
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path("/work/shared/corpus")
_KEPT = 0xFFFFFFFF
_UNKNOWN_TYPE = 5


def judge(program: Program) -> None:
    """Send a program through every printer and reader that keeps it."""
    words, text = encode(program), str(program)
    decoded = decode(words)
    assert encode(decoded) == words
    assert str(decoded) == text
    assert encode(parse(text)) == words
    assert str(parse(text)) == text
    assert parse(program.text) == program
    data = json.loads(json.dumps(program_as_json(program)))
    again = program_from_json(data)
    assert (again, str(again), encode(again)) == (program, text, words)


def judge_mesa(program: Program) -> bool:
    """Read the text for Mesa with the verdicts of Mesa 18.1: the same words, except those left out. False if Mesa has no text for it."""
    try:
        text = write_mesa(program)
    except UnsupportedError as error:
        return error.diagnostics[0].code != "P032"
    later = [PROPERTIES[item.name].is_later for item in program.properties] + [item.opcode.is_later for item in program.instructions]
    again = parse(text, dialect="default" if any(later) else "strict")
    plain = decode(encode(program))
    assert len(again.instructions) == len(plain.instructions)
    assert [item.words for item in again.immediates] == [item.words for item in plain.immediates]
    assert [(item.file, item.first, item.last, item.semantic) for item in again.declarations] == [
        (item.file, item.first, item.last, item.semantic) for item in plain.declarations
    ]
    assert write_mesa(again) == text
    return True


@settings(deadline=None, max_examples=60, derandomize=True)
@given(programs())
def test_generated_programs_come_back(program: Program) -> None:
    decoded = decode(encode(program))  # without what tokens have no place for
    judge(decoded)
    again = program_from_json(json.loads(json.dumps(program_as_json(program))))
    assert (again, str(again)) == (program, str(program))


@pytest.mark.parametrize("row", [row for row in rows() if row["parses"]], ids=lambda row: row["name"])
def test_everything_that_mesa_reads_comes_back(row: dict[str, object]) -> None:
    program = parse(str(row["text"]), dialect="strict")
    assert list(encode(program)) == [int(word, 16) for word in row["tokens"]]  # type: ignore[attr-defined]
    judge(program)
    judge_mesa(program)


def test_statements_keep_any_order() -> None:
    text = "GEOM\nIMM[0] UINT32 {0, 0, 0, 0}\nDCL IN[0], POSITION\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nDCL IN[][1], GENERIC[0]\n"
    text += "IMM[1] FLT32 {1.0, 0.0, 0.0, 0.0}\n  0: END\nPROPERTY GS_INVOCATIONS 2\n"
    program = parse(text)
    assert str(program) == text
    assert program.text.startswith("GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_INVOCATIONS 2\nDCL IN[][0]")
    assert tgsi.dump(program, canonical=True) == tgsi.dump(program, style="canonical") == program.text
    judge(program)
    assert program_as_json(program)["order"][0] == ["immediates", 1]
    assert "order" not in program_as_json(parse(program.text))


def test_an_order_that_a_pass_changed_is_canonical() -> None:
    program = parse("VERT\nIMM[0] UINT32 {0, 0, 0, 0}\nDCL OUT[0], POSITION\nMOV OUT[0], IMM[0]\nNOP\nEND\n")
    moved = Program(program.processor, program.declarations, program.immediates, (), program.instructions[1::-1] + program.instructions[2:])
    assert [line.split()[1] for line in str(moved).splitlines()[3:]] == ["NOP", "MOV", "END"]
    assert [item.opcode.name for item in decode(encode(moved)).instructions] == ["NOP", "MOV", "END"]


FORMS = """
MOV OUT[65535], IN[32768]
MOV OUT[0], CONST[40000][65535]
MOV OUT[0], TEMP[ADDR[40000].x-32768](1023)
MOV OUT[0]._, IN[0]
TEX OUT[0], IN[0], SAMP[0], 2D, UINT
TXF OUT[0], IN[0], SAMP[0], 2D_ARRAY, SINT, IMM[0].xyz
UNK35 :7
PROPERTY NEXT_SHADER 77
DCL TEMP[0]._
DCL SVIEW[0], 2D, FLOAT, UINT, SINT, UNORM
DCL IN[0], COLOR[1], COLOR, CENTROID, CYLWRAP_XW, INVARIANT
DCL SAMP[0], STREAM(0, 0, 0, 0), COLOR
IMM[0] FLT64 {nan_7ff4000000000001, -nan}
"""


@pytest.mark.parametrize("form", FORMS.split("\n")[1:-1])
def test_forms_beyond_mesas_text_keep_their_words(form: str) -> None:
    program = parse(f"FRAG\n{form}\nEND")
    judge(program)
    assert judge_mesa(program) is not any(word in form for word in ("._", "77", "UNORM", "STREAM"))


def _meanings(program: Program, words: tuple[int, ...]) -> Iterator[int]:
    """For each word of a stream, the bits that mean something to a reader that walks statements by their parts."""
    yield 0  # the sizes
    yield 0xF
    kinds = (program.declarations, program.immediates, program.properties, program.instructions)
    for item in sorted((item for group in kinds for item in group), key=lambda item: item.span.start if item.span else 0):
        assert item.span is not None
        head = words[item.span.start // 9]
        if isinstance(item, Declaration):
            yield from _of_declaration(head, program.processor.name, item)
        elif isinstance(item, Immediate):
            yield from (0x003FFFFF, _KEPT, _KEPT, _KEPT, _KEPT)
        elif isinstance(item, Instruction):
            yield from _of_instruction(head, item)
        else:
            yield from (0x000FFFFF, _KEPT)


def _of_declaration(head: int, stage: str, item: Declaration) -> Iterator[int]:
    file = item.file.name
    is_plain = file not in ("IMAGE", "SVIEW", "BUFFER", "MEMORY")
    yield (
        0x02DFFFFF
        | is_plain << 24
        | 0x00200000
        | (file == "BUFFER") << 26
        | (7 << 27) * (file == "MEMORY")
        | ((file, stage) == ("OUT", "MESH")) << 29
    )
    yield _KEPT
    if head >> 20 & 1:
        yield 0xFFFF
    if head >> 22 & 1:
        yield 0x3FF
    if head >> 21 & 1:
        yield (_KEPT if (file, stage) == ("OUT", "GEOM") else 0xFFFFFF) if is_plain else 0
    if file == "IMAGE":
        yield 0xFFFFF
    if file == "SVIEW":
        yield _KEPT
    if head >> 25 & 1:
        yield 0x3FF


def _of_instruction(head: int, item: Instruction) -> Iterator[int]:
    yield 0x7FFFF00F
    if head >> 27 & 1:
        yield 0xFFFFFF
    if head >> 28 & 1:
        yield 0x7F00 | 0xFF * item.opcode.is_texture if item.opcode.is_texture else 0xF00
        for _ in item.offsets:
            yield 0x3FFFFFF
    if head >> 29 & 1:
        yield 0x1FFFFF
    for operand in (*item.dst, *item.src):
        assert isinstance(operand, (DstOperand, SrcOperand))
        yield 0x3FFFFFF if isinstance(operand, DstOperand) else _KEPT
        if operand.register.indirect is not None:
            yield _KEPT
        if (outer := operand.register.dimension) is not None:
            yield 0xFFFF0003
            if outer.indirect is not None:
                yield _KEPT


def _flips(words: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Each word's number and a bit of it that means something."""
    meanings = list(_meanings(decode(words), words))
    assert len(meanings) == len(words)
    return ((at, bit) for at, mask in enumerate(meanings) for bit in range(32) if mask >> bit & 1)


def every_bit_is_kept(words: tuple[int, ...], chance: random.Random, share: float) -> int:
    """Flip bits that mean something: a stream that is still read is given back whole, also through text. Returns the number read."""
    count = 0
    for at, bit in _flips(words):
        if chance.random() >= share:
            continue
        changed = (*words[:at], words[at] ^ 1 << bit, *words[at + 1 :])
        try:
            program = decode(changed)
        except ParseError:
            continue
        if any(item.span is None or item.span.end - item.span.start != 5 * 9 - 1 for item in program.immediates):
            continue  # no text has an immediate of less than four words: the words that it lacks become 0
        if any(item.span and changed[item.span.start // 9] >> 25 & 1 and not item.array_id for item in program.declarations):
            continue  # an array word of number 0 says nothing, and is left out
        if encode(program) != changed:  # the bit is another's length or presence, and the words now mean other parts
            meanings = list(_meanings(program, changed))
            masked = [word & mask for word, mask in zip(changed, meanings)]
            assert [word & mask for word, mask in zip(encode(program), meanings)][: len(masked)] == masked, (at, bit)
            program = decode(encode(program))
        judge(program)
        count += 1
    return count


@pytest.mark.parametrize("name", ["every-declaration", "every-operand"])
def test_every_bit_that_the_decoder_reads_is_in_the_text(name: str) -> None:
    program = parse((ROOT / f"tests/filetests/text/{name}.tgsi").read_text())
    words = encode(decode(encode(program)))
    assert every_bit_is_kept(words, random.Random(1), 0.2) > 100


@pytest.mark.nightly
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of Mesa's shaders is not here")
def test_the_corpus_comes_back() -> None:
    paths = sorted(CORPUS.glob("*.tgsi"))
    chance = random.Random(1)
    for path in paths:
        program = parse(path.read_text())
        judge(program)
        assert judge_mesa(program)
        every_bit_is_kept(encode(program), chance, 20 / len(encode(program)) / 32)
    assert len(paths) >= 1000
