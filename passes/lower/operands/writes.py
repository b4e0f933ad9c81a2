"""The pass lower-wide-writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from passes.analysis.access import indices_of, is_direct
from passes.base import Pass
from passes.edit import rebuilt
from passes.lower.expansion import Expansion, Room
from passes.lower.operands.roomy import with_room
from passes.lower.stored import by_pairs
from tgsi.language.channels import read_mask
from tgsi.language.facts.opcodes import OPCODES, Mode
from tgsi.language.ir import DstOperand, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

_SPLIT = (Mode.COMPONENTWISE, Mode.REPLICATE, Mode.CHANNEL_DEPENDENT)


@record(slots=False)
class LowerWideWrites(Pass):
    """Split arithmetic instructions so that each writes one channel, or one pair of a 64-bit number.

    Channels are written in an order in which no instruction reads a channel that was overwritten before; if no such order exists, they go
    through a scratch register. Texture and memory instructions, which return vectors, and DFRACEXP, which has two results, keep their
    masks. So does an instruction that may overwrite the address of its own destination.
    """

    name = "lower-wide-writes"

    def run(self, program: Program) -> Program:
        """See `Pass.run`."""
        return with_room(program, _written)


def _written(program: Program) -> Program:
    room = Room(program)
    return room.finish(rebuilt(program, [_split(room, item) for item in program.instructions]))


def _split(room: Room, item: Instruction) -> Sequence[Instruction]:
    opcode = item.opcode
    if len(item.dst) != 1 or opcode.mode not in _SPLIT or _moves_itself(item):
        return (item,)
    if opcode.uses_64bit:
        return by_pairs(item)
    target, mask = item.dst[0], item.dst[0].write_mask
    channels = [channel for channel in range(4) if mask >> channel & 1]
    if len(channels) == 1:
        return (item,)
    parts = {channel: replace(item, dst=(DstOperand(target.register, 1 << channel),)) for channel in channels}
    order = _order(parts)
    if order is not None:
        return [parts[channel] for channel in order]
    work = Expansion(room, item)
    held = SrcOperand(room.scratch(0))
    work.code = [replace(part, dst=(DstOperand(held.register, part.dst[0].write_mask),)) for part in parts.values()]
    for part in parts.values():
        work.code.append(replace(part, opcode=OPCODES["MOV"], src=(held,), saturate=False))
    return work.code


def _moves_itself(item: Instruction) -> bool:
    """True if writing the first channel may change the address that chooses the destination."""
    target = item.dst[0].register
    return any(_may_be(target, RegisterRef(ref.file, ref.index)) for ref in indices_of(target))


def _may_be(target: RegisterRef, register: RegisterRef) -> bool:
    """True if two operands may name the same register."""
    if target.file is not register.file:
        return False
    plain = is_direct(target) and is_direct(register) and target.dimension is None and register.dimension is None
    return target.index == register.index if plain else True


def _order(parts: dict[int, Instruction]) -> list[int] | None:
    """Return an order in which each channel is written after the other instructions have read it, or None if no such order exists."""
    readers: dict[int, set[int]] = {channel: set() for channel in parts}  # by channel: the others that read it
    for channel, part in parts.items():
        for written in _read_channels(part):
            if written in readers and written != channel:
                readers[written].add(channel)
    order: list[int] = []
    while len(order) < len(parts):
        free = next((channel for channel in parts if channel not in order and readers[channel] <= set(order)), None)
        if free is None:
            return None
        order.append(free)
    return order


def _read_channels(part: Instruction) -> set[int]:
    """The channels of the destination that an instruction may read, as values or as addresses of its sources."""
    target, channels = part.dst[0].register, set()
    for number, operand in enumerate(part.src):
        register = operand.register
        for ref in indices_of(register):
            if _may_be(target, RegisterRef(ref.file, ref.index)):
                channels.add(ref.component)
        if _may_be(target, register):
            plain = target.dimension is None and is_direct(target) and is_direct(register)
            mask = read_mask(part, number) if plain else 15
            channels |= {channel for channel in range(4) if mask >> channel & 1}
    return channels
