"""Wavefront OBJ: v, vt, vn and f, with polygons, negative indices and colors of vertices. Materials and everything else are ignored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tgsi.tools.compile.draw.mesh import MAX_TRIANGLES, MAX_VERTICES, Mesh, smooth_normals
from tgsi.tools.compile.errors import UsageError

_MAX_SHOWN = 60
_LARGEST = 1e18
"""Coordinates beyond this would overflow the squares of lengths in float32."""

_KINDS = {"v": (3, "v x y z"), "vt": (1, "vt u v"), "vn": (3, "vn x y z")}
"""Lists of numbers, the fewest numbers of an entry, and the form in messages."""


class _Reader:
    """The lists of a file, and the vertices that its faces make of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line, self.text = 0, ""
        self.lists: dict[str, list[list[float]]] = {"v": [], "vt": [], "vn": []}
        self.vertices: dict[tuple[int, int, int], int] = {}
        self.triangles: list[tuple[int, int, int]] = []
        self.quads: list[tuple[int, ...]] = []
        self.polygons = 0

    def fail(self, reason: str) -> NoReturn:
        """Raise the error of a line."""
        raise UsageError(f"{self.name}:{self.line}: {reason}: {self.text.strip()[:_MAX_SHOWN]!r}")

    def read(self, text: str) -> None:
        """Read all lines."""
        pending = ""
        for self.line, line in enumerate(text.splitlines(), 1):
            if line.endswith("\\"):
                pending += line[:-1] + " "
                continue
            self.text, pending = pending + line, ""
            word, *rest = self.text.partition("#")[0].split() or [""]
            if word in self.lists:
                self.lists[word].append(self._numbers(word, rest))
                if len(self.lists[word]) > MAX_VERTICES:
                    self.fail(f"more than {MAX_VERTICES} lines of {word}")
            elif word == "f":
                self._face(rest)

    def _numbers(self, word: str, rest: Sequence[str]) -> list[float]:
        fewest, form = _KINDS[word]
        try:
            numbers = [float(item) for item in rest[:7]]
        except ValueError:
            self.fail(f"expected numbers, as `{form}`")
        if len(numbers) < fewest:
            self.fail(f"expected {fewest} numbers, as `{form}`")
        if not all(math.isfinite(item) and abs(item) < _LARGEST for item in numbers):
            self.fail(f"expected numbers below {_LARGEST:g}, none of them NaN or infinite")
        return numbers

    def _face(self, corners: Sequence[str]) -> None:
        if len(corners) < 3:
            self.fail("a face has at least three corners")
        face = [self._corner(corner) for corner in corners]
        self.polygons += 1
        if len(face) == 4:
            self.quads.append(tuple(face))
        self.triangles += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
        if len(self.triangles) > MAX_TRIANGLES or len(self.vertices) > MAX_VERTICES:
            self.fail(f"more than {MAX_TRIANGLES} triangles or {MAX_VERTICES} vertices")

    def _corner(self, text: str) -> int:
        parts = text.split("/")
        try:
            numbers = [int(part) if part else 0 for part in parts]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 3 or not parts[0]:
            self.fail(f"the corner {text[:20]!r} is not one of v, v/vt, v//vn, v/vt/vn")
        places = []
        for (word, items), number in zip(self.lists.items(), [*numbers, 0, 0]):
            place = number - 1 if number > 0 else number + len(items) if number < 0 else -1
            if number and not 0 <= place < len(items):
                self.fail(f"the corner {text[:20]!r} names {word} {number}, and there are {len(items)} so far")
            places.append(place)
        if places[0] < 0:
            self.fail(f"the corner {text[:20]!r} names vertex 0; numbers begin with 1")
        key = places[0], places[1], places[2]
        return self.vertices.setdefault(key, len(self.vertices))


def read_obj(name: str, data: bytes) -> Mesh:
    """The mesh of an OBJ file. UsageError names the line that is wrong."""
    reader = _Reader(name)
    reader.read(data.decode("utf-8", "replace"))
    if not reader.triangles:
        has = f"{len(reader.lists['v'])} vertices, but no faces" if reader.lists["v"] else "neither vertices nor faces"
        raise UsageError(f"{name}: an empty mesh: the file has {has} (lines as `f 1 2 3`)")
    keys = np.array(list(reader.vertices), np.int64)
    triangles = np.array(reader.triangles, np.uint32)
    attributes: dict[str, Any] = {"position": _rows(reader.lists["v"], keys[:, 0], 3)}
    notes = []
    if (keys[:, 2] >= 0).all():
        attributes["normal"] = _rows(reader.lists["vn"], keys[:, 2], 3)
    else:
        attributes["normal"] = _normals(keys[:, 0], reader, triangles)
        notes.append("no normals in the file; computed as the mean of the triangles around each vertex")
    if (keys[:, 1] >= 0).all():
        attributes["texcoord"] = _rows(reader.lists["vt"], keys[:, 1], 2)
    if all(len(item) >= 6 for item in reader.lists["v"]):
        colors = _rows([item[3:6] for item in reader.lists["v"]], keys[:, 0], 3)
        attributes["color"] = np.concatenate([colors, np.ones((len(colors), 1), np.float32)], 1)
    quads = np.array(reader.quads, np.uint32) if len(reader.quads) == reader.polygons else None
    return Mesh(name=name, attributes=attributes, triangles=triangles, quads=quads, notes=tuple(notes))


def _rows(items: Sequence[Sequence[float]], places: Any, count: int) -> Any:
    """The first numbers of chosen entries; missing ones are 0."""
    table = np.zeros((len(items), count), np.float32)
    lengths = np.array([len(item) for item in items])
    for length in sorted(set(lengths.tolist())):
        at = np.flatnonzero(lengths == length)
        wide = np.array([items[k] for k in at.tolist()], np.float64)[:, :count]
        table[at, : wide.shape[1]] = wide
    return table[places]


def _normals(places: Any, reader: _Reader, triangles: Any) -> Any:
    """Normals by position, so that vertices which differ in their texture coordinates alone share one."""
    table = _rows(reader.lists["v"], np.arange(len(reader.lists["v"])), 3)
    return smooth_normals(table, places[triangles].astype(np.uint32))[places]
