"""Channels of its sources that an instruction reads, by its opcode's row, its write mask and its texture target, never by values.

Analyses, linkage and the code generator all call `source_channels`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tgsi.language.facts.enums import TARGETS, File
from tgsi.language.facts.traits import Reads
from tgsi.language.ir import XYZW, Instruction

X, Y, Z, W = 1, 2, 4, 8
_WORDS = frozenset({File.BUFFER, File.MEMORY})
_HANDLE = X | Y
"""A sampler or resource that is a register holds a 64-bit handle."""


def source_channels(instruction: Instruction, operand: int) -> int:
    """Channels of source number `operand` that are read, before its swizzle (bit 0 is x). Never too few.

    Both engines rely on this: tests/unit/llvm/test_reads.py perturbs all other channels in the interpreter, and watches the code generator.
    """
    reads = instruction.opcode.reads
    if operand >= len(reads):  # a program made by hand
        return XYZW
    rule = reads[operand]
    return _RULES[rule](instruction) if isinstance(rule, Reads) else rule


def read_mask(instruction: Instruction, operand: int) -> int:
    """Channels of the register that source number `operand` reads, after its swizzle."""
    return swizzled(instruction.src[operand].swizzle, source_channels(instruction, operand))


def swizzled(swizzle: tuple[int, int, int, int], mask: int) -> int:
    """Channels of a register that a swizzle selects for the channels of `mask`."""
    return (mask & X and 1 << swizzle[0]) | (mask & Y and 1 << swizzle[1]) | (mask & Z and 1 << swizzle[2]) | (mask & W and 1 << swizzle[3])


def coordinate_channels(target: str) -> int:
    """Channels of a coordinate for a texture target, those of the shadow reference included if it shares the vector."""
    info = TARGETS[target]
    mask = (1 << info.coords) - 1
    return mask | {"z": Z, "w": W}.get(info.shadow, 0)


def written(instruction: Instruction) -> int:
    """The write mask; all channels where the instruction has no destination (a program made by hand)."""
    return instruction.dst[0].write_mask if instruction.dst else XYZW


def _pairs(instruction: Instruction) -> int:
    mask = written(instruction)
    return (mask & (X | Y) and X | Y) | (mask & (Z | W) and Z | W)


def _whole_pairs(instruction: Instruction) -> int:
    mask = written(instruction)
    return (X | Y if mask & X and mask & Y else 0) | (Z | W if mask & Z and mask & W else 0)


def _packed(instruction: Instruction) -> int:
    return (0, X | Y, XYZW, XYZW, XYZW)[written(instruction).bit_count()]


def _widened(instruction: Instruction) -> int:
    whole = _whole_pairs(instruction)
    return whole & X | (whole & Z and Y)


def _counts(instruction: Instruction) -> int:
    return _pairs(instruction) & (X | Z)


def _coordinates(instruction: Instruction) -> int:
    target = instruction.texture or "UNKNOWN"
    return XYZW if target == "UNKNOWN" else coordinate_channels(target)


def _gradient(instruction: Instruction) -> int:
    target = instruction.texture or "UNKNOWN"
    return XYZW if target == "UNKNOWN" else (1 << TARGETS[target].dimensions) - 1


def _address(instruction: Instruction) -> int:
    target = instruction.memory.target if instruction.memory is not None else "BUFFER"
    return XYZW if target == "UNKNOWN" else coordinate_channels(target) | (W if "MSAA" in target else 0)


def _stored(instruction: Instruction) -> int:
    """Channels of a stored value: all four for images, since in formats with a shared exponent every channel decides the texel's
    exponent.
    """
    is_words = bool(instruction.dst) and instruction.dst[0].register.file in _WORDS
    return written(instruction) if is_words else XYZW


_RULES: Mapping[Reads, Callable[[Instruction], int]] = MappingProxyType(
    {
        Reads.WRITTEN: written,
        Reads.VARYING: written,
        Reads.PAIRS: _pairs,
        Reads.WHOLE_PAIRS: _whole_pairs,
        Reads.PACKED: _packed,
        Reads.WIDENED: _widened,
        Reads.COUNTS: _counts,
        Reads.COORDINATES: _coordinates,
        Reads.COORDINATES_W: lambda instruction: _coordinates(instruction) | W,
        Reads.GRADIENT: _gradient,
        Reads.ADDRESS: _address,
        Reads.STORED: _stored,
        Reads.SAMPLER: lambda instruction: _HANDLE,
        Reads.VIEW: lambda instruction: _HANDLE,
        Reads.RESOURCE: lambda instruction: _HANDLE,
        Reads.IMAGE: lambda instruction: _HANDLE,
        Reads.TARGET: lambda instruction: 0,
    }
)
