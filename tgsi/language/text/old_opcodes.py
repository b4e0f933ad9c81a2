"""Opcodes of Mesa's TGSI from 2007 to 2017 that have another name today, or none: names, and the instructions that they become.

The meaning of each is that of Mesa's interpreter of its time (7.10 for those removed by 2014), or of the documents where the interpreter
never had it. `new` makes temporaries and literals; d is the destination; a, b and c are sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, Protocol

from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.text.old_registers import LITERAL

LITERAL_WORDS = (0x00000000, 0x3F800000, 0x3F000000, 0x00000000)
"""The literal that is always there: 0, 1, 1/2."""

ZERO, ONE, HALF = (SrcOperand(RegisterRef(File.IMM, LITERAL), (channel,) * 4) for channel in range(3))
_UNIT_W = SrcOperand(RegisterRef(File.IMM, LITERAL), (0, 0, 0, 1))
_LARGEST_RECIPROCAL, _LEAST_RECIPROCAL = 0x5F82C2DC, 0x1F7FFFFD  # 1.884467e+19 and 5.42101e-20, the numbers of Mesa's documents


class Maker(Protocol):
    """Supplier of registers and literals for lowerings."""

    def temporary(self) -> RegisterRef:
        """An unused register."""

    def counter(self) -> RegisterRef:
        """A register that keeps its value up to the end of a loop."""

    def literal(self, word: int) -> SrcOperand:
        """A source that reads one 32-bit word in all channels."""


Lowering = Callable[..., list[Instruction]]


class Lowered(NamedTuple):
    """An opcode with an expansion: its numbers of destinations and sources, and the function that makes the instructions."""

    num_dst: int
    num_src: int
    build: Lowering
    target: bool = False


RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "KIL": "KILL_IF",
        "TEXKILL": "KILL_IF",
        "KILP": "KILL",
        "LERP": "LRP",
        "FRAC": "FRC",
        "FLOOR": "FLR",
        "INT": "TRUNC",
        "EXPBASE2": "EX2",
        "LOGBASE2": "LG2",
        "EXPP": "EXP",
        "LOGP": "LG2",
        "POWER": "POW",
        "RECIP": "RCP",
        "RECIPSQRT": "RSQ",
        "DOT3": "DP3",
        "DOT4": "DP4",
        "DOT2ADD": "DP2A",
        "DP2ADD": "DP2A",
        "CROSSPRODUCT": "XPD",
        "CRS": "XPD",
        "MULTIPLYMATRIX": "M4X4",
        "MADD": "MAD",
        "SETLT": "SLT",
        "SETGE": "SGE",
        "SGN": "SSG",
        "SINCOS": "SCS",
        "SWZ": "MOV",
        "MOVA": "ARR",
        "DSX": "DDX",
        "DSY": "DDY",
        "TEXLD": "TEX",
        "TEXLDB": "TXB",
        "TEXLDD": "TXD",
        "RESINFO": "SVIEWINFO",
        "LOAD_MS": "SAMPLE_I_MS",
        "SHR": "ISHR",
        "CALL": "CAL",
        "IFC": "IF",
        "BREAK": "BRK",
        "LOOP": "BGNLOOP",
        "BGNLOOP2": "BGNLOOP",
        "ENDLOOP2": "ENDLOOP",
        "ENDREP": "ENDLOOP",
    }
)
"""Old names of opcodes; some of the new names are removed themselves."""

_NO_MEANING = "Mesa never gave it a meaning"
REFUSED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ARA": ("2007 to 2014", _NO_MEANING),
        "BRA": ("2007 to 2014", f"{_NO_MEANING}; write IF, CAL or a loop"),
        "INDEX": ("2007 to 2010", f"{_NO_MEANING}; write an indirect register, as `CONST[ADDR[0].x]`"),
        "NOISE1": ("2007 to 2010", "no driver computed noise; compute it, or read it from a texture"),
        "NOISE2": ("2007 to 2010", "no driver computed noise; compute it, or read it from a texture"),
        "NOISE3": ("2007 to 2010", "no driver computed noise; compute it, or read it from a texture"),
        "NOISE4": ("2007 to 2010", "no driver computed noise; compute it, or read it from a texture"),
        "PUSHA": ("2007 to 2017", "no driver had a stack of addresses; MOV the register to a TEMP"),
        "POPA": ("2007 to 2017", "no driver had a stack of addresses; UARL from a TEMP"),
        "MFENCE": ("2012 to 2017", "write MEMBAR with the classes of memory"),
        "LFENCE": ("2012 to 2017", "write MEMBAR with the classes of memory"),
        "SFENCE": ("2012 to 2017", "write MEMBAR with the classes of memory"),
        "CALLNZ": ("2007 to 2017", "its text never named the subroutine; write IF, CAL, ENDIF"),
    }
)
"""Opcodes that nothing of today replaces: their time, and the way out."""


def op(name: str, dst: DstOperand | None, *src: SrcOperand) -> Instruction:
    """An instruction of today."""
    return Instruction(OPCODES[name], (dst,) if dst is not None else (), src)


def negated(source: SrcOperand) -> SrcOperand:
    """The negated source."""
    return replace(source, negate=not source.negate)


def swizzled(source: SrcOperand, letters: str) -> SrcOperand:
    """The source with its channels in another order."""
    x, y, z, w = (source.swizzle["xyzw".index(letter)] for letter in letters)
    return replace(source, swizzle=(x, y, z, w))


def again(item: Instruction) -> Lowering:
    """The function that makes an instruction again, with other operands."""
    count = len(item.dst)
    return lambda *operands: [replace(item, dst=operands[:count], src=operands[count:])]


def saturated(made: list[Instruction], register: RegisterRef | None) -> list[Instruction]:
    """The instructions, with saturation on those that write the register."""
    if register is None:
        return made
    return [replace(item, saturate=True) if item.dst and item.dst[0].register is register else item for item in made]


def _sub(_: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    return [op("ADD", d, a, negated(b))]


def _abs(_: Maker, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    return [op("MOV", d, replace(a, negate=False, absolute=True))]


def _negate(_: Maker, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    return [op("MOV", d, negated(a))]


def _with_w(d: DstOperand, xyz: Callable[[DstOperand], Instruction]) -> list[Instruction]:
    """The instruction for x, y and z, and a MOV of 1 for w, each if the write mask has such a channel."""
    made = [xyz(replace(d, write_mask=d.write_mask & 7))] if d.write_mask & 7 else []
    return made + ([op("MOV", replace(d, write_mask=8), ONE)] if d.write_mask & 8 else [])


def _xpd(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    first = op("MUL", DstOperand(t, 7), swizzled(a, "zxyw"), swizzled(b, "yzxw"))
    rest = negated(SrcOperand(t))
    return [first, *_with_w(d, lambda xyz: op("MAD", xyz, swizzled(a, "yzxw"), swizzled(b, "zxyw"), rest))]


def _dp2a(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    return [op("DP2", DstOperand(t, 1), a, b), op("ADD", d, SrcOperand(t, (0,) * 4), swizzled(c, "xxxx"))]


def _dph(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    return [op("DP3", DstOperand(t, 1), a, b), op("ADD", d, SrcOperand(t, (0,) * 4), swizzled(b, "wwww"))]


def _clamp(new: Maker, d: DstOperand, a: SrcOperand, low: SrcOperand, high: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    return [op("MAX", DstOperand(t), a, low), op("MIN", d, SrcOperand(t), high)]


def _scs(new: Maker, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    angle = swizzled(a, "xxxx")
    return [
        op("COS", DstOperand(t, 1), angle),
        op("SIN", DstOperand(t, 2), angle),
        op("MOV", DstOperand(t, 12), _UNIT_W),
        op("MOV", d, SrcOperand(t)),
    ]


def _nrm(new: Maker, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    scale = SrcOperand(t, (0,) * 4)
    return [
        op("DP3", DstOperand(t, 1), a, a),
        op("RSQ", DstOperand(t, 1), scale),
        *_with_w(d, lambda xyz: op("MUL", xyz, a, scale)),
    ]


def _nrm4(new: Maker, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    scale = SrcOperand(t, (0,) * 4)
    return [op("DP4", DstOperand(t, 1), a, a), op("RSQ", DstOperand(t, 1), scale), op("MUL", d, a, scale)]


def _cnd(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    return [op("ADD", DstOperand(t), HALF, negated(c)), op("CMP", d, SrcOperand(t), a, b)]


def _cnd0(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    t = new.temporary()
    return [op("SGE", DstOperand(t), c, ZERO), op("CMP", d, negated(SrcOperand(t)), a, b)]


def _sfl(_: Maker, d: DstOperand, *__: SrcOperand) -> list[Instruction]:
    return [op("MOV", d, ZERO)]


def _str(_: Maker, d: DstOperand, *__: SrcOperand) -> list[Instruction]:
    return [op("MOV", d, ONE)]


def _rcc(new: Maker, d: DstOperand, a: SrcOperand) -> list[Instruction]:
    """1 / a, clamped to two bounds of its own sign; zero and NaN use the negative ones."""
    t, u = new.temporary(), new.temporary()
    x, y, z = (SrcOperand(u, (channel,) * 4) for channel in range(3))
    least, most = new.literal(_LEAST_RECIPROCAL), new.literal(_LARGEST_RECIPROCAL)
    return [
        op("RCP", DstOperand(u, 1), swizzled(a, "xxxx")),
        op("MAX", DstOperand(t, 1), x, least),
        op("MIN", DstOperand(u, 2), SrcOperand(t, (0,) * 4), most),
        op("MIN", DstOperand(t, 1), x, negated(least)),
        op("MAX", DstOperand(u, 4), SrcOperand(t, (0,) * 4), negated(most)),
        op("CMP", d, negated(x), y, z),
    ]


def _rfl(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
    """2 (a * b) / (a * a) a - b."""
    t = new.temporary()
    x, y = (SrcOperand(t, (channel,) * 4) for channel in range(2))
    return [
        op("DP3", DstOperand(t, 1), a, a),
        op("DP3", DstOperand(t, 2), a, b),
        op("ADD", DstOperand(t, 2), y, y),
        op("DIV", DstOperand(t, 1), y, x),
        *_with_w(d, lambda xyz: op("MAD", xyz, a, x, negated(b))),
    ]


def _x2d(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    """A 2 x 2 matrix c times b, and a added; z and w are x and y again."""
    t, u = new.temporary(), new.temporary()
    return [
        op("MUL", DstOperand(t), swizzled(c, "xzxz"), swizzled(b, "xxxx")),
        op("MAD", DstOperand(u), swizzled(c, "ywyw"), swizzled(b, "yyyy"), SrcOperand(t)),
        op("ADD", d, SrcOperand(u), swizzled(a, "xyxy")),
    ]


def _matrix(product: str, rows: int) -> Lowering:
    """The product of a vector with a matrix, whose rows are consecutive registers."""

    def build(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand) -> list[Instruction]:
        t = new.temporary()
        row = [replace(b, register=replace(b.register, index=b.register.index + number)) for number in range(rows)]
        made = [op(product, DstOperand(t, 1 << number), a, source) for number, source in enumerate(row) if d.write_mask >> number & 1]
        left = d.write_mask & (1 << rows) - 1
        return [*made, op("MOV", replace(d, write_mask=left), SrcOperand(t))] if left else [op("NOP", None)]

    return build


def _sad(new: Maker, d: DstOperand, a: SrcOperand, b: SrcOperand, c: SrcOperand) -> list[Instruction]:
    """|a - b| + c of unsigned integers."""
    t, u = new.temporary(), new.temporary()
    return [
        op("UMIN", DstOperand(u), a, b),
        op("UMAX", DstOperand(t), a, b),
        op("INEG", DstOperand(u), SrcOperand(u)),
        op("UADD", DstOperand(t), SrcOperand(t), SrcOperand(u)),
        op("UADD", d, SrcOperand(t), c),
    ]


def _txq_lz(_: Maker, d: DstOperand, sampler: SrcOperand) -> list[Instruction]:
    return [op("TXQ", d, ZERO, sampler)]


def _breakc(_: Maker, a: SrcOperand) -> list[Instruction]:
    return [op("UIF", None, swizzled(a, "xxxx")), op("BRK", None), op("ENDIF", None)]


def _rep(new: Maker, a: SrcOperand) -> list[Instruction]:
    """A loop of a.x rounds, counted at its head, so that CONT counts, too."""
    t = new.counter()
    left, done = SrcOperand(t, (0,) * 4), SrcOperand(t, (1,) * 4)
    return [
        op("MOV", DstOperand(t, 1), swizzled(a, "xxxx")),
        op("BGNLOOP", None),
        op("SLT", DstOperand(t, 2), left, ONE),
        op("IF", None, done),
        op("BRK", None),
        op("ENDIF", None),
        op("ADD", DstOperand(t, 1), left, negated(ONE)),
    ]


LOWERED: Mapping[str, Lowered] = MappingProxyType(
    {
        "SUB": Lowered(1, 2, _sub),
        "ABS": Lowered(1, 1, _abs),
        "NEGATE": Lowered(1, 1, _negate),
        "XPD": Lowered(1, 2, _xpd),
        "DP2A": Lowered(1, 3, _dp2a),
        "DPH": Lowered(1, 2, _dph),
        "CLAMP": Lowered(1, 3, _clamp),
        "SCS": Lowered(1, 1, _scs),
        "NRM": Lowered(1, 1, _nrm),
        "NRM4": Lowered(1, 1, _nrm4),
        "CND": Lowered(1, 3, _cnd),
        "CND0": Lowered(1, 3, _cnd0),
        "SFL": Lowered(1, 2, _sfl),
        "STR": Lowered(1, 2, _str),
        "RCC": Lowered(1, 1, _rcc),
        "RFL": Lowered(1, 2, _rfl),
        "X2D": Lowered(1, 3, _x2d),
        "M4X4": Lowered(1, 2, _matrix("DP4", 4)),
        "M4X3": Lowered(1, 2, _matrix("DP4", 3)),
        "M3X4": Lowered(1, 2, _matrix("DP3", 4)),
        "M3X3": Lowered(1, 2, _matrix("DP3", 3)),
        "M3X2": Lowered(1, 2, _matrix("DP3", 2)),
        "SAD": Lowered(1, 3, _sad),
        "TXQ_LZ": Lowered(1, 1, _txq_lz, target=True),
        "REP": Lowered(0, 1, _rep),
        "BREAKC": Lowered(0, 1, _breakc),
    }
)
"""Opcodes that become instructions of today. `target`: a texture target follows the sources."""
