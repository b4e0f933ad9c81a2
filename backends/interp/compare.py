"""Comparisons: floats give 1.0 and 0.0 or all bits and none, integers all bits and none. Only `!=` holds for a NaN."""

from __future__ import annotations

from backends.interp.registry import implements
from backends.interp.values import F32, I32, U32, flags, ones


@implements("SLT")
def slt(a: F32, b: F32) -> F32:
    """Less."""
    return ones(a < b)


@implements("SGE")
def sge(a: F32, b: F32) -> F32:
    """Greater or equal."""
    return ones(a >= b)


@implements("SEQ")
def seq(a: F32, b: F32) -> F32:
    """Equal."""
    return ones(a == b)


@implements("SNE")
def sne(a: F32, b: F32) -> F32:
    """Not equal."""
    return ones(a != b)


@implements("SGT")
def sgt(a: F32, b: F32) -> F32:
    """Greater."""
    return ones(a > b)


@implements("SLE")
def sle(a: F32, b: F32) -> F32:
    """Less or equal."""
    return ones(a <= b)


@implements("FSLT")
def fslt(a: F32, b: F32) -> U32:
    """Less."""
    return flags(a < b)


@implements("FSGE")
def fsge(a: F32, b: F32) -> U32:
    """Greater or equal."""
    return flags(a >= b)


@implements("FSEQ")
def fseq(a: F32, b: F32) -> U32:
    """Equal."""
    return flags(a == b)


@implements("FSNE")
def fsne(a: F32, b: F32) -> U32:
    """Not equal."""
    return flags(a != b)


@implements("USEQ")
def useq(a: U32, b: U32) -> U32:
    """Equal bits."""
    return flags(a == b)


@implements("USNE")
def usne(a: U32, b: U32) -> U32:
    """Different bits."""
    return flags(a != b)


@implements("ISLT")
def islt(a: I32, b: I32) -> U32:
    """Less, signed."""
    return flags(a < b)


@implements("ISGE")
def isge(a: I32, b: I32) -> U32:
    """Greater or equal, signed."""
    return flags(a >= b)


@implements("USLT")
def uslt(a: U32, b: U32) -> U32:
    """Less, unsigned."""
    return flags(a < b)


@implements("USGE")
def usge(a: U32, b: U32) -> U32:
    """Greater or equal, unsigned."""
    return flags(a >= b)
