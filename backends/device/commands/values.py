"""Values that programs change from draw to draw, as generated code reads them: their classes and their data.

A value that is not set has no data and reads as zeros.
"""

from __future__ import annotations

import ctypes
import math
from ctypes import c_double, c_float, c_int32, c_uint32
from typing import TYPE_CHECKING

from backends.device.commands.numbers import Described
from backends.pipe.limits import MAX_VIEWPORTS, MAX_WINDOW_RECTANGLES

if TYPE_CHECKING:
    from backends.device.memory import BoundSampler, BoundView
    from backends.pipe.state import ScissorState, ViewportState

MOST_PLANES = 8


class ViewportValues(ctypes.Structure):
    """Viewports: three factors and three offsets each."""

    _fields_ = [("count", c_int32), ("pad", c_int32), ("transform", c_double * (6 * MAX_VIEWPORTS))]


class ScissorValues(ctypes.Structure):
    """Scissors: min x, min y, max x, max y, as in ScissorState. Unset ones are unused."""

    _fields_ = [("rectangle", c_int32 * (4 * MAX_VIEWPORTS))]


class ColorValues(ctypes.Structure):
    """The blend color."""

    _fields_ = [("color", c_float * 4)]


class StencilValues(ctypes.Structure):
    """Stencil references: front, back."""

    _fields_ = [("reference", c_int32 * 2)]


class WindowValues(ctypes.Structure):
    """Window rectangles: min x, min y, max x, max y, both ends included."""

    _fields_ = [("rectangle", c_int32 * (4 * MAX_WINDOW_RECTANGLES))]


class PlaneValues(ctypes.Structure):
    """User clip planes."""

    _fields_ = [("plane", c_float * (4 * MOST_PLANES))]


class StippleValues(ctypes.Structure):
    """The polygon stipple."""

    _fields_ = [("row", c_uint32 * 32)]


def _finite(v: float) -> float:
    return v if math.isfinite(v) else 0.0


def describe_viewports(viewports: tuple[ViewportState, ...]) -> Described:
    """All viewports are of one class, unless none is set."""
    values = ViewportValues(len(viewports))
    flat = [_finite(v) for viewport in viewports for v in (*viewport.scale, *viewport.translate)]
    values.transform[: len(flat)] = flat
    return Described(int(bool(viewports)), values)


def describe_scissors(scissors: tuple[ScissorState, ...]) -> Described:
    """All scissors are of one class."""
    values = ScissorValues()
    flat = [v for s in scissors for v in (s.minx, s.miny, s.maxx, s.maxy)]
    values.rectangle[: len(flat)] = flat
    return Described(0, values)


def describe_color(color: tuple[float, ...]) -> Described:
    """All colors are of one class."""
    return Described(0, ColorValues(tuple(color)))


def describe_references(references: tuple[int, int]) -> Described:
    """All references are of one class."""
    return Described(0, StencilValues(tuple(v & 255 for v in references)))


def describe_windows(windows: tuple[bool, tuple[ScissorState, ...]]) -> Described:
    """The class has the number of rectangles, and whether their inside or outside is drawn."""
    values, (is_inside, rectangles) = WindowValues(), windows
    flat = [v for r in rectangles for v in (r.minx, r.miny, r.maxx - 1, r.maxy - 1)]
    values.rectangle[: len(flat)] = flat
    return Described(1 + 2 * len(rectangles) + is_inside, values)


def _short(plane: tuple[float, float, float, float]) -> list[float]:
    """The plane scaled by a power of two so that distances from it, sums of four products, do not overflow.

    Only signs and ratios of distances from one plane have an effect."""
    exponent = math.frexp(max(_finite(abs(v)) for v in plane))[1] + 2
    return [math.ldexp(v, -exponent) for v in plane] if exponent > 0 else list(plane)


def describe_planes(planes: tuple[tuple[float, float, float, float], ...]) -> Described:
    """The class has the number of planes."""
    values, flat = PlaneValues(), [v for plane in planes[:MOST_PLANES] for v in _short(plane)]
    values.plane[: len(flat)] = flat
    return Described(len(planes), values)


def describe_stipple(rows: tuple[int, ...] | None) -> Described:
    """The class says whether there is a stipple."""
    return Described() if rows is None else Described(1, StippleValues(tuple(rows)))


def describe_view(view: BoundView) -> Described:
    """Generated code depends on the key of a view."""
    return Described(view.key, view.record)


def describe_sampler(sampler: BoundSampler) -> Described:
    """Generated code depends on the key of a sampler."""
    return Described(sampler.key, sampler.record)
