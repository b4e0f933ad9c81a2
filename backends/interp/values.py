"""Arrays that operations work on, and their reading as 32-bit words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.run.result import Bits, Floats, Mask

F32 = Floats
I32 = NDArray[np.int32]
U32 = Bits
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

VIEWS: dict[str, type[np.generic]] = {
    "float": np.float32,
    "int": np.int32,
    "uint": np.uint32,
    "untyped": np.uint32,
    "double": np.float64,
    "int64": np.int64,
    "uint64": np.uint64,
}
"""NumPy's type for an operand's words, by the type that the opcode table names."""

ALL_ONES = np.uint32(0xFFFFFFFF)
INT_MIN = np.int32(-(2**31))


def flags(condition: Mask) -> U32:
    """All bits set where the condition holds, else none."""
    return np.where(condition, ALL_ONES, np.uint32(0))


def ones(condition: Mask) -> F32:
    """1.0 where the condition holds, else 0.0."""
    return np.where(condition, np.float32(1), np.float32(0))


def bits_of(values: NDArray[Any]) -> NDArray[Any]:
    """The words of a result: uint32 for 32-bit types, uint64 for 64-bit ones."""
    if values.dtype.itemsize not in (4, 8) or values.dtype.kind not in "iuf":
        raise TypeError(f"an operation gave {values.dtype}")
    return np.ascontiguousarray(values).view(np.uint32 if values.dtype.itemsize == 4 else np.uint64)


def modified(bits: Bits, kind: str, *, absolute: bool, negate: bool) -> Bits:
    """Absolute value, then negation: as integers for int and uint operands, of the sign bit for all others."""
    if kind in ("int", "uint"):
        if absolute:
            bits = np.where(bits.view(np.int32) < 0, np.uint32(0) - bits, bits)
        return np.uint32(0) - bits if negate else bits
    if absolute:
        bits = bits & np.uint32(0x7FFFFFFF)
    return bits ^ np.uint32(0x80000000) if negate else bits


def saturated(bits: Bits) -> Bits:
    """The words clamped to [0, 1] as floats, whatever their type; NaN and -0.0 are kept."""
    values = bits.view(np.float32)
    clamped = np.where(values < 0, np.float32(0), np.where(values > 1, np.float32(1), values))
    return np.where(np.isnan(values), bits, clamped.view(np.uint32))
