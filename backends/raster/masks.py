"""Pixels that are dropped by where they lie: polygon stipple, window rectangles."""

from __future__ import annotations

from collections.abc import Sequence

from backends.gallium.state import ScissorState
from backends.llvm.builder import BOOL, I32, Function, Val
from backends.llvm.structs import Record
from backends.raster.fragment import FragmentKey
from backends.raster.records import Draw


def write_windows(d: Draw, rectangles: Sequence[ScissorState]) -> None:
    """Window rectangles as the numbers that kernels want."""
    for k, r in enumerate(rectangles):
        d.windows[4 * k : 4 * k + 4] = (r.minx, r.miny, r.maxx - 1, r.maxy - 1)


def drawn(f: Function, key: FragmentKey, draw: Record, pixels: tuple[Val, Val]) -> Val:
    """The lanes that no mask of the key drops."""
    mask = f.const(BOOL.wide(pixels[0].lanes), -1)
    if key.stipple:
        mask = mask & _stipple(f, draw, pixels)
    if key.windows != (False, 0):
        mask = mask & _windows(f, key, draw, pixels)
    return mask


def _stipple(f: Function, draw: Record, pixels: tuple[Val, Val]) -> Val:
    x, y = pixels
    rows = f.gather(I32, draw.address("stipple"), (y & 31) << 2)
    return (rows.lshr((x & 31) ^ 31) & 1).ne(0)


def _windows(f: Function, key: FragmentKey, draw: Record, pixels: tuple[Val, Val]) -> Val:
    x, y = pixels
    includes, count = key.windows
    inside = f.const(BOOL.wide(x.lanes), 0)
    for k in range(count):
        x0, y0, x1, y1 = (draw.get("windows", 4 * k + c) for c in range(4))
        inside = inside | ((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))
    return inside if includes else ~inside
