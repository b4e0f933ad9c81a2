"""Entry points for fuzzers: anything but a result or diagnostics is a finding."""

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
    """The first byte chooses the dialect, the rest is the text."""
    dialect = DIALECTS[data[0] % len(DIALECTS)] if data else "default"
    try:
        program = parse(data[1:].decode("utf-8", "replace"), dialect=dialect)
    except ParseError as error:
        str(error)
        return
    _judge(program, dialect)


def tokens(data: bytes) -> None:
    """Words, little end first; a last incomplete one is dropped."""
    words = struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
    try:
        program = decode(words)
    except ParseError as error:
        str(error)
        return
    _judge(program, "tokens")
    assert decode(encode(program)) == program


def _judge(program: Program, dialect: str) -> None:
    """Everything that is open to any program."""
    printed = str(program)
    if dialect == "default":
        assert parse(printed) == program
    for found in check(program):
        found.render()
    assert program.info.num_instructions == len(program.instructions)
    dump_mesa(program)
    with contextlib.suppress(UnsupportedError):  # a format without a number
        encode(program)
