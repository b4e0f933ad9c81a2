"""Profiles: the limits of a device and its linking strategy, and the state of a link while a profile works on it (`Job`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import cached_property

from linkage.device_link import Block, DeviceLink, Patch, Place
from linkage.options import LinkOptions
from linkage.relocate import RelocationList, relocations
from linkage.rows import Relocation
from linkage.table import LinkTable
from linkage.usage import Interface, interface_of, write_masks
from passes.analysis import facts
from passes.validate.semantics import SemanticLimits
from tgsi.language.diagnostics import Diagnostic, Diagnostics, Label, LinkError, Severity
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import Flow
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span
from tgsi.language.tokens.encoder import encode


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
        return write_masks(self.vertex)

    @cached_property
    def tokens(self) -> tuple[int, ...]:
        """The fragment program's tokens."""
        return facts.of(self.fragment, encode)  # a program is linked with many others

    @cached_property
    def input_fields(self) -> RelocationList:
        """Places of the fragment program's tokens that name inputs."""
        return relocations(self.tokens, File.IN)

    def span(self, register: int) -> Span | None:
        """The declaration of a fragment input."""
        return next((item.span for item in (*self.consumer.varyings, *self.consumer.specials) if item.register == register), None)

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
        self.blocks.append(Block(name, width, tuple(value for value, _ in entries), tuple(note for _, note in entries)))

    def place(self, what: str, place: str) -> None:
        """Note the carrier of a value."""
        self.places.append(Place(what, place))

    def is_sprite(self, semantic: Semantic) -> bool:
        """True if rasterizer state replaces this varying by the point coordinate."""
        return semantic.name in ("GENERIC", "TEXCOORD") and bool(self.options.sprite_coord_enable >> semantic.index & 1)

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
    interpolators: int = 32
    has_face: bool = True
    has_fragment_flow: bool = True
    has_geometry: bool = True
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


NEW_INPUTS = frozenset({"PRIM_ID", "LAYER", "VIEWPORT_INDEX", "CLIPDIST", "CLIPVERTEX"})
"""Fragment inputs that only later hardware has."""


def check_features(job: Job) -> None:
    """Refuse stages, control flow and inputs that the device lacks."""
    profile = job.profile
    if STAGES[job.vertex.processor].is_mesh or (not profile.has_geometry and job.vertex.processor is not Processor.VERT):
        job.error("K031", f"the device has no {job.vertex.processor.name} stage")
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
            job.error("K031", f"IN[{item.register}] {item.semantic}: the device does not give this to fragments", register=item.register)
    job.stop_if_errors()


def carriers(job: Job) -> dict[int, Relocation]:
    """Rows of GENERIC and TEXCOORD by index, on devices that carry both in the same texture coordinates.

    An error is noted for a GENERIC and a TEXCOORD of one index, which clash, and for an index above 255.
    """
    rows: dict[int, Relocation] = {}
    for row in job.table.rows:
        if row.semantic.name not in ("GENERIC", "TEXCOORD"):
            continue
        index = row.semantic.index
        other = rows.setdefault(index, row)
        if other.semantic != row.semantic:
            hint = "give one of them another index"
            job.error(
                "K033", f"{other.semantic} and {row.semantic} are one texture coordinate here", register=row.input_register, hint=hint
            )
        if index > 255:
            job.error("K032", f"{row.semantic}: indices are bytes here", register=row.input_register, hint="renumber both programs")
    return rows


def too_many(job: Job, count: int, limit: int, what: str) -> None:
    """Note that a limit is exceeded."""
    if count > limit:
        rows = job.table.rows
        register = rows[-1].input_register if rows else None
        hint = "read fewer varyings, or pack two into one"
        job.error("K030", f"the fragment program needs {count} {what}, the device has {limit}", register=register, hint=hint)
