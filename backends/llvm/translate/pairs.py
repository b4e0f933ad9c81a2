"""Instructions on 64-bit numbers, stored in pairs of channels: xy and zw.

One pair is fetched, computed and stored before the next one is fetched. The words that a write mask selects depend on the kind of
instruction (docs/reference/opcodes.md, rule of pairs).
"""

from __future__ import annotations

from typing import Any, Protocol

from backends.llvm.builder.function import F64, I32, I64, Function, Val
from backends.llvm.program.access import channels
from backends.llvm.translate.operands import Operands
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import Instruction

_SIGN = -(1 << 63)


class Translator(Protocol):
    """The part of the translator that instructions on pairs use."""

    f: Function
    operands: Operands

    def canonical(self, value: Val, channels: int) -> Val:
        """A float result of the current instruction, with canonical NaNs if the exact bits of any of the channels (a mask) matter."""
        ...

    def write(self, instruction: Instruction, number: int, values: dict[int, Val], saturate: bool) -> None:
        """Store channels of destination `number`."""
        ...


def joined(f: Function, low: Val, high: Val) -> Val:
    """i64 lanes from their low and high i32 lanes."""
    low, high = f.same(low, high)
    if low.lanes == 1:
        return low.zext(I64) | (high.zext(I64) << 32)
    lanes = low.lanes
    order = [i for lane in range(lanes) for i in (lane, lanes + lane)]
    return f.shuffle(low, high, order).bits_as(I64.wide(lanes))


def halves(f: Function, value: Val) -> tuple[Val, Val]:
    """Low and high i32 of i64 or f64 lanes."""
    if value.lanes == 1:
        whole = value.bits_as(I64)
        return whole.trunc(I32), whole.lshr(32).trunc(I32)
    words = value.bits_as(I32.wide(2 * value.lanes))
    even = range(0, 2 * value.lanes, 2)
    return f.shuffle(words, words, even), f.shuffle(words, words, [i + 1 for i in even])


def targets(instruction: Instruction) -> list[tuple[int, list[int]]]:
    """Pairs to compute, and the channels to which each result goes."""
    opcode, mask = instruction.opcode, instruction.dst[0].write_mask
    if opcode.dst_types[0] in WIDE:
        needed = 1 if opcode.num_src == 2 else 2
        return [(pair, [2 * pair, 2 * pair + 1]) for pair in (0, 1) if (mask >> 2 * pair & 3).bit_count() >= needed]
    if opcode.num_src == 2:  # a comparison: one word for each pair, in the first written channel
        pairs = []
        for pair in (0, 1):
            written = [c for c in (2 * pair, 2 * pair + 1) if mask >> c & 1]
            pairs += [(pair, written[:1])] if written else []
        return pairs
    return [(pair, [channel]) for pair, channel in enumerate(channels(mask)[:2])]


def source(t: Translator, instruction: Instruction, number: int, pair: int) -> Val:
    """Value of one source for a pair: f64, i64, f32 or i32 lanes, as the opcode's row says."""
    f = t.f
    operand, kind = instruction.src[number], instruction.opcode.src_types[number]
    if instruction.opcode.reads[number] is Reads.COUNTS:  # a 32-bit number
        return t.operands.fetch(instruction, operand, 2 * pair, "int" if kind == "int" else "uint")
    if kind not in WIDE:
        return t.operands.fetch(instruction, operand, pair, kind)
    low, high = (t.operands.read(instruction, operand.register, operand.swizzle[2 * pair + i]).as_int() for i in (0, 1))
    whole = joined(f, low, high)
    if operand.absolute:  # modifiers act on the word as a double, also in integer instructions
        whole = f.select(whole.bits_as(F64.wide(whole.lanes)) >= 0.0, whole, whole ^ _SIGN)
    if operand.negate:
        whole = whole ^ _SIGN
    return whole.bits_as(F64.wide(whole.lanes)) if kind == "double" else whole


def emit_pairs(t: Translator, instruction: Instruction, emitter: Any) -> None:
    """Generate one instruction that reads or writes 64-bit numbers."""
    if instruction.opcode.num_dst == 2:  # DFRACEXP
        fraction, exponent = emitter(t, source(t, instruction, 0, 0))
        for _, places in targets(instruction):
            _store(t, instruction, t.canonical(fraction, sum(1 << place for place in places)), places)
        t.write(instruction, 1, dict.fromkeys(channels(instruction.dst[1].write_mask), exponent), instruction.saturate)
        return
    for pair, places in targets(instruction):
        result = emitter(t, *(source(t, instruction, n, pair) for n in range(instruction.opcode.num_src)))
        _store(t, instruction, t.canonical(result, sum(1 << place for place in places)), places)


def _store(t: Translator, instruction: Instruction, result: Val, places: list[int]) -> None:
    f = t.f
    if len(places) == 1:
        t.write(instruction, 0, {places[0]: result}, instruction.saturate)
        return
    if instruction.saturate:
        x = result.bits_as(F64.wide(result.lanes))
        result = f.select(x < 0.0, 0.0, f.select(x > 1.0, 1.0, x))
    t.write(instruction, 0, dict(zip(places, halves(f, result))), False)
