"""Texel fetch: the four channels at texel indices, which `wrap` has bounded."""

from __future__ import annotations

from collections.abc import Sequence

from backends.abi.records import SamplerRecord
from backends.llvm.builder.function import F32, I32, I64, Function, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.packing import unpack
from backends.llvm.library.pixels import load_texels
from backends.llvm.sampling.rows import SHORTEST, are_in_step, load_rows
from backends.llvm.sampling.texture import Level, Texture


def _times(i: Val, size: int) -> Val:
    shift = size.bit_length() - 1
    return (i << shift) if 1 << shift == size else i * size


def texel_distance(texture: Texture, i: Val) -> Val:
    """Bytes from the first texel of a row to texel `i`, in the type of offsets."""
    return _times(texture.distance(i), texture.key.format.block_bytes)


def texel_offset(level: Level, size: int, i: Val, j: Val | None, k: Val | None) -> Val:
    """Byte offset of texel (i, j, k), in the type of the level's offsets; `size`: bytes of a texel."""
    if level.offset.type.bits == I64.bits:
        i, (j, k) = i.zext(I64), (v if v is None else v.zext(I64) for v in (j, k))
    offset = level.offset + _times(i, size)
    if j is not None:
        offset = offset + j * level.row_stride
    if k is not None:
        offset = offset + k * level.layer_stride
    return offset


def fetch_texel(
    f: Function, texture: Texture, level: Level, i: Val, j: Val | None, k: Val | None, mask: Val | None = None, sample: Val | None = None
) -> list[Val]:
    """R, G, B, A of a texel, or of one sample of it, inside of the level. Lanes outside of `mask` decode a word of 0."""
    offset = texel_offset(level, texture.key.format.block_bytes, i, j, k)
    if sample is not None:
        stride = texture.record.fixed("sample_stride")
        offset = offset + texture.distance(sample) * f.splat(stride if texture.key.is_wide else stride.trunc(I32), sample.lanes)
    return unpack(f, texture.key.format, _load(f, texture, offset, mask))


def _load(f: Function, texture: Texture, offset: Val, mask: Val | None) -> list[Val]:
    """Words of the texels at these offsets."""

    if texture.row < SHORTEST or texture.key.format.block_bytes != 4 or mask is not None or texture.key.is_wide:
        return load_scattered(f, texture, offset, mask)
    word = f.var(offset.type)
    with f.else_of(are_in_step(f, [offset], texture.row, 4)) as otherwise:
        word.set(load_rows(f, I32, texture.base, offset, texture.row))
        otherwise()
        word.set(load_scattered(f, texture, offset, mask)[0])
    return [word.get()]


def load_scattered(f: Function, texture: Texture, offset: Val, mask: Val | None) -> list[Val]:
    """Words of the texels at these offsets, which have no order."""
    # Offsets are sign-extended so that AVX-512 can gather with 32-bit offsets.
    places = offset.sext(I64) if f.module.has("avx512f") and not texture.key.is_wide else offset
    return load_texels(f, texture.key.format, texture.base, places, mask)


def border_color(f: Function, sampler: Val, lanes: int, integer: bool) -> list[Val]:
    """Border color, f32 or bits of integers, in every lane."""
    record, name = Record(f, sampler, SamplerRecord), "border_integers" if integer else "border_color"
    return [f.splat(record.fixed(name, c), lanes).bits_as(F32.wide(lanes)) for c in range(4)]


def or_border(f: Function, texel: Sequence[Val], inside: Sequence[Val | None], border: Sequence[Val] | None) -> list[Val]:
    """`texel` in lanes where it is inside on every axis, otherwise the border color."""
    masks = [m for m in inside if m is not None]
    if not masks or border is None:
        return list(texel)
    there = masks[0]
    for m in masks[1:]:
        there = there & m
    return [f.select(there, t, b) for t, b in zip(texel, border)]
