"""Tokens to IR. Words are hostile: every length, number and count is checked before it is used.

Places are words: the source of a decoded program lists them in hexadecimal, one a line, so that a finding shows the word it is about.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NoReturn, TypeVar

from tgsi.language._collector import collector_paused
from tgsi.language.diagnostics import Diagnostic, Label, ParseError, Severity
from tgsi.language.facts.enums import TARGETS, File, ImmediateType, Interpolation, Location, MemoryType, Processor, ReturnType
from tgsi.language.facts.formats import FORMAT_NAMES
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.facts.semantics import SEMANTICS, Semantic
from tgsi.language.facts.traits import Trait
from tgsi.language.ir import (
    Declaration,
    Dimension,
    DstOperand,
    ImageInfo,
    Immediate,
    IndirectRef,
    Instruction,
    MemoryAccess,
    Property,
    RegisterRef,
    SrcOperand,
    TexOffset,
    ViewInfo,
)
from tgsi.language.program import Program
from tgsi.language.source import Source, Span
from tgsi.language.tokens.encoder import HEADER_WORDS

E = TypeVar("E", bound=IntEnum)

_TARGET_NAMES = {target.number: target.name for target in TARGETS.values()}
_SEMANTIC_NAMES = {info.number: info.name for info in SEMANTICS.values()}
_PROPERTY_NAMES = {info.number: info.name for info in reversed(list(PROPERTIES.values()))}  # of two names with one number, the older
_NO_SEMANTICS = frozenset({File.BUFFER, File.IMAGE, File.MEMORY, File.SVIEW})  # nor LOCAL: text cannot say it of them
_WORD = 0xFFFFFFFF
_PARTS = 0b111 << 27  # label, texture and memory words
_LARGE = 1 << 16
"""Least number of words of a stream whose objects are moved to the collector's oldest generation."""
_VERSION = 0x00000101
"""First word of tokens before 2010, which had a version."""
_LINE = 9
"""Characters of a listed word, its newline included."""


def _opcodes() -> dict[tuple[int, int, int], OpcodeInfo]:
    """Opcodes by number and operand counts, since later opcodes share numbers with gaps.

    Of opcodes with equal keys the later one counts.
    """
    table = {(info.number, info.num_dst, info.num_src): info for info in OPCODES.values() if Trait.GAP in info.traits}
    return table | {(info.number, info.num_dst, info.num_src): info for info in OPCODES.values() if Trait.GAP not in info.traits}


_OPCODES = _opcodes()
_HEADS: dict[int, tuple[OpcodeInfo, int, int, bool, bool]] = {}
_DESTINATIONS: dict[int, DstOperand] = {}
_SOURCES: dict[int, SrcOperand] = {}
MEMO_SIZE = 1 << 15
"""Words that each memo may keep between calls; the meaning of a word depends only on the word."""
_NAMED = {info.number: info.name for info in OPCODES.values()}


def decode(words: Sequence[int], *, name: str = "<tokens>") -> Program:
    """The program of a token stream. Words after the size that the header states are ignored.

    Raises:
        ParseError: with the word that is wrong, and its offset.
        TypeError, ValueError: an element is not a 32-bit unsigned integer.
    """
    checked = tuple(words)
    for kind in set(map(type, checked)):
        if not issubclass(kind, int):
            raise TypeError(f"words must be int, not {kind.__name__}")
    if checked and not (min(checked) >= 0 and max(checked) <= _WORD):
        wrong = next(word for word in checked if not 0 <= word <= _WORD)
        raise ValueError(f"a word is 32 bits, not {wrong}")
    for memo in (_HEADS, _DESTINATIONS, _SOURCES):
        if len(memo) > MEMO_SIZE:
            memo.clear()
    with collector_paused(promote=len(checked) > _LARGE):
        return _Decoder(checked, name).program()


def _signed(value: int) -> int:
    return (value + 0x8000 & 0xFFFF) - 0x8000


def _bits(word: int, first: int, last: int) -> int:
    return word >> first & (1 << last - first + 1) - 1


def _header_hint(header: int) -> str:
    """Hint for a first word that is not a current header."""
    if header == _VERSION:
        return "these are tokens of TGSI 1.1, of 2007 to 2009: print them with the Mesa that wrote them, and read the text as legacy text"
    if header >> 24 == HEADER_WORDS:
        return "these are big-endian words: swap the bytes of each word"
    return ""


class _Decoder:
    """One walk over the words."""

    def __init__(self, words: tuple[int, ...], name: str) -> None:
        self.words = words
        listed = struct.pack(f">{len(words)}I", *words).hex("\n", 4)
        self.source = Source(f"{listed}\n" if words else "", name)
        self.heads, self.destinations, self.sources = _HEADS, _DESTINATIONS, _SOURCES
        self.at = 0
        self.end = len(words)

    def fail(self, code: str, message: str, at: int, hint: str = "") -> NoReturn:
        """Raise ParseError with a caret at word `at`."""
        label = Label(self.span(at, at + 1), f"word {at}")
        hint = hint or ("numbers are those of Mesa 18.1; other versions use different numbers" if code == "P043" else "")
        raise ParseError((Diagnostic(code, Severity.ERROR, message, (label,), hint),))

    def span(self, first: int, last: int) -> Span:
        """The span of words first to last - 1."""
        return Span(self.source, first * _LINE, max(first * _LINE, last * _LINE - 1))

    def take(self) -> int:
        """The next word."""
        if self.at >= self.end:
            self.fail("P040", "the stream ends inside of a statement", max(0, self.end - 1))
        self.at += 1
        return self.words[self.at - 1]

    def member(self, kind: type[E], number: int, what: str) -> E:
        """Member `number` of an enumeration; a failure points at the word just taken."""
        try:
            return kind(number)
        except ValueError:
            self.fail("P043", f"there is no {what} {number}", self.at - 1)

    def named(self, table: Mapping[int, str], number: int, what: str) -> str:
        """Name of `number` in a table; a failure points at the word just taken."""
        member = table.get(number)
        if member is None:
            self.fail("P043", f"there is no {what} {number}", self.at - 1)
        return member

    def program(self) -> Program:
        header = self.take()
        header_words, body_words = _bits(header, 0, 7), _bits(header, 8, 31)
        if header_words != HEADER_WORDS:
            self.fail("P041", f"the header says that it has {header_words} words, not {HEADER_WORDS}", 0, _header_hint(header))
        if header_words + body_words > len(self.words):
            self.fail(
                "P041", f"the header promises {header_words + body_words} words, there are {len(self.words)}", 0, "the stream is cut off"
            )
        self.end = header_words + body_words
        stage = self.member(Processor, _bits(self.take(), 0, 3), "shader stage")
        declarations: list[Declaration] = []
        immediates: list[Immediate] = []
        properties: list[Property] = []
        instructions: list[Instruction] = []
        while self.at < self.end:
            start = self.at
            kind = _bits(self.take(), 0, 3)
            if kind == 0:
                declarations.append(self.declaration(start))
            elif kind == 1:
                immediates.append(self.immediate(start))
            elif kind == 2:
                instructions.append(self.instruction(start))
            elif kind == 3:
                properties.append(self.property(start))
            else:
                self.fail("P042", f"there is no token type {kind}", start)
        return Program(stage, tuple(declarations), tuple(immediates), tuple(properties), tuple(instructions), self.source)

    def check_length(self, start: int, length: int) -> None:
        """Fail unless a statement has as many words as its first one says."""
        if self.at - start != length:
            self.fail("P044", f"the statement says that it has {length} words, its parts make {self.at - start}", start)

    def declaration(self, start: int) -> Declaration:
        head, stage = self.words[start], _bits(self.words[1], 0, 3)
        file = self.member(File, _bits(head, 12, 15), "register file")
        memory = self.member(MemoryType, _bits(head, 27, 29), "kind of memory") if file is File.MEMORY else None
        limits = self.take()
        dimension = _bits(self.take(), 0, 15) if _bits(head, 20, 20) else None
        interpolation, location, wrap = None, Location.CENTER, 0
        if _bits(head, 22, 22):
            word = self.take()
            interpolation = self.member(Interpolation, _bits(word, 0, 3), "interpolation mode")
            location = self.member(Location, _bits(word, 4, 5), "interpolation location")
            wrap = _bits(word, 6, 9)
        semantic, streams = None, (0, 0, 0, 0)
        if _bits(head, 21, 21):
            word = self.take()
            if file in _NO_SEMANTICS:
                self.fail("P044", f"a declaration of {file.name} takes no semantic word", start)
            semantic = Semantic(self.named(_SEMANTIC_NAMES, _bits(word, 0, 7), "semantic"), _bits(word, 8, 23))
            if file is File.OUT and stage == Processor.GEOM:  # other opcodes ignore these bits, and texts cannot express them
                streams = _bits(word, 24, 25), _bits(word, 26, 27), _bits(word, 28, 29), _bits(word, 30, 31)
        image = self.image() if file is File.IMAGE else None
        view = self.view() if file is File.SVIEW else None
        array = _bits(self.take(), 0, 9) if _bits(head, 25, 25) else 0
        self.check_length(start, _bits(head, 4, 11))
        return Declaration(
            file,
            _bits(limits, 0, 15),
            _bits(limits, 16, 31),
            dimension=dimension,
            semantic=semantic,
            interpolation=interpolation,
            location=location,
            usage_mask=_bits(head, 16, 19),
            array_id=array,
            invariant=bool(_bits(head, 23, 23)),
            local=bool(_bits(head, 24, 24)) if file not in _NO_SEMANTICS else False,
            streams=streams,
            image=image,
            view=view,
            per_primitive=file is File.OUT and bool(_bits(head, 29, 29)) and stage == Processor.MESH,
            memory=memory,
            atomic=bool(_bits(head, 26, 26)) if file is File.BUFFER else False,
            cylindrical_wrap=wrap,
            span=self.span(start, self.at),
        )

    def format(self, number: int) -> str:
        """The name of a format, empty for none."""
        return self.named(FORMAT_NAMES, number, "format") if number else ""

    def image(self) -> ImageInfo:
        word = self.take()
        target = self.named(_TARGET_NAMES, _bits(word, 0, 7), "texture target")
        return ImageInfo(target, self.format(_bits(word, 10, 19)), bool(_bits(word, 9, 9)), bool(_bits(word, 8, 8)))

    def view(self) -> ViewInfo:
        word = self.take()
        target = self.named(_TARGET_NAMES, _bits(word, 0, 7), "texture target")
        x, y, z, w = (self.member(ReturnType, _bits(word, first, first + 5), "return type") for first in (8, 14, 20, 26))
        if ReturnType.UNKNOWN in (x, y, z, w):
            self.fail("P043", f"a sampler view cannot return type {int(ReturnType.UNKNOWN)} (UNKNOWN)", self.at - 1)
        return ViewInfo(target, (x, y, z, w))

    def immediate(self, start: int) -> Immediate:
        head = self.words[start]
        count = _bits(head, 4, 17) - 1
        kind = self.member(ImmediateType, _bits(head, 18, 21), "immediate type")
        if not 1 <= count <= 4:
            self.fail("P044", f"an immediate has 1 to 4 data words, not {count}", start)
        words = [self.take() for _ in range(count)] + [0] * (4 - count)
        return Immediate(kind, (words[0], words[1], words[2], words[3]), self.span(start, self.at))

    def property(self, start: int) -> Property:
        head = self.words[start]
        name = self.named(_PROPERTY_NAMES, _bits(head, 12, 19), "property")
        value = self.take()
        self.check_length(start, _bits(head, 4, 11))
        return Property(name, value, self.span(start, self.at))

    def instruction(self, start: int) -> Instruction:
        head = self.words[start]
        try:
            info, num_dst, num_src, saturate, precise = self.heads[head]
        except KeyError:
            info, num_dst, num_src, saturate, precise = self.heads[head] = self.head(head, start)
        texture: str | None = None
        returns: ReturnType | None = None
        offsets: tuple[TexOffset, ...] = ()
        memory: MemoryAccess | None = None
        label: int | None = None
        if head & _PARTS:
            label = _bits(self.take(), 0, 23) if _bits(head, 27, 27) else None
            if label is not None and not info.keeps_label:
                self.fail("P044", f"{info.name} takes no label word", start)
            texture, returns, offsets = self.texture(info) if _bits(head, 28, 28) else (None, None, ())
            memory = self.memory() if _bits(head, 29, 29) else None
        if info.has_offsets or info.has_memory:
            if info.is_texture and texture is None:
                self.fail("P044", f"{info.name} needs a texture word", start)
            if info.has_memory and memory is None:
                self.fail("P044", f"{info.name} needs a memory word", start)
        if memory is not None and not info.has_memory:
            self.fail("P044", f"{info.name} takes no memory word", start)
        destinations = [self.destination() for _ in range(num_dst)] if num_dst != 1 else [self.destination()]
        sources = [self.source_operand() for _ in range(num_src)]
        span = self.span(start, self.at)
        return Instruction(
            info,
            tuple(destinations),
            tuple(sources),
            saturate=saturate,
            precise=precise,
            texture=texture,
            returns=returns,
            offsets=offsets,
            memory=memory,
            label=label,
            span=span,
        )

    def head(self, head: int, start: int) -> tuple[OpcodeInfo, int, int, bool, bool]:
        """Opcode, operand counts and suffixes of an instruction's first word."""
        number, num_dst, num_src = _bits(head, 12, 19), _bits(head, 21, 22), _bits(head, 23, 26)
        info = _OPCODES.get((number, num_dst, num_src))
        if info is None:
            name = _NAMED.get(number)
            what = f"{name} does not take {num_dst} destinations and {num_src} sources" if name else f"there is no opcode {number}"
            self.fail("P043", what, start)
        return info, num_dst, num_src, bool(_bits(head, 20, 20)), bool(_bits(head, 30, 30))

    def texture(self, info: OpcodeInfo) -> tuple[str | None, ReturnType | None, tuple[TexOffset, ...]]:
        word = self.take()
        if not info.has_offsets:
            self.fail("P044", f"{info.name} takes no texture word", self.at - 1)
        target = self.named(_TARGET_NAMES, _bits(word, 0, 7), "texture target")
        returns = self.member(ReturnType, _bits(word, 12, 14), "return type")
        count = _bits(word, 8, 11)
        if count > 4:
            self.fail("P044", f"an instruction has at most 4 texture offsets, not {count}", self.at - 1)
        offsets = tuple([self.offset() for _ in range(count)])
        return (target, None if returns is ReturnType.UNKNOWN else returns, offsets) if info.is_texture else (None, None, offsets)

    def offset(self) -> TexOffset:
        word = self.take()
        file = self.member(File, _bits(word, 16, 19), "register file")
        order = _bits(word, 20, 21), _bits(word, 22, 23), _bits(word, 24, 25)
        return TexOffset(RegisterRef(file, _bits(word, 0, 15)), order)

    def memory(self) -> MemoryAccess:
        word = self.take()
        target = self.named(_TARGET_NAMES, _bits(word, 3, 10), "texture target")
        return MemoryAccess(_bits(word, 0, 2), target, self.format(_bits(word, 11, 20)))

    def destination(self) -> DstOperand:
        word = self.take()
        operand = self.destinations.get(word)
        if operand is None:
            mask = _bits(word, 4, 7)
            operand = DstOperand(self.register(_bits(word, 0, 3), _bits(word, 10, 25), _bits(word, 8, 8), _bits(word, 9, 9)), mask)
            if not _bits(word, 8, 9):  # the operand has no further words
                self.destinations[word] = operand
        return operand

    def source_operand(self) -> SrcOperand:
        word = self.take()
        operand = self.sources.get(word)
        if operand is None:
            register = self.register(_bits(word, 0, 3), _bits(word, 6, 21), _bits(word, 4, 4), _bits(word, 5, 5))
            order = _bits(word, 22, 23), _bits(word, 24, 25), _bits(word, 26, 27), _bits(word, 28, 29)
            operand = SrcOperand(register, order, bool(_bits(word, 31, 31)), bool(_bits(word, 30, 30)))
            if not _bits(word, 4, 5):
                self.sources[word] = operand
        return operand

    def register(self, file: int, index: int, indirect: int, dimension: int) -> RegisterRef:
        """Read the remaining words of an operand. Each index may be indirect; its number is then a signed offset.

        A plain index has no sign in Mesa's text: 65535 there is -1 in tokens.
        """
        kind = self.member(File, file, "register file")
        address, array = self.indirect() if indirect else (None, 0)
        outer = None
        if dimension:
            word = self.take()
            if _bits(word, 1, 1):
                self.fail("P044", "a register has at most two indices", self.at - 1)
            outer_address, outer_array = self.indirect() if word & 1 else (None, 0)
            number = _bits(word, 16, 31)
            outer = Dimension(number if outer_address is None else _signed(number), outer_address, outer_array)
        return RegisterRef(kind, index if address is None else _signed(index), outer, address, array)

    def indirect(self) -> tuple[IndirectRef, int]:
        word = self.take()
        file = self.member(File, _bits(word, 0, 3), "register file")
        return IndirectRef(file, _bits(word, 4, 19), _bits(word, 20, 21)), _bits(word, 22, 31)
