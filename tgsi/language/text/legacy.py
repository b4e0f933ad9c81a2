"""The legacy dialect: texts of 2008 to 2017, read into today's opcodes.

Renamed opcodes get their new name. Removed ones become a few of today's, with temporaries and an immediate of our own. EMIT and
ENDPRIM may stand without a stream. ``DCL IMMX[0..1] {{..}, {..}}`` are immediates, ``TEMPX[array][index]`` is an array of TEMP.
Labels follow their instructions. Opcodes without a counterpart (BRA, LOOP, PUSHA, NOISE, SAD, ..) are still refused, by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tgsi.language.facts.enums import File, ImmediateType, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import IDENTITY, Declaration, DstOperand, Immediate, Instruction, RegisterRef, SrcOperand, TexOffset
from tgsi.language.literals import LITERALS
from tgsi.language.messages import Mistake
from tgsi.language.program import Program
from tgsi.language.source import Source, Span
from tgsi.language.text.operands import OperandReader
from tgsi.language.text.reader import Reader

# The final place of registers is known at the end of the text. Until then they have numbers that no text reaches.
_GAP = 1 << 16
_IMMX, _LITERALS, _SCRATCH, _TEMPX = (_GAP << place for place in (4, 6, 8, 10))
MAX_INDEX = 32767
_ARRAY = 1 << 12
"""Registers set aside for each array of TEMPX."""

_ZERO, _ONE, _HALF = (SrcOperand(RegisterRef(File.IMM, _LITERALS), (channel,) * 4) for channel in range(3))
_LITERAL_WORDS = (0x00000000, 0x3F800000, 0x3F000000, 0x00000000)

RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "KIL": "KILL_IF",
        "KILP": "KILL",
        "LERP": "LRP",
        "FRAC": "FRC",
        "FLOOR": "FLR",
        "EXPBASE2": "EX2",
        "LOGBASE2": "LG2",
        "POWER": "POW",
        "DOT2ADD": "DP2A",
        "CROSSPRODUCT": "XPD",
        "BGNLOOP2": "BGNLOOP",
        "ENDLOOP2": "ENDLOOP",
    }
)
"""Old names of opcodes; some of the new names are removed themselves."""

_BLOCK = re.compile(
    r"(?<=[ \t\n])DCL[ \t\n]+IMMX[ \t\n]*\[[ \t\n]*(?P<first>[0-9]+)[ \t\n]*(?:\.\.[ \t\n]*(?P<last>[0-9]+)[ \t\n]*)?\][ \t\n]*"
    r"\{(?P<rows>(?:[ \t\n]*,?[ \t\n]*\{[^{}]*\})*+)[ \t\n]*\}",
    re.IGNORECASE | re.ASCII,
)


def _op(name: str, dst: DstOperand | None, *src: SrcOperand) -> Instruction:
    return Instruction(OPCODES[name], (dst,) if dst is not None else (), src)


def _negated(source: SrcOperand) -> SrcOperand:
    return replace(source, negate=not source.negate)


def _swizzled(source: SrcOperand, letters: str) -> SrcOperand:
    x, y, z, w = (source.swizzle["xyzw".index(letter)] for letter in letters)
    return replace(source, swizzle=(x, y, z, w))


Temporary = Callable[[], RegisterRef]
Lowering = Callable[..., list[Instruction]]


def _sub(_: Temporary, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    return [_op("ADD", d, a, _negated(b))]


def _abs(_: Temporary, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    return [_op("MOV", d, replace(a, negate=False, absolute=True))]


def _negate(_: Temporary, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    return [_op("MOV", d, _negated(a))]


def _with_w(d: DstOperand, xyz: Callable[[DstOperand], Instruction]) -> list[Instruction]:
    """The instruction for x, y and z, and a MOV of 1 for w, each if the write mask has such a channel."""
    made = [xyz(replace(d, write_mask=d.write_mask & 7))] if d.write_mask & 7 else []
    return made + ([_op("MOV", replace(d, write_mask=8), _ONE)] if d.write_mask & 8 else [])


def _xpd(new: Temporary, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    t = new()
    first = _op("MUL", DstOperand(t, 7), _swizzled(a, "zxyw"), _swizzled(b, "yzxw"))
    rest = SrcOperand(t, IDENTITY, True)
    return [first, *_with_w(d, lambda xyz: _op("MAD", xyz, _swizzled(a, "yzxw"), _swizzled(b, "zxyw"), rest))]


def _dp2a(new: Temporary, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    t = new()
    return [_op("DP2", DstOperand(t, 1), a, b), _op("ADD", d, SrcOperand(t, (0,) * 4), _swizzled(c, "xxxx"))]


def _dph(new: Temporary, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    t = new()
    return [_op("DP3", DstOperand(t, 1), a, b), _op("ADD", d, SrcOperand(t, (0,) * 4), _swizzled(b, "wwww"))]


def _clamp(new: Temporary, d: DstOperand, a: SrcOperand, low: SrcOperand, high: SrcOperand) -> list[Instruction]:
    t = new()
    return [_op("MAX", DstOperand(t), a, low), _op("MIN", d, SrcOperand(t), high)]


def _scs(new: Temporary, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    t = new()
    rest = SrcOperand(RegisterRef(File.IMM, _LITERALS), (0, 0, 0, 1))
    angle = _swizzled(a, "xxxx")
    return [
        _op("COS", DstOperand(t, 1), angle),
        _op("SIN", DstOperand(t, 2), angle),
        _op("MOV", DstOperand(t, 12), rest),
        _op("MOV", d, SrcOperand(t)),
    ]


def _nrm(new: Temporary, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    t = new()
    scale = SrcOperand(t, (0,) * 4)
    return [
        _op("DP3", DstOperand(t, 1), a, a),
        _op("RSQ", DstOperand(t, 1), scale),
        *_with_w(d, lambda xyz: _op("MUL", xyz, a, scale)),
    ]


def _nrm4(new: Temporary, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    t = new()
    scale = SrcOperand(t, (0,) * 4)
    return [_op("DP4", DstOperand(t, 1), a, a), _op("RSQ", DstOperand(t, 1), scale), _op("MUL", d, a, scale)]


def _cnd(new: Temporary, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    t = new()
    return [_op("ADD", DstOperand(t), _HALF, _negated(c)), _op("CMP", d, SrcOperand(t), a, b)]


LOWERED: Mapping[str, tuple[int, Lowering]] = MappingProxyType(
    {
        "SUB": (2, _sub),
        "ABS": (1, _abs),
        "NEGATE": (1, _negate),
        "XPD": (2, _xpd),
        "DP2A": (3, _dp2a),
        "DPH": (2, _dph),
        "CLAMP": (3, _clamp),
        "SCS": (1, _scs),
        "NRM": (1, _nrm),
        "NRM4": (1, _nrm4),
        "CND": (3, _cnd),
    }
)
"""Removed opcodes: number of sources and the function that lowers them. Every one has one destination."""


class LegacyOperands(OperandReader):
    """Reader of operands for which IMMX and TEMPX are registers with provisional numbers."""

    def register(self, file: str, index: str, array: str | None, inner: str | None, inner_array: str | None) -> RegisterRef:
        """A register, of the old files too."""
        name = file.upper()
        if name == "IMMX":
            found = super().register("IMM", index, array, inner, inner_array)
            return replace(found, index=found.index + _IMMX)
        if name != "TEMPX":
            return super().register(file, index, array, inner, inner_array)
        found = super().register("TEMP", index, array, inner, inner_array)
        if found.dimension is None or found.dimension.indirect is not None or found.dimension.index >= _ARRAY:
            raise Mistake("P015", "TEMPX takes the number of an array and an index", file, "write `TEMPX[0][1]`")
        if abs(found.index) >= _ARRAY // 2:
            raise Mistake("P026", f"an index of TEMPX is below {_ARRAY // 2}", index if inner is None else inner)
        return replace(found, index=found.index + _TEMPX + _ARRAY * found.dimension.index, dimension=None)

    def _number(self, text: str) -> int:
        number = super()._number(text)
        if abs(number) > MAX_INDEX:
            raise Mistake("P026", f"a register number is beyond {MAX_INDEX}", text)
        return number


class LegacyReader(Reader):
    """A reader that lowers the old parts of its text. `finish` moves our own registers to numbers that the program leaves free."""

    def __init__(self, source: Source, stage: Processor, operands: OperandReader, split: Callable[[str], list[str]]) -> None:
        super().__init__(source, stage, operands, split)
        self._scratch = 0
        self._arrays: dict[int, Declaration] = {}
        self._starts: list[int] = []
        self._blocks: list[Immediate] = []

    def instruction(self, span: Span, opcode: str, operands: str | None, label: str | None) -> Instruction:
        """Lower an instruction of any time. Returns the last of the instructions that it becomes; the others are already in the program."""
        start = len(self.instructions)
        made = self._lowered(span, opcode, operands, label)
        self.instructions += made[:-1]
        self._starts.append(start)
        return made[-1]

    def _lowered(self, span: Span, opcode: str, operands: str | None, label: str | None) -> list[Instruction]:
        word = opcode.upper()
        saturate = word.endswith("_SAT")
        name = word.removesuffix("_SAT")
        name = RENAMED.get(name, name)
        if name in ("EMIT", "ENDPRIM") and operands is None:
            return [replace(_op(name, None, _ZERO), span=span)]
        if name not in LOWERED:
            return [super().instruction(span, opcode if name in word else name + "_SAT" * saturate, operands, label)]
        count, lower = LOWERED[name]
        texts = operands.split(",") if operands is not None else []
        if len(texts) != 1 + count or label is not None:
            wants = ", ".join(["destination"] + ["source"] * count)
            raise Mistake("P009", f"{name} takes {1 + count} operands ({wants}), {len(texts)} given", operands or opcode)
        destination, *sources = self._destinations[texts[0]], *[self._sources[text] for text in texts[1:]]
        made = lower(self._temporary, destination, *sources)
        target = destination.register
        return [replace(item, span=span, saturate=saturate and item.dst[0].register is target) for item in made]

    def _temporary(self) -> RegisterRef:
        self._scratch += 1
        return RegisterRef(File.TEMP, _SCRATCH + self._scratch - 1)

    def declaration(
        self, span: Span, file: str, first: str | None, second: str | None, letters: str | None, attributes: str | None
    ) -> Declaration:
        """Read a declaration; an array of TEMPX becomes one of TEMP at the end of the text."""
        if file.upper() != "TEMPX":
            return super().declaration(span, file, first, second, letters, attributes)
        made = super().declaration(span, "TEMP", first, second, letters, attributes)
        if made.dimension is None or made.dimension >= _ARRAY or made.last >= _ARRAY or made.dimension in self._arrays:
            raise Mistake("P015", "TEMPX is declared once for each array, with two brackets", file, "write `DCL TEMPX[0][0..3]`")
        self._arrays[made.dimension] = made
        return made

    def take_blocks(self, text: str) -> str:
        """Read the declarations of IMMX. Returns the text without them, every other character in its place.

        Raises:
            Mistake: a row does not have four values, or there are not as many rows as registers.
        """
        literal = LITERALS[ImmediateType.FLT32]
        for found in _BLOCK.finditer(text):
            rows = re.findall(r"\{([^{}]*)\}", found["rows"])
            first, last = int(found["first"]), int(found["last"] or found["first"])
            if first != len(self._blocks) or last - first + 1 != len(rows):
                raise Mistake("P022", f"IMMX[{first}..{last}] has {len(rows)} rows", found[0], "registers of IMMX are declared in order")
            for row in rows:
                values = [value.strip() for value in row.split(",")]
                if len(values) != 4 or not all(map(literal.good, values)):
                    raise Mistake("P022", "a row of IMMX has four FLT32 values", row)
                a, b, c, d = (literal.read(value)[0] for value in values)
                span = Span(self.source_text, found.start(), found.end())
                self._blocks.append(Immediate(ImmediateType.FLT32, (a, b, c, d), span))
        return _BLOCK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)

    def finish(self, program: Program) -> Program:
        """The program with final register numbers, and with every label at its instruction."""
        immediates = [*program.immediates, *self._blocks]
        places = {_IMMX: len(program.immediates), _LITERALS: len(immediates)}
        declarations = [item for item in program.declarations if item not in self._arrays.values()]
        room = max((item.last + 1 for item in declarations if item.file is File.TEMP), default=0)
        arrays = max((item.array_id for item in declarations), default=0)
        for number, item in sorted(self._arrays.items()):
            arrays += 1
            places[_TEMPX + _ARRAY * number] = room
            declarations.append(replace(item, first=room, last=room + item.last, dimension=None, array_id=arrays))
            room += item.last + 1
        if self._scratch:
            places[_SCRATCH] = room
            declarations.append(Declaration(File.TEMP, room, room + self._scratch - 1))
        instructions = tuple([self._placed(item, places) for item in program.instructions])
        if any(RegisterRef(File.IMM, places[_LITERALS]) == operand.register for item in instructions for operand in item.src):
            immediates.append(Immediate(ImmediateType.FLT32, _LITERAL_WORDS))
        return replace(program, declarations=tuple(declarations), immediates=tuple(immediates), instructions=instructions)

    def _placed(self, item: Instruction, places: dict[int, int]) -> Instruction:
        label = item.label
        if label is not None and label < len(self._starts):
            label = self._starts[label]
        dst = tuple([replace(operand, register=_moved(operand.register, places)) for operand in item.dst])
        src = tuple([replace(operand, register=_moved(operand.register, places)) for operand in item.src])
        offsets = tuple([TexOffset(_moved(offset.register, places), offset.swizzle) for offset in item.offsets])
        return replace(item, dst=dst, src=src, offsets=offsets, label=label)


def _moved(register: RegisterRef, places: dict[int, int]) -> RegisterRef:
    """A register with its provisional number replaced by the final one; an offset may lie up to a gap below the provisional number."""
    if register.index < _IMMX - _GAP // 2:
        return register
    for base in sorted(places, reverse=True):
        if register.index >= base - (_ARRAY // 2 if base >= _TEMPX else _GAP // 2):
            return replace(register, index=places[base] + register.index - base)
    return register
