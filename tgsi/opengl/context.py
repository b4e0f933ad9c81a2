"""A context of OpenGL: its bindings, its state, and the Gallium context that draws for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

from tgsi.gallium import DrawInfo, Screen
from tgsi.opengl.host import Host
from tgsi.opengl.lists import DisplayList
from tgsi.opengl.objects.buffer import Buffer
from tgsi.opengl.objects.combined import FixedStages
from tgsi.opengl.objects.framebuffer import Attachment, Framebuffer
from tgsi.opengl.objects.linked import Linked
from tgsi.opengl.objects.pipeline import Pipeline
from tgsi.opengl.objects.program import Program
from tgsi.opengl.objects.query import Query, StreamCapture
from tgsi.opengl.objects.renderbuffer import Renderbuffer
from tgsi.opengl.objects.sampler import Sampler
from tgsi.opengl.objects.texture import TARGETS, Texture
from tgsi.opengl.objects.vertex_array import ALL_ATTRIBUTES, VertexArray
from tgsi.opengl.pixels.internal_formats import find_format
from tgsi.opengl.registry import enums as GL
from tgsi.opengl.share import Names, Share
from tgsi.opengl.state import dirty
from tgsi.opengl.state.batch import Batch
from tgsi.opengl.state.fixed import COLOR, EDGE, NORMAL, FixedState
from tgsi.opengl.state.legacy import LegacyState
from tgsi.opengl.state.values import DEFAULT_ENABLED, MAX_DRAW_BUFFERS, ClearValues, FragmentState, PixelStore, RasterState

MAX_TEXTURE_UNITS = 96
MAX_UNIFORM_BINDINGS = 84
MAX_STORAGE_BINDINGS = 32
MAX_IMAGE_UNITS = 32

CORE, COMPATIBILITY, ES = "core", "compatibility", "es"


class TextureUnit:
    """The textures of one unit by target, and its sampler object."""

    __slots__ = ("sampler", "textures")

    def __init__(self) -> None:
        self.textures: dict[int, Texture] = {}
        self.sampler: Sampler | None = None


class Range:
    """A buffer at an indexed binding point; a `size` of None means up to the end of the buffer."""

    __slots__ = ("buffer", "offset", "size")

    def __init__(self, buffer: Buffer | None = None, offset: int = 0, size: int | None = None) -> None:
        self.buffer, self.offset, self.size = buffer, offset, size

    def length(self) -> int:
        """Length of the range in bytes."""
        if self.buffer is None:
            return 0
        remaining = max(0, self.buffer.size - self.offset)
        return remaining if self.size is None else min(remaining, self.size)


def _initial_attributes() -> list[tuple[str, tuple[Any, ...]]]:
    """Current values of the vertex attributes of a new context, each with its type: "f" for floats."""
    attributes: list[tuple[str, tuple[Any, ...]]] = [("f", (0.0, 0.0, 0.0, 1.0))] * ALL_ATTRIBUTES
    attributes[NORMAL] = "f", (0.0, 0.0, 1.0, 1.0)
    attributes[EDGE] = "f", (1.0, 0.0, 0.0, 1.0)
    attributes[COLOR] = "f", (1.0, 1.0, 1.0, 1.0)
    return attributes


class Context(Host):
    """The state of one context. Commands of `tgsi.opengl.commands` change it; `tgsi.opengl.drawing` translates it to Gallium's state."""

    fixed_program: ClassVar[Callable[[Any], Linked]]
    """Function that creates the fixed-function program for a context; set by `tgsi.opengl.fixed.pipeline`."""
    mixed_program: ClassVar[Callable[[Any, Linked], Linked]]
    """Function that adds fixed-function stages to a program that lacks some; set by `tgsi.opengl.fixed.pipeline`."""
    put_state: ClassVar[Callable[[Any, Linked, int], None]]
    """Function that writes a program's built-in state uniforms; set by `tgsi.opengl.fixed.state_uniforms`."""

    def __init__(
        self,
        screen: Screen,
        *,
        profile: str = COMPATIBILITY,
        version: tuple[int, int] = (4, 3),
        share: Share | None = None,
        is_debug: bool = False,
    ) -> None:
        super().__init__(screen, is_debug=is_debug)
        self.share = share or Share()
        if self.native is not None:
            self.share.natives.add(self.native)
        self.profile, self.version = profile, version
        self.enabled = set(DEFAULT_ENABLED)
        self.fragment, self.raster, self.clear_values = FragmentState(), RasterState(), ClearValues()
        self.pack, self.unpack = PixelStore(), PixelStore()
        self.buffers: dict[str, Buffer | None] = {}
        self.uniform_buffers = [Range() for _ in range(MAX_UNIFORM_BINDINGS)]
        self.storage_buffers = [Range() for _ in range(MAX_STORAGE_BINDINGS)]
        self.atomic_buffers = [Range() for _ in range(8)]
        self.image_units: list[tuple[Any, ...] | None] = [None] * MAX_IMAGE_UNITS
        self.vertex_arrays: Names[VertexArray] = Names()
        self.default_vertex_array = VertexArray(0)
        self.vertex_array = self.default_vertex_array
        self.attributes = _initial_attributes()
        self.units = [TextureUnit() for _ in range(MAX_TEXTURE_UNITS)]
        self.active_unit = 0
        self.default_textures = {target: Texture(0, target) for target in TARGETS}
        self.framebuffers: Names[Framebuffer] = Names()
        self.default_framebuffer = Framebuffer(0, is_default=True)
        self.draw_framebuffer = self.read_framebuffer = self.default_framebuffer
        self.renderbuffer: Renderbuffer | None = None
        self.program: Program | None = None
        self.pipelines: Names[Pipeline] = Names()
        self.pipeline: Pipeline | None = None
        self.subroutines: dict[int, list[int]] = {}
        """Selected functions of the current stages, by location; the default is the first compatible one."""
        self.queries: Names[Query] = Names()
        self.active_queries: dict[tuple[int, int], Query] = {}
        self.captures: Names[StreamCapture] = Names()
        self.default_capture = StreamCapture(0)
        self.capture = self.default_capture
        self.restart_index = 0
        self.draws: dict[tuple[str, int, int, int, int, int], DrawInfo] = {}
        self.fixed = FixedState()
        self.legacy = LegacyState()
        self.stages = FixedStages()
        self.batch: Batch | None = None
        self.list: DisplayList | None = None
        self.programs: dict[Any, Linked] = {}
        self.hints: dict[int, float] = {}
        self.proxies: dict[tuple[int, int], tuple[tuple[int, int, int], int]] = {}
        """Size and internal format of the last images of proxy targets, by target and level."""
        self.is_conditional = False
        self.dirty = dirty.ALL
        self.generation = -1
        self.is_destroyed = False
        self.present: Callable[[], None] = lambda: None
        """Function that shows the default framebuffer; set by the doors of windows and of OSMesa."""

    @property
    def generation_of_storage(self) -> int:
        """Counter of storage changes of buffers, textures and renderbuffers in the share group."""
        return self.share.generation

    def note_storage(self) -> None:
        """Note that an object got new storage, so that bindings in every context are stale."""
        self.share.note_storage()

    # -- storage of the default framebuffer
    def resize(self, width: int, height: int, *, color: int = GL.RGBA8, depth: int = GL.DEPTH24_STENCIL8, samples: int = 0) -> None:
        """Allocate the default framebuffer's buffers, and the first time set viewport and scissor to their size. 0 x 0 removes them."""
        framebuffer = self.default_framebuffer
        if self.native is not None:
            self.native.valid[0] = 0
        framebuffer.attachments.clear()
        for points, internal in (((GL.BACK_LEFT, GL.FRONT_LEFT), color), ((GL.DEPTH_ATTACHMENT, GL.STENCIL_ATTACHMENT), depth)):
            row = find_format(internal)
            if not internal or row is None or not width or not height:
                continue
            buffer = Renderbuffer(0)
            buffer.allocate(self, internal, row, (width, height), samples)
            for point in points:
                framebuffer.attachments[point] = Attachment(buffer)
        framebuffer.changed(self)
        if "size" not in self.bound and width and height:
            self.bound["size"] = True
            self.raster.viewports = [(0.0, 0.0, float(width), float(height))] * len(self.raster.viewports)
            self.raster.scissors = [(0, 0, width, height)] * len(self.raster.scissors)
        self.dirty |= dirty.FRAMEBUFFER | dirty.VIEWPORT | dirty.SCISSOR

    # -- queries of several commands
    def detach(self, item: Renderbuffer | Texture) -> None:
        """Detach a deleted texture or renderbuffer from the bound framebuffers."""
        for framebuffer in {self.draw_framebuffer, self.read_framebuffer}:
            points = [point for point, attachment in framebuffer.attachments.items() if attachment.item is item]
            for point in points:
                del framebuffer.attachments[point]
            if points:
                framebuffer.changed(self)
                self.dirty |= dirty.FRAMEBUFFER

    def texture_at(self, target: int) -> Texture:
        """The texture that is bound to a target of the active unit."""
        return self.units[self.active_unit].textures.get(target) or self.default_textures[target]

    def active_linked(self) -> Linked | None:
        """The last successful link of the current program, completed by fixed-function stages; the fixed-function program without one."""
        linked = self.own_linked()
        if self.program is None and linked is None:
            return None if self.profile != COMPATIBILITY else type(self).fixed_program(self)
        if self.profile != COMPATIBILITY or linked is None or not (linked.lacks(GL.VERTEX_SHADER) or linked.lacks(GL.FRAGMENT_SHADER)):
            return linked
        return type(self).mixed_program(self, linked)

    def has_fixed_vertex(self) -> bool:
        """True if the fixed-function pipeline transforms vertices."""
        linked = self.own_linked()
        return self.profile == COMPATIBILITY and (linked is None or linked.lacks(GL.VERTEX_SHADER))

    def own_linked(self) -> Linked | None:
        """The linked current program or pipeline, without fixed-function stages."""
        if self.program is not None:
            return self.program.linked
        return self.pipeline.linked() if self.pipeline is not None else None

    def uniform_program(self) -> Program | None:
        """The program whose uniforms glUniform sets."""
        return self.program if self.program is not None or self.pipeline is None else self.pipeline.active

    def is_core(self) -> bool:
        """True in the core profile and in OpenGL ES, which have no fixed-function pipeline."""
        return self.profile != COMPATIBILITY

    def color_of(self, index: int) -> Attachment | None:
        """The attachment of draw buffer `index`."""
        framebuffer = self.draw_framebuffer
        return framebuffer.color(framebuffer.draw_buffers[index]) if index < MAX_DRAW_BUFFERS else None

    def destroy(self) -> None:
        """Destroy the Gallium context, which executes pending work. At the end of the interpreter, its threads have already ended."""
        if not self.is_destroyed and not sys.is_finalizing():
            if self.watch is not None:
                self.watch.end(self)
            self.is_destroyed = True
            self.pipe.destroy()
