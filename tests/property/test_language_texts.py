"""Reader and printer are inverse to each other, the reader raises no unexpected exception, and the two readers agree."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passes.validate import check
from tests.golden.accept import rows
from tests.property.language_strategies import programs
from tgsi.language.diagnostics import ParseError
from tgsi.language.printer import print_program
from tgsi.language.program import Program
from tgsi.language.text.parser import DIALECTS, parse

PIECES = (
    " ", "\n", "\t", "[", "]", "(", ")", ".", ",", ":", "|", "-", "+", "{", "}", "0", "1", "9", "0x1", "..", "#", "\r",
    "MOV", "TEX", "IF", "ENDIF", "END", "IN[0]", "OUT[0]", "TEMP[ADDR[0].x+1](1)", "2D", "DCL", "IMM", "IMM[0]", "FLT32 {1, 2, 3, 4}",
    "PROPERTY", "FS_COORD_ORIGIN", "GENERIC[1]", "ARRAY(1)", "STREAM(0, 0, 0, 1)", ".xyzw", ".x", "LOAD", "VOLATILE",
    "SUB", "XPD", "EMIT", "TEMPX[0][1]", "IMMX[0]", "DCL IMMX[0] {{1, 2, 3, 4}}", "_SAT", "é", "\x00",
    "_2X", "_SATNV", "(PRED[0].x)", "2*((1-(IN[0]))-0.5)", "-(|IN[0].x01w|)", "REP", "BGNFOR LOOP[0], IN[0]", "ENDFOR", "DCL PRED[0]",
    "KIL", "RCC", "DCL OUT[1], CULLDIST", "FLT32 {1}", "BRA", "TXQ_LZ", "RES[0]", "DCL RES[0], 2D, FLOAT",
)  # fmt: skip

soup = st.lists(st.sampled_from(PIECES), max_size=30).map(lambda pieces: "FRAG\n" + " ".join(pieces))


def spans(program: Program) -> list[tuple[int, int]]:
    lists = (program.declarations, program.immediates, program.properties, program.instructions)
    return [(item.span.start, item.span.end) for items in lists for item in items if item.span is not None]


def verdict(text: str, dialect: str, engine: str) -> tuple[Program, list[tuple[int, int]]] | None:
    try:
        program = parse(text, dialect=dialect, engine=engine)
    except ParseError as error:
        if not error.diagnostics or not str(error):
            raise AssertionError("an error that says nothing") from error
        return None
    return program, spans(program)


@settings(deadline=None, max_examples=70, derandomize=True)
@given(programs())
def test_printed_program_reads_back_equal(program: Program) -> None:
    text = print_program(program)
    again = parse(text)
    assert again == program
    assert print_program(again) == text


@settings(deadline=None, max_examples=40, derandomize=True)
@given(programs())
def test_checking_any_program_gives_findings_and_nothing_else(program: Program) -> None:
    for diagnostic in (*check(program), *check(parse(print_program(program)))):
        assert diagnostic.render()


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.one_of(st.text(), st.text().map(lambda text: f"VERT\n{text}"), soup))
def test_any_text_is_a_program_or_a_parse_error(text: str) -> None:
    verdict(text, "default", "regular")
    verdict(text, "strict", "regular")
    verdict(text, "legacy", "regular")


@settings(deadline=None, max_examples=150, derandomize=True)
@given(soup)
def test_both_readers_agree_on_token_soup(text: str) -> None:
    for dialect in DIALECTS:
        assert verdict(text, dialect, "regular") == verdict(text, dialect, "lark")


def mutant(text: str, choose: random.Random) -> str:
    for _ in range(choose.randint(1, 3)):
        at = choose.randrange(len(text) + 1)
        kind = choose.random()
        if kind < 0.4:
            text = text[:at] + choose.choice(PIECES) + text[at:]
        elif kind < 0.7:
            text = text[:at] + text[at + choose.randint(1, 3) :]
        elif kind < 0.85:
            text = text[:at] + choose.choice(PIECES) + text[at + 1 :]
        else:
            text = text.replace("\n", " ") if choose.random() < 0.5 else text.replace(", ", " ,\n")
    return text


@pytest.mark.parametrize("seed", range(3))
def test_both_readers_agree_on_mutants_of_measured_texts(seed: int) -> None:
    choose = random.Random(seed)
    texts = [row["text"] for row in rows()]
    for _ in range(250):
        text = mutant(choose.choice(texts), choose)
        dialect = choose.choice(DIALECTS)
        assert verdict(text, dialect, "regular") == verdict(text, dialect, "lark"), text


HOSTILE = {
    "blanks at the end": lambda n: "VERT\n" + " " * n,
    "one long word": lambda n: "VERT\n" + "M" * n,
    "open brackets": lambda n: "VERT\nMOV OUT[0], IN" + "[" * n,
    "many commas": lambda n: "VERT\nMOV OUT[0]" + ", IN[0]" * (n // 7),
    "digits": lambda n: "VERT\nMOV OUT[0], IN[" + "9" * n + "]",
    "no spaces": lambda n: "VERT\n" + "MOV OUT[0],IN[0]" * (n // 16),
    "newlines": lambda n: "VERT" + "\n" * n + "MOV",
    "wrong lines": lambda n: "VERT\n" + "FOO\n" * (n // 4),
    "unclosed braces": lambda n: "VERT\n" + "IMM FLT32 {" * (n // 11),
    "comments": lambda n: "VERT\n" + "#\n" * (n // 2),
    "labels": lambda n: "VERT\n" + "1:" * (n // 2),
}


HOSTILE_OLD = {
    **HOSTILE,
    "signs": lambda n: "VERT\nMOV OUT[0], " + "-(" * (n // 2),
    "factors": lambda n: "VERT\nMOV OUT[0]" + "_2X" * (n // 3),
    "modifiers": lambda n: "VERT\n" + "MOV OUT[0], 2*((1-(IN[0])" * (n // 25),
    "predicates": lambda n: "VERT\n" + "(!PRED[0]" * (n // 9),
    "predicates that end": lambda n: "VERT\n" + "(!PRED[0])" * (n // 10),
    "constants": lambda n: "VERT\nMOV OUT[0], IN[0]" + ".x01" * (n // 4),
    "old instructions": lambda n: "VERT\n" + "RCC OUT[0]_2X, 1-(IN[0])\n" * (n // 25),
}


@pytest.mark.parametrize("kind", HOSTILE_OLD)
def test_reading_time_is_linear_in_hostile_texts(kind: str) -> None:
    def cost(size: int) -> float:
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            verdict(HOSTILE_OLD[kind](size), "default" if kind in HOSTILE else "legacy", "regular")
            best = min(best, time.process_time() - start)
        return best

    small, large = cost(4_000), cost(32_000)
    assert large < 20 * small + 0.05, f"8 times the text took {large / small:.1f} times as long"
