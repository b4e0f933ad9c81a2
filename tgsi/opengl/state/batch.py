"""Vertices of immediate mode, with a column for each attribute that was set. (OpenGL 2.1, 2.6)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.native import State

EACH = {GL.POINTS: 1, GL.LINES: 2, GL.TRIANGLES: 3, GL.QUADS: 4}
"""Modes whose primitives share no vertices, with the number of vertices per primitive."""

Values = tuple[float, float, float, float]


class Batch:
    """A primitive between glBegin and glEnd.

    `rows` has, for each vertex, its position and the values of `columns`; rows added before a column was set lack its value and get the
    context's current value when the batch is drawn. Native functions add vertices as `chunks`, [vertex, 1 + column, 4] each.
    """

    __slots__ = ("_native", "array", "chunks", "columns", "mode", "mode_name", "resources", "rows", "values")

    def __init__(self, mode: int, mode_name: str, known: dict[int, Values]) -> None:
        self.mode = mode
        self.mode_name = mode_name
        self.columns = list(known)
        self.values: list[Values] = list(known.values())
        self.rows: list[tuple[Values, ...]] = []
        self.chunks: list[Any] = []
        self._native: State | None = None
        self.array: Any = None
        self.resources: dict[bool, Any] = {}

    def share(self, native: State | None) -> None:
        """Let native functions add vertices until `absorb`."""
        self._native = native
        if native is not None:
            native.begin_rows(dict(zip(self.columns, self.values, strict=True)))

    def absorb(self) -> None:
        """Take over the vertices and values of native functions; called before the batch is read or changed."""
        if self._native is not None:
            rows, values = self._native.take_rows()
            self._native = None
            self.values = [(a, b, c, d) for a, b, c, d in values.tolist()]
            if len(rows):
                self.chunks.append(rows)

    def settle(self) -> None:
        """Join all chunks to one array, or to rows if their columns differ."""
        if not self.chunks:
            return
        if not self.rows and all(chunk.shape[1] == 1 + len(self.columns) for chunk in self.chunks):
            self.array = np.concatenate(self.chunks)
        else:
            self.rows += [tuple(map(tuple, row)) for chunk in self.chunks for row in chunk.tolist()]
        self.chunks = []

    def put(self, location: int, values: Values) -> None:
        """Set an attribute for the vertices that follow."""
        if location in self.columns:
            self.values[self.columns.index(location)] = values
        else:
            self.columns.append(location)
            self.values.append(values)

    def vertex(self, position: Values) -> None:
        """Add a vertex."""
        if self.chunks:
            self.chunks.append(np.array([(position, *self.values)], np.float32))
        else:
            self.rows.append((position, *self.values))

    @classmethod
    def of_array(cls, mode: int, mode_name: str, columns: list[int], array: Any) -> Batch:
        """A batch of [vertex, 1 + column, 4] numbers."""
        batch = cls(mode, mode_name, {})
        batch.array, batch.columns = array, columns
        batch.values = [tuple(map(float, row)) for row in array[-1, 1:]] if len(array) else [(0.0, 0.0, 0.0, 1.0)] * len(columns)  # type: ignore[misc]
        return batch

    def is_whole(self) -> bool:
        """True if the vertices so far form complete, separate primitives."""
        return bool(len(self)) and self.mode in EACH and len(self) % EACH[self.mode] == 0

    def __len__(self) -> int:
        return len(self.array) if self.array is not None else len(self.rows) + sum(map(len, self.chunks))
