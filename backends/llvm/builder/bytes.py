"""Four 8-bit channels of every lane at once, with the packing instructions of x86: half the cost of shifts and additions.

Weighted sums of a lane's bytes also take two instructions instead of an extraction of each byte.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence

from backends.llvm.builder.function import F32, I32, Function, Type, Val
from backends.llvm.builder.rounding import DENORMAL_GUARD, scaled_unorm

_I8, _I16 = Type("i", 8), Type("i", 16)


def can_pack_bytes(f: Function, lanes: int) -> bool:
    """True if the target has packing instructions for vectors of `lanes` lanes."""
    return f.module.has("avx2") and lanes % 8 == 0


def pack_bytes(f: Function, channels: Sequence[Val | None]) -> Val:
    """Pack four channels (f32 lanes; None is padding, 0) into i32 lanes, the first channel in the low byte.

    Each channel is clamped to [0, 1], with NaN as 0, and rounded to the nearest of 0 .. 255, ties to even. Requires `can_pack_bytes`.
    """
    lanes = next(v.lanes for v in channels if v is not None)
    width = 16 if f.module.has("avx512bw") and lanes % 16 == 0 else 8
    if all(v is None or v.number is not None or v.is_usual for v in channels):
        halves = _checked_halves(f, channels, lanes, width)
    else:
        halves = _halves(f, [v if v is None or v.number is not None else scaled_unorm(f, v, 255.0) for v in channels], lanes, width)
    return f.concat([_bytes(f, pair, width) for pair in halves])


def _checked_halves(f: Function, channels: Sequence[Val | None], lanes: int, width: int) -> list[list[Val]]:
    """`_halves` of 255 times each channel. Floats are rarely clamped, because the packing instructions clamp.

    Only blocks with a NaN or a product that does not fit 16 bits are clamped and converted again. They are detected by the least 16-bit
    number: conversion turns NaN and values that do not fit 32 bits into -2^31, which packing turns into that number. Denormals are slow
    here.
    """
    floats = {k: f.var(v.type, v) for k, v in enumerate(channels) if v is not None and v.number is None}
    again, odd, done = f.label(), f.label(), f.label()
    f.jump(again)
    f.place(again, follows=True)
    products = [floats[k].get() * 255.0 if k in floats else v for k, v in enumerate(channels)]
    halves = _halves(f, products, lanes, width)
    before = f.mark()
    f.branch(_has_least(f, functools.reduce(f.min, [half for pair in halves for half in pair])), odd, done, unlikely=True)
    f.place(odd, follows=True)
    for value in floats.values():
        value.set(f.min(f.max(value.get(), DENORMAL_GUARD), 1.0))
    f.jump(again)
    f.restore(before)
    f.place(done, follows=True)
    return halves


def weigh_bytes(f: Function, word: Val, weights: tuple[int, int, int, int]) -> Val:
    """Sums of bytes 0 and 1 and of bytes 2 and 3 of each i32 lane, times weights of -1 to 1: two i16 lanes. Requires `can_pack_bytes`."""
    return _by_parts(f, word, "pmadd.ub.sw", "pmaddubs.w.512", _I8, _I16, weights)


def weigh_halves(f: Function, word: Val, weights: tuple[int, int]) -> Val:
    """Sum of the two signed 16-bit halves of each i32 lane, times weights, as i32 lanes. Requires `can_pack_bytes`."""
    return _by_parts(f, word, "pmadd.wd", "pmaddw.d.512", _I16, I32, weights)


def _by_parts(f: Function, word: Val, narrow: str, wide: str, factor: Type, result: Type, weights: Sequence[int]) -> Val:
    is_wide = f.module.has("avx512bw") and word.lanes % 16 == 0
    width, name = (16, f"avx512.{wide}") if is_wide else (8, f"avx2.{narrow}")
    by = f.lanes_const(factor.wide(len(weights) * width), [weight for _ in range(width) for weight in weights])
    parts = [f.shuffle(word, word, range(k, k + width)) for k in range(0, word.lanes, width)] if word.lanes > width else [word]
    returned = result.wide(width * I32.bits // result.bits)
    return f.concat([f.call(returned, f"llvm.x86.{name}", part.bits_as(by.type), by) for part in parts])


def _halves(f: Function, products: Sequence[Val | None], lanes: int, width: int) -> list[list[Val]]:
    """Signed 16-bit numbers of four channels that were multiplied by 255 (except constants; None is 0): a pair for every `width` lanes.

    They are rounded and clamped; NaN and values that do not fit 32 bits become the least number."""
    family, bits = ("avx512", ".512") if width == 16 else ("avx2", "")
    pairs = []
    for start in range(0, lanes, width):
        whole = [_rounded(f, v, start, width) for v in products]
        # Each 128 bits of the result hold 4 numbers of the first operand, then 4 of the second.
        pairs.append([f.call(_I16.wide(2 * width), f"llvm.x86.{family}.packssdw{bits}", whole[k], whole[k + 1]) for k in (0, 2)])
    return pairs


def _has_least(f: Function, halves: Val) -> Val:
    """Scalar, true if a 16-bit number is -2^15."""
    is_least = halves.eq(-(1 << 15))
    if halves.lanes == 32:
        return f.any(is_least)
    return f.call(I32, "llvm.x86.avx2.pmovmskb", is_least.sext(_I16).bits_as(_I8.wide(32))).ne(0)


def _bytes(f: Function, halves: Sequence[Val], width: int) -> Val:
    """The signed 16-bit numbers of `_halves`, clamped to bytes in the order of lanes."""
    family, bits = ("avx512", ".512") if width == 16 else ("avx2", "")
    bytes_ = f.call(_I8.wide(4 * width), f"llvm.x86.{family}.packuswb{bits}", *halves)
    order = [16 * (i // 16) + 4 * (i % 4) + i % 16 // 4 for i in range(4 * width)]
    return f.shuffle(bytes_, bytes_, order).bits_as(I32.wide(width))


def _rounded(f: Function, product: Val | None, start: int, width: int) -> Val:
    """The nearest integers of `width` lanes of a channel, as in `_halves`."""
    if product is None or product.number is not None:
        return f.const(I32.wide(width), 0 if product is None or product.number is None else _byte(product.number))
    return _to_int(f, product if product.lanes == width else f.shuffle(product, product, range(start, start + width)))


def _byte(x: float) -> int:
    """Integer nearest to 255 x, from 0 to 255; 0 for NaN. x and the product are rounded to f32."""
    product = _single(_single(min(max(x, 0.0), 1.0)) * 255.0)
    return round(product) if x == x else 0


def _single(x: float) -> float:
    return float(struct.unpack("f", struct.pack("f", x))[0])


def _to_int(f: Function, x: Val) -> Val:
    """Nearest integer, ties to even; -2^31 if it does not fit, and for NaN."""
    if x.lanes == 16:
        everywhere, current = Val(f, _I16, "-1"), Val(f, I32, "4")
        return f.call(I32.wide(16), "llvm.x86.avx512.mask.cvtps2dq.512", x, f.const(I32.wide(16), 0), everywhere, current)
    assert x.type == F32.wide(8)
    return f.call(I32.wide(8), "llvm.x86.avx.cvt.ps2dq.256", x)
