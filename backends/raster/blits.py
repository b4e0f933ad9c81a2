"""Scaled and converted copies of texels as generated code: one kernel for each pair of formats, set of filtered axes and channel mask."""

from __future__ import annotations

from collections.abc import Sequence

from backends.device.blit_key import AXES, BlitKey, BlitRecord
from backends.llvm.builder.environment import restore_environment, set_default_environment
from backends.llvm.builder.function import F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library import packing as formats
from backends.llvm.library.pixels import load_row, load_texels, store_row
from backends.pipe.enums import ColorMask


def build_blit(key: BlitKey, lanes: int, module: Module) -> None:
    """blit(record). Filters columns first, then rows, then layers: a + (b - a) * weight in f32."""
    f = Function(module, "blit", [PTR])
    r = Record(f, f.args[0], BlitRecord)
    saved = set_default_environment(f)
    first, second, weight = ([r.get(f"{axis}_{kind}") for axis in AXES] for kind in ("first", "second", "weight"))
    depth, height, width = (r.get(axis) for axis in AXES)
    source, target = r.get("source"), r.get("target")
    size = key.target.block_bytes

    def taps(axis: int, i: Val) -> list[Val]:
        return [f.load(I64, table[axis], i << 3) for table in ((first, second) if key.filtered[axis] else (first,))]

    def mixed(axis: int, share: Val, values: Sequence[list[Val]]) -> list[Val]:
        return values[0] if not key.filtered[axis] else [a + (b - a) * share for a, b in zip(*values)]

    def closest(share: Val, values: Sequence[list[Val]]) -> list[Val]:
        return values[0] if len(values) == 1 else [f.select(share >= 0.5, b, a) for a, b in zip(*values)]

    with f.range(0, depth) as z, f.range(0, height) as y:
        layers, rows = taps(0, z), taps(1, y)
        shares = [f.load(F32, weight[axis], i << 2) if key.filtered[axis] else f.const(F32, 0.0) for axis, i in enumerate((z, y))]
        out = f.at(target, (z * height + y).zext(I64) * width.zext(I64) * size)
        with f.range(0, width, lanes) as x:
            columns = [f.load(I32.wide(lanes), t[2], x << 2) for t in ((first, second) if key.filtered[2] else (first,))]
            share = f.load(F32.wide(lanes), weight[2], x << 2) if key.filtered[2] else f.const(F32, 0.0)
            place = f.at(out, x.zext(I64) * size)

            words = [[[load_texels(f, key.source, f.at(source, p + q), c) for c in columns] for q in rows] for p in layers]
            if key.is_raw:
                store_row(f, key.target, words[0][0][0], place)
            else:
                planes = []
                for plane in words:
                    lines = [mixed(2, share, [_decoded(f, key, texel) for texel in line]) for line in plane]
                    planes.append(mixed(1, shares[1], lines))
                nearest = closest(shares[0], [closest(shares[1], [closest(share, line) for line in plane]) for plane in words])
                _store(f, key, mixed(0, shares[0], planes), nearest, place, lanes)
    restore_environment(f, saved)
    f.ret()


def _decoded(f: Function, key: BlitKey, words: list[Val]) -> list[Val]:
    """The channels of a texel to filter: its color, or its depth if there is one."""
    if not key.source.is_depth_stencil:
        return formats.unpack(f, key.source, words)
    return [formats.unpack_depth(f, key.source, words)] if key.source.has_depth else []


def _store(f: Function, key: BlitKey, values: list[Val], nearest: list[Val], place: Val, lanes: int) -> None:
    """Pack and store a row of texels. `nearest`: words of the nearest texels, for stencil, which is never filtered."""
    to, written = key.target, key.written
    old = [] if key.is_whole else load_row(f, to, place, lanes)
    if to.is_depth_stencil:
        depth = formats.encode_depth(f, to, values[0]) if written & ColorMask.Z else None
        stencil = formats.unpack_stencil(f, key.source, nearest) if written & ColorMask.S else None
        blank = [f.const(I32.wide(lanes), 0)] * to.block_words
        store_row(f, to, formats.pack_depth_stencil(f, to, depth, stencil, old or blank), place)
        return
    if old:
        stored = formats.unpack(f, to, old)
        if key.blends:
            rest = f.const(F32.wide(lanes), 1.0) - values[3]
            values = [v * values[3] + k * rest for v, k in zip(values, stored)]
        values = [v if written >> c & 1 else stored[c] for c, v in enumerate(values)]
    store_row(f, to, formats.pack(f, to, values), place)
