"""Channels that an instruction stores, to the bit, and 64-bit instructions pair by pair."""

from __future__ import annotations

from dataclasses import replace

from tgsi.language.facts.opcode_row import WIDE
from tgsi.language.ir import Instruction


def stored_channels(item: Instruction, number: int) -> int:
    """Return the mask of the channels of a destination that an instruction stores.

    64-bit results of two sources are stored whole if the mask has one of their channels, all others only if it has both. Comparisons store
    the first channel of each pair, conversions to 32 bits the first two channels of the mask.
    """
    opcode, mask = item.opcode, item.dst[number].write_mask
    if not opcode.uses_64bit or number:
        return mask
    if opcode.dst_types[0] in WIDE:
        needed = 1 if opcode.num_src == 2 else 2
        return sum(3 << place for place in (0, 2) if (mask >> place & 3).bit_count() >= needed)
    lowest = mask & -mask
    if opcode.num_src == 2:
        low, high = mask & 3, mask & 12
        return (low & -low) | (high & -high)
    rest = mask & ~lowest
    return lowest | (rest & -rest)


def by_pairs(item: Instruction) -> list[Instruction]:
    """Return an instruction on 64-bit numbers as one for each pair of channels, with the same results.

    A pair is fetched, computed and stored before the next one is fetched, so two instructions do the same as one.
    """
    opcode = item.opcode
    if not opcode.uses_64bit or opcode.num_dst != 1:
        return [item]
    target, mask = item.dst[0], item.dst[0].write_mask
    if opcode.dst_types[0] in WIDE or opcode.num_src == 2:
        masks = [mask & 3, mask & 12]
        return [replace(item, dst=(replace(target, write_mask=part),)) for part in masks if part] if all(masks) else [item]
    first, rest = mask & -mask, mask & (mask - 1)
    if not rest:
        return [item]
    (operand,) = item.src
    second = replace(operand, swizzle=operand.swizzle[2:] * 2)
    return [
        replace(item, dst=(replace(target, write_mask=first),)),
        replace(item, dst=(replace(target, write_mask=rest & -rest),), src=(second,)),
    ]
