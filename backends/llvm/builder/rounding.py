"""Rounding of floats to whole numbers, also on machines without an instruction for it (x86 without SSE 4.1)."""

from __future__ import annotations

from backends.llvm.builder.operations import Operations
from backends.llvm.builder.values import Val

DENORMAL_GUARD = 2.0**-100
"""Stand-in for zero that avoids slow denormals: too small to change sums of ordinary numbers, but its products with them are normal.

A product with a denormal factor takes some CPUs a hundred cycles, so `DENORMAL_GUARD` replaces smaller factors where the result is the
same.
"""


def rounded(f: Operations, x: Val, name: str) -> Val:
    """`x` rounded as LLVM's intrinsic floor, ceil, trunc or roundeven does it."""
    if f.module.has("sse4.1"):
        return f.intrinsic(name, x)
    if name == "trunc":
        size = f.abs(x)
        near = _nearest(f, size)
        return _signed(f, x, f.select(near > size, near - 1.0, near))
    near = _nearest(f, x)
    if name == "floor":
        near = f.select(near > x, near - 1.0, near)
    elif name == "ceil":
        near = f.select(near < x, near + 1.0, near)
    return _signed(f, x, near)


def scaled_unorm(f: Operations, x: Val, top: float) -> Val:
    """x * top clamped to 0 .. top, before rounding; a NaN becomes 0. top: at most 2^16."""
    return f.min(f.max(x, DENORMAL_GUARD) * top, top)


def _nearest(f: Operations, x: Val) -> Val:
    """Integer nearest to any |x| below 2^23 (2^52 for f64); the sign of a zero is lost."""
    limit = 2.0 ** (52 if x.type.bits == 64 else 23)
    near = (f.abs(x) + limit) - limit
    return f.select(x < 0.0, 0.0 - near, near)


def _signed(f: Operations, x: Val, near: Val) -> Val:
    """`near` with the sign of `x`; `x` itself if it is too large for a fraction, infinite or NaN."""
    signed = f.call(x.type, f"llvm.copysign.{x.type.suffix}", near, x)
    return f.select(f.abs(x) < 2.0 ** (52 if x.type.bits == 64 else 23), signed, x)
