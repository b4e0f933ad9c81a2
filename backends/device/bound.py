"""The state that a context hands to the renderer with a draw: plain descriptions of memory, bindings and state.

Everything in a `DrawState` except memory is copied when `Renderer.draw` returns. Memory is named by address; the object
that owns it travels along as `keepalive`. Vertex, index and texture memory is read later, when the front end or the tiles
run: ask `Renderer.uses(address, size)` and call `Renderer.flush()` before writing to it.
"""

from __future__ import annotations

import itertools
from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING

from backends.device.residents import Residents
from backends.device.tables import BufferTable, ImageTable
from linkage.options import IDENTITY, LinkState
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import LAST_STAGES, MESH_PIPELINE, PIPELINE
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.device.memory import BoundSampler, BoundVertexBuffer, BoundView, Constants, Memory
    from backends.formats import Format
    from backends.pipe.state import (
        BlendState,
        DepthStencilAlphaState,
        RasterizerState,
        ScissorState,
        StreamOutputInfo,
        VertexElement,
        ViewportState,
    )
    from tgsi.language.program import Program


_VERT, _FRAG, _TASK, _MESH = (int(stage) for stage in (Processor.VERT, Processor.FRAG, Processor.TASK, Processor.MESH))
_SHORT_PIPELINE = (_VERT, _FRAG)
_FROM_LAST = tuple(int(processor) for processor in reversed(LAST_STAGES))

_serials = itertools.count(1)
_revisions = itertools.count(1)


@record
class Surface:
    """One level of a resource that is rendered to; layer k begins at `address + k * layer_stride`, each sample has a plane.

    Storage rule (backends/gallium/resource/resource.py): address a multiple of 64, row_stride an odd number of 64-byte lines, rows and
    columns padded to whole 64 x 64 tiles, 64 bytes of slack after the end. Surfaces must keep to it.
    """

    address: int
    row_stride: int  # bytes
    format: Format
    width: int  # pixels
    height: int
    _: KW_ONLY
    layer_stride: int = 0  # bytes
    layers: int = 1
    samples: int = 1
    sample_stride: int = 0  # bytes from a sample's plane to the next
    keepalive: object = field(default=None, compare=False, repr=False)


@record
class Framebuffer:
    """The bound render targets. Writes to a color buffer that is `None` are dropped."""

    width: int
    height: int
    cbufs: tuple[Surface | None, ...] = ()
    zsbuf: Surface | None = None
    layers: int = 1  # number of layers that primitives may be drawn to
    samples: int = 1  # samples of a pixel, the same for every target

    @property
    def formats(self) -> list[Format | None]:
        """The format of each color buffer."""
        return [s.format if s is not None else None for s in self.cbufs]

    @property
    def has_float_colors(self) -> bool:
        """True if any color buffer holds floats."""
        return any(s is not None and any(c.type.value == "float" for c in s.format.channels) for s in self.cbufs)


def clamps(is_on: bool, rasterizer: RasterizerState, framebuffer: Framebuffer) -> bool:
    """Return true if a clamp of colors is in force: `is_on`, and not suspended by `clamp_fixed_only` with a float color buffer."""
    return is_on and not (rasterizer.clamp_fixed_only and framebuffer.has_float_colors)


@record(frozen=False, eq=False)
class Shader:
    """The handle that create_vs_state and create_fs_state return: a validated program and a number that is never reused.

    The renderer keeps the compiled variants of a program by that number."""

    program: Program
    serial: int = field(default_factory=lambda: next(_serials))
    stream_output: StreamOutputInfo | None = None
    is_destroyed: bool = False


@record(frozen=False, eq=False)
class StreamTarget:
    """A range of memory that stream output writes; `offset` counts the bytes written so far."""

    address: int
    size: int  # bytes
    keepalive: object = field(default=None, repr=False)
    offset: int = 0
    stride: int = 0  # bytes from one vertex to the next; 0 as long as nothing was written


@record(frozen=False, kw_only=True)
class StageState:
    """A shader stage of a context: its shader and its bound resources by slot; a `None` entry is an empty slot.

    `DrawState.bind` binds another shader; the lists are changed in place."""

    shader: Shader | None = None
    constants: list[Memory | Constants | None] = field(default_factory=list)
    views: list[BoundView | None] = field(default_factory=list)
    samplers: list[BoundSampler | None] = field(default_factory=list)
    buffers: BufferTable = field(default_factory=BufferTable)
    images: ImageTable = field(default_factory=ImageTable)
    residents: Residents = field(default_factory=Residents)  # the context's own, for all stages


def new_stages() -> tuple[StageState, ...]:
    """One empty stage for each processor, at its number."""
    return tuple(StageState() for _ in Processor)


@record(frozen=False, kw_only=True)
class DrawState:
    """All state that is bound and that a draw needs. The context owns one, changes its fields, and passes it to every draw.

    Assign a new tuple or state object to change a field: the renderer recognizes unchanged fields by identity. Lists of a StageState may be
    changed in place, its shader by `bind`. `revision` changes whenever a field is given another object, or a stage another shader.

    `stage` is indexed by Processor, or by ShaderType, which has the same numbers. The compute stage's entry holds its bindings only.
    """

    rasterizer: RasterizerState
    blend: BlendState
    depth_stencil_alpha: DepthStencilAlphaState
    stage: tuple[StageState, ...] = field(default_factory=new_stages)  # by Processor; without a fragment shader: depth and stencil only
    vertex_elements: tuple[VertexElement, ...] = ()
    vertex_buffers: tuple[BoundVertexBuffer | None, ...] = ()
    index_buffer: Memory | None = None  # of an indexed draw; DrawInfo.start counts indices from its address
    counters: BufferTable = field(default_factory=BufferTable)  # of HWATOMIC, for all stages
    memory: object | None = None  # replaced whenever buffers, images or counters change; None: none was ever bound
    blend_color: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    stencil_ref: tuple[int, int] = (0, 0)  # front, back
    viewports: tuple[ViewportState, ...] = ()
    scissors: tuple[ScissorState, ...] = ()
    sample_mask: int = 0xFFFFFFFF
    min_samples: int = 0  # least number of invocations of the fragment shader in a pixel
    polygon_stipple: tuple[int, ...] | None = None  # 32 words, MSB leftmost
    window_rectangles: tuple[bool, tuple[ScissorState, ...]] = (False, ())  # True: only their inside is drawn
    clip_planes: tuple[tuple[float, float, float, float], ...] = ()
    link: LinkState = IDENTITY  # assignment of outputs to fragment inputs
    has_stages: bool = False  # draws have more stages than vertex and fragment shader, or stream output
    tess_levels: tuple[tuple[float, ...], tuple[float, ...]] = ((1.0,) * 4, (1.0,) * 2)  # outer, inner; of patches without a control shader
    patch_vertices: int = 3  # of draws whose DrawInfo leaves it 0
    stream_targets: tuple[StreamTarget | None, ...] = ()
    count_samples: bool = False  # an occlusion query is active
    count_statistics: bool = False  # a pipeline statistics query is active
    revision: int = field(default=0, init=False, compare=False)

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, name, _revisions) is not value:
            object.__setattr__(self, name, value)
            object.__setattr__(self, "revision", next(_revisions))

    @property
    def vertex(self) -> StageState:
        """The vertex stage."""
        return self.stage[_VERT]

    @property
    def fragment(self) -> StageState:
        """The fragment stage."""
        return self.stage[_FRAG]

    @property
    def task(self) -> StageState:
        """The task stage, which only draws of meshes have."""
        return self.stage[_TASK]

    @property
    def mesh(self) -> StageState:
        """The mesh stage. While it has a shader, draws are draws of meshes."""
        return self.stage[_MESH]

    def bind(self, processor: int, shader: Shader | None) -> None:
        """Give a stage another shader; None empties it."""
        stage = self.stage[processor]
        if stage.shader is not shader:
            stage.shader = shader
            object.__setattr__(self, "revision", next(_revisions))

    def last_shader(self) -> Shader | None:
        """The shader of the last stage before the rasterizer: the mesh shader while one is bound."""
        for processor in _FROM_LAST:
            if (shader := self.stage[processor].shader) is not None:
                return shader
        return None

    def drawn_stages(self) -> list[StageState]:
        """The stages that a draw goes through, in order; some may lack a shader."""
        if not self.has_stages:
            return [self.stage[processor] for processor in _SHORT_PIPELINE]
        return [self.stage[processor] for processor in (PIPELINE if self.mesh.shader is None else MESH_PIPELINE)]
