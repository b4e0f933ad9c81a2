"""Multisample resolves in native code, tile by tile, after the last draw to a tile.

The arithmetic is that of `backends.gallium.resource.multisampled`, which resolves the formats that this module does not. A tile is
resolved while it is still in the caches, so its samples need not come from memory again.
"""

from __future__ import annotations

from collections.abc import Sequence

from backends.abi.limits import TILE
from backends.abi.records import ResolveRecord
from backends.device.resolve_job import averages_words
from backends.formats import ChannelType, Format
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.packing import pack, raw_bits, unpack
from backends.raster.tile.surfaces import Block

WIDTH = 16  # pixels of a block


def build_resolve(format: Format, samples: int, module: Module) -> None:
    """resolve(record, x, y): resolves the part of the record's box in the tile at (x, y)."""
    f = Function(module, "resolve", [PTR, I32, I32])
    record, x, y = f.args
    r = Record(f, record, ResolveRecord)
    texel = format.block_bytes
    x0, y0, x1, y1 = (r.get("box", k) for k in range(4))
    left, right = f.max(x, x0), f.min(x + TILE, x1)
    lanes = f.lanes_const(I32.wide(WIDTH), range(WIDTH))
    stride, plane = r.get("source_stride"), r.get("sample_stride")
    with f.range(f.max(y, y0), f.min(y + TILE, y1)) as row:
        source = f.at(r.get("source"), row.zext(I64) * stride)
        target = f.at(r.get("target"), row.zext(I64) * r.get("target_stride"))
        with f.range(left & -WIDTH, right, WIDTH) as column:
            step = (column * texel).zext(I64)
            there = f.at(source, step)
            blocks = [Block(f, texel, WIDTH, WIDTH, [f.at(there, plane * k)]) for k in range(samples)]
            words = mean(f, format, [b.load() for b in blocks])
            out = Block(f, texel, WIDTH, WIDTH, [f.at(target, step)])
            with f.else_of((column >= left) & (column + WIDTH <= right)) as edge:
                out.store(words)
                edge()
                pixels = lanes + column
                out.store_masked(words, (pixels >= left) & (pixels < right))
    f.ret()


def mean(f: Function, format: Format, samples: Sequence[Sequence[Val]]) -> list[Val]:
    """The words of the average of several texels; their number is a power of two."""
    count = len(samples)
    shift = count.bit_length() - 1
    if averages_words(format):
        return _mean_of_words(f, format, samples, shift)
    totals = unpack(f, format, list(samples[0]))
    for words in samples[1:]:
        totals = [t + v for t, v in zip(totals, unpack(f, format, list(words)))]
    return pack(f, format, [t * (1.0 / count) for t in totals])


def _mean_of_words(f: Function, format: Format, samples: Sequence[Sequence[Val]], shift: int) -> list[Val]:
    half = 1 << shift >> 1
    if format.is_plain_unorm8 and format.block_bytes == 4:  # two channels at a time, 16 bits each
        used = sum(((1 << c.size) - 1) << c.shift for c in format.channels if c.type is ChannelType.UNORM)
        result = None
        for at in (0, 8):
            parts = [(words[0].lshr(at) if at else words[0]) & 0xFF00FF for words in samples]
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            half_words = ((total + (half | half << 16)).lshr(shift) & 0xFF00FF) << at
            result = half_words if result is None else result | half_words
        assert result is not None
        return [result if used == 0xFFFFFFFF else result & (used - (1 << 32) if used >> 31 else used)]
    out = [f.const(samples[0][0].type, 0) for _ in range(format.block_words)]
    for c in format.channels:
        if c.type is ChannelType.UNORM:
            parts = [raw_bits(c, words) for words in samples]
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            out[c.shift // 32] = out[c.shift // 32] | ((total + half).lshr(shift) << (c.shift % 32))
    return out
