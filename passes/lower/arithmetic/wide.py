"""The pass lower-64-bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from passes.base import Pass
from passes.edit import rebuilt
from passes.lower.arithmetic import conversions
from passes.lower.arithmetic.words import MAGNITUDE, SIGN, Pair, Scalar, Words
from passes.lower.expansion import Room, broadcast
from passes.lower.operands.roomy import with_room
from passes.lower.stored import by_pairs, stored_channels
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import DstOperand, Instruction, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_OTHERS = ("stay", "refuse")
_ONE_HIGH = 0x3FF00000


@record(slots=False)
class Lower64Bit(Pass):
    """Replace 64-bit opcodes by 32-bit ones with the same bits.

    Integers: sums, products, shifts, comparisons, minimum and maximum, signs. Doubles: comparisons, minimum and maximum, absolute value,
    negation, sign. Conversions: all of them. All other opcodes, such as DADD or I64DIV, would take hundreds of instructions each: they are
    kept, or refused with `others=refuse`.
    """

    name = "lower-64-bit"
    others: str = "stay"

    def __post_init__(self) -> None:
        """Check `others`.

        Raises:
            ValueError: `others` is neither stay nor refuse.
        """
        if self.others not in _OTHERS:
            raise ValueError(f"pass {self.name}: others: `{self.others}` is not one of {', '.join(_OTHERS)}")

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        if not any(item.opcode.uses_64bit for item in program.instructions):
            return program
        return with_room(program, self._narrowed)

    def _narrowed(self, program: Program) -> Program:
        room = Room(program)
        code: list[Sequence[Instruction]] = []
        for item in program.instructions:
            if item.opcode.name in RESULTS or item.opcode.name in SINGLE:
                code.append([new for part in by_pairs(item) for new in _lowered(room, part)])
            elif item.opcode.uses_64bit and self.others == "refuse":
                text = f"{item.opcode.name} has no lowering to 32 bits"
                raise UnsupportedError.at("B052", text, item.span, hint=f"these have one: {', '.join([*RESULTS, *SINGLE])}")
            else:
                code.append((item,))
        return room.finish(rebuilt(program, code))


def _lowered(room: Room, item: Instruction) -> list[Instruction]:
    """Return the replacement of an instruction that writes one pair."""
    work = Words(room, item)
    channels = [channel for channel in range(4) if stored_channels(item, 0) >> channel & 1]
    if not channels:
        return []
    pair = 0 if item.opcode.reads[0] is Reads.PACKED else channels[0] // 2
    sources = [_source(work, number, pair) for number in range(item.opcode.num_src)]
    if item.opcode.name in SINGLE:
        work.put("MOV", DstOperand(item.dst[0].register, 1 << channels[0]), SINGLE[item.opcode.name](work, *sources), is_last=True)
        return work.code
    low, high = RESULTS[item.opcode.name](work, *sources)
    if item.saturate:
        low, high = _saturated(work, (low, high))
    held = room.scratch(-(-work.taken // 4))
    work.put("MOV", DstOperand(held, 1 << channels[0]), low)
    work.put("MOV", DstOperand(held, 1 << channels[1]), high)
    work.put("MOV", DstOperand(item.dst[0].register, 1 << channels[0] | 1 << channels[1]), SrcOperand(held))
    return work.code


def _source(work: Words, number: int, pair: int) -> Pair:
    """Return the words of a source, with its modifiers carried out. A 32-bit source is the low word."""
    opcode, operand = work.item.opcode, work.item.src[number]
    if opcode.reads[number] is Reads.COUNTS or opcode.src_types[number] not in WIDE:
        channel = 2 * pair if opcode.reads[number] is Reads.COUNTS else pair
        single = broadcast(operand, channel)
        if opcode.src_types[number] == "float":
            return _float(work, single), work.word(0)
        if single.negate or single.absolute:
            single = work.op("UADD", single, work.word(0))
        return single, work.word(0)
    plain = replace(operand, negate=False, absolute=False)
    halves = broadcast(plain, 2 * pair), broadcast(plain, 2 * pair + 1)
    if operand.absolute:
        halves = work.size(halves)
    return work.opposite(halves) if operand.negate else halves


def _float(work: Words, operand: SrcOperand) -> Scalar:
    """Return the bits of a float with its modifiers."""
    plain = replace(operand, negate=False, absolute=False)
    if operand.absolute:
        plain = work.op("AND", plain, work.word(MAGNITUDE))
    return work.op("XOR", plain, work.word(SIGN)) if operand.negate else plain


def _saturated(work: Words, a: Pair) -> Pair:
    """Return the words clamped as a double to [0, 1]; a NaN and -0 stay."""
    zero, one = (work.word(0), work.word(0)), (work.word(0), work.word(_ONE_HIGH))
    a = work.choose(work.below(a, zero), zero, a)
    return work.choose(work.below(one, a), one, a)


def _abs(work: Words, a: Pair) -> Pair:
    return work.choose(work.is_negative(a), work.negative(a), a)


def _sign(work: Words, a: Pair) -> Pair:
    high = work.op("ISHR", a[1], work.word(31))
    return work.op("OR", high, work.op("UMIN", work.op("OR", *a), work.word(1))), high


def _double_sign(work: Words, a: Pair) -> Pair:
    high = work.op("OR", work.op("AND", a[1], work.word(SIGN)), work.word(_ONE_HIGH))
    is_none = work.either(work.is_null(a), work.is_nan(a))
    return work.word(0), work.op("UCMP", is_none, work.word(0), high)


Result = Callable[..., Pair]
Single = Callable[..., Scalar]

RESULTS: Mapping[str, Result] = {
    "U64ADD": Words.add,
    "U64MUL": Words.product,
    "I64NEG": Words.negative,
    "I64ABS": _abs,
    "I64SSG": _sign,
    "I64MIN": lambda work, a, b: work.choose(work.less(a, b, "ISLT"), a, b),
    "I64MAX": lambda work, a, b: work.choose(work.less(a, b, "ISLT"), b, a),
    "U64MIN": lambda work, a, b: work.choose(work.less(a, b, "USLT"), a, b),
    "U64MAX": lambda work, a, b: work.choose(work.less(a, b, "USLT"), b, a),
    "U64SHL": lambda work, a, count: work.left(a, count[0]),
    "U64SHR": lambda work, a, count: work.right(a, count[0], "USHR"),
    "I64SHR": lambda work, a, count: work.right(a, count[0], "ISHR"),
    "I2I64": lambda work, a: (a[0], work.op("ISHR", a[0], work.word(31))),
    "U2I64": lambda work, a: a,
    "DABS": Words.size,
    "DNEG": Words.opposite,
    "DMIN": lambda work, a, b: work.choose(work.below(a, b), a, b),
    "DMAX": lambda work, a, b: work.choose(work.below(b, a), a, b),
    "DSSG": _double_sign,
    "F2D": conversions.double_of_float,
    "I2D": conversions.double_of_signed,
    "U2D": conversions.double_of_unsigned,
    "I642D": conversions.double_of_signed64,
    "U642D": conversions.double_of_unsigned64,
    "D2I64": conversions.signed_of_double,
    "D2U64": conversions.unsigned_of_double,
    "F2I64": lambda work, a: conversions.signed_of_double(work, conversions.double_of_float(work, a)),
    "F2U64": lambda work, a: conversions.unsigned_of_double(work, conversions.double_of_float(work, a)),
}
"""Opcodes with a 64-bit result, and the function that computes its words."""

SINGLE: Mapping[str, Single] = {
    "U64SEQ": Words.equal,
    "U64SNE": lambda work, a, b: work.no(work.equal(a, b)),
    "I64SLT": lambda work, a, b: work.less(a, b, "ISLT"),
    "U64SLT": lambda work, a, b: work.less(a, b, "USLT"),
    "I64SGE": lambda work, a, b: work.no(work.less(a, b, "ISLT")),
    "U64SGE": lambda work, a, b: work.no(work.less(a, b, "USLT")),
    "DSEQ": Words.same,
    "DSNE": lambda work, a, b: work.no(work.same(a, b)),
    "DSLT": Words.below,
    "DSGE": lambda work, a, b: work.either(work.below(b, a), work.same(a, b)),
    "D2F": conversions.float_of_double,
    "D2I": conversions.word_of_double,
    "D2U": lambda work, a: conversions.signed_of_double(work, a)[0],
    "I642F": conversions.float_of_signed64,
    "U642F": conversions.float_of_unsigned64,
}
"""Opcodes on 64-bit numbers with a 32-bit result, and the function that computes its word."""
