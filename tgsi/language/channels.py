"""Which channels of its sources an instruction reads: from its write mask, its texture target and its opcode, never from values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.opcodes import Mode
from tgsi.language.ir import XYZW, Instruction

X, Y, Z, W = 1, 2, 4, 8
_WIDE = frozenset({"double", "int64", "uint64"})

_FIXED: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "DP2": (X | Y, X | Y),
        "DP3": (X | Y | Z, X | Y | Z),
        "DP4": (XYZW, XYZW),
        "DST": (Y | Z, Y | W),
        "LIT": (X | Y | W,),
        "EXP": (X,),
        "LOG": (X,),
        "PK2H": (X | Y,),
        "PK2US": (X | Y,),
        "PK4B": (XYZW,),
        "PK4UB": (XYZW,),
        "UP2H": (X,),
        "UP2US": (X,),
        "UP4B": (X,),
        "UP4UB": (X,),
        "DFRACEXP": (X | Y,),
        "IF": (X,),
        "UIF": (X,),
        "EMIT": (X,),
        "ENDPRIM": (X,),
        "MEMBAR": (X,),
        "RESQ": (X | Y,),
        "BALLOT": (X,),
        "FBFETCH": (0,),
    }
)
"""Channels that do not depend on the write mask."""

_SECOND: Mapping[str, int] = MappingProxyType({"INTERP_SAMPLE": X, "INTERP_OFFSET": X | Y, "READ_INVOC": X})
"""The second source of opcodes whose first one is read under the write mask."""

_LOD_IN_W = frozenset({"TXP", "TXB", "TXL", "TXF"})
_WORDS = frozenset({File.BUFFER, File.MEMORY})
_PLAIN_SAMPLER = X | Y
"""A sampler or resource that is a register holds a 64-bit handle."""


def source_channels(instruction: Instruction, operand: int) -> int:
    """Channels that source `operand` is read in, before its swizzle (bit 0 is x). Never too few; Mesa's scan has the same."""
    info = instruction.opcode
    name = info.name
    if operand >= info.num_src:  # a program made by hand
        return XYZW
    if name in _FIXED:
        return _FIXED[name][operand]
    if info.is_texture:
        return _texture(instruction, operand)
    if info.has_memory and info.num_src:
        return _memory(instruction, operand)
    if not instruction.dst or "sample" in info.flags:
        return XYZW
    write_mask = instruction.dst[0].write_mask
    if operand == 1 and name in _SECOND:
        return _SECOND[name]
    if name in _SECOND or name == "INTERP_CENTROID" or name == "READ_FIRST":
        return write_mask
    if info.mode is Mode.COMPONENTWISE:
        return _converted(info.dst_types[0] in _WIDE, info.src_types[operand] in _WIDE, write_mask, name, operand)
    return X if info.mode is Mode.REPLICATE else XYZW


def read_mask(instruction: Instruction, operand: int) -> int:
    """Channels of the register that source `operand` reads, after its swizzle."""
    swizzle = instruction.src[operand].swizzle
    wanted = source_channels(instruction, operand)
    return (
        (wanted & 1 and 1 << swizzle[0])
        | (wanted & 2 and 1 << swizzle[1])
        | (wanted & 4 and 1 << swizzle[2])
        | (wanted & 8 and 1 << swizzle[3])
    )


def coordinate_channels(target: str) -> int:
    """Channels of a coordinate for a texture target; the shadow reference is in it where it fits."""
    info = TARGETS[target]
    mask = (1 << info.coords) - 1
    return mask | {"z": Z, "w": W}.get(info.shadow, 0)


def _texture(instruction: Instruction, operand: int) -> int:
    name = instruction.opcode.name
    target = instruction.texture or "UNKNOWN"
    if operand == instruction.opcode.num_src - 1:
        return _PLAIN_SAMPLER
    if name == "TXQ" or (operand == 1 and name != "TXD"):
        return X
    if name == "TXD" and operand in (1, 2):
        return (1 << TARGETS[target].dimensions) - 1 if target != "UNKNOWN" else XYZW
    if target == "UNKNOWN":
        return XYZW
    return coordinate_channels(target) | (W if name in _LOD_IN_W else 0)


def _memory(instruction: Instruction, operand: int) -> int:
    is_store = instruction.opcode.name == "STORE"
    resource = -1 if is_store else 0
    if operand == resource:
        return _PLAIN_SAMPLER
    if operand == resource + 1:
        target = instruction.memory.target if instruction.memory is not None else "BUFFER"
        return XYZW if target == "UNKNOWN" else coordinate_channels(target) | (W if "MSAA" in target else 0)
    if not instruction.dst:
        return XYZW
    if is_store:  # texels may have an exponent that all channels make
        return instruction.dst[0].write_mask if instruction.dst[0].register.file in _WORDS else XYZW
    return instruction.dst[0].write_mask | X  # what an atomic takes is in x


def _converted(wide_dst: bool, wide_src: bool, write_mask: int, name: str, operand: int) -> int:
    """Component-wise opcodes, where a pair of channels may hold one number."""
    low, high = write_mask & (X | Y), write_mask & (Z | W)
    if wide_dst and (wide_src or name == "DLDEXP"):
        if operand == 1 and name in ("DLDEXP", "U64SHL", "I64SHR", "U64SHR"):
            return (low and X) | (high and Z)
        return (low and X | Y) | (high and Z | W)
    if wide_dst:
        return (low and X) | (high and Y)
    if wide_src and name[:2] in ("D2", "U6", "I6") and "64S" not in name:  # conversions give x and y
        return (write_mask & (X | Z) and X | Y) | (write_mask & (Y | W) and Z | W)
    if wide_src:
        return (low and X | Y) | (high and Z | W)
    return write_mask
