"""Which channels an instruction reads and writes: shared by the analysis and the generator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from passes.analysis.operands import RESOURCES
from tgsi.language.facts.enums import File
from tgsi.language.facts.opcodes import Mode
from tgsi.language.ir import IndirectRef, Instruction, RegisterRef, SrcOperand

Key = tuple[File, int, int]
"""One 32-bit register channel: file, index, channel."""

ALL = 15

#: Source channels (bit 0 is x) of opcodes that are not component-wise and do not read all four; one number a source.
_READ_MASKS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "EXP", "LOG", "UP2H", "UP2US", "UP4B", "UP4UB"), (1,)),
    **dict.fromkeys(("IF", "UIF", "SWITCH", "CASE", "EMIT", "ENDPRIM"), (1,)),
    "POW": (1, 1),
    "DP2": (3, 3),
    "DP3": (7, 7),
    "PK2H": (3,),
    "PK2US": (3,),
    "LIT": (0b1011,),
    "DST": (0b0110, 0b1010),
}

#: Opcodes whose result depends on other lanes.
CROSS_LANE = frozenset({"DDX", "DDY", "DDX_FINE", "DDY_FINE", "READ_FIRST", "READ_INVOC", "VOTE_ANY", "VOTE_ALL", "VOTE_EQ", "READ_HELPER"})

#: Opcodes that read other lanes of the quad, active or not.
NEIGHBORLY = CROSS_LANE | {"TEX", "TXB", "TXP", "TEX2", "TXB2", "LODQ", "LOD", "SAMPLE", "SAMPLE_B", "SAMPLE_C"}

#: Sources of component-wise opcodes of which every channel takes x.
_SCALARS = frozenset({("READ_INVOC", 1)})

#: Where modifiers do not follow the opcode table: those of LDEXP's exponent act on it as a float.
_MODIFIED_AS = {"LDEXP": ("float", "untyped")}

#: Files of operands that name a resource, not a value.


def written_channels(instruction: Instruction) -> int:
    """Union of the write masks."""
    mask = 0
    for operand in instruction.dst:
        mask |= operand.write_mask
    return mask


def read_mask(instruction: Instruction, source: int) -> int:
    """Channels of source number `source` that may be read, before its swizzle."""
    opcode = instruction.opcode
    if opcode.uses_64bit:
        return ALL
    if (opcode.name, source) in _SCALARS:
        return 1
    if opcode.mode is Mode.COMPONENTWISE:
        return written_channels(instruction)
    masks = _READ_MASKS.get(opcode.name)
    return masks[source] if masks is not None and source < len(masks) else ALL


def source_types(instruction: Instruction) -> tuple[str, ...]:
    """What each source is fetched as."""
    return _MODIFIED_AS.get(instruction.opcode.name, instruction.opcode.src_types)


def swizzled(operand: SrcOperand, mask: int) -> list[int]:
    """Register channels that the channels of `mask` come from, without repetition."""
    return sorted({operand.swizzle[c] for c in range(4) if mask >> c & 1})


def channel_of(instruction: Instruction, source: int, channel: int) -> int:
    """The channel of a source, before its swizzle, that a component-wise instruction takes for a channel of its result."""
    return 0 if (instruction.opcode.name, source) in _SCALARS else channel


def channels(mask: int) -> list[int]:
    """The set bits of a mask of four."""
    return [c for c in range(4) if mask >> c & 1]


def is_indirect(register: RegisterRef) -> bool:
    """Some index is added to an address."""
    return register.indirect is not None or (register.dimension is not None and register.dimension.indirect is not None)


def addresses(register: RegisterRef) -> Iterator[IndirectRef]:
    """The registers that are read to find this one."""
    if register.indirect is not None:
        yield register.indirect
    if register.dimension is not None and register.dimension.indirect is not None:
        yield register.dimension.indirect


@dataclass(slots=True)
class Access:
    """What one instruction reads and writes directly, by channel; `opaque` reads are never uniform."""

    reads: list[Key]
    writes: list[Key]
    opaque: bool


def access(instruction: Instruction) -> Access:
    """Reads and writes of direct registers; addresses of indirect ones count as reads."""
    reads: list[Key] = []
    opaque = False
    for number, operand in enumerate(instruction.src):
        register = operand.register
        for address in addresses(register):
            reads.append((address.file, address.index, address.component))
        if register.file in RESOURCES:
            continue
        if register.file in (File.IN, File.SV) or (is_indirect(register) and register.file not in (File.CONST, File.IMM)):
            opaque = True
        if not is_indirect(register):
            reads += [(register.file, register.index, c) for c in swizzled(operand, read_mask(instruction, number))]
    for offset in instruction.offsets:
        reads += [(offset.register.file, offset.register.index, c) for c in offset.swizzle]
    writes: list[Key] = []
    for destination in instruction.dst:
        for address in addresses(destination.register):
            reads.append((address.file, address.index, address.component))
        if is_indirect(destination.register) or destination.register.file in RESOURCES:
            continue
        if instruction.opcode.name == "STORE":  # the register holds the handle of what is stored to
            reads.append((destination.register.file, destination.register.index, 0))
        else:
            writes += [(destination.register.file, destination.register.index, c) for c in channels(destination.write_mask)]
    return Access(reads, writes, opaque)
