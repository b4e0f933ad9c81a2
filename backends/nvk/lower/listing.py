"""Text of the memory of lowered programs: contents of output ATTR and MAP by byte."""

from __future__ import annotations

from collections.abc import Iterator

from backends.nvk.isbe.attributes import Attributes
from backends.nvk.isbe.index_map import COUNT_BYTES
from backends.nvk.isbe.task_output import PAYLOAD_START
from backends.nvk.lower.code import LoweredMesh, LoweredTask


def memory_lines(lowered: LoweredTask | LoweredMesh) -> Iterator[str]:
    """A line for each part, e.g. ``0x0000 .. 0x05ff  8 vertices, skewed: 0x070 0x074 0x078 0x07c``."""
    if isinstance(lowered, LoweredTask):
        task = lowered.output
        yield _part("O.ATTR", 0, PAYLOAD_START, "reserved words")
        yield _part("O.ATTR", PAYLOAD_START, task.payload_end, "payload")
        yield _part("O.ATTR", task.shared_start, task.shared_start + task.shared_bytes, "shared memory")
        return
    mesh, index_map = lowered.output, lowered.index_map
    yield _part("O.MAP", 0, COUNT_BYTES, "number of primitives")
    yield _part("O.MAP", COUNT_BYTES, index_map.used_bytes, f"vertex numbers of {mesh.max_primitives} primitives")
    yield _part("O.ATTR", 0, mesh.primitive_start, f"{mesh.max_vertices} vertices, skewed: {_words(mesh.vertex)}")
    yield _part("O.ATTR", mesh.primitive_start, mesh.attribute_bytes, f"{mesh.max_primitives} primitives, skewed: {_words(mesh.primitive)}")
    yield _part("O.ATTR", mesh.shared_start, mesh.shared_start + mesh.shared_bytes, "shared memory")


def _part(region: str, start: int, end: int, text: str) -> str:
    return f"{region:6}  {start:#06x} .. {end - 1:#06x}  {text}" if end > start else f"{region:6}  {'none':16}  {text}"


def _words(attributes: Attributes) -> str:
    return f"attributes {attributes}"
