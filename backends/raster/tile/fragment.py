"""The facts of fragment programs and of bound state that select shading code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Protocol, TypeAlias

from backends.abi.keys import ImageKey, SamplerKey, TextureKey
from backends.device.needs import reads_handles
from backends.formats import Format
from backends.pipe.enums import CompareFunc, Face
from backends.raster.layouts import Mode
from backends.raster.samples import Pattern
from backends.raster.tile.buffer_keys import DepthKey, TargetKey
from backends.raster.tile.register_pressure import live_values
from linkage.usage import interface_of
from tgsi.language._forks import cached_property
from tgsi.language.facts.enums import TARGETS, File, Interpolation, Location
from tgsi.language.facts.properties import FIRST_OF_VIEWPORT, LOWER_ORIGINS
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.traits import OTHER_LANES, Flow, Trait
from tgsi.language.program import Program
from tgsi.language.record import record

if TYPE_CHECKING:
    from backends.llvm.builder.function import Function, Val
    from backends.llvm.builder.lanes import LaneMap


class Outputs(Protocol):
    """Results of a translated program: output channels (f32; 0 if the program does not write them) and the lanes that were not killed."""

    @property
    def alive(self) -> Val:
        """The lanes that were not killed."""

    def get(self, register: int, channel: int) -> Val:
        """One channel of an output register."""


class Inputs(Protocol):
    """The translator's interface to the inputs of a program; see backends.llvm.translate.translator."""

    lane_map: LaneMap
    env: Val

    def input(self, register: int, channel: int) -> Val:
        """One channel of an input register."""

    def system_value(self, register: int, channel: int) -> Val:
        """One channel of a system value."""

    def texture_key(self, unit: int) -> TextureKey | None:
        """The key of the view at a sampler view unit."""

    def sampler_key(self, unit: int) -> SamplerKey | None:
        """The key of the sampler at a unit."""


GENERIC = Semantic("GENERIC", 0)

Emit: TypeAlias = "Callable[[Function, Inputs, Val], Outputs]"


class Marks(IntFlag):
    """Properties of primitives that change the coverage of their fragments."""

    NONE = 0
    SMOOTH_LINES = 1
    SMOOTH_POINTS = 2
    SMOOTH_FILL = 4
    STIPPLED_LINES = 8


class DepthLayout(IntEnum):
    """Promise of a program about the depth that it writes, compared with the interpolated one (FS_DEPTH_LAYOUT)."""

    NONE = 0
    ANY = 1
    GREATER = 2
    LESS = 3
    UNCHANGED = 4


@record
class SlotInfo:
    """One varying: its input register, its interpolation, the channels that are read. Its place in the tuple is its setup slot."""

    register: int
    interpolation: Interpolation
    usage_mask: int = 15
    semantic: Semantic = GENERIC
    location: Location = Location.CENTER

    def mode(self, flatshade: bool) -> Mode:
        """The interpolation of the declaration under the bound rasterizer state."""
        match self.interpolation:
            case Interpolation.CONSTANT:
                return Mode.FLAT
            case Interpolation.LINEAR:
                return Mode.LINEAR
            case Interpolation.COLOR if flatshade:
                return Mode.FLAT
            case _:
                return Mode.PERSPECTIVE


@record(kw_only=True, slots=False)
class FragmentInfo:
    """Facts of a fragment program. `colors`: output register of each color number; registers are None if they are not written."""

    emit: Emit
    slots: tuple[SlotInfo, ...] = ()
    specials: Mapping[int, str] = field(default_factory=dict)  # POSITION, FACE, PCOORD, PRIM_ID by register
    system_values: Mapping[int, str] = field(default_factory=dict)
    colors: Mapping[int, int] = field(default_factory=dict)
    depth: int | None = None
    stencil: int | None = None
    sample_mask: int | None = None  # with one sample, a clear bit 0 discards the fragment, like a KILL
    kills: bool = False
    is_lower_left: bool = False
    follows_viewport: bool = False  # y grows toward the upper edge as shown by the first viewport
    is_integer_center: bool = False
    writes_all: bool = False
    tests_early: bool = False  # depth and stencil tests, and the counting of samples, precede the program
    depth_layout: DepthLayout = DepthLayout.NONE
    has_late_coverage: bool = False  # samples that failed the early tests are not in the mask that the program reads
    fetches: tuple[int, ...] = ()  # color targets that the program reads
    looks_around: bool = False  # an instruction's value can depend on place or time as well as on its operands
    looks_at_quads: bool = False  # a value can depend on neighboring pixels: derivatives, levels of detail, votes
    texture_units: int = 0  # one more than the highest sampler unit
    compares_depth: bool = False  # a coordinate is a reference value for a depth texture
    has_side_effects: bool = False
    program: Program | None = None  # None: the empty shader
    instructions: int = 0
    live: int = 0  # values that live at once
    has_loops: bool = False

    @property
    def point_slot(self) -> int | None:
        """The last slot, which carries PCOORD; None if the program does not read it."""
        return len(self.slots) if "PCOORD" in self.specials.values() else None

    @property
    def num_slots(self) -> int:
        """Slots of a setup record."""
        return len(self.slots) + (self.point_slot is not None)

    def writes(self, index: int) -> bool:
        """True if the program writes color buffer `index`."""
        return index in self.colors or (self.writes_all and 0 in self.colors)

    def exposed_outputs(self, targets: Sequence[TargetKey | None]) -> int:
        """Bit r is set if the exact bits of OUT register r matter: those of colors in integer formats, stencil values and sample masks.

        Other colors are stored as numbers, with every NaN replaced by the canonical one.
        """
        registers = {r for r in (self.stencil, self.sample_mask) if r is not None}
        for number, target in enumerate(targets):
            register = self.colors.get(0 if self.writes_all else number)
            if target is not None and target.format.is_integer and register is not None:
                registers.add(register)
        return sum(1 << register for register in registers)

    @property
    def is_constant(self) -> bool:
        """True if every fragment of a draw computes the same outputs."""
        reads = self.slots or self.specials or self.system_values or self.texture_units or self.fetches or self.looks_around
        return not (reads or self.kills or self.has_side_effects)

    @property
    def needs_samples(self) -> bool:
        """True if the program reads values that differ from sample to sample."""
        system = self.system_values.values()
        return "SAMPLEID" in system or "SAMPLEPOS" in system or any(s.location is Location.SAMPLE for s in self.slots)

    @cached_property
    def reads_primitive(self) -> bool:
        """True if the program reads the number of the primitive."""
        return "PRIM_ID" in self.specials.values() or "PRIM_ID" in self.system_values.values()

    @staticmethod
    def of(program: Program, emit: Emit) -> FragmentInfo:
        """The facts of a program, from its declarations, properties and instructions."""
        interface = interface_of(program)
        outputs = {(o.semantic.name, o.semantic.index): o.register for o in interface.outputs}
        system: dict[int, str] = {}
        for d in program.declared(File.SV):
            if d.semantic is not None:
                system |= dict.fromkeys(range(d.first, d.last + 1), d.semantic.name)
        traits = frozenset(trait for i in program.instructions for trait in i.opcode.traits)
        layout = DepthLayout(min(max(program.property("FS_DEPTH_LAYOUT"), 0), DepthLayout.UNCHANGED))
        late_coverage = program.property("FS_POST_DEPTH_COVERAGE") != 0
        return FragmentInfo(
            emit=emit,
            slots=tuple(SlotInfo(v.register, v.interpolation, v.usage_mask, v.semantic, v.location) for v in interface.varyings),
            specials={v.register: v.semantic.name for v in interface.specials},
            system_values=system,
            colors={index: register for (name, index), register in outputs.items() if name == "COLOR"},
            depth=outputs.get(("POSITION", 0)) if layout is not DepthLayout.UNCHANGED else None,
            stencil=outputs.get(("STENCIL", 0)),
            sample_mask=outputs.get(("SAMPLEMASK", 0)),
            kills=Trait.KILL in traits or ("SAMPLEMASK", 0) in outputs,
            is_lower_left=program.property("FS_COORD_ORIGIN") in LOWER_ORIGINS,
            follows_viewport=program.property("FS_COORD_ORIGIN") >= FIRST_OF_VIEWPORT,
            is_integer_center=program.property("FS_COORD_PIXEL_CENTER") == 1,
            writes_all=program.property("FS_COLOR0_WRITES_ALL_CBUFS") != 0,
            tests_early=program.property("FS_EARLY_DEPTH_STENCIL") != 0 or late_coverage,
            depth_layout=layout,
            has_late_coverage=late_coverage,
            fetches=_fetches(program) if Trait.FRAMEBUFFER in traits else (),
            looks_around=bool(traits & {Trait.HELPER, Trait.VOLATILE, Trait.MEM}) or reads_handles(program),
            looks_at_quads=bool(traits & OTHER_LANES) or any(name.startswith("SUBGROUP") for name in system.values()),
            texture_units=max(program.file_size(File.SAMP), program.file_size(File.SVIEW)),
            compares_depth=any(i.texture and TARGETS[i.texture].is_shadow for i in program.instructions),
            has_side_effects=Trait.STORE in traits,
            program=program,
            instructions=len(program.instructions),
            live=live_values(program),
            has_loops=any(i.opcode.flow is Flow.LOOP for i in program.instructions),
        )


def describe(program: Program) -> FragmentInfo:
    """The FragmentInfo of a program, with the translator as `emit`."""
    return FragmentInfo.of(program, lambda f, inputs, mask: _translate(f, program, inputs, mask))


def _fetches(program: Program) -> tuple[int, ...]:
    """The color targets that a program reads."""
    from backends.llvm.translate.emit.framebuffer import fetched_targets

    fetches = (i for i in program.instructions if Trait.FRAMEBUFFER in i.opcode.traits)
    return tuple(sorted({k for i in fetches for k in fetched_targets(program, i).values()}))


def _translate(f: Function, program: Program, inputs: Inputs, mask: Val) -> Outputs:
    from backends.llvm.translate.translator import translate  # most kernels come from the disk cache and need no translator

    return translate(f, program, inputs, mask)


class _Nothing:
    def __init__(self, mask: Val) -> None:
        self.alive = mask

    def get(self, register: int, channel: int) -> Val:
        from backends.llvm.builder.function import F32

        return self.alive.f.const(F32.wide(self.alive.lanes), 0.0)


def _nothing(f: Function, inputs: Inputs, mask: Val) -> Outputs:
    return _Nothing(mask)


NO_FRAGMENTS = FragmentInfo(emit=_nothing)  # the empty shader computes nothing and writes no color


@record(kw_only=True)
class FragmentKey:
    """The bound state that affects shading code. Draws with equal keys share a kernel.

    All other state is run-time data of the draw (`backends.raster.draw_record.Fragments`), so changing it compiles nothing.
    """

    lanes: int
    quads: bool = True  # small triangles become packed quads, which doubles the size of the code

    # inputs
    flatshade: bool = False  # always False for programs without an input that depends on it
    sprites: int = 0  # bit k: slot k is the sprite coordinate, regardless of its declaration
    constants: int = 0  # bit k: slot k is constant over the primitive, regardless of its declaration, unless it is a sprite coordinate
    textures: tuple[TextureKey | None, ...] = ()
    samplers: tuple[SamplerKey | None, ...] = ()
    images: tuple[tuple[int, ImageKey], ...] = ()
    fetched: tuple[tuple[int, Format], ...] = ()  # color buffers that the program reads

    # primitives and masks
    layered: bool = False  # primitives name layers
    views: bool = False  # primitives name viewports
    marks: Marks = Marks.NONE
    stipple: Face = Face.NONE  # faces whose polygons are stippled
    windows: tuple[bool, int] = (False, 0)  # window rectangles: whether pixels inside or outside are drawn; number

    # tests
    depth: DepthKey | None = None
    is_offset: bool = False  # the depth of filled polygons has an offset
    alpha: CompareFunc | None = None
    count_samples: bool = False
    count_invocations: bool = False

    # multisampled targets
    samples: Pattern | None = None
    per_sample: bool = False  # the program runs for each sample
    at_samples: bool = False  # such a program has all inputs interpolated at the sample
    to_coverage: bool = False  # the alpha of color 0 determines how many samples are covered
    ignores_mask: bool = False  # the program's sample mask is ignored
    to_one: bool = False  # alpha is one when colors are blended and stored

    # colors
    targets: tuple[TargetKey | None, ...] = ()
    clamp_color: bool = False

    @property
    def is_masked(self) -> bool:
        """True if position masks (`pixel_masks`) may drop covered pixels."""
        return bool(self.stipple) or self.windows != (False, 0) or self.marks != Marks.NONE

    @property
    def reads_targets(self) -> bool:
        """True if colors depend on stored colors."""
        return any(target is not None and target.reads for target in self.targets)

    @property
    def has_place(self) -> bool:
        """True if the last slot is the place on a line or point."""
        return bool(self.marks & (Marks.SMOOTH_LINES | Marks.SMOOTH_POINTS | Marks.STIPPLED_LINES))
