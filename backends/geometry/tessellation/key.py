"""The key that a tessellator is compiled for, and the record that its kernel works on."""

from __future__ import annotations

import ctypes
from enum import IntEnum

from backends.geometry.tessellation.levels import LEVEL_FIELDS
from backends.pipe.enums import Prim
from tgsi.language.diagnostics import UnsupportedError
from tgsi.language.program import Program
from tgsi.language.record import record

MAX_LEVEL = 64
MAX_POINTS = (MAX_LEVEL + 1) ** 2
"""Points of one patch."""
MAX_PRIMITIVES = 2 * MAX_LEVEL**2
"""Primitives of one patch; points count as primitives."""
SLACK = 64
"""Padding of the arrays, in elements that the kernel may overwrite."""


class Spacing(IntEnum):
    """Values of TES_SPACING."""

    FRACTIONAL_ODD = 0
    FRACTIONAL_EVEN = 1
    EQUAL = 2


@record
class Tessellator:
    """A domain (TRIANGLES, QUADS, or LINES for isolines), a spacing, the order of vertices, and whether primitives are points."""

    domain: Prim
    spacing: Spacing
    clockwise: bool = False
    points: bool = False

    @staticmethod
    def of(program: Program) -> Tessellator:
        """Return the tessellator of a TESS_EVAL program; undeclared properties are 0. UnsupportedError for an unknown domain."""
        mode, spacing = program.property("TES_PRIM_MODE"), program.property("TES_SPACING")
        if mode not in (Prim.TRIANGLES, Prim.QUADS, Prim.LINES):
            raise UnsupportedError.at("B060", f"TES_PRIM_MODE {mode} is not a domain: 1 LINES, 4 TRIANGLES, 7 QUADS")
        clockwise, points = program.property("TES_VERTEX_ORDER_CW") != 0, program.property("TES_POINT_MODE") != 0
        return Tessellator(Prim(mode), Spacing(spacing), clockwise, points)

    @property
    def primitive(self) -> Prim:
        """The type of output primitives: POINTS, LINES or TRIANGLES, all with indices."""
        if self.points:
            return Prim.POINTS
        return Prim.LINES if self.domain is Prim.LINES else Prim.TRIANGLES

    @property
    def vertices(self) -> int:
        """The number of indices of a primitive."""
        return {Prim.POINTS: 1, Prim.LINES: 2, Prim.TRIANGLES: 3}[self.primitive]


class TessRecord(ctypes.Structure):
    """One call of `tessellate`: patches `first` to `patches` - 1, as many as fit; `first` becomes the first that did not fit.

    Levels: see LEVEL_FIELDS. u, v: coordinates of points in the domain; those of patch k are the elements starts[k] to starts[k + 1] - 1.
    indices: numbers of points as elements of u and v; owners: for each primitive, numbers[k] of its patch. points, primitives: their
    counts; the kernel appends. A patch is never taken in part; the arrays need room for at least MAX_POINTS and MAX_PRIMITIVES, and for
    SLACK elements after them.
    """

    _fields_ = [
        *LEVEL_FIELDS,
        *((name, ctypes.c_void_p) for name in ("numbers", "u", "v", "starts", "indices", "owners")),
        *((name, ctypes.c_int32) for name in ("first", "patches", "points", "primitives", "max_points", "max_primitives")),
    ]
