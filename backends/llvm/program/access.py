"""Register channels that an instruction reads and writes: for the analyses of the code generator and for the generator itself."""

from __future__ import annotations

from collections.abc import Iterator

from passes.analysis.operands import RESOURCES
from tgsi.language.channels import read_mask
from tgsi.language.facts.enums import File
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import IndirectRef, Instruction, RegisterRef
from tgsi.language.record import record

Key = tuple[File, int, int]
"""Name of one 32-bit register channel: file, index, channel."""


def source_types(instruction: Instruction) -> tuple[str, ...]:
    """Type in which each source is fetched; "untyped" if the modifiers act on another type than that of the source."""
    opcode = instruction.opcode
    if opcode.modifier_types == opcode.src_types:
        return opcode.src_types
    return tuple(held if held == modified else "untyped" for held, modified in zip(opcode.src_types, opcode.modifier_types))


def channel_of(instruction: Instruction, source: int, channel: int) -> int:
    """Channel of a source, before its swizzle, from which a component-wise instruction computes channel `channel` of its result."""
    return channel if instruction.opcode.reads[source] is Reads.WRITTEN else 0


_PER_LANE = (File.IN, File.SV)
"""Files with separate registers for each lane."""


def channels(mask: int) -> list[int]:
    """Channels whose bits are set in a write mask."""
    return [c for c in range(4) if mask >> c & 1]


def is_indirect(register: RegisterRef) -> bool:
    """True if the register or its dimension is indexed by an address register."""
    return register.indirect is not None or (register.dimension is not None and register.dimension.indirect is not None)


def addresses(register: RegisterRef) -> Iterator[IndirectRef]:
    """Address registers that `register` uses."""
    if register.indirect is not None:
        yield register.indirect
    if register.dimension is not None and register.dimension.indirect is not None:
        yield register.dimension.indirect


@record(frozen=False)
class Access:
    """Channels that one instruction reads and writes directly. `opaque`: some read is never uniform."""

    reads: list[Key]
    writes: list[Key]
    opaque: bool


def access(instruction: Instruction) -> Access:
    """Reads and writes of direct registers; addresses of indirect ones are included in the reads."""
    reads: list[Key] = []
    opaque = False
    for number, operand in enumerate(instruction.src):
        register = operand.register
        for address in addresses(register):
            reads.append((address.file, address.index, address.component))
            opaque |= address.file in _PER_LANE
        if register.file in RESOURCES:
            continue
        if register.file in _PER_LANE or (is_indirect(register) and register.file not in (File.CONST, File.IMM)):
            opaque = True
        if not is_indirect(register):
            reads += [(register.file, register.index, c) for c in channels(read_mask(instruction, number))]
    for offset in instruction.offsets:
        reads += [(offset.register.file, offset.register.index, c) for c in offset.swizzle]
    writes: list[Key] = []
    for destination in instruction.dst:
        for address in addresses(destination.register):
            reads.append((address.file, address.index, address.component))
        if is_indirect(destination.register) or destination.register.file in RESOURCES:
            continue
        if instruction.opcode.stores_to_dst:  # the register holds the handle of an image
            reads.append((destination.register.file, destination.register.index, 0))
        else:
            writes += [(destination.register.file, destination.register.index, c) for c in channels(destination.write_mask)]
    return Access(reads, writes, opaque)
