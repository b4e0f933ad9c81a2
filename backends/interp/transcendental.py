"""Powers, logarithms, angles: computed in float64 and rounded once to float32, so good for half a unit in the last place and a bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backends.interp.registry import implement_each, implements
from backends.interp.values import F32, F64


def _rounded(values: F64) -> F32:
    return values.astype(np.float32)


def _of_x(function: np.ufunc) -> Callable[..., F32]:
    """A function of the x of each source."""
    return lambda *sources: _rounded(function(*(source[:, 0].astype(np.float64) for source in sources)))


implement_each(
    {
        "EX2": _of_x(np.exp2),
        "LG2": _of_x(np.log2),  # -inf for both zeros, NaN below
        "POW": _of_x(np.power),  # C's rules for special values
        "SIN": _of_x(np.sin),
        "COS": _of_x(np.cos),
    }
)


@implements("EXP")
def exp(a: F32) -> F32:
    """(2^floor(x), x - floor(x), 2^x, 1)."""
    x = a[:, 0]
    whole = np.floor(x)
    return np.stack(
        [_rounded(np.exp2(whole.astype(np.float64))), x - whole, _rounded(np.exp2(x.astype(np.float64))), np.ones_like(x)], axis=1
    )


@implements("LOG")
def log(a: F32) -> F32:
    """(k, |x| / 2^k, log2 |x|, 1) with k = floor(log2 |x|), so the second is in [1, 2) and the first two are exact.

    0 gives (-inf, 0, -inf, 1), an infinity (inf, NaN, inf, 1).
    """
    x = np.abs(a[:, 0])
    logarithm = _rounded(np.log2(x.astype(np.float64)))
    fraction, exponent = np.frexp(x.astype(np.float64))
    normal = np.isfinite(x) & (x != 0)
    whole = np.where(normal, (exponent - 1).astype(np.float32), logarithm)
    mantissa = np.where(normal, _rounded(fraction * 2), np.where(x == 0, x, np.float32(np.nan)))
    return np.stack([whole, mantissa, logarithm, np.ones_like(x)], axis=1)


@implements("LIT")
def lit(a: F32) -> F32:
    """Lighting coefficients (1, max(x, 0), x > 0 ? max(y, 0)^clamp(w, -128, 128) : 0, 1).

    A NaN w counts as 128 and a NaN y as 0; 0^0 is 1.
    """
    x, y, w = a[:, 0], a[:, 1], a[:, 3]
    base = np.where(y > 0, y, np.float32(0))
    exponent = np.where(w < 128, np.where(w > -128, w, np.float32(-128)), np.float32(128))
    specular = _rounded(np.power(base.astype(np.float64), exponent.astype(np.float64)))
    lit_side = x > 0
    one = np.ones_like(x)
    return np.stack([one, np.where(lit_side, x, np.float32(0)), np.where(lit_side, specular, np.float32(0)), one], axis=1)
