"""Generated code: values that are bound (viewports, scissors, colors, references, planes) become values of a `Draw` record.

Draws that differ only in such values share all other parts of their records. Each value is looked up by its number in the table of the
`BoundRecord`; a value that is not set reads as zeros. Coordinates are computed in 64-bit floats and rounded once, as Python's would be.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from backends.device.commands.bound_record import BoundRecord, Word
from backends.device.commands.numbers import MIX, ValueSlot
from backends.device.commands.values import (
    ColorValues,
    PlaneValues,
    ScissorValues,
    StencilValues,
    StippleValues,
    ViewportValues,
    WindowValues,
)
from backends.llvm.builder.function import F32, F64, I32, I64, PTR, Function, Module, Val, Var
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_VIEWPORTS
from backends.raster.draw_record import Draw, View

GUARD_BAND = 1 << 14  # pixels from the center of the band; vertices farther away are clipped, so that edge equations stay exact
_CENTERED = GUARD_BAND // 2  # framebuffers up to this size have the origin as the center, larger ones this many pixels along an axis
_FAR_AWAY = 1e30  # a guard plane that clips nothing
_FLAT = 1e-20  # a viewport whose factor is smaller has no extent
_ROUNDING = 1.5 * 2.0**52  # added and subtracted again, it rounds to the nearest whole number, ties to even
_ZEROS = "no_value"
_LARGEST = max(map(ctypes.sizeof, (ColorValues, PlaneValues, ScissorValues, StencilValues, StippleValues, ViewportValues, WindowValues)))


def build_find_value(module: Module) -> None:
    """find_value(bound, number) -> address of the data of a value, or 0."""
    f = Function(module, "find_value", [PTR, I64], I64, shared=True, internal=True)
    bound, number = f.args
    b = Record(f, bound, BoundRecord)
    slots, mask = b.get("values").as_pointer(), b.get("values_mask")
    place = f.var(I32, (number.trunc(I32) * ctypes.c_int32(MIX).value).lshr(7) & mask)
    with f.loop() as probe:
        slot = Record(f, f.at(slots, place.get().zext(I64) * ctypes.sizeof(ValueSlot)), ValueSlot)
        entry = slot.get("number")
        with f.leaving(entry.eq(number) & number.ne(0)):
            f.ret(slot.get("address"))
        probe.break_if(entry.eq(0))
        place.set((place.get() + 1) & mask)
    f.ret(f.const(I64, 0))


def build_write_values(module: Module) -> None:
    """write_values(draw, bound, width, height, views) -> 1 if the draw has a pixel or has to be counted without one; otherwise 0.

    width, height: of the framebuffer, in pixels. views: an array that gets a View of each viewport, null if vertices name no viewport.
    """
    build_find_value(module)
    _build_write_view(module)
    f = Function(module, "write_values", [PTR, PTR, I32, I32, PTR], I32, shared=True)
    draw, bound, width, height, views = f.args
    d, zeros = Record(f, draw, Draw), f.value(PTR, module.constant(_ZEROS, I32, [0] * (_LARGEST // 4)))

    def value(word: Word) -> Val:
        address = f.call(I64, "find_value", bound, f.load(I64, bound, BoundRecord.words.offset + 8 * word, 8))
        return f.select(address.eq(0), zeros.as_address(), address).as_pointer()

    viewports, scissors = value(Word.VIEWPORTS), value(Word.SCISSORS)
    seen = f.var(I32, 0)
    with f.else_of(views.as_address().eq(0)) as several:
        seen.set(f.call(I32, "write_view", draw, d.address("view"), f.const(I32, 0), viewports, scissors, width, height))
        several()
        with f.range(0, MAX_VIEWPORTS) as k:
            view = f.at(views, k.zext(I64) * ctypes.sizeof(View))
            seen.set(seen.get() | f.call(I32, "write_view", draw, view, k, viewports, scissors, width, height))
        f.call(PTR, "memcpy", d.address("view"), views, f.const(I64, ctypes.sizeof(View)))
    f.store(views, d.address("layers.views"), 0, 8)
    f.store(width - 1, d.address("hiz.frame_end"))
    f.store(height - 1, d.address("hiz.frame_end"), 4)
    d.set("fragments.height", height)
    first = f.load(F64, viewports, ViewportValues.transform.offset + 8, 8)
    d.set("fragments.upward", f.select(first < 0.0, f.const(F32, -1.0), 1.0))
    _copy(f, d, "fragments.blend_color", value(Word.BLEND_COLOR), 4)
    front, back = (f.load(I32, value(Word.STENCIL_REF), offset) for offset in (0, 4))
    d.set("fragments.stencil_ref", front, 0)
    d.set("fragments.stencil_ref", f.select(d.get("rules.has_back_stencil").ne(0), back, front), 1)
    for word, name, count in (
        (Word.WINDOW_RECTANGLES, "fragments.windows", ctypes.sizeof(WindowValues) // 4),
        (Word.POLYGON_STIPPLE, "fragments.polygon_stipple", ctypes.sizeof(StippleValues) // 4),
    ):
        with f.if_(f.load(I64, bound, BoundRecord.words.offset + 8 * word, 8).ne(0)):
            _copy(f, d, name, value(word), count)
    with f.if_(d.get("rules.has_planes").ne(0)):
        _copy(f, d, "clip.user_planes", value(Word.CLIP_PLANES), ctypes.sizeof(PlaneValues) // 4)
    f.ret(seen.get() | d.get("rules.is_counted"))


def _copy(f: Function, d: Record, name: str, source: Val, words: int) -> None:
    f.call(PTR, "memcpy", d.address(name), source, f.const(I64, 4 * words))


def _build_write_view(module: Module) -> None:
    """write_view(draw, view, number, viewports, scissors, width, height) -> 1 if the draw has a pixel in the viewport, otherwise 0."""
    f = Function(module, "write_view", [PTR, PTR, I32, PTR, PTR, I32, I32], I32, shared=True, internal=True)
    draw, view, number, viewports, scissors, width, height = f.args
    d, v = Record(f, draw, Draw), Record(f, view, View)
    f.call(PTR, "memset", view, f.const(I32, 0), f.const(I64, ctypes.sizeof(View)))
    count = f.load(I32, viewports, ViewportValues.count.offset)
    is_set, is_whole = number < count, d.get("rules.centers_are_whole").ne(0)
    half = f.select(is_whole, f.const(F64, 0.5), 0.0)
    centers = [f.select(size > _CENTERED, f.const(F64, float(_CENTERED)), 0.0) for size in (width, height)]
    place = f.at(viewports, f.select(is_set, number, 0).zext(I64) * 48 + ViewportValues.transform.offset)
    with f.else_of(d.get("rules.is_window_space").ne(0)) as otherwise:
        for k in range(3):
            v.set("scale", 1.0, k)
        for k in range(2):
            v.set("translate", _single(half), k)
        v.set("depth_max", 1.0)
        otherwise()
        with f.if_((count + number).ne(0)):  # without viewports, only other view numbers have their default
            scale = [f.select(is_set, f.load(F64, place, 8 * k, 8), 1.0) for k in range(3)]
            translate = [f.select(is_set, f.load(F64, place, 24 + 8 * k, 8), 0.0) for k in range(3)]
            _write_projection(f, d, v, scale, [translate[0] + half, translate[1] + half, translate[2]], centers, (width, height))
    for k, center in enumerate(centers):
        v.set("least", _single(center - float(GUARD_BAND)), k)
        v.set("most", _single(center + float(GUARD_BAND)), k)
    region = [f.var(I32, 0), f.var(I32, 0), f.var(I32, width - 1), f.var(I32, height - 1)]
    with f.if_(d.get("rules.has_scissor").ne(0)):
        rectangle = [f.load(I32, scissors, (number << 4) + 4 * k) for k in range(4)]
        _crop(f, region, [rectangle[0], rectangle[1], rectangle[2] - 1, rectangle[3] - 1])
    with f.if_(d.get("rules.is_cropped").ne(0)):
        margin = [d.get("rules.margin", k) for k in range(4)]
        left, right = _span(f, v.get("scale", 0), v.get("translate", 0), margin[:2])
        bottom, top = _span(f, v.get("scale", 1), v.get("translate", 1), margin[2:])
        _crop(f, region, [left, bottom, right, top])
    x0, y0, x1, y1 = (r.get() for r in region)
    is_seen = (x0 <= x1) & (y0 <= y1) & d.get("rules.is_hidden").eq(0)
    for k, (edge, nothing) in enumerate(zip((x0, y0, x1, y1), (1, 1, 0, 0))):
        v.set("region", f.select(is_seen, edge, nothing), k)
    f.ret(is_seen.zext(I32))


def _single(x: Val) -> Val:
    """A double rounded to f32."""
    return x.cast("fptrunc", F32)


def _write_projection(
    f: Function, d: Record, v: Record, scale: Sequence[Val], translate: Sequence[Val], centers: Sequence[Val], sizes: Sequence[Val]
) -> None:
    """Write projection, clip planes and depth range of a viewport. The planes are near, far, left, right, bottom, top.

    centers: of the guard band, in pixels; sizes: of the framebuffer."""
    for k in range(3):
        v.set("scale", _single(scale[k]), k)
        v.set("translate", _single(translate[k]), k)
    bounds = []
    for s, t, center, size in zip(scale, translate, centers, sizes):
        is_whole = (t - f.abs(s) <= 0.0) & (t + f.abs(s) >= size.to_double())
        is_side = d.get("rules.clips_sides").ne(0) & ~is_whole
        low, high = (_single(bound) for bound in _guard(f, s, t, center))
        bounds += [f.select(is_side, f.max(low, -1.0), low), f.select(is_side, f.min(high, 1.0), high)]
    for k, bound in enumerate(bounds):
        v.set("guard", bound, k)
    is_half, none = d.get("rules.clip_halfz").ne(0), f.const(F32, 0.0)
    one = f.select(d.get("rules.clips_near").ne(0), f.const(F32, 1.0), 0.0)
    beyond = [f.select(d.get("rules.clips_far").ne(0), f.const(F32, end), 0.0) for end in (-1.0, 1.0)]
    near, far = [none, none, one, f.select(is_half, none, one)], [none, none, *beyond]
    left, right, bottom, top = bounds
    plus, minus = f.const(F32, 1.0), f.const(F32, -1.0)
    sides = [plus, none, none, f.neg_bits(left), minus, none, none, right, none, plus, none, f.neg_bits(bottom), none, minus, none, top]
    for k, coefficient in enumerate((*near, *far, *sides)):
        v.set("planes", coefficient, k)
    first, last = f.select(is_half, translate[2], translate[2] - scale[2]), translate[2] + scale[2]
    low, high = f.min(last, first), f.max(last, first)
    clamps = d.get("rules.clamps_depth").ne(0)
    for name, end in (("depth_min", low), ("depth_max", high)):
        cut = f.min(f.const(F64, 1.0), f.max(f.const(F64, 0.0), end))
        v.set(name, _single(f.select(clamps, cut, end)))


def _guard(f: Function, scale: Val, translate: Val, center: Val) -> tuple[Val, Val]:
    """The bounds of x/w (or y/w) for which window coordinates stay within the guard band around `center`."""
    far, limit = f.const(F64, _FAR_AWAY), float(GUARD_BAND - 1)
    is_flat = f.abs(scale) < _FLAT
    one, other = ((center + end - translate) / scale for end in (-limit, limit))
    low, high = f.min(other, one), f.max(other, one)
    least, most = f.max(f.const(F64, -_FAR_AWAY), low), f.min(far, high)
    return f.select(is_flat, f.const(F64, -_FAR_AWAY), least), f.select(is_flat, far, most)


def _crop(f: Function, region: Sequence[Var], other: Sequence[Val]) -> None:
    """Cut a region to another one."""
    for k, (mine, bound) in enumerate(zip(region, other)):
        mine.set(f.max(mine.get(), bound) if k < 2 else f.min(mine.get(), bound))


def _span(f: Function, scale: Val, translate: Val, margin: Sequence[Val]) -> tuple[Val, Val]:
    """First and last pixel of the viewport along one axis; its sides are snapped as vertices are.

    margin: 1/256 pixel, added to the low and the high side, which are then rounded down."""
    limit = float(2 * GUARD_BAND)
    half, middle = f.abs(scale.to_double()), translate.to_double()

    def snapped(x: Val) -> Val:
        within = f.min(f.const(F64, limit), f.max(f.const(F64, -limit), x)) * 256.0
        return ((within + _ROUNDING) - _ROUNDING).cast("fptosi", I32)

    low, high = snapped(middle - half), snapped(middle + half)
    return (low + margin[0]) >> 8, (high + margin[1]) >> 8
