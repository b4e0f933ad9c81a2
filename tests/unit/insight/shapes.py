"""Inputs of fragments from the corners of their primitive, in float64: a second way to interpolate, without snapping and clipping."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import ConservativeRaster, PolygonMode
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.primitives import Primitives, window_of
from tgsi.insight.replaying import Draw
from tgsi.language.facts.enums import File, Interpolation, Location, Processor

Floats = NDArray[np.float64]
HALF_STEP = 1 / 512
"""Pixels that a corner moves at most when it snaps to the grid of 1/256."""
NUMBERS = ("PRIM_ID", "LAYER", "VIEWPORT_INDEX")
"""Semantics of one channel."""


class Shape(ABC):
    """A primitive. number: in `Primitives`. window: (corners, 3) places. w: of the corners. outputs: (corners, OUT registers, 4) floats.

    reach: pixels by which the place of a fragment on it is not certain.
    """

    reach = 0.0

    def __init__(self, number: int, window: Floats, w: Floats, outputs: NDArray[np.float32], provoking: int) -> None:
        self.number, self.window, self.w, self.outputs, self.provoking = number, window, w, outputs, provoking

    def at(self, values: Floats, x: float, y: float, mode: Interpolation) -> Floats:
        """Values of the corners, (corners, channels), at a place of the window."""
        if mode is Interpolation.CONSTANT:
            return np.asarray(values[self.provoking])
        if mode is Interpolation.LINEAR:
            return self.straight(values, x, y)
        over_w, one_over_w = (self.straight(v / self.w[:, None], x, y) for v in (values, np.ones((len(self.w), 1))))
        return np.asarray(over_w / one_over_w)

    def position(self, x: float, y: float) -> Floats:
        """z and 1/w at a place of the window, without a depth offset."""
        return self.straight(np.stack([self.window[:, 2], 1 / self.w], 1), x, y)

    def slack(self, values: Floats, x: float, y: float, mode: Interpolation) -> float:
        """The most that values differ within the reach of a place."""
        if not self.reach or mode is Interpolation.CONSTANT:
            return 0.0
        ways = [(self.reach, 0.0), (0.0, self.reach), (-self.reach, 0.0), (0.0, -self.reach)]
        here = self.at(values, x, y, mode)
        return max(float(np.abs(self.at(values, x + dx, y + dy, mode) - here).max()) for dx, dy in ways)

    @abstractmethod
    def straight(self, values: Floats, x: float, y: float) -> Floats:
        """Values that are straight in the window."""

    @abstractmethod
    def is_known(self) -> bool:
        """True if no rounding of corners decides about the values."""


class Triangle(Shape):
    """A triangle, also one that reaches behind the viewer: x * w, y * w and w of its corners give planes without clipping."""

    def straight(self, values: Floats, x: float, y: float) -> Floats:
        """See `Shape.straight`."""
        return np.asarray(np.array([x, y, 1.0]) @ np.linalg.solve(self._corners(), values * self.w[:, None]))

    def slack(self, values: Floats, x: float, y: float, mode: Interpolation) -> float:
        """See `Shape.slack`: corners snap to the grid, which slivers that reach to the viewer carry far."""
        if mode is Interpolation.CONSTANT:
            return 0.0
        here, window, most = self.at(values, x, y, mode), self.window, 0.0
        for place in np.ndindex(3, 2):
            self.window = window.copy()
            self.window[place] += HALF_STEP
            most += float(np.abs(self.at(values, x, y, mode) - here).max())
        self.window = window
        return most

    def _corners(self) -> Floats:
        return np.concatenate([self.window[:, :2] * self.w[:, None], self.w[:, None]], axis=1)

    def coefficients(self, values: Floats, mode: Interpolation | None) -> Floats:
        """a0, dadx and dady of values, over w if they are divided by it, (3, channels)."""
        if mode is None or mode is Interpolation.CONSTANT:
            return np.stack([values[self.provoking], np.zeros(4), np.zeros(4)])
        dadx, dady, first = np.linalg.solve(self._corners(), values * self.w[:, None] if mode is Interpolation.LINEAR else values)
        return np.stack([first, dadx, dady])

    def is_known(self) -> bool:
        """True if the triangle has some area in the window."""
        if (self.w > 1e-3).all():
            a, b, c = self.window[:, :2]
            area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
            reach = max(np.abs(b - a).max(), np.abs(c - a).max(), np.abs(c - b).max())
            return bool(abs(area) > 0.05 * reach and reach < 1000)
        corners = self._corners()
        scale = np.abs(corners).max(axis=1).prod()
        return bool(abs(np.linalg.det(corners)) > 1e-6 * scale and (self.w > 1e-3).any())


class Line(Shape):
    """A line. Wide ones may take the value of any place across."""

    def __init__(self, *given: Any, width: float, margin: float) -> None:
        super().__init__(*given)
        self.reach, self.margin = width / 2 + 1, margin

    def straight(self, values: Floats, x: float, y: float) -> Floats:
        """See `Shape.straight`."""
        way = self.window[1, :2] - self.window[0, :2]
        length = float(np.hypot(*way))
        along = float((np.array([x, y]) - self.window[0, :2]) @ way) / length
        t = (along + self.margin) / (length + 2 * self.margin)
        return np.asarray(values[0] + (values[1] - values[0]) * t)

    def is_known(self) -> bool:
        """True if the line has a length, and lies before the viewer."""
        return bool((self.w > 1e-3).all() and np.hypot(*(self.window[1, :2] - self.window[0, :2])) > 2)


class Point(Shape):
    """A point, which has the values of its vertex."""

    def straight(self, values: Floats, x: float, y: float) -> Floats:
        """See `Shape.straight`."""
        return np.asarray(values[0])

    def is_known(self) -> bool:
        """True."""
        return bool((self.w > 0).all())


def places_of(found: Primitives) -> dict[tuple[str, int], int]:
    """Places of the last stage's outputs in `Primitives.outputs`, by semantic."""
    declared = found.program.declared(File.OUT)
    registers = sorted({k for d in declared for k in range(d.first, d.last + 1)})
    return {
        (d.semantic.name, d.semantic.index + k - d.first): registers.index(k)
        for d in declared
        if d.semantic is not None
        for k in range(d.first, d.last + 1)
    }


def shapes_of(context: Any, draw: Draw, found: Primitives | None, item: LoggedFragment, pixel: tuple[int, int]) -> tuple[list[Shape], bool]:
    """Primitives that may be the one of a fragment, and whether no other one can be. Polygons drawn as lines or points are unknown."""
    r = context.state.rasterizer
    if found is None or found.is_window_space or not len(found.positions):
        return [], False
    is_filled = (r.fill_front if item.is_front else r.fill_back) is PolygonMode.FILL
    if found.corners == 3 and (not is_filled or r.light_twoside):
        return [], False
    if draw.info is not None and draw.info.instance_count == 1 and found.program.processor is Processor.VERT:
        numbers = [item.primitive] if item.primitive < len(found.positions) else []
    else:
        numbers = _numbers_at(context, found, pixel)
    shapes = [shape for number in numbers if (shape := _shape(context, found, number)) is not None]
    extends = r.conservative_raster_mode is not ConservativeRaster.OFF  # beyond slivers that clipping leaves, whose planes snapping changes
    known = [shape for shape in shapes if shape.is_known() and not (extends and (shape.w <= 1e-3).any())]
    return known, bool(known) and len(known) == len(shapes)


def _numbers_at(context: Any, found: Primitives, pixel: tuple[int, int]) -> list[int]:
    """Numbers of the primitives whose box has a pixel, or that reach behind the viewer."""
    r = context.state.rasterizer
    window = window_of(context, found)[..., :2]
    margin = 1 + {1: r.point_size, 2: r.line_width, 3: 0.0}[found.corners] / 2
    place = np.array(pixel) + 0.5
    with np.errstate(invalid="ignore"):
        is_near = ((window.min(axis=1) - margin <= place) & (place <= window.max(axis=1) + margin)).all(axis=1)
    reaches = (found.positions[..., 3] <= 1e-3).any(axis=1)
    return [int(number) for number in np.flatnonzero(is_near | reaches)]


def _shape(context: Any, found: Primitives, number: int) -> Shape | None:
    r = context.state.rasterizer
    window, w = window_of(context, found)[number], found.positions[number, :, 3].astype(np.float64)
    provoking = 0 if r.flatshade_first else found.corners - 1
    given = number, window, w, found.outputs[number].view(np.float32), provoking
    if not np.isfinite(window).all():
        return None
    if found.corners == 3:
        return Triangle(*given)
    if found.corners == 2:
        is_smooth = r.line_smooth and context.targets.framebuffer.samples == 1
        return Line(*given, width=r.line_width, margin=0.5 if is_smooth else 0.0)
    return Point(*given)


def inputs_of(
    log: FragmentLog, shape: Shape, places: dict[tuple[str, int], int], x: float, y: float, *, flat: bool, center: tuple[float, float]
) -> Iterator[tuple[int, Floats, float]]:
    """Input registers of the program that a place of the window gives: register, values, slack. center: for inputs that keep it."""
    for d in log.program.declared(File.IN):
        for k in range(d.first, d.last + 1):
            key = ("", 0) if d.semantic is None else (d.semantic.name, d.semantic.index + k - d.first)
            if key not in places or key[0] == "POSITION":
                continue
            mode = d.interpolation or Interpolation.CONSTANT
            if mode is Interpolation.COLOR:
                mode = Interpolation.CONSTANT if flat else Interpolation.PERSPECTIVE
            place = center if d.location is Location.CENTER else (x, y)
            values = shape.outputs[:, places[key]].astype(np.float64)
            yield k, shape.at(values, *place, mode)[: 1 if key[0] in NUMBERS else 4], shape.slack(values, *place, mode)
