"""Places inside a statement. Operands carry no span, so the statement's text is read again to find an operand in it."""

from __future__ import annotations

import re

from tgsi.language.ir import Instruction
from tgsi.language.source import Span

_OPCODE = re.compile(r"(?:[0-9]+[ \t\r\n]*:[ \t\r\n]*)?[A-Za-z][0-9A-Za-z_]*")
_COMMENT = re.compile(r"#[^\n\r]*")
_LABEL = re.compile(r"[ \t\r\n]*:[ \t\r\n]*[0-9]+\Z")


def operand_span(instruction: Instruction, number: int) -> Span | None:
    """Place of an operand, counted from 0 over destinations, sources and the operands after them; None if there is no text."""
    whole = instruction.span
    if whole is None:
        return None
    text = _COMMENT.sub(lambda found: " " * len(found[0]), whole.text)
    text = _LABEL.sub("", text)
    head = _OPCODE.match(text)
    start = head.end() if head else 0
    for _ in range(number):
        comma = text.find(",", start)
        if comma < 0:
            return whole
        start = comma + 1
    end = text.find(",", start)
    operand = text[start : end if end >= 0 else len(text)]
    first = whole.start + start + len(operand) - len(operand.lstrip())
    return Span(whole.source, first, first + len(operand.strip())) if operand.strip() else whole
