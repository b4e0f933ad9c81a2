"""Profiles: the limits of a device and its linking strategy, and the state of a link while a profile works on it (`Job`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import lru_cache

from linkage.device_link import Block, DeviceLink, Patch, Place
from linkage.options import LinkOptions
from linkage.relocate import RelocationList, relocations
from linkage.rows import Relocation
from linkage.table import LinkTable
from linkage.text import mask_text
from linkage.usage import Input, Interface, Output, interface_of, write_masks
from passes.analysis import facts
from passes.validate.semantics import SemanticLimits
from tgsi.language._forks import cached_property
from tgsi.language.diagnostics import Diagnostic, Diagnostics, Label, LinkError, Severity
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Flow
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span
from tgsi.language.tokens.encoder import encode


@lru_cache(1 << 12)
def _place(what: str, place: str) -> Place:
    return Place(what, place)


def _input_fields(program: Program) -> RelocationList:
    return relocations(facts.of(program, encode), File.IN)


def _constant_fields(program: Program) -> RelocationList:
    return relocations(facts.of(program, encode), File.CONST)


class Job:
    """State of one link while a profile works on it: the programs, the table, and the results so far."""

    def __init__(self, profile: Profile, vertex: Program, fragment: Program, table: LinkTable, options: LinkOptions) -> None:
        self.profile, self.vertex, self.fragment, self.table, self.options = profile, vertex, fragment, table, options
        self.found = Diagnostics()
        self.blocks: list[Block] = []
        self.places: list[Place] = []
        self.patches: list[Patch] = []

    @property
    def producer(self) -> Interface:
        """The interface of the program before the rasterizer."""
        return interface_of(self.vertex)

    @property
    def consumer(self) -> Interface:
        """The interface of the fragment program."""
        return interface_of(self.fragment)

    @cached_property
    def written(self) -> dict[int, int]:
        """Channels that the vertex program writes of each output."""
        return facts.of(self.vertex, write_masks)

    @cached_property
    def tokens(self) -> tuple[int, ...]:
        """The fragment program's tokens."""
        return facts.of(self.fragment, encode)  # a program is linked with many others

    @cached_property
    def input_fields(self) -> RelocationList:
        """Places of the fragment program's tokens that name inputs."""
        return facts.of(self.fragment, _input_fields)

    @property
    def constant_fields(self) -> RelocationList:
        """Places of the fragment program's tokens that name constants."""
        return facts.of(self.fragment, _constant_fields)

    def span(self, register: int) -> Span | None:
        """The declaration of a fragment input."""
        return next((item.span for item in (*self.consumer.varyings, *self.consumer.specials) if item.register == register), None)

    def span_of(self, semantic: Semantic) -> Span | None:
        """The declaration of a semantic: of an input, or otherwise of an output."""
        found: tuple[Input | Output, ...] = (*self.consumer.varyings, *self.consumer.specials, *self.producer.outputs)
        return next((item.span for item in found if item.semantic == semantic), None)

    def error(self, code: str, message: str, *, register: int | None = None, span: Span | None = None, hint: str = "") -> None:
        """Note an error; the link fails after the profile has looked at everything."""
        self._add(Severity.ERROR, code, message, register, span, hint)

    def warning(self, code: str, message: str, *, register: int | None = None, span: Span | None = None, hint: str = "") -> None:
        """Note a behavior that a user might not expect."""
        self._add(Severity.WARNING, code, message, register, span, hint)

    def _add(self, severity: Severity, code: str, message: str, register: int | None, span: Span | None, hint: str) -> None:
        where = span if register is None else self.span(register)
        labels = (Label(where),) if where is not None else ()
        self.found.add(Diagnostic(code, severity, f"{self.profile.name}: {message}", labels, hint))

    def block(self, name: str, width: int, entries: list[tuple[int, str]]) -> None:
        """Add a table."""
        values, notes = zip(*entries) if entries else ((), ())
        self.blocks.append(Block(name, width, values, notes))

    def place(self, what: str, place: str) -> None:
        """Note the carrier of a value."""
        self.places.append(_place(what, place))

    def label(self, row: Relocation) -> str:
        """Name of a row's input: its register and its semantic."""
        return self._labels[row.slot]

    @cached_property
    def _labels(self) -> list[str]:
        parts, consumer = self.consumer.parts, self.consumer
        if "labels" not in parts:
            parts["labels"] = [f"IN[{item.register}] {item.semantic}" for item in consumer.varyings]
        found: list[str] = parts["labels"]
        return found

    @cached_property
    def feeding(self) -> dict[int, Semantic]:
        """The semantic of each output register."""
        parts, producer = self.producer.parts, self.producer
        if "semantics" not in parts:
            parts["semantics"] = {output.register: output.semantic for output in producer.outputs}
        found: dict[int, Semantic] = parts["semantics"]
        return found

    def source(self, row: Relocation) -> Semantic | None:
        """The semantic of the output that feeds an input, None if none does.

        It differs from the input's under a link state, and where a color falls back to the color of the other side.
        """
        return None if row.output_register is None else self.feeding[row.output_register]

    def is_sprite(self, semantic: Semantic) -> bool:
        """True if rasterizer state replaces this varying by the point coordinate."""
        enabled = self.options.sprite_coord_enable
        return enabled != 0 and semantic.name in TEXTURE_NAMES and bool(enabled >> semantic.index & 1)

    def sprites(self, replaced: dict[int, int]) -> None:
        """Add a table of the carriers that a point fills with its coordinate, if there are any. `replaced`: input register to carrier."""
        if replaced:
            origin = ", t upside down" if self.options.sprite_lower_left else ""
            self.block("point coordinates", 8, [(carrier, f"IN[{register}]{origin}") for register, carrier in replaced.items()])

    def stop_if_errors(self) -> None:
        """Raise LinkError with the findings so far, if any of them is an error."""
        if self.found.has_errors:
            raise LinkError(self.found.sorted())

    def done(self) -> DeviceLink:
        """The finished link.

        Raises:
            LinkError: an error was noted.
        """
        self.stop_if_errors()
        return DeviceLink(self.profile.name, tuple(self.blocks), tuple(self.places), tuple(self.patches), self.found.sorted())


@record
class Profile:
    """A device: its limits as data, and its one linking strategy."""

    name: str
    title: str
    semantic_limits: SemanticLimits
    _: KW_ONLY
    build: Callable[[Job], None]
    build_between: Callable[[Job], None] | None = None  # links two stages before the rasterizer; None: the device has no table for them
    interpolators: int = 32  # whole varyings that a pair may have at least, next to the position
    has_face: bool = True
    has_fragment_flow: bool = True
    has_geometry: bool = True
    has_tessellation: bool = True
    has_primitive_id: bool = True  # also layer, viewport and clip distances as fragment inputs

    def link(self, vertex: Program, fragment: Program, table: LinkTable, options: LinkOptions) -> DeviceLink:
        """Link a pair in this device's scheme.

        Raises:
            LinkError: the device cannot link the pair; each reason is a finding.
        """
        job = Job(self, vertex, fragment, table, options)
        check_features(job)
        self.build(job)
        return job.done()

    def link_between(self, producer: Program, consumer: Program, table: LinkTable, options: LinkOptions) -> DeviceLink | None:
        """Link two stages before the rasterizer in this device's scheme; None if it has no table for them. Errors as `link`."""
        job = Job(self, producer, consumer, table, options)
        check_stages(job, producer, consumer)
        if self.build_between is None:
            return None
        self.build_between(job)
        return job.done()


NEW_INPUTS = frozenset({"PRIM_ID", "LAYER", "VIEWPORT_INDEX", "CLIPDIST", "CLIPVERTEX"})
"""Fragment inputs that only later hardware has."""


def check_stages(job: Job, *programs: Program) -> None:
    """Refuse stages before the rasterizer that the device lacks."""
    profile = job.profile
    for program in programs:
        stage = STAGES[program.processor]
        is_later = not profile.has_geometry and program.processor is not Processor.VERT
        if stage.is_mesh or is_later or (stage.is_patch and not profile.has_tessellation):
            hint = "link the vertex program itself, or for a later device"
            job.error("K031", f"the device has no {program.processor.name} stage", hint=hint)
    job.stop_if_errors()


def check_features(job: Job) -> None:
    """Refuse stages, control flow and inputs that the device lacks."""
    profile = job.profile
    check_stages(job, job.vertex)
    if not profile.has_fragment_flow:
        for instruction in job.fragment.instructions:
            if instruction.opcode.flow not in (None, Flow.END):
                text = f"fragment programs have no control flow, and this one uses {instruction.opcode.name}"
                job.error("K031", text, span=instruction.span, hint="select with CMP or SLT instead of branching; unroll loops")
                break
    for item in (*job.consumer.varyings, *job.consumer.specials):
        name = item.semantic.name
        if name == "FACE" and not profile.has_face:
            hint = "select by two-sided color instead (passes.lower.face.face_from_back_color)"
            job.error(
                "K031",
                f"IN[{item.register}] FACE: the device does not tell fragments which side they show",
                register=item.register,
                hint=hint,
            )
        elif name in NEW_INPUTS and not profile.has_primitive_id:
            text = f"IN[{item.register}] {item.semantic}: the device does not give this to fragments"
            job.error("K031", text, register=item.register, hint="carry it in a GENERIC semantic, in both programs")
    job.stop_if_errors()


TEXTURE_NAMES = ("GENERIC", "TEXCOORD")
"""Semantics that texture coordinates carry."""

_COLOR_NAMES = ("COLOR", "BCOLOR")


def is_fixed(semantic: Semantic) -> bool:
    """True for the fragment inputs that have registers of their own on devices of the time of shader model 2 and 3: colors and fog."""
    return semantic.index < {"COLOR": 2, "FOG": 1}.get(semantic.name, 0)


def wrong_carrier(job: Job, row: Relocation) -> bool:
    """Note an error if a link state feeds an input with an output that another kind of register carries; then return true."""
    source, name = job.source(row), row.semantic.name
    kinds: tuple[str, ...]
    if source is None or is_fixed(source) or (source.name == "BCOLOR" and source.index < 2):
        kinds = TEXTURE_NAMES if name in TEXTURE_NAMES else _COLOR_NAMES if name in _COLOR_NAMES else (name,)
    else:
        kinds = TEXTURE_NAMES if name in TEXTURE_NAMES and source.index < 256 else ()
    if source is None or source.name in kinds:
        return False
    where = f"IN[{row.input_register}] {row.semantic} is to be fed by OUT[{row.output_register}] {source}"
    if name in TEXTURE_NAMES and source.name in TEXTURE_NAMES:
        if row.semantic.index < 256:  # `carriers` names the others
            job.error("K032", f"{where}, and indices are bytes here", register=row.input_register, hint="renumber both programs")
        return True
    job.error(
        "K032",
        f"{where}, which another kind of register carries",
        register=row.input_register,
        hint="texture coordinates, colors and fog do not mix here",
    )
    return True


def carriers(job: Job) -> list[Relocation]:
    """Rows of GENERIC and TEXCOORD by index, on devices that carry both in the same texture coordinates.

    An error is noted for a GENERIC and a TEXCOORD of one index, which clash, and for an index above 255.
    """
    rows = [row for row in job.table.rows if row.semantic.name in TEXTURE_NAMES]
    owner: dict[int, Relocation] = {}
    for row in rows:
        index = row.semantic.index
        other = owner.setdefault(index, row)
        if other.semantic != row.semantic:
            text = f"IN[{row.input_register}]: {other.semantic} and {row.semantic} are one texture coordinate here"
            job.error("K033", text, register=row.input_register, hint="give one of them another index")
        if index > 255:
            text = f"IN[{row.input_register}] {row.semantic}: indices are bytes here"
            job.error("K032", text, register=row.input_register, hint="renumber both programs")
    return sorted(rows, key=lambda row: (row.semantic.index, row.input_register))


def no_carrier(job: Job, row: Relocation, what: str) -> None:
    """Note an error: the device has no `what` that carries this semantic."""
    if row.semantic.name == "BCOLOR":
        hint = f"read COLOR[{row.semantic.index}]; under two-sided light it has the back color on back faces"
    else:
        hint = "carry it in a GENERIC semantic, in both programs"
    job.error("K032", f"IN[{row.input_register}] {row.semantic} has no {what}", register=row.input_register, hint=hint)


def fed_by_nothing(job: Job, row: Relocation, effect: str) -> None:
    """Note a warning about an input without an output. `effect` says what the fragment program then reads."""
    hint = f"write {row.semantic} in the vertex program, or give the fragment program another input"
    job.warning("K034", f"IN[{row.input_register}] {row.semantic} is fed by nothing; {effect}", register=row.input_register, hint=hint)


def check_channels(job: Job, row: Relocation, carried: int, effect: str) -> None:
    """Note a warning if the fragment program reads channels that the carrier does not have. `effect` says what these are then."""
    if row.output_register is not None and row.usage_mask & ~carried:
        text = f"IN[{row.input_register}] {row.semantic}{mask_text(row.usage_mask & ~carried)}: {effect}"
        hint = f"read {row.semantic}{mask_text(carried)} only, or carry the rest in a GENERIC semantic"
        job.warning("K036", text, register=row.input_register, hint=hint)


def check_sides(job: Job, row: Relocation) -> None:
    """Note warnings about a color on a device that has fixed registers for COLOR k and BCOLOR k, one for each side of a polygon."""
    source = job.source(row)
    if source is None or source.name not in _COLOR_NAMES:
        return
    where = f"IN[{row.input_register}] {row.semantic}"
    if source.name == "BCOLOR":
        text = f"{where}: front faces read COLOR[{source.index}], which nothing writes"
        job.warning("K036", text, register=row.input_register, hint=f"write COLOR[{source.index}] in the vertex program")
    if job.options.light_twoside and job.table.back.get(source.index) != job.table.back_register(row):
        text = f"{where}: back faces read BCOLOR[{source.index}], which " + (
            "nothing writes" if source.index not in job.table.back else "belongs to another color"
        )
        hint = f"write BCOLOR[{row.semantic.index}] in the vertex program, or turn two-sided light off"
        job.warning("K036", text, register=row.input_register, hint=hint)


def refuse_indexed_inputs(job: Job) -> None:
    """Refuse a fragment program that computes the number of an input, on a device whose instructions name their inputs."""
    for item in job.fragment.instructions:
        for operand in item.src:
            if operand.register.file is File.IN and operand.register.indirect is not None:
                text = f"instructions name their inputs, and this {item.opcode.name} computes the number of one"
                job.error("K031", text, span=item.span, hint="read the inputs one by one and select with CMP or UCMP")
                return


def too_many(job: Job, count: int, limit: int, what: str) -> None:
    """Note that a limit is exceeded."""
    if count > limit:
        rows = job.table.rows
        register = rows[-1].input_register if rows else None
        hint = "read fewer varyings, or pack two into one"
        job.error("K030", f"the fragment program needs {count} {what}, the device has {limit}", register=register, hint=hint)
