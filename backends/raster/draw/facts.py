"""Facts of a draw: bound state, and the conclusions from it that several steps of writing a `Draw` record share.

A step may read facts only, so equal facts give equal bytes (`backends.raster.draw.steps`). Conclusions omit state without effect, so that
more draws share their results.
"""

from __future__ import annotations

from enum import IntEnum, auto

from backends.device.bound import DrawState, Shader
from backends.device.commands.bound_record import HEAD_WORDS, Word, shader_word
from backends.device.commands.numbers import CLASS_SHIFT
from backends.device.framebuffer import FramebufferKind
from backends.formats import Format
from backends.pipe.enums import CompareFunc, Face
from backends.raster.draw.link import Linked
from backends.raster.samples import Pattern
from backends.raster.tile.buffer_keys import DepthKey, TargetKeys
from backends.raster.tile.fragment import Marks, SlotInfo
from tgsi.language.facts.enums import Processor
from tgsi.language.record import record


class Fact(IntEnum):
    """Facts, in the order of their numbers in a key: words of the bound state, values of the call, then conclusions."""

    RASTERIZER = Word.RASTERIZER
    BLEND = Word.BLEND
    DEPTH_STENCIL_ALPHA = Word.DEPTH_STENCIL_ALPHA
    VERTEX_ELEMENTS = Word.VERTEX_ELEMENTS
    LINK = Word.LINK
    SAMPLE_MASK = Word.SAMPLE_MASK
    MIN_SAMPLES = Word.MIN_SAMPLES
    COUNT_SAMPLES = Word.COUNT_SAMPLES
    COUNT_STATISTICS = Word.COUNT_STATISTICS
    SAMPLE_LOCATIONS = Word.SAMPLE_LOCATIONS
    VIEWPORTS = Word.VIEWPORTS  # whether any is set
    WINDOW_RECTANGLES = Word.WINDOW_RECTANGLES  # whether pixels inside are drawn, and their number
    CLIP_PLANES = Word.CLIP_PLANES  # their number
    POLYGON_STIPPLE = Word.POLYGON_STIPPLE  # whether it is set
    VERTEX = shader_word(Processor.VERT)  # the last shader before the rasterizer
    FRAGMENT = shader_word(Processor.FRAG)
    FRAMEBUFFER = HEAD_WORDS  # FramebufferKind
    MODE = auto()
    INDEX_SIZE = auto()  # bytes
    IS_WRITTEN_OUT = auto()  # vertex numbers are written out, corner after corner
    IS_TINY = auto()
    IS_FEW = auto()
    IS_STORED = auto()  # other stages leave the vertices in memory
    VERTEX_NEEDS = auto()  # ShaderNeeds
    FRAGMENT_NEEDS = auto()
    WRITES = auto()
    INTERFACE = auto()
    IS_WINDOW_SPACE = auto()
    TOPOLOGY = auto()
    SHAPE = auto()
    IS_CONSERVATIVE = auto()
    SLOT_RULES = auto()
    TILE_RULES = auto()
    FRONT = auto()
    TILE_SLOTS = auto()
    LAYOUT = auto()  # of vertex fetch: the key of its kernel
    VERTEX_LANES = auto()
    VERTEX_KEYS = auto()  # StageKeys
    FRAGMENT_KEYS = auto()
    TESTS = auto()
    TARGETS = auto()
    USED_INPUTS = auto()  # flat inputs of the fragment shader whose bits are used, one bit a register
    EXPOSED = auto()  # outputs of the vertex shader whose bits are used


@record
class Interface:
    """The interface between a vertex and a fragment shader, as used by setup.

    Attributes:
        slots: varyings of the fragment shader.
        point_slot: setup slot of PCOORD, or None.
        reads_primitive: the fragment shader reads the number of the primitive.
        compares_depth: the fragment shader compares a coordinate with a depth texture.
    """

    linked: Linked
    slots: tuple[SlotInfo, ...]
    point_slot: int | None
    reads_primitive: bool
    compares_depth: bool


@record(kw_only=True)
class SlotRules:
    """Rasterizer state that determines the slots of vertex records.

    Attributes:
        flatshade: colors are flat.
        clamps_color: colors are clamped before they are interpolated.
        has_place: fragments read their position on a line or point.
        has_back: back faces have separate colors.
        has_edge_flags: flags of edges have an effect.
        has_point_size: the size of points comes from the shader, if it writes one.
        sprites: `sprite_coord_enable` where all primitives are points, otherwise None.
        has_layers: the framebuffer has several.
        has_offset: polygons have a depth offset before they become lines or points.
        wants_route: setup records end with layer, viewport and depth range even if vertices name neither.
        is_filled: primitives are filled triangles.
        planes: `clip_plane_enable`.
        num_planes: user planes that are set, if any is enabled.
    """

    flatshade: bool
    clamps_color: bool
    has_place: bool
    has_back: bool
    has_edge_flags: bool
    has_point_size: bool
    sprites: int | None
    has_layers: bool
    has_offset: bool
    wants_route: bool
    is_filled: bool
    planes: int
    num_planes: int


@record(kw_only=True)
class TileRules:
    """Rasterizer state that affects shading, except flat colors.

    Attributes:
        stipple: faces whose polygons are stippled. pattern: of samples; None for targets with one sample.
        is_per_sample: `force_persample_interp`, if there is a pattern.
        drops_samples: the sample mask leaves some out.
        has_masks: sample masks written by programs have an effect (OpenGL 4.6 core, 17.3.3: only under multisample rules).
        is_offset: the depth of filled polygons has an offset.
    """

    marks: Marks
    stipple: Face
    clamps_color: bool
    pattern: Pattern | None
    is_per_sample: bool
    drops_samples: bool
    has_masks: bool
    is_offset: bool


@record
class Front:
    """Slots for the kernels of the front end.

    Attributes:
        has_route: setup records end with layer, viewport and depth range.
        has_rows: some slots are values of the primitive's row.
        has_distances: vertices have clip or cull distances.
        has_places: primitives have separate vertex records.
        may_join: calls of filled triangles may be set up together.
    """

    has_route: bool
    has_rows: bool
    has_distances: bool
    has_places: bool
    may_join: bool


@record
class TileSlots:
    """Slots for shading; `sprites` and `constants` as in VertexSlots. Primitives may name layers and viewports.

    flatshade: a color without its own interpolation qualifier is flat.
    """

    flatshade: bool
    sprites: int
    constants: int
    has_layer: bool
    has_viewport: bool


@record
class Tests:
    """Depth, stencil and alpha test."""

    depth: DepthKey | None
    alpha: CompareFunc | None


@record
class Writes:
    """Colors of a fragment shader: bit k of `written` says that it writes buffer k; `fetched`: numbers of the slots that it reads."""

    written: int
    fetched: tuple[int, ...]


@record
class Targets:
    """Color buffers for shading.

    Attributes:
        keys: of all buffers.
        fetched: numbers and formats of the buffers that the shader reads.
        to_coverage, to_one: `alpha_to_coverage` and `alpha_to_one` of targets with several samples.
    """

    keys: TargetKeys
    fetched: tuple[tuple[int, Format], ...]
    to_coverage: bool
    to_one: bool


Windows = tuple[bool, int]


def windows_of(kind: int) -> Windows:
    """The window rectangles of a class (`describe_windows`): pixels inside of them are drawn, or those outside; and their number."""
    return (bool(kind - 1 & 1), (kind - 1) // 2) if kind else (False, 0)


_ATTRIBUTES = {
    Fact.RASTERIZER: "rasterizer",
    Fact.BLEND: "blend",
    Fact.DEPTH_STENCIL_ALPHA: "depth_stencil_alpha",
    Fact.VERTEX_ELEMENTS: "vertex_elements",
    Fact.LINK: "link",
    Fact.SAMPLE_MASK: "sample_mask",
    Fact.MIN_SAMPLES: "min_samples",
    Fact.COUNT_SAMPLES: "count_samples",
    Fact.COUNT_STATISTICS: "count_statistics",
    Fact.SAMPLE_LOCATIONS: "sample_locations",
}
_CLASSES = (Fact.VIEWPORTS, Fact.WINDOW_RECTANGLES, Fact.CLIP_PLANES, Fact.POLYGON_STIPPLE)


def facts_of(state: DrawState, last: Shader | None, kind: FramebufferKind) -> dict[Fact, object]:
    """The facts of bound state. last: the last shader before the rasterizer."""
    facts: dict[Fact, object] = {fact: getattr(state, name) for fact, name in _ATTRIBUTES.items()}
    facts |= {fact: state.record.words[fact] >> CLASS_SHIFT for fact in _CLASSES}
    facts[Fact.VERTEX], facts[Fact.FRAGMENT], facts[Fact.FRAMEBUFFER] = last, state.fragment.shader, kind
    return facts
