"""Stages of several linked programs, combined: a program pipeline, or a program with fixed-function stages. (OpenGL 4.6 core, 7.4)"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from tgsi.opengl.objects.linked import BlockPlace, Linked
from tgsi.opengl.registry import enums as GL


class PartOfBlock(BlockPlace):
    """A block of a program, restricted to the slots of some stages. The program has its binding point."""

    def __init__(self, source: BlockPlace, stages: Collection[int]) -> None:
        self.source = source
        super().__init__(source.name, source.size, source.binding, [slot for slot in source.slots if slot[0] in stages], source.members)

    @property
    def binding(self) -> int:
        """The binding point that feeds the block."""
        return self.source.binding

    @binding.setter
    def binding(self, value: int) -> None:
        self.source.binding = value


class Combined(Linked):
    """Some stages of several programs. The programs keep the values of uniforms, units and binding points."""

    def __init__(self, sources: Sequence[tuple[Linked, Collection[int]]]) -> None:
        self._sources = sources
        super().__init__()
        self.parts = tuple(part for part, _ in sources)
        for part, stages in sources:
            for stage in stages:
                for name in ("shaders", "programs", "constants", "texture_units", "image_units"):
                    if stage in getattr(part, name):
                        getattr(self, name)[stage] = getattr(part, name)[stage]
            self.blocks += [PartOfBlock(item, stages) for item in part.blocks]
            self.counters += part.counters
            self.counter_bindings |= part.counter_bindings
            self.storage += [PartOfBlock(item, stages) for item in part.storage]
            if GL.VERTEX_SHADER in stages:
                self.attributes = part.attributes
            if GL.FRAGMENT_SHADER in stages:
                self.outputs = part.outputs
            if part.streamed:
                self.streamed = part.streamed
                self.feedback, self.feedback_mode, self.varyings = part.feedback, part.feedback_mode, part.varyings

    def take(self, user: int) -> bool:
        """Note that a context draws with the programs; True if another context used one of them since, or if bindings changed."""
        return bool(sum(part.take(user) for part in self.parts))

    @property
    def stale(self) -> set[int]:
        """Stages whose constants the device does not have yet."""
        return {stage for part, stages in self._sources for stage in part.stale if stage in stages}

    def note_stale(self, stages: Collection[int]) -> None:
        """Note that the device lacks the constants of these stages."""
        for part, own in self._sources:
            part.stale.update(stage for stage in stages if stage in own)

    def note_upload(self) -> None:
        """Note that the device has the constants of all stages."""
        for part, own in self._sources:
            part.stale.difference_update(own)

    def refresh(self) -> None:
        """Update constants after a part replaced its whole buffer."""
        for part, stages in self._sources:
            for stage in stages:
                if stage in part.constants:
                    self.constants[stage] = part.constants[stage]


class FixedStages:
    """The fixed-function programs of a context, and those in use.

    `units`: keys of the texture units that `linked` samples.
    `rasterizer`: whether the vertex program writes colors of back faces, and point sizes. `mixed` is `base` with fixed-function stages.
    """

    def __init__(self) -> None:
        self.vertex: dict[Any, Any] = {}
        self.fragment: dict[Any, Any] = {}
        self.linked: Linked | None = None
        self.units: tuple[Any, ...] = ()
        self.mixed: Linked | None = None
        self.base: Linked | None = None
        self.rasterizer = (False, False)
