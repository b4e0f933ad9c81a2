"""Pixels in memory: rows of a surface, scattered texels, vertex attributes. Words are as in `packing`."""

from __future__ import annotations

from collections.abc import Sequence

from backends.formats import SWIZZLE_ONE, ChannelType, Format, VertexFormat, WideFormat
from backends.formats.arrays import CANONICAL_NAN
from backends.llvm.builder.function import F32, F64, I8, I16, I32, I64, Function, Type, Val
from backends.llvm.library.packing import one_bits, unpack


def load_row(f: Function, format: Format, pointer: Val, lanes: int) -> list[Val]:
    """Load the words of `lanes` pixels side by side. ValueError for pixels of 3 or 6 bytes."""
    size = format.block_bytes
    if size in (1, 2):
        return [f.load(Type("i", 8 * size, lanes), pointer, align=size).zext(I32)]
    if size == 4:
        return [f.load(I32.wide(lanes), pointer)]
    if size == 8:
        both = f.load(I32.wide(2 * lanes), pointer)
        return [f.shuffle(both, both, range(k, 2 * lanes, 2)) for k in range(2)]
    if size == 16:
        return f.load_vec4s([f.at(pointer, 16 * k) for k in range(lanes)], I32)
    raise ValueError(f"{format.name}: rows of {size}-byte pixels are not read as words")


def store_row(f: Function, format: Format, words: Sequence[Val], pointer: Val) -> None:
    """Store all lanes of `words` as pixels side by side: the inverse of `load_row`."""
    size, lanes = format.block_bytes, words[0].lanes
    if size in (1, 2):
        f.store(words[0].trunc(Type("i", 8 * size)), pointer, align=size)
    elif size == 4:
        f.store(words[0], pointer)
    elif size == 8:
        f.store(f.shuffle(words[0], words[1], [k + lanes * half for k in range(lanes) for half in (0, 1)]), pointer)
    elif size == 16:
        rows = f.transpose4(words)
        for k in range(lanes):
            g = k // 4 * 4
            f.store(f.shuffle(rows[k % 4], rows[k % 4], range(g, g + 4)), pointer, 16 * k)
    else:
        raise ValueError(f"{format.name}: rows of {size}-byte pixels are not written as words")


def _place(offsets: Val) -> Val:
    """Byte of each offset within its 32-bit word."""
    return (offsets if offsets.type.bits == 32 else offsets.trunc(I32)) & 3


def load_texels(f: Function, format: Format, base: Val, offsets: Val, mask: Val | None = None) -> list[Val]:
    """Load the words of scattered pixels at `base` + offsets (bytes, i32 unsigned or i64), which the caller has bounds-checked.

    `base` is a multiple of 4, and 8 bytes after the last pixel are readable, because pixels other than whole words are extracted from the
    words around them. Lanes outside of `mask` read 0.
    """
    size = format.block_bytes
    if size in (1, 2):
        word = f.gather(I32, base, offsets & -4, mask)
        return [word.lshr((_place(offsets) & (4 - size)) << 3) & ((1 << (8 * size)) - 1)]
    if size == 4:
        return [f.gather(I32, base, offsets, mask)]
    if size == 8:
        both = f.gather(I64, base, offsets, mask)
        return [both.trunc(I32), both.lshr(32).trunc(I32)]
    if size == 16:
        pairs = [f.gather(I64, f.at(base, 8 * k), offsets, mask) for k in range(2)]
        return [w for pair in pairs for w in (pair.trunc(I32), pair.lshr(32).trunc(I32))]
    if size == 12:
        return [f.gather(I32, f.at(base, 4 * k), offsets, mask) for k in range(3)]
    around = f.gather(I64, base, offsets & -4, mask)  # 3 or 6 bytes
    both = around.lshr((_place(offsets) << 3).zext(I64))
    low = both.trunc(I32)
    return [low & 0xFFFFFF] if size == 3 else [low, both.lshr(32).trunc(I32) & 0xFFFF]


def _assemble(f: Function, lanes: Sequence[Val], type: Type) -> Val:
    """Vector of the scalars in `lanes`."""
    vector = f.const(type.wide(len(lanes)), 0)
    for k, x in enumerate(lanes):
        vector = f.insert(vector, x, k)
    return vector


def _attribute_words(f: Function, format: Format, pointers: Sequence[Val]) -> list[Val]:
    """Words of one attribute for each lane; only the attribute's own bytes are read."""
    size, align = format.block_bytes, format.channels[0].size // 8 if format.is_array else 1
    if size == 16:
        return f.load_vec4s(pointers, I32)
    if size == 12:
        widen = (0, 1, 2, 3)
        zero = f.const(I32.wide(3), 0)
        quads = [f.shuffle(f.load(I32.wide(3), p), zero, widen) for p in pointers]
        columns = [f.concat([quads[g + j] for g in range(0, len(quads), 4)]) for j in range(4)]
        return f.transpose4(columns)[:3]
    if size == 8:
        both = _assemble(f, [f.load(I64, p, align=align) for p in pointers], I64)
        return [both.trunc(I32), both.lshr(32).trunc(I32)]
    if size in (3, 6):
        low, high = (I16, I8) if size == 3 else (I32, I16)
        wide = high.bits * 2
        first = _assemble(f, [f.load(low, p, align=align) for p in pointers], low).zext(I32)
        rest = _assemble(f, [f.load(high, p, size - high.bits // 8, align=align) for p in pointers], high).zext(I32)
        return [first | (rest << wide)] if size == 3 else [first, rest]
    one = Type("i", 8 * size)
    return [_assemble(f, [f.load(one, p, align=align) for p in pointers], one).zext(I32)]


def _singles(f: Function, format: WideFormat, pointers: Sequence[Val]) -> list[Val]:
    """Load 64-bit floats as 32-bit ones, rounded to nearest; any NaN becomes the quiet NaN without a payload."""
    floats = []
    for c in range(len(format.channels)):
        wide = _assemble(f, [f.load(F64, p, 8 * c, align=1) for p in pointers], F64)
        floats.append(f.select(wide.ne(wide), f.word(CANONICAL_NAN, len(pointers)), wide.cast("fptrunc", F32)))
    return floats + [f.const(F32.wide(len(pointers)), float(c == 3)) for c in range(len(floats), 4)]


def fetch_attribute(f: Function, format: VertexFormat, pointers: Sequence[Val]) -> list[Val]:
    """Load lane k's vertex attribute from pointers[k]. Returns x, y, z, w as f32; pure integers keep their bits.

    Alignment is the least that Gallium allows: the channel's size, or 1 for packed formats. The caller has checked that `block_bytes` may
    be read from each pointer. The number of lanes is a multiple of 4. Missing channels are 0, 0, 0, 1.
    """
    if isinstance(format, WideFormat):
        return _singles(f, format, pointers)
    words = _attribute_words(f, format, pointers)
    lanes = len(pointers)
    if all(c.type is ChannelType.FLOAT and c.size == 32 for c in format.channels):
        constants = {SWIZZLE_ONE: f.word(one_bits(format), lanes)}
        zero = f.const(F32.wide(lanes), 0.0)
        return [words[i].as_float() if i < len(words) else constants.get(i, zero) for i in format.swizzle]
    return unpack(f, format, words)
