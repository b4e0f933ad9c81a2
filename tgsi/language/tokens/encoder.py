"""IR to tokens, laid out as in Mesa 18.1's p_shader_tokens.h."""

from __future__ import annotations

from collections.abc import Iterator

from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.enums import TARGETS, File, MemoryType, ReturnType
from tgsi.language.facts.formats import FORMAT_NUMBERS
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS, TOKEN_INDICES
from tgsi.language.ir import (
    Declaration,
    Dimension,
    DstOperand,
    Immediate,
    IndirectRef,
    Instruction,
    RegisterRef,
    SrcOperand,
    Statement,
    statements,
)
from tgsi.language.program import Program
from tgsi.language.source import Span

HEADER_WORDS = 2
_INDEX = 0xFFFF
_UNKNOWN_TARGET = TARGETS["UNKNOWN"].number

Memo = dict[int, tuple[int, ...]]
"""Words of an operand by its identity: readers share equal operands, and the program keeps them alive."""


def encode(program: Program) -> tuple[int, ...]:
    """The words of a program: header, processor, then each statement.

    The order is that of `tgsi.language.ir.statements`: statements that came from one text keep their order.
    Semantic indices have to fit their field; other numbers that do not fit lose their upper bits, as in Mesa. Array numbers of direct
    registers have no place in tokens.

    Raises:
        UnsupportedError: an image format has no number, or a semantic index has more than 16 bits.
    """
    memo: Memo = {}
    body: list[int] = []
    for item in statements(program):
        body += _words(item, memo)
    return (HEADER_WORDS | len(body) << 8, int(program.processor), *body)


def _words(item: Statement, memo: Memo) -> list[int]:
    if isinstance(item, Instruction):
        return _instruction(item, memo)
    if isinstance(item, Declaration):
        return _declaration(item)
    if isinstance(item, Immediate):
        return [1 | 5 << 4 | int(item.type) << 18, *item.words]
    return [3 | 2 << 4 | PROPERTIES[item.name].number << 12, item.value & 0xFFFFFFFF]


def _format(name: str, span: Span | None) -> int:
    if not name:
        return 0
    number = FORMAT_NUMBERS.get(name)
    if number is None:
        raise UnsupportedError.at("P030", f"the format {name} has no number", span)
    return number


def _semantic_index(item: Declaration) -> int:
    index = 0 if item.semantic is None else item.semantic.index
    if not 0 <= index < TOKEN_INDICES:
        text = f"{item.semantic}: a token holds semantic indices of 16 bits, 0 to {TOKEN_INDICES - 1}"
        raise UnsupportedError.at("P031", text, item.span, hint="give both programs of the pair a lower index")
    return index


def _declaration(item: Declaration) -> list[int]:
    words = [item.first & _INDEX | (item.last & _INDEX) << 16]
    if item.dimension is not None:
        words.append(item.dimension & _INDEX)
    if item.interpolation is not None:
        words.append(int(item.interpolation) | int(item.location) << 4 | item.cylindrical_wrap << 6)
    if item.semantic is not None:
        streams = sum(stream << 24 + 2 * channel for channel, stream in enumerate(item.streams))
        words.append(SEMANTICS[item.semantic.name].number | _semantic_index(item) << 8 | streams)
    if item.image is not None:
        image = item.image
        number = _format(image.format, item.span)
        words.append(TARGETS[image.target].number | image.raw << 8 | image.writable << 9 | (number & 0x3FF) << 10)
    if item.view is not None:
        types = sum(int(kind) << 8 + 6 * channel for channel, kind in enumerate(item.view.types))
        words.append(TARGETS[item.view.target].number | types)
    if item.array_id:
        words.append(item.array_id & 0x3FF)
    head = (len(words) + 1) << 4 | int(item.file) << 12 | item.usage_mask << 16
    head |= (item.dimension is not None) << 20 | (item.semantic is not None) << 21 | (item.interpolation is not None) << 22
    head |= item.invariant << 23 | item.local << 24 | bool(item.array_id) << 25 | item.atomic << 26
    if item.file is File.MEMORY:
        head |= int(item.memory or MemoryType.GLOBAL) << 27
    return [head | item.per_primitive << 29, *words]


def _instruction(item: Instruction, memo: Memo) -> list[int]:
    info = item.opcode
    words: list[int] = []
    if item.label is not None:
        words.append(item.label & 0xFFFFFF)
    if info.has_offsets:
        target = TARGETS[item.texture].number if item.texture is not None else _UNKNOWN_TARGET
        words.append(target | len(item.offsets) << 8 | int(ReturnType.UNKNOWN if item.returns is None else item.returns) << 12)
        for offset in item.offsets:
            order = sum(channel << 20 + 2 * i for i, channel in enumerate(offset.swizzle))
            words.append(offset.register.index & _INDEX | int(offset.register.file) << 16 | order)
    if item.memory is not None:
        number = _format(item.memory.format, item.span)
        words.append(item.memory.qualifiers | TARGETS[item.memory.target].number << 3 | (number & 0x3FF) << 11)
    for dst in item.dst:
        if (known := memo.get(id(dst))) is None:
            known = memo[id(dst)] = tuple(_destination(dst))
        words += known
    for src in item.src:
        if (known := memo.get(id(src))) is None:
            known = memo[id(src)] = tuple(_source(src))
        words += known
    head = 2 | (len(words) & 0xFF) << 4 | info.number << 12 | item.saturate << 20 | len(item.dst) << 21 | len(item.src) << 23
    head |= (item.label is not None) << 27 | info.has_offsets << 28 | (item.memory is not None) << 29 | item.precise << 30
    return [head, *words]


def _destination(operand: DstOperand) -> Iterator[int]:
    register = operand.register
    flags = (register.indirect is not None) << 8 | (register.dimension is not None) << 9
    yield int(register.file) | operand.write_mask << 4 | flags | (register.index & _INDEX) << 10
    yield from _more(register)


def _source(operand: SrcOperand) -> Iterator[int]:
    register = operand.register
    flags = (register.indirect is not None) << 4 | (register.dimension is not None) << 5
    order = sum(channel << 22 + 2 * i for i, channel in enumerate(operand.swizzle))
    modifiers = operand.absolute << 30 | operand.negate << 31
    yield int(register.file) | flags | (register.index & _INDEX) << 6 | order | modifiers
    yield from _more(register)


def _more(register: RegisterRef) -> Iterator[int]:
    if register.indirect is not None:
        yield _indirect(register.indirect, register.array_id)
    if register.dimension is not None:
        yield from _dimension(register.dimension)


def _dimension(item: Dimension) -> Iterator[int]:
    yield (item.indirect is not None) | (item.index & _INDEX) << 16
    if item.indirect is not None:
        yield _indirect(item.indirect, item.array_id)


def _indirect(item: IndirectRef, array_id: int) -> int:
    return int(item.file) | (item.index & _INDEX) << 4 | item.component << 20 | (array_id & 0x3FF) << 22
