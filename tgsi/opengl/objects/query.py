"""Query objects, sync objects and transform feedback objects. (OpenGL 4.6 core, chapters 4 and 13)"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from tgsi.opengl.registry import enums as GL

if TYPE_CHECKING:
    from tgsi.gallium import Fence
    from tgsi.opengl.objects.buffer import Buffer

KINDS = {
    GL.SAMPLES_PASSED: "OCCLUSION_COUNTER",
    GL.ANY_SAMPLES_PASSED: "OCCLUSION_PREDICATE",
    GL.ANY_SAMPLES_PASSED_CONSERVATIVE: "OCCLUSION_PREDICATE_CONSERVATIVE",
    GL.PRIMITIVES_GENERATED: "PRIMITIVES_GENERATED",
    GL.TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN: "PRIMITIVES_EMITTED",
    GL.TIME_ELAPSED: "TIME_ELAPSED",
    GL.TIMESTAMP: "TIMESTAMP",
}
"""Gallium's query types by target."""

STREAMED = frozenset((GL.PRIMITIVES_GENERATED, GL.TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN))
"""Targets with a query for each vertex stream."""


class Query:
    """A query object. `pipe` is Gallium's query, created at the first begin."""

    def __init__(self, name: int, target: int = 0) -> None:
        self.name = name
        self.target = target
        self.pipe: Any = None
        self.is_active = False
        self.has_result = False
        self.label = ""


@dataclass
class Sync:
    """A fence behind all earlier commands."""

    number: int
    fence: Fence


@dataclass
class StreamCapture:
    """A transform feedback object: buffers and capture state."""

    name: int
    _: KW_ONLY
    buffers: list[tuple[Buffer | None, int, int | None]] = field(default_factory=lambda: [(None, 0, None)] * 4)
    is_active: bool = False
    is_paused: bool = False
    mode: int = GL.POINTS
    targets: list[Any] = field(default_factory=list)
    was_drawn: bool = False
    label: str = ""
