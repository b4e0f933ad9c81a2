"""Float arithmetic: every operation rounds once to float32, in the order written here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from backends.interp.registry import implement_each, implements
from backends.interp.values import F32, I32, U32

Real = TypeVar("Real", bound=np.floating[Any])


class Product(Protocol):
    """A multiplication of floats of one precision."""

    def __call__(self, a: NDArray[Real], b: NDArray[Real], /) -> NDArray[Real]:
        """The product."""
        ...


ONE = np.float32(1)
ZERO = np.float32(0)


def zero_wins(a: NDArray[Real], b: NDArray[Real], /) -> NDArray[Real]:
    """The product, but 0 where a factor is 0, even if the other is infinite or NaN (property MUL_ZERO_WINS)."""
    return np.where((a == 0) | (b == 0), a.dtype.type(0), a * b)


@implements("FMA", product=True)
def fma(product: Product, a: F32, b: F32, e: F32) -> F32:
    """Product and sum with one rounding.

    The product of two float32 is exact in float64. The sum may not be, so it is rounded to odd there (the last bit says that
    something was lost), after which the rounding to float32 is the only one.
    """
    exact = product(a.astype(np.float64), b.astype(np.float64))
    addend = e.astype(np.float64)
    total = exact + addend
    part = total - exact
    lost = (exact - (total - part)) + (addend - part)
    words = total.view(np.int64)
    toward = np.where((lost > 0) == (total > 0), 1, -1)
    odd = np.where(np.isfinite(total) & (lost != 0) & (words & 1 == 0), words + toward, words)
    return odd.view(np.float64).astype(np.float32)


@implements("MIN")
def minimum(a: F32, b: F32) -> F32:
    """The smaller, -0 below +0 (IEEE 754-2019, section 9.6); b when either is NaN."""
    either = (a.view(np.uint32) | b.view(np.uint32)).view(np.float32)
    return np.where(a == b, either, np.where(a < b, a, b))


@implements("MAX")
def maximum(a: F32, b: F32) -> F32:
    """The larger, +0 above -0 (IEEE 754-2019, section 9.6); b when either is NaN."""
    common = (a.view(np.uint32) & b.view(np.uint32)).view(np.float32)
    return np.where(a == b, common, np.where(a > b, a, b))


def _dot(product: Product, a: F32, b: F32, channels: int) -> F32:
    """Sum of products, from left to right."""
    total = product(a[:, 0], b[:, 0])
    for channel in range(1, channels):
        total = total + product(a[:, channel], b[:, channel])
    return total


@implements("DST", product=True)
def dst(product: Product, a: F32, b: F32) -> F32:
    """Distance vector (1, y*y, z, w)."""
    distance: F32 = np.stack([np.ones_like(a[:, 0]), product(a[:, 1], b[:, 1]), a[:, 2], b[:, 3]], axis=1)
    return distance


def rcp(a: F32) -> F32:
    """Reciprocal of x."""
    return ONE / a[:, 0]


@implements("RSQ")
def rsq(a: F32) -> F32:
    """Reciprocal of the root of x: two roundings, NaN below 0."""
    root: F32 = np.sqrt(a[:, 0])
    return ONE / root


@implements("DDX")
def ddx(a: F32) -> F32:
    """Bottom right minus bottom left, for the whole quad."""
    quads = a.reshape(-1, 4, a.shape[1])
    return np.repeat(quads[:, 3] - quads[:, 2], 4, axis=0)


@implements("DDY")
def ddy(a: F32) -> F32:
    """Bottom left minus top left, for the whole quad."""
    quads = a.reshape(-1, 4, a.shape[1])
    return np.repeat(quads[:, 2] - quads[:, 0], 4, axis=0)


@implements("DDX_FINE")
def ddx_fine(a: F32) -> F32:
    """Right minus left, for each row of the quad."""
    quads = a.reshape(-1, 2, 2, a.shape[1])
    return np.repeat(quads[:, :, 1] - quads[:, :, 0], 2, axis=1).reshape(a.shape)


@implements("DDY_FINE")
def ddy_fine(a: F32) -> F32:
    """Bottom minus top, for each column of the quad."""
    quads = a.reshape(-1, 2, 2, a.shape[1])
    return np.tile(quads[:, 1] - quads[:, 0], (1, 2, 1)).reshape(a.shape)


CHOSEN: dict[str, Callable[[U32, U32, U32], U32]] = {
    "CMP": lambda a, b, e: np.where(a.view(np.float32) < 0, b, e),  # a NaN is not below 0
    "UCMP": lambda a, b, e: np.where(a != 0, b, e),
}
COPIED: dict[str, Callable[[U32], U32]] = {
    "MOV": lambda a: a,
}
FLOAT_UNARY: dict[str, Callable[[F32], F32]] = {
    "SSG": lambda a: np.where(a > 0, ONE, np.where(a < 0, -ONE, ZERO)),  # 0 for NaN and zeros
    "FLR": np.floor,
    "CEIL": np.ceil,
    "TRUNC": np.trunc,
    "RCP": rcp,
    "SQRT": lambda a: np.sqrt(a[:, 0]),  # NaN below 0
    "ROUND": np.rint,  # nearest integer, the even one of two
    # 1.0 for a tiny negative, by rounding; 0 for an infinity, as C's modf has it (C11, F.10.3.12)
    "FRC": lambda a: np.where(np.isinf(a), np.float32(0), a - np.floor(a)),
}
FLOAT_BINARY: dict[str, Callable[[F32, F32], F32]] = {
    "ADD": lambda a, b: a + b,
    "DIV": lambda a, b: a / b,  # division by 0 gives infinities and NaN
}
SCALED: dict[str, Callable[[F32, I32], F32]] = {
    "LDEXP": lambda a, b: np.asarray(np.ldexp(a, b), dtype=np.float32),  # rounded once
}
OF_PRODUCTS: dict[str, Callable[[Product, F32, F32], F32]] = {
    "MUL": lambda product, a, b: product(a, b),
    "DP2": lambda product, a, b: _dot(product, a, b, 2),
    "DP3": lambda product, a, b: _dot(product, a, b, 3),
    "DP4": lambda product, a, b: _dot(product, a, b, 4),
}
OF_PRODUCTS_AND_SUMS: dict[str, Callable[[Product, F32, F32, F32], F32]] = {
    "MAD": lambda product, a, b, e: product(a, b) + e,  # the product is rounded, then the sum
    "LRP": lambda product, a, b, e: product(a, b - e) + e,  # from e to b as a goes from 0 to 1
}

implement_each(CHOSEN, COPIED, FLOAT_UNARY, FLOAT_BINARY, SCALED)
implement_each(OF_PRODUCTS, OF_PRODUCTS_AND_SUMS, product=True)
