"""Modules to instructions. The input may be hostile: nothing is read beyond its end, and every word is checked by the grammar."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Protocol

from frontends.spirv.module.enumerants import ENUMERANTS
from frontends.spirv.module.errors import Op, Sources
from frontends.spirv.module.grammar import MAGIC, ROWS


class Array(Protocol):
    """An array of numpy, or another object with `tobytes`."""

    def tobytes(self) -> bytes:
        """The bytes of the array."""


Module = bytes | bytearray | Sequence[int] | Array
"""A module: bytes of either order, or 32-bit words (a list, or an array of numpy)."""

HEADER = 5
"""Words before the first instruction."""

MAX_WORDS = 1 << 22
"""Words of the longest module that is read: 16 MiB."""

EXTENSIONS = 4096
"""First number of the instructions of extensions; the grammar has those of many vendors."""

_MASKS = {"G": "ImageOperands", "M": "MemoryAccess"}
_ENUMERATIONS = {"D": "Decoration", "X": "ExecutionMode"}
_LINE, _NO_LINE, _FUNCTION_END = 8, 317, 56
_TERMINATORS = frozenset({249, 250, 251, 252, 253, 254, 255, 4416, 5294})


def words_of(module: Module, sources: Sources) -> tuple[int, ...]:
    """The words of a module in the machine's order.

    Raises:
        ParseError: no module, or one of another version (M001).
        TypeError: neither bytes nor whole numbers.
    """
    if isinstance(module, memoryview) or not isinstance(module, bytes | bytearray | Sequence):
        if not hasattr(module, "tobytes"):
            raise TypeError("a module is bytes or 32-bit words")
        module = module.tobytes()
    if isinstance(module, bytes | bytearray):
        if len(module) % 4 or len(module) < 4 * HEADER:
            sources.fail(
                "M001", f"{len(module)} bytes are not a SPIR-V module, which has whole words, {HEADER} of them before the first instruction"
            )
        order = "<" if module[:4] == struct.pack("<I", MAGIC) else ">"
        words: tuple[int, ...] = struct.unpack(f"{order}{len(module) // 4}I", module)
    else:
        if isinstance(module, str) or not all(isinstance(word, int) or hasattr(word, "__index__") for word in module):
            raise TypeError("a module is bytes or 32-bit words")
        words = tuple(int(word) for word in module)
        if not all(0 <= word < 1 << 32 for word in words):
            sources.fail("M001", "a word is not a 32-bit unsigned number")
    if len(words) < HEADER or words[0] != MAGIC:
        sources.fail("M001", f"the first word is not the SPIR-V magic number (0x{MAGIC:08x})", hint="compile GLSL first")
    if len(words) > MAX_WORDS:
        sources.fail("M023", f"the module has {len(words)} words; {MAX_WORDS} are the most")
    major, minor = words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF
    if major != 1 or minor > 6:
        sources.fail("M001", f"version {major}.{minor} of SPIR-V is unknown; 1.0 to 1.6 are read")
    return words


def decode(words: Sequence[int], sources: Sources) -> Iterator[Op]:
    """The instructions of a module. Lines (OpLine) are part of the instructions after them."""
    at, line = HEADER, (0, 0)
    bound = words[3]
    while at < len(words):
        count, number = words[at] >> 16, words[at] & 0xFFFF
        row = ROWS.get(number)
        op = Op(number, 0, 0, [], at, line)
        if count == 0 or at + count > len(words):
            sources.fail("M002", f"the instruction has {count} words, and {len(words) - at} are left", op)
        if row is None:
            if number >= EXTENSIONS:
                sources.fail("M021", f"the instruction {number} of an extension is not supported", op)
            sources.fail("M003", f"there is no instruction {number}", op)
        body = words[at + 1 : at + count]
        place = row.has_type + row.has_result
        if len(body) < place:
            sources.fail("M004", "the type or the id of the result is missing", op)
        if row.has_type:
            op.type = body[0]
        if row.has_result:
            op.result = body[place - 1]
            if not 0 < op.result < bound:
                sources.fail("M005", f"the id {op.result} is not below the bound {bound} of the header", op)
        _operands(op, body, place, row.parts, sources)
        if number == _LINE:
            line = op.id(0), op.id(1)
        elif number == _NO_LINE:
            line = 0, 0
        else:
            yield op
        if number in _TERMINATORS or number == _FUNCTION_END:
            line = 0, 0
        at += count


def _operands(op: Op, body: Sequence[int], place: int, parts: Sequence[tuple[str, str]], sources: Sources) -> None:
    for letters, quantifier in parts:
        if letters[0] == "V":
            op.operands += body[place:]
            return
        while True:
            if place >= len(body):
                if not quantifier:
                    sources.fail("M004", f"operand {len(op.operands) + 1} is missing", op)
                break
            for letter in letters:
                place = _operand(op, body, place, letter, sources)
            if quantifier != "*":
                break
    if op.number == 52:  # the operands of OpSpecConstantOp follow the grammar of the instruction that it names
        op.operands += body[place:]
    elif place < len(body):
        sources.fail("M004", f"{len(body) - place} words are left after the last operand", op)


def _operand(op: Op, body: Sequence[int], place: int, letter: str, sources: Sources) -> int:
    if place >= len(body):
        sources.fail("M004", f"operand {len(op.operands) + 1} is missing", op)
    word = body[place]
    if letter == "S":
        return _string(op, body, place, sources)
    op.operands.append(word)
    if letter in _MASKS:
        return _mask(op, body, place, _MASKS[letter], sources)
    if letter in _ENUMERATIONS:
        shape = ENUMERANTS[_ENUMERATIONS[letter]].get(word, ("", ""))[1]
        for inner in shape:
            place = _operand(op, body, place + 1, inner, sources) - 1
        if not ENUMERANTS[_ENUMERATIONS[letter]].get(word):  # of an extension, whose operands are unknown
            op.operands += body[place + 1 :]
            return len(body)
    elif letter == "O":
        op.operands += body[place + 1 :]
        return len(body)
    return place + 1


def _mask(op: Op, body: Sequence[int], place: int, enumeration: str, sources: Sources) -> int:
    mask = body[place]
    operands: dict[str, list[int]] = {}
    place += 1
    for bit in range(32):
        if not mask >> bit & 1:
            continue
        known = ENUMERANTS[enumeration].get(1 << bit)
        if known is None:
            sources.fail("M004", f"bit {bit} of {enumeration} is unknown", op)
        name, shape = known
        if place + len(shape) > len(body):
            sources.fail("M004", f"an operand of {name} is missing", op)
        operands[name] = list(body[place : place + len(shape)])
        place += len(shape)
    op.operands[-1] = operands
    return place


def _string(op: Op, body: Sequence[int], place: int, sources: Sources) -> int:
    data = bytearray()
    while True:
        if place >= len(body):
            sources.fail("M004", "a string has no end", op)
        piece = struct.pack("<I", body[place])
        place += 1
        data += piece
        if 0 in piece:
            op.operands.append(data[: data.index(0)].decode("utf-8", "replace"))
            return place
