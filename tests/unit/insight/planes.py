"""Inputs of fragments from the corners of their triangle, in float64: a second way to interpolate, without snapping and clipping."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.pipe.enums import Prim
from tgsi.insight.fragment_log import FragmentLog, LoggedFragment
from tgsi.insight.primitives import Primitives, window_of
from tgsi.insight.replaying import Draw
from tgsi.language.facts.enums import File, Interpolation, Location, Processor
from tgsi.language.record import record

Floats = NDArray[np.float64]
_MODES = (Prim.TRIANGLES, Prim.TRIANGLE_STRIP, Prim.TRIANGLE_FAN)


@record(eq=False)
class Planes:
    """The triangle of a fragment. corners: (3, 3), x * w, y * w and w of each corner in the window. z: of the corners, times w.

    outputs: (3, OUT registers, 4) of the last stage, by the place of each semantic in `places`. provoking: number of a corner.
    """

    corners: Floats
    z: Floats
    outputs: NDArray[np.float32]
    places: dict[tuple[str, int], int]
    provoking: int

    def at(self, values: Floats, x: float, y: float, mode: Interpolation) -> Floats:
        """Values of the corners, (3, channels), at a place of the window."""
        if mode is Interpolation.CONSTANT:
            return np.asarray(values[self.provoking])
        place = np.array([x, y, 1.0])
        if mode is Interpolation.LINEAR:
            return np.asarray(place @ np.linalg.solve(self.corners / self.corners[:, 2:], values))
        over_w, one_over_w = (place @ np.linalg.solve(self.corners, v) for v in (values, np.ones((3, 1))))
        return np.asarray(over_w / one_over_w)

    def coefficients(self, values: Floats, mode: Interpolation | None) -> Floats:
        """a0, dadx and dady of values, over w if they are divided by it, (3, channels)."""
        if mode is None or mode is Interpolation.CONSTANT:
            return np.stack([values[self.provoking], np.zeros(4), np.zeros(4)])
        corners = self.corners / self.corners[:, 2:] if mode is Interpolation.LINEAR else self.corners
        dadx, dady, first = np.linalg.solve(corners, values)
        return np.stack([first, dadx, dady])

    def position(self, x: float, y: float) -> Floats:
        """z and 1/w at a place of the window, without a depth offset."""
        place = np.array([x, y, 1.0])
        return np.array([place @ np.linalg.solve(self.corners, values) for values in (self.z, np.ones(3))])

    def is_known(self) -> bool:
        """True if the triangle has some area in the window, so that no rounding of corners decides."""
        w = self.corners[:, 2]
        if (w > 1e-3).all():
            a, b, c = self.corners[:, :2] / self.corners[:, 2:]
            area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
            reach = max(np.abs(b - a).max(), np.abs(c - a).max(), np.abs(c - b).max())
            return bool(abs(area) > 0.05 * reach and reach < 1000)
        scale = np.abs(self.corners).max(axis=1).prod()
        return bool(abs(np.linalg.det(self.corners)) > 1e-4 * scale and (w > 1e-3).any())

    @property
    def is_clipped(self) -> bool:
        """True if a corner lies behind the viewer; then LINEAR inputs follow the corners that clipping makes."""
        return not (self.corners[:, 2] > 1e-3).all()


def planes_of(context: Any, draw: Draw, found: Primitives | None, item: LoggedFragment) -> Planes | None:
    """The planes of a fragment; None where its triangle is not known by its number, or edges and corners are drawn instead."""
    info, r = draw.info, context.state.rasterizer
    if found is None or info is None or info.mode not in _MODES or info.instance_count != 1 or found.is_window_space:
        return None
    if found.program.processor is not Processor.VERT or item.primitive >= len(found.positions):
        return None
    if (r.fill_front if item.is_front else r.fill_back).name != "FILL" or r.light_twoside or r.offset_tri:
        return None
    window, positions = window_of(context, found)[item.primitive], found.positions[item.primitive].astype(np.float64)
    w = positions[:, 3:]
    corners = np.concatenate([window[:, :2] * w, w], axis=1)
    registers = sorted({k for d in found.program.declared(File.OUT) for k in range(d.first, d.last + 1)})
    places = {
        (d.semantic.name, d.semantic.index + k - d.first): registers.index(k)
        for d in found.program.declared(File.OUT)
        if d.semantic is not None
        for k in range(d.first, d.last + 1)
    }
    outputs = found.outputs[item.primitive].view(np.float32)
    planes = Planes(corners, window[:, 2] * w[:, 0], outputs, places, 0 if r.flatshade_first else 2)
    return planes if np.isfinite(corners).all() and planes.is_known() else None


def inputs_of(log: FragmentLog, planes: Planes, x: float, y: float, *, flat: bool, center: tuple[float, float]) -> dict[int, Floats]:
    """Input registers of the program that a place of the window gives, by register. center: for inputs that keep it."""
    made: dict[int, Floats] = {}
    for d in log.program.declared(File.IN):
        for k in range(d.first, d.last + 1):
            key = ("", 0) if d.semantic is None else (d.semantic.name, d.semantic.index + k - d.first)
            if key not in planes.places or key[0] == "POSITION":
                continue
            mode = d.interpolation or Interpolation.CONSTANT
            if mode is Interpolation.COLOR:
                mode = Interpolation.CONSTANT if flat else Interpolation.PERSPECTIVE
            if mode is Interpolation.LINEAR and planes.is_clipped:
                continue
            place = center if d.location is Location.CENTER else (x, y)
            made[k] = planes.at(planes.outputs[:, planes.places[key]].astype(np.float64), *place, mode)
    return made
