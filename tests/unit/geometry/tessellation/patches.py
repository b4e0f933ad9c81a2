"""Tessellated patches for tests, with points in exact units of 2^-16."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from backends.geometry.tessellation.kernel import build_tessellator
from backends.geometry.tessellation.key import MAX_POINTS, MAX_PRIMITIVES, SLACK, Tessellator, TessRecord
from backends.llvm.builder.module import Module
from backends.llvm.engine.engine import Library, compile_module

ONE = 1 << 16
_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_GUARD = 0x7A7A7A7A

Point = tuple[int, int]


@dataclass(frozen=True)
class Patch:
    """Tessellated patch. points: (n, 2) u and v; primitives: (n, 1 to 3) numbers of points."""

    points: NDArray[np.int64]
    primitives: NDArray[np.int64]

    def corners(self) -> list[tuple[Point, ...]]:
        """Primitives as points, sorted. A triangle begins with its smallest point and keeps its winding."""
        found = []
        for primitive in self.points[self.primitives].tolist():
            items = [(int(u), int(v)) for u, v in primitive]
            start = items.index(min(items)) if len(items) == 3 else 0
            found.append(tuple(items[start:] + items[:start]))
        return sorted(found)

    def digest(self) -> str:
        """Digest of the primitives, independent of their order."""
        return hashlib.sha256(repr(self.corners()).encode()).hexdigest()[:16]

    def doubled_areas(self) -> NDArray[np.int64]:
        """Twice the area of each triangle in the plane of u and v, positive if counterclockwise."""
        a, b, c = (self.points[self.primitives[:, k]] for k in range(3))
        p, q = b - a, c - a
        area: NDArray[np.int64] = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
        return area

    def on(self, axis: int, value: int) -> list[int]:
        """Other coordinate, sorted, of the points whose coordinate `axis` is `value`."""
        return sorted(self.points[self.points[:, axis] == value, 1 - axis].tolist())

    def segments(self) -> dict[tuple[int, int], int]:
        """Number of triangles with each directed edge."""
        found: dict[tuple[int, int], int] = {}
        for a, b, c in self.primitives.tolist():
            for edge in pairwise((a, b, c, a)):
                found[edge] = found.get(edge, 0) + 1
        return found


@functools.cache
def library(key: Tessellator) -> Library:
    module = Module("tessellator")
    build_tessellator(key, module)
    return compile_module(module)


def tessellate(key: Tessellator, levels: Sequence[Sequence[float]], room: tuple[int, int] = (1 << 16, 1 << 17)) -> tuple[list[Patch], int]:
    """Patches of these levels (four outer, two inner) that fit into the room, and the number of the first patch that does not."""
    given = np.array(levels, np.float32).reshape(-1, 6)
    max_points, max_primitives = max(room[0], MAX_POINTS), max(room[1], MAX_PRIMITIVES)
    u, v = (np.full(max_points + SLACK + 16, _GUARD, np.int32) for _ in range(2))
    starts, owners = np.zeros(len(given) + 1, np.int32), np.full(max_primitives + SLACK + 16, _GUARD, np.int32)
    indices = np.full(max_primitives * key.vertices + SLACK + 16, _GUARD, np.int32)
    record = TessRecord(outer=given.ctypes.data, inner=given.ctypes.data + 16, outer_stride=24, inner_stride=24, patches=len(given))
    record.max_points, record.max_primitives = max_points, max_primitives
    numbers = np.arange(len(given), dtype=np.int32) + 100
    record.numbers = numbers.ctypes.data
    arrays = {"u": u, "v": v, "starts": starts, "indices": indices, "owners": owners}
    for name, array in arrays.items():
        setattr(record, name, array.ctypes.data)
    _ENTRY(library(key).address["tessellate"])(ctypes.addressof(record))
    for array in (u, v, owners, indices):
        assert (array[-16:] == _GUARD).all()  # no byte is written after the slack
    done, count = record.first, record.primitives
    fixed = np.stack([u, v], 1)[: record.points].view(np.float32).astype(np.float64) * ONE
    points = fixed.astype(np.int64)
    assert (points == fixed).all()
    corners = indices[: count * key.vertices].reshape(-1, key.vertices).astype(np.int64)
    assert starts[done] == record.points
    patches = []
    for k in range(done):
        own = corners[owners[:count] == 100 + k] - starts[k]
        patches.append(Patch(points[starts[k] : starts[k + 1]], own))
    assert sum(len(p.primitives) for p in patches) == count
    assert (np.diff(owners[:count]) >= 0).all()
    return patches, done


def one(key: Tessellator, *levels: float) -> Patch:
    """Tessellate one patch; missing levels are 1."""
    return tessellate(key, [[*levels, *[1.0] * (6 - len(levels))]])[0][0]
