"""Vertices of immediate mode: columns of the attributes that were set. (OpenGL 2.1, 2.6)"""

from __future__ import annotations

from typing import Any

from tgsi.opengl.registry import enums as GL

EACH = {GL.POINTS: 1, GL.LINES: 2, GL.TRIANGLES: 3, GL.QUADS: 4}
"""Modes whose primitives share no vertices, with the vertices of each."""

Values = tuple[float, float, float, float]


class Batch:
    """A primitive between glBegin and glEnd.

    `rows` has for each vertex its position and the values of `columns`; a row that was made before a column was set has fewer values, which
    are those of the context when the batch is drawn.
    """

    __slots__ = ("array", "columns", "mode", "mode_name", "resources", "rows", "values")

    def __init__(self, mode: int, mode_name: str, known: dict[int, Values]) -> None:
        self.mode = mode
        self.mode_name = mode_name
        self.columns = list(known)
        self.values: list[Values] = list(known.values())
        self.rows: list[tuple[Values, ...]] = []
        self.array: Any = None
        self.resources: dict[bool, Any] = {}

    def put(self, location: int, values: Values) -> None:
        """Set an attribute for the vertices that follow."""
        if location in self.columns:
            self.values[self.columns.index(location)] = values
        else:
            self.columns.append(location)
            self.values.append(values)

    def vertex(self, position: Values) -> None:
        """Add a vertex."""
        self.rows.append((position, *self.values))

    @classmethod
    def of_array(cls, mode: int, mode_name: str, columns: list[int], array: Any) -> Batch:
        """A batch of [vertex, 1 + column, 4] numbers."""
        made = cls(mode, mode_name, {})
        made.array, made.columns = array, columns
        made.values = [tuple(map(float, row)) for row in array[-1, 1:]] if len(array) else [(0.0, 0.0, 0.0, 1.0)] * len(columns)  # type: ignore[misc]
        return made

    def is_whole(self) -> bool:
        """True if the vertices so far are whole primitives that do not hang together."""
        return bool(self.rows) and self.mode in EACH and len(self.rows) % EACH[self.mode] == 0

    def __len__(self) -> int:
        return len(self.array) if self.array is not None else len(self.rows)
