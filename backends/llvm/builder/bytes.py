"""Four 8-bit channels of every lane at once, with the packing instructions of x86: half the cost of shifts and additions.

Sums of a lane's weighted bytes take two instructions, too, instead of an extraction of each byte.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.llvm.builder.function import F32, I32, Function, Type, Val
from backends.llvm.builder.rounding import scaled_unorm

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
    parts = []
    for start in range(0, lanes, width):
        parts.append(_pack_part(f, [_part(f, v, start, width) for v in channels], width))
    return f.concat(parts) if len(parts) > 1 else parts[0]


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


def _part(f: Function, v: Val | None, start: int, width: int) -> Val | None:
    return v if v is None or v.lanes == width else f.shuffle(v, v, range(start, start + width))


def _pack_part(f: Function, channels: Sequence[Val | None], width: int) -> Val:
    family, bits = ("avx512", ".512") if width == 16 else ("avx2", "")
    zero = f.const(I32.wide(width), 0)
    whole = [zero if v is None else _rounded(f, v, width) for v in channels]
    # Each 128 bits of the result hold 4 numbers of the first operand, then 4 of the second.
    halves = [f.call(_I16.wide(2 * width), f"llvm.x86.{family}.packssdw{bits}", whole[k], whole[k + 1]) for k in (0, 2)]
    bytes_ = f.call(_I8.wide(4 * width), f"llvm.x86.{family}.packuswb{bits}", *halves)
    order = [16 * (i // 16) + 4 * (i % 4) + i % 16 // 4 for i in range(4 * width)]
    return f.shuffle(bytes_, bytes_, order).bits_as(I32.wide(width))


def _rounded(f: Function, v: Val, width: int) -> Val:
    """Integer nearest to 255 v, from 0 to 255; 0 for NaN."""
    scaled = scaled_unorm(f, v, 255.0)
    if width == 16:
        everywhere, current = Val(f, _I16, "-1"), Val(f, I32, "4")
        return f.call(I32.wide(16), "llvm.x86.avx512.mask.cvtps2dq.512", scaled, f.const(I32.wide(16), 0), everywhere, current)
    assert scaled.type == F32.wide(8)
    return f.call(I32.wide(8), "llvm.x86.avx.cvt.ps2dq.256", scaled)
