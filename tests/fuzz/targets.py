"""Entry points for fuzzers. Every outcome but a result or diagnostics is a finding."""

from __future__ import annotations

import contextlib
import struct

from passes.validate import check
from tgsi.language.diagnostics import ParseError, UnsupportedError
from tgsi.language.program import Program
from tgsi.language.text.dumper import dump_mesa
from tgsi.language.text.parser import DIALECTS, parse
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode


def text(data: bytes) -> None:
    """Read text; the first byte chooses the dialect."""
    dialect = DIALECTS[data[0] % len(DIALECTS)] if data else "default"
    try:
        program = parse(data[1:].decode("utf-8", "replace"), dialect=dialect)
    except ParseError as error:
        str(error)
        return
    judge(program, dialect)


def tokens(data: bytes) -> None:
    """Read little-endian words, without an incomplete last one."""
    words = struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
    try:
        program = decode(words)
    except ParseError as error:
        str(error)
        return
    judge(program, "tokens")
    assert decode(encode(program)) == program


def judge(program: Program, dialect: str) -> None:
    """Apply every operation that any program must survive."""
    printed = str(program)
    if dialect == "default":
        assert parse(printed) == program
    for found in check(program):
        found.render()
    assert program.info.num_instructions == len(program.instructions)
    dump_mesa(program)
    with contextlib.suppress(UnsupportedError):  # a format without a number
        encode(program)
