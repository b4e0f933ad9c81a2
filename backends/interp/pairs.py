"""Instructions on 64-bit numbers, which live in pairs of channels: xy and zw.

One pair is fetched, computed and stored before the next is fetched. Which words a write mask selects depends on the kind of
instruction, as measured on Mesa 18.1's interpreter (pairs_rule of the opcode reference).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backends.interp.state import State
from backends.interp.values import U64, VIEWS, bits_of
from backends.run.canonical import canonical
from backends.run.result import Mask
from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import Instruction

SIGN = np.uint64(1 << 63)


def execute_pairs(state: State, instruction: Instruction, function: Callable[..., Any], active: Mask) -> None:
    """Execute one instruction that reads or writes 64-bit numbers."""
    opcode = instruction.opcode
    if opcode.num_dst == 2:  # DFRACEXP
        _fraction_and_exponent(state, instruction, function, active)
        return
    for pair, channels in _targets(instruction):
        result = function(*(_source(state, instruction, number, pair) for number in range(opcode.num_src)))
        _store(state, instruction, bits_of(canonical(result) if opcode.computes_floats else result), channels, active)


def _targets(instruction: Instruction) -> list[tuple[int, list[int]]]:
    """The pairs to compute, and for each the channels that its result goes to."""
    opcode, mask = instruction.opcode, instruction.dst[0].write_mask
    written = [channel for channel in range(4) if mask >> channel & 1]
    if opcode.dst_types[0] in WIDE:
        needed = 1 if opcode.num_src == 2 else 2
        return [(pair, [2 * pair, 2 * pair + 1]) for pair in (0, 1) if (mask >> 2 * pair & 3).bit_count() >= needed]
    if opcode.num_src == 2:  # a comparison: one word a pair
        first = [next((c for c in written if c // 2 == pair), -1) for pair in (0, 1)]
        return [(pair, [channel]) for pair, channel in enumerate(first) if channel >= 0]
    return [(pair, [channel]) for pair, channel in enumerate(written[:2])]


def _source(state: State, instruction: Instruction, number: int, pair: int) -> Any:
    """One source's number for a pair: (lanes,) of the type that the opcode names."""
    operand, kind = instruction.src[number], instruction.opcode.src_types[number]
    if instruction.opcode.reads[number] is Reads.COUNTS:  # a 32-bit number
        count_kind = "int" if kind == "int" else "uint"
        return np.ascontiguousarray(state.source(instruction, number, count_kind)[:, 2 * pair]).view(VIEWS[count_kind])
    if kind not in WIDE:
        return np.ascontiguousarray(state.source(instruction, number, kind)[:, pair]).view(VIEWS[kind])
    words = state.registers.read(operand.register)[:, list(operand.swizzle[2 * pair : 2 * pair + 2])]
    whole = words[:, 0].astype(np.uint64) | words[:, 1].astype(np.uint64) << np.uint64(32)
    if operand.absolute:  # modifiers act as on doubles, for integers, too; anything that is not >= 0 is negated, including NaN patterns
        whole = np.where(whole.view(np.float64) >= 0, whole, whole ^ SIGN)
    if operand.negate:
        whole = whole ^ SIGN
    return whole.view(VIEWS[kind])


def _store(state: State, instruction: Instruction, result: Any, channels: list[int], active: Mask) -> None:
    words = np.zeros((len(active), 4), np.uint32)
    if len(channels) == 2:
        if instruction.saturate:
            result = _saturated(result)
        words[:, channels[0]] = result & np.uint64(0xFFFFFFFF)
        words[:, channels[1]] = result >> np.uint64(32)
        state.registers.write(instruction.dst[0].register, channels, words, active)
    else:
        words[:, channels[0]] = result
        state.store(instruction, 0, words, active, channels)


def _saturated(bits: U64) -> U64:
    """The words clamped as doubles to [0, 1], regardless of their type; NaN and -0.0 stay."""
    values = bits.view(np.float64)
    clamped = np.where(values < 0, np.float64(0), np.where(values > 1, np.float64(1), values))
    return np.where(np.isnan(values), bits, clamped.view(np.uint64))


def _fraction_and_exponent(state: State, instruction: Instruction, function: Callable[..., Any], active: Mask) -> None:
    """DFRACEXP always takes the source's xy: whole pairs of the first destination get the fraction, the second the exponent."""
    fraction, exponent = function(_source(state, instruction, 0, 0))
    for _, channels in _targets(instruction):
        _store(state, instruction, bits_of(canonical(fraction)), channels, active)
    state.store(instruction, 1, np.repeat(bits_of(exponent)[:, None], 4, axis=1), active)
