"""Masks by the position of a pixel: polygon and line stipple, window rectangles, and the partial coverage of smooth primitives."""

from __future__ import annotations

from backends.llvm.builder.function import BOOL, I32, I64, Function, Val
from backends.llvm.builder.record import Record
from backends.pipe.enums import Face
from backends.raster.front.edges import reach_of
from backends.raster.front.points_lines import DISK_MARK
from backends.raster.front.wide_lines import STIPPLE_AT
from backends.raster.layouts import SetupLayout
from backends.raster.tile.fragment import FragmentKey, Marks
from backends.raster.tile.planes import Planes

POINTS = tuple((16 * k - 120, 16 * (5 * k % 16) - 120) for k in range(16))  # 1/256 pixels from the center; rows and columns are distinct


def drawn(planes: Planes, x: Val, pixels: tuple[Val, Val]) -> tuple[Val, Val | None]:
    """The lanes that pass all masks of the key, and the coverage of each by a smooth primitive (None: not smooth).

    x: distance from the anchor's column."""
    kernel = planes.kernel
    f, key, draw = kernel.f, kernel.key, kernel.draw
    mask = f.const(BOOL.wide(pixels[0].lanes), -1)
    coverage = None
    if key.has_place:
        mask, coverage = _on_line(planes, x)
    if key.marks & Marks.SMOOTH_FILL:
        coverage = touched(planes, pixels)
    if key.stipple:
        mask = mask & _stipple(f, key, planes, pixels)
    if key.windows != (False, 0):
        mask = mask & _windows(f, key, draw, pixels)
    if coverage is not None:
        mask = mask & (coverage > 0.0)
    return mask, coverage


def _on_line(planes: Planes, x: Val) -> tuple[Val, Val | None]:
    """Stipple and coverage of lines and points, from the place slot (see the modules `wide_lines` and `points_lines`)."""
    f, key, d = planes.f, planes.kernel.key, planes.kernel.draw
    at = SetupLayout.SLOTS + 48 * planes.kernel.info.num_slots
    across, along, counter, reach = (planes.at(at + 4 * c, 16, x, planes.y) for c in range(4))
    mask, coverage = f.const(BOOL.wide(x.lanes), -1), None
    if key.marks & Marks.STIPPLED_LINES:
        step = f.to_int(f.floor(f.max(counter - STIPPLE_AT, 0.0) / d.get("line_stipple.factor")))
        bit = f.splat(d.get("line_stipple.pattern"), x.lanes).lshr(step & 15) & 1
        mask = bit.ne(0) | (counter < 1.0)
    if key.marks & Marks.SMOOTH_LINES:
        coverage = _unit(f, d.get("lines.half_width") - f.abs(across)) * _unit(f, reach - f.abs(along))
    if key.marks & Marks.SMOOTH_POINTS:
        disk = _unit(f, reach - f.sqrt(across * across + along * along))
        coverage = disk if coverage is None else f.select(counter < DISK_MARK / 2, disk, coverage)
    return mask, coverage


def _unit(f: Function, v: Val) -> Val:
    return f.min(f.max(v, 0.0), 1.0)


def touched(planes: Planes, pixels: tuple[Val, Val]) -> Val:
    """The fraction of 16 points of each pixel inside of the triangle. It is exact, so triangles that share an edge add up to 1."""
    f, record, (x, y) = planes.f, planes.record, pixels
    low_at = SetupLayout.size(planes.kernel.info.num_slots) + 16
    limit = 1 << 30
    values, steps = [], []
    for k in range(3):
        a, b, low = (f.load(I32, record, at + 4 * k) for at in (SetupLayout.A, SetupLayout.B, low_at))
        c = f.load(I64, record, SetupLayout.C + 8 * k, 4) - reach_of(f, a, b).sext(I64)
        value = x.sext(I64) * a.sext(I64) + y.sext(I64) * b.sext(I64) + c
        values.append(f.max(f.min(value, limit), -limit).trunc(I32))
        steps.append((a, b, low))
    count = f.const(I32.wide(x.lanes), 0)
    for dx, dy in POINTS:
        signs = [v + ((low + a * dx + b * dy) >> 8) for v, (a, b, low) in zip(values, steps)]
        count = count + f.select((signs[0] | signs[1] | signs[2]) >= 0, f.const(count.type, 1), 0)
    return count.to_float() * (1.0 / len(POINTS))


def _stipple(f: Function, key: FragmentKey, planes: Planes, pixels: tuple[Val, Val]) -> Val:
    x, y = pixels
    rows = f.gather(I32, planes.kernel.draw.address("fragments.polygon_stipple"), (y & 31) << 2)
    bits = (rows.lshr((x & 31) ^ 31) & 1).ne(0)
    if key.stipple is Face.FRONT_AND_BACK:
        return bits
    outlined = ~planes.front if key.stipple is Face.FRONT else planes.front  # faces in other modes are outlined
    return bits | f.splat(outlined, x.lanes)


def _windows(f: Function, key: FragmentKey, draw: Record, pixels: tuple[Val, Val]) -> Val:
    x, y = pixels
    includes, count = key.windows
    inside = f.const(BOOL.wide(x.lanes), 0)
    for k in range(count):
        x0, y0, x1, y1 = (draw.get("fragments.windows", 4 * k + c) for c in range(4))
        inside = inside | ((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))
    return inside if includes else ~inside
