"""Comparisons: floats give 1.0 and 0.0 or all bits and none, integers all bits and none. Only `!=` holds for a NaN."""

from __future__ import annotations

from collections.abc import Callable

from backends.interp.registry import implement_each
from backends.interp.values import F32, I32, U32, flags, ones

FLOAT_BINARY: dict[str, Callable[[F32, F32], F32]] = {
    "SLT": lambda a, b: ones(a < b),
    "SGE": lambda a, b: ones(a >= b),
    "SEQ": lambda a, b: ones(a == b),
    "SNE": lambda a, b: ones(a != b),
    "SGT": lambda a, b: ones(a > b),
    "SLE": lambda a, b: ones(a <= b),
}
FLOAT_BINARY_TO_UINT: dict[str, Callable[[F32, F32], U32]] = {
    "FSLT": lambda a, b: flags(a < b),
    "FSGE": lambda a, b: flags(a >= b),
    "FSEQ": lambda a, b: flags(a == b),
    "FSNE": lambda a, b: flags(a != b),
}
INT_BINARY: dict[str, Callable[[I32, I32], U32]] = {
    "ISLT": lambda a, b: flags(a < b),
    "ISGE": lambda a, b: flags(a >= b),
}
UINT_BINARY: dict[str, Callable[[U32, U32], U32]] = {
    "USEQ": lambda a, b: flags(a == b),
    "USNE": lambda a, b: flags(a != b),
    "USLT": lambda a, b: flags(a < b),
    "USGE": lambda a, b: flags(a >= b),
}

implement_each(FLOAT_BINARY, FLOAT_BINARY_TO_UINT, INT_BINARY, UINT_BINARY)
