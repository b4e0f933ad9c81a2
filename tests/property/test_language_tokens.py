"""Decoding tokens undoes encoding, and any words give a program or a finding."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passes.validate import check
from tests.golden.accept import rows
from tests.property.language_strategies import WORDS, programs
from tgsi.language.diagnostics import ParseError
from tgsi.language.printer import print_program
from tgsi.language.program import Program
from tgsi.language.text.dumper import dump_mesa
from tgsi.language.text.parser import parse
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode


@settings(deadline=None, max_examples=60, derandomize=True)
@given(programs())
def test_decoding_undoes_encoding(program: Program) -> None:
    words = encode(program)
    decoded = decode(words)
    assert encode(decoded) == words
    assert decode(encode(decoded)) == decoded
    dump_mesa(decoded)


def survives(words: list[int]) -> None:
    try:
        program = decode(words)
    except ParseError as error:
        if not str(error):
            raise AssertionError("an error that says nothing") from error
        return
    check(program)
    assert encode(program)
    dump_mesa(program)
    print_program(program)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(st.lists(WORDS, max_size=20), st.integers(0, 8))
def test_any_words_are_a_program_or_a_parse_error(words: list[int], stage: int) -> None:
    survives(words)
    survives([2 | len(words) << 8, stage, *words])


@pytest.mark.parametrize("seed", range(3))
def test_mutated_streams_are_a_program_or_a_parse_error(seed: int) -> None:
    choose = random.Random(seed)
    streams = [[int(word, 16) for word in row["tokens"]] for row in rows() if row["tokens"]]
    for _ in range(300):
        words = list(choose.choice(streams))
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(words))
            if choose.random() < 0.7:
                words[at] ^= 1 << choose.randrange(32)
            elif choose.random() < 0.5:
                words[at] = choose.getrandbits(32)
            else:
                del words[at]
            if not words:
                break
        survives(words)


def test_the_corpus_forms_survive_tokens() -> None:
    for row in rows():
        if row["parses"]:
            program = parse(row["text"], dialect="strict")
            assert decode(encode(program)) == program, row["name"]
