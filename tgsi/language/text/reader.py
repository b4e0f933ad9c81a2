"""Statements of a text to IR. The children of each rule come as texts, from either of the two engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tgsi.language.facts.brackets import IMPLIED, VERTICES, per_vertex
from tgsi.language.facts.enums import QUALIFIERS, TARGETS, ImmediateType, Primitive, Processor, ReturnType
from tgsi.language.facts.formats import NO_FORMAT
from tgsi.language.facts.opcodes import OPCODES, OpcodeInfo
from tgsi.language.facts.properties import PROPERTIES
from tgsi.language.ir import Declaration, Immediate, Instruction, MemoryAccess, Property, TexOffset
from tgsi.language.literals import LITERALS
from tgsi.language.messages import Mistake, choices, did_you_mean, known, shorten
from tgsi.language.program import Program
from tgsi.language.source import Source, Span
from tgsi.language.text.attributes import TARGET_HINT, AttributeReader
from tgsi.language.text.operands import FILE_HINT, FILES, MEMO_SIZE, OperandReader, mask_of

_TYPES: Mapping[str, ImmediateType] = {kind.name: kind for kind in ImmediateType}
_STRICT_PROPERTIES = {name: info for name, info in PROPERTIES.items() if not info.is_later}
_MEMORY_WORDS: Mapping[str, object] = {**QUALIFIERS, **TARGETS}
_RETURN_TYPES: Mapping[str, ReturnType] = {kind.name: kind for kind in ReturnType if kind is not ReturnType.UNKNOWN}
_PRIMITIVES = frozenset(map(int, Primitive))
_NO_ACCESS = MemoryAccess()
_MAX_OFFSETS = 4


class _Opcode(NamedTuple):
    """An opcode word with its suffixes.

    Attributes:
        split: number of destinations, which come first among the operands.
        operands: number of operands.
        has_extras: a texture target or memory words follow the operands.
    """

    info: OpcodeInfo
    saturate: bool
    precise: bool
    split: int
    operands: int
    has_extras: bool

    @classmethod
    def of(cls, info: OpcodeInfo, saturate: bool, precise: bool) -> _Opcode:
        count = info.num_dst + info.num_src
        return cls(info, saturate, precise, info.num_dst, count, info.is_texture or info.has_memory)


_OPCODE_WORDS: dict[bool, dict[str, _Opcode]] = {False: {}, True: {}}
"""Opcode words by dialect (strict or not) in every spelling met so far."""
_MAX_OPCODE_WORDS = 1 << 12  # a bound, since every mixture of upper and lower case is another word


class Reader:
    """State of one parse. Each method builds the node of the grammar rule of its name, or raises Mistake.

    `operands` reads texts that repeat, `split` cuts the tail of a declaration into its attributes.
    """

    def __init__(self, source: Source, stage: Processor, operands: OperandReader, split: Callable[[str], list[str]]) -> None:
        self.source_text = source
        self.stage = stage
        self.strict = operands.strict
        self.implied = IMPLIED.get(stage, 0)
        self.instructions: list[Instruction] = []
        self.declarations: list[Declaration] = []
        self.immediates: list[Immediate] = []
        self.properties: list[Property] = []
        self._split = split
        self._attributes = AttributeReader(stage, operands.strict)
        self._opcodes = _OPCODE_WORDS[operands.strict]
        self.use(operands)

    def use(self, operands: OperandReader) -> None:
        """Read operands with another reader from now on."""
        self.operands = operands
        self._destinations, self._sources = operands.destinations, operands.sources

    def close(self) -> None:
        """Trim the tables that outlive the parse."""
        self.operands.trim()
        for values in _VALUES.values():
            if len(values) > MEMO_SIZE:
                values.clear()

    def finish(self, program: Program) -> Program:
        """The program made of all statements that were read without a mistake."""
        return program

    # instructions

    def instruction(self, span: Span, opcode: str, operands: str | None, label: str | None) -> Instruction:
        """``MAD_SAT TEMP[0].xyz, IN[0], -CONST[0][1].xxxx, |TEMP[1]|``."""
        try:
            info, saturate, precise, split, count, has_extras = self._opcodes[opcode]
        except KeyError:
            word = self._opcode(opcode)
            if len(self._opcodes) < _MAX_OPCODE_WORDS:
                self._opcodes[str(opcode)] = word
            info, saturate, precise, split, count, has_extras = word
        texts = operands.split(",") if operands is not None else []
        texture: str | None = None
        returns: ReturnType | None = None
        offsets: tuple[TexOffset, ...] = ()
        memory: MemoryAccess | None = None
        if len(texts) != count or has_extras or label is not None:
            texture, returns, offsets, memory = self._extras(info, opcode, texts, operands, label)
        destinations, sources = self._destinations, self._sources
        return Instruction(
            info,
            tuple([destinations[text] for text in texts[:split]]),
            tuple([sources[text] for text in texts[split:count]]),
            saturate=saturate,
            precise=precise,
            texture=texture,
            returns=returns,
            offsets=offsets,
            memory=memory,
            label=self._label(label) if label is not None else None,
            span=span,
        )

    def _known(self, name: str) -> OpcodeInfo | None:
        """Return the opcode of a name, if the dialect has it."""
        info = OPCODES.get(name)
        return None if info is None or (self.strict and info.is_later) else info

    def _opcode(self, text: str) -> _Opcode:
        name = text.upper()
        if exact := self._known(name):
            return _Opcode.of(exact, False, False)
        stem = name.removesuffix("_PRECISE")
        root = stem.removesuffix("_SAT")
        if known_root := self._known(root):
            return _Opcode.of(known_root, root != stem, stem != name)
        from tgsi.language.text.removed import REMOVED

        table = {name: info for name, info in OPCODES.items() if self._known(name)}
        hint = did_you_mean(root, table)
        if root.removesuffix("_PRECISE") in table:
            hint = f"the order is `{root.removesuffix('_PRECISE')}_SAT_PRECISE`"
        elif root in OPCODES:
            hint = "this opcode is newer than Mesa 18.1, which the strict dialect keeps to"
        elif root in REMOVED:
            raise Mistake("P005", f"the opcode {root} was removed from TGSI", text, REMOVED[root])
        raise Mistake("P005", f"unknown opcode `{shorten(text)}`", text, hint)

    def _label(self, text: str) -> int:
        """A label's number, of which Mesa keeps 24 bits."""
        return int(text) & 0xFFFFFF if self.strict else int(text)

    def _extras(
        self, info: OpcodeInfo, opcode: str, texts: list[str], operands: str | None, label: str | None
    ) -> tuple[str | None, ReturnType | None, tuple[TexOffset, ...], MemoryAccess | None]:
        """Check the operand count and read the words after the operands: texture target, type of texel, texel offsets, memory."""
        count = info.num_dst + info.num_src
        if label is not None and not (info.has_label if self.strict else info.keeps_label):
            raise Mistake("P010", f"{info.name} takes no label", label, "labels follow CAL, IF, UIF, ELSE, BGNLOOP, ENDLOOP")
        if len(texts) < count + info.is_texture or (len(texts) > count and not (info.has_offsets or info.has_memory)):
            raise _wrong_count(info, opcode, texts, operands)
        rest = texts[count:]
        if info.has_memory:
            return None, None, (), _memory(rest) if rest else _NO_ACCESS
        texture = known(TARGETS, rest.pop(0), "texture target", "P011", TARGET_HINT).name if info.is_texture else None
        returns = _RETURN_TYPES.get(rest[0].strip().upper()) if rest and texture is not None and not self.strict else None
        if returns is not None:
            del rest[0]
        if len(rest) > _MAX_OFFSETS:
            raise Mistake("P016", f"at most four texture offsets, {len(rest)} given", operands or "")
        return texture, returns, tuple([self.operands.offsets[text] for text in rest]), None

    # declarations

    def declaration(
        self, span: Span, file: str, first: str | None, second: str | None, letters: str | None, attributes: str | None
    ) -> Declaration:
        """``DCL TEMP[0..3].xy, ARRAY(1), LOCAL``."""
        known_file = FILES.get(file) or known(FILES, file, "register file", "P006", FILE_HINT)
        mask = mask_of(letters, strict=self.strict)
        inner, dimension = first, None
        text = self.source_text.text
        if second is not None or text.count("[", span.start, span.end - len(attributes or "")) == 2:
            inner = second
            outer = self._size(first, file)
            dimension = None if per_vertex(self.stage, known_file) else outer[0]
        low, high = self._size(inner, file)
        if attributes is None:
            return self._attributes.bare(known_file, low, high, dimension, mask, span)
        words = [self.operands.attributes[word.strip()] for word in self._split(attributes)]
        return self._attributes.read(known_file, low, high, dimension, mask, span, words)

    def _size(self, text: str | None, file: str) -> tuple[int, int]:
        if text is not None:
            return self.operands.ranges[text]
        if not self.implied:
            hint = "PROPERTY GS_INPUT_PRIMITIVE must come first" if self.stage is Processor.GEOM else "write the range as `[0..3]`"
            raise Mistake("P019", "`[]` needs a size that the stage implies", file, hint)
        return 0, self.implied - 1

    # immediates and properties

    def immediate(self, span: Span, index: str | None, type: str, values: str | None) -> Immediate:
        """``IMM[0] FLT32 {0.0, 1.0, 0x7fc00000, -0.5}``."""
        kind = known(_TYPES, type, "immediate type", "P021")
        number = len(self.immediates)
        if index is not None and int(index) != number:
            raise Mistake("P020", f"this is immediate {number}: they are numbered in order", index, f"write `IMM[{number}]`")
        texts = values.split(",") if values else []
        wanted = LITERALS[kind].count
        if len(texts) != wanted:
            raise Mistake(
                "P022", f"{kind.name} takes {wanted} values, {len(texts)} given", values or type, "write every value, 0 for those of no use"
            )
        table = _VALUES[kind]
        if wanted == 4:
            a, b, c, d = texts
            return Immediate(kind, (table[a][0], table[b][0], table[c][0], table[d][0]), span)
        first, second = texts
        return Immediate(kind, (*table[first], *table[second])[:4], span)  # type: ignore[arg-type]

    def property(self, span: Span, name: str, value: str) -> Property:
        """``PROPERTY FS_COORD_ORIGIN UPPER_LEFT``."""
        info = known(_STRICT_PROPERTIES if self.strict else PROPERTIES, name, "property", "P024")
        if info.words is not None:
            number = info.words.get(value.upper())
            if number is None and value.isdigit() and not self.strict:
                number = int(value) & 0xFFFFFFFF  # a value without a name, as Mesa prints it
            if number is None:
                hint = did_you_mean(value, info.words) or choices(info.words)
                raise Mistake("P025", f"{info.name} has no value `{shorten(value)}`", value, hint)
            if info.name == "GS_INPUT_PRIMITIVE":
                self.implied = VERTICES.get(Primitive(number), 1) if number in _PRIMITIVES else 1
            return Property(info.name, number, span)
        if not value.isdigit():
            raise Mistake("P025", f"{info.name} takes an unsigned number", value, info.meaning)
        return Property(info.name, int(value) & 0xFFFFFFFF, span)


class _Values(dict[str, tuple[int, ...]]):
    """Memo of the value texts of one immediate type: text to words."""

    __slots__ = ("kind",)

    def __init__(self, kind: ImmediateType) -> None:
        self.kind = kind

    def __missing__(self, text: str) -> tuple[int, ...]:
        literal = LITERALS[self.kind]
        word = text.strip()
        if not literal.good(word):
            raise Mistake("P023", f"`{shorten(word)}` is not a value of type {self.kind.name}", text, f"a value is {literal.example}")
        words = self[text] = literal.read(word)
        return words


_VALUES = {kind: _Values(kind) for kind in ImmediateType}


def _memory(words: list[str]) -> MemoryAccess:
    """Words after a memory instruction. Qualifiers add up; of several targets or formats the last one counts."""
    qualifiers, target, image_format = 0, "BUFFER", ""
    for text in words:
        word = text.strip().upper()
        if word in QUALIFIERS:
            qualifiers |= QUALIFIERS[word]
        elif word in TARGETS:
            target = word
        elif word.startswith("PIPE_FORMAT_"):
            image_format = word if word != NO_FORMAT else ""
        else:
            known(_MEMORY_WORDS, text, "memory qualifier, texture target or format", "P017")
    return MemoryAccess(qualifiers, target, image_format)


def _wrong_count(info: OpcodeInfo, opcode: str, texts: list[str], operands: str | None) -> Mistake:
    wants = ["destination"] * info.num_dst + ["source"] * info.num_src + ["texture target"] * info.is_texture
    if not wants:
        hint = "with a condition it is `KILL_IF a`" if info.name == "KILL" else ""
        return Mistake("P009", f"{info.name} takes no operands", operands or opcode, hint)
    message = f"{info.name} takes {len(wants)} operand{'s' * (len(wants) > 1)} ({', '.join(wants)}), {len(texts)} given"
    if info.name in ("EMIT", "ENDPRIM") and not texts:
        return Mistake("P009", message, opcode, f"write the vertex stream: `{info.name} IMM[0].xxxx` with IMM[0] UINT32 {{0, 0, 0, 0}}")
    hint = "write the texture target after the sources, as `, 2D`" if info.is_texture and len(texts) == len(wants) - 1 else ""
    return Mistake("P009", message, operands or opcode, hint)
