"""glTF 2.0, as .gltf with its buffers and as .glb: the triangles of a scene with the transforms of its nodes.

A file of a stranger may be wrong in every number. Nothing is allocated by a count that the bytes of the file do not hold, and nothing
outside of the file's folder is opened. Materials, animations, skins and morph targets are ignored.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgsi.tools.compile.draw.gltf_data import Document
from tgsi.tools.compile.draw.mesh import MAX_TRIANGLES, MAX_VERTICES, Mesh, smooth_normals
from tgsi.tools.compile.errors import UsageError

_JSON, _BIN = 0x4E4F534A, 0x004E4942
_NAMES = {"NORMAL": "normal", "TEXCOORD_0": "texcoord", "COLOR_0": "color", "TANGENT": "tangent"}
"""Attributes of glTF, and ours."""
_KNOWN = ("KHR_mesh_quantization", "KHR_texture_transform", "KHR_texture_basisu", "EXT_texture_webp", "KHR_lights_punctual")
"""Extensions that a file may require: they change no triangle beyond types that are read anyway, or are ignored with the materials."""
_MODES = {0: "points", 1: "lines", 2: "line loops", 3: "line strips"}
_MAX_DEPTH = 64
_MAX_NODES = 1 << 16


def read_gltf(name: str, data: bytes) -> Mesh:
    """The mesh of a glTF file. UsageError names the part of the document that is wrong."""
    binary: bytes | None = None
    if data[:4] == b"glTF":
        data, binary = _chunks(name, data)
    try:
        root = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: no glTF: {error}") from None
    if not isinstance(root, dict) or not isinstance(root.get("asset"), dict):
        raise UsageError(f"{name}: no glTF: the document has no `asset`")
    document = Document(name, root, binary, Path(name).parent)
    if unknown := [str(item) for item in document.items(root, "extensionsRequired", str) if item not in _KNOWN]:
        raise UsageError(f"{name}: the file needs {', '.join(unknown)[:100]}, which is not read; export it without compression")
    return _Scene(document).mesh()


def _chunks(name: str, data: bytes) -> tuple[bytes, bytes | None]:
    """The document and the binary chunk of a .glb file."""
    if len(data) < 20:
        raise UsageError(f"{name}: a broken .glb: the file ends within its header")
    _, version, length = struct.unpack_from("<III", data)
    if version != 2:
        raise UsageError(f"{name}: glTF {version}; version 2 is read")
    if length > len(data):
        raise UsageError(f"{name}: a broken .glb: {length} bytes by its header, and the file has {len(data)}")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if size > length - at - 8:
            raise UsageError(f"{name}: a broken .glb: the chunk at byte {at} has {size} bytes, and {length - at - 8} are left")
        chunks.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if _JSON not in chunks:
        raise UsageError(f"{name}: a broken .glb: no JSON chunk")
    return chunks[_JSON], chunks.get(_BIN)


class _Scene:
    """The parts of a scene, which become one mesh."""

    def __init__(self, document: Document) -> None:
        self.document, self.name = document, document.name
        self.parts: list[tuple[dict[str, NDArray[np.float32]], NDArray[np.uint32]]] = []
        self.notes: dict[str, None] = {}
        self.vertices = self.triangles = 0

    def mesh(self) -> Mesh:
        """All parts as one mesh. An attribute that only some parts have is 0 in all others (1 for colors)."""
        for matrix, mesh in self._placed():
            for number, part in enumerate(self.document.items(mesh, "primitives", dict)):
                self._add(part, f"{mesh.get('name', 'a mesh')}, primitive {number}"[:80], matrix)
        if not self.parts:
            more = f" ({', '.join(self.notes)})" if self.notes else ""
            raise UsageError(f"{self.name}: an empty mesh: the scene has no triangles{more}")
        names = [name for name in ("position", *_NAMES.values()) if any(name in attributes for attributes, _ in self.parts)]
        joined = {name: np.concatenate([_filled(attributes, name) for attributes, _ in self.parts]) for name in names}
        first = np.cumsum([0, *(len(attributes["position"]) for attributes, _ in self.parts)])
        corners = np.concatenate([triangles + np.uint32(start) for start, (_, triangles) in zip(first, self.parts)])
        return Mesh(name=self.name, attributes=joined, triangles=corners, notes=tuple(self.notes))

    def _placed(self) -> Iterator[tuple[NDArray[np.float64], Mapping[str, Any]]]:
        """Each mesh of the scene with the matrix of its node; every mesh once where there is no scene."""
        document, root = self.document, self.document.root
        scenes = document.items(root, "scenes", dict)
        if not scenes:
            for mesh in document.items(root, "meshes", dict):
                yield np.eye(4), mesh
            return
        scene = document.item(root, "scenes", root.get("scene", 0))
        waiting = [(node, np.eye(4), 0) for node in reversed(document.items(scene, "nodes", int))]
        for _ in range(_MAX_NODES):
            if not waiting:
                return
            number, outer, depth = waiting.pop()
            node = document.item(root, "nodes", number)
            if depth > _MAX_DEPTH:
                raise UsageError(f"{self.name}: node {number}: more than {_MAX_DEPTH} nodes inside of each other, or a circle")
            matrix = outer @ self._matrix(node, number)
            if "mesh" in node:
                yield matrix, document.item(root, "meshes", node["mesh"])
            waiting += [(child, matrix, depth + 1) for child in reversed(document.items(node, "children", int))]
        raise UsageError(f"{self.name}: more than {_MAX_NODES} nodes in the scene")

    def _matrix(self, node: Mapping[str, Any], number: int) -> NDArray[np.float64]:
        place = f"node {number}"
        if "matrix" in node:
            return self.document.numbers(node, "matrix", 16, place).reshape(4, 4).T
        matrix = np.eye(4)
        x, y, z, w = self.document.numbers(node, "rotation", 4, place, (0, 0, 0, 1))
        length = math.sqrt(x * x + y * y + z * z + w * w) or 1.0
        x, y, z, w = x / length, y / length, z / length, w / length
        turn = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] = np.array(turn)
        matrix[:3, :3] *= self.document.numbers(node, "scale", 3, place, (1, 1, 1))
        matrix[:3, 3] = self.document.numbers(node, "translation", 3, place, (0, 0, 0))
        return matrix

    def _add(self, part: Mapping[str, Any], place: str, matrix: NDArray[np.float64]) -> None:
        """Read a primitive and move it to its place in the scene."""
        sources = part.get("attributes")
        mode = part.get("mode", 4)
        if not isinstance(sources, dict) or "POSITION" not in sources:
            raise UsageError(f"{self.name}: {place} has no POSITION")
        if mode in _MODES:
            self.notes[f"{_MODES[mode]} are left out"] = None
            return
        if mode not in (4, 5, 6):
            raise UsageError(f"{self.name}: {place}: the mode {mode!r} is not one of 0 to 6")
        attributes = {"position": self.document.accessor(sources["POSITION"], f"POSITION of {place}", (3,))}
        count = len(attributes["position"])
        for name, ours in _NAMES.items():
            if name in sources:
                widths = {"texcoord": (2,), "color": (3, 4), "tangent": (4,)}.get(ours, (3,))
                attributes[ours] = self.document.accessor(sources[name], f"{name} of {place}", widths)
                if len(attributes[ours]) != count:
                    raise UsageError(f"{self.name}: {name} of {place} has {len(attributes[ours])} rows, and POSITION {count}")
        triangles = self._triangles(part, place, mode, count)
        self.vertices, self.triangles = self.vertices + count, self.triangles + len(triangles)
        if self.vertices > MAX_VERTICES or self.triangles > MAX_TRIANGLES:
            raise UsageError(f"{self.name}: more than {MAX_VERTICES} vertices or {MAX_TRIANGLES} triangles")
        if len(triangles):
            self.parts.append((self._moved(attributes, triangles, matrix, place), _turned(triangles, matrix)))

    def _triangles(self, part: Mapping[str, Any], place: str, mode: int, count: int) -> NDArray[np.uint32]:
        """Vertex numbers of triangles; strips and fans written out."""
        if "indices" in part:
            numbers = self.document.indices(part["indices"], f"indices of {place}")
            if len(numbers) and int(numbers.max()) >= count:
                raise UsageError(f"{self.name}: indices of {place}: vertex {int(numbers.max())}, and there are {count}")
        else:
            numbers = np.arange(count, dtype=np.uint32)
        if mode == 4:
            return numbers[: len(numbers) // 3 * 3].reshape(-1, 3)
        k = np.arange(max(len(numbers) - 2, 0))
        if mode == 6:
            return numbers[np.stack([0 * k, k + 1, k + 2], 1)] if len(k) else np.zeros((0, 3), np.uint32)
        return numbers[np.stack([k, k + 1 + k % 2, k + 2 - k % 2], 1)]

    def _moved(self, attributes: dict[str, Any], triangles: Any, matrix: NDArray[np.float64], place: str) -> dict[str, Any]:
        """The attributes in the scene's coordinates, with v of texture coordinates growing upward."""
        with np.errstate(all="ignore"):
            points = attributes["position"].astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
            moved = {"position": points.astype(np.float32)}
            if not np.isfinite(moved["position"]).all() or np.abs(moved["position"]).max(initial=0) > 1e18:
                raise UsageError(f"{self.name}: {place}: a position is NaN, infinite or beyond 1e18")
            if "normal" in attributes:
                scale = np.linalg.det(matrix[:3, :3])
                turn = np.linalg.inv(matrix[:3, :3]) if scale else np.eye(3)
                moved["normal"] = _unit(attributes["normal"].astype(np.float64) @ turn)
            else:
                moved["normal"] = smooth_normals(moved["position"], _turned(triangles, matrix))
                self.notes["no normals in the file; computed as the mean of the triangles around each vertex"] = None
            if "tangent" in attributes:
                wide = attributes["tangent"].astype(np.float64)
                moved["tangent"] = np.concatenate([_unit(wide[:, :3] @ matrix[:3, :3].T), wide[:, 3:].astype(np.float32)], 1)
        if "texcoord" in attributes:
            moved["texcoord"] = attributes["texcoord"] * np.array([1, -1], np.float32) + np.array([0, 1], np.float32)
        if "color" in attributes:
            color = attributes["color"]
            moved["color"] = color if color.shape[1] == 4 else np.concatenate([color, np.ones((len(color), 1), np.float32)], 1)
        return moved


def _turned(triangles: NDArray[np.uint32], matrix: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Triangles that keep their outer side if the matrix mirrors."""
    return np.ascontiguousarray(triangles[:, ::-1]) if np.linalg.det(matrix[:3, :3]) < 0 else triangles


def _unit(values: NDArray[np.float64]) -> NDArray[np.float32]:
    length = np.sqrt((values**2).sum(1, keepdims=True))
    return np.where(length > 0, values / length, values).astype(np.float32)


def _filled(attributes: Mapping[str, NDArray[np.float32]], name: str) -> NDArray[np.float32]:
    if name in attributes:
        return attributes[name]
    count, width = len(attributes["position"]), {"texcoord": 2, "normal": 3}.get(name, 4)
    return np.full((count, width), 1 if name == "color" else 0, np.float32)
