"""Profiles: the limits of a device and its linking strategy, and the state of a link while a profile works on it (`Job`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import lru_cache
from typing import Any, TypeVar

from linkage.device_link import Block, DeviceLink, Patch, Place, Words
from linkage.legality import indices_of
from linkage.options import LinkOptions
from linkage.relocate import RelocationList, relocations
from linkage.rows import Relocation
from linkage.table import LinkTable
from linkage.usage import Input, Interface, Output, interface_of, write_masks
from passes.analysis import facts
from passes.validate.semantics import SemanticLimits
from tgsi.language._forks import cached_property
from tgsi.language.diagnostics import Diagnostic, Diagnostics, Label, LinkError, Severity
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Instruction
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.source import Span
from tgsi.language.tokens.encoder import encode

TEXTURE_NAMES = ("GENERIC", "TEXCOORD")
"""Semantics that texture coordinates carry."""

T = TypeVar("T")


def _part(program: Program | None, side: Interface, make: Callable[[Program], T]) -> T:
    """A fact of a program, cached with its interface, to which links refer."""
    name = make.__name__
    if name not in side.parts:
        assert program is not None, "a plan of `linkage.plain` requests the same facts as `build`"
        side.parts[name] = make(program)
    part: T = side.parts[name]
    return part


@lru_cache(1 << 12)
def _place(what: str, place: str) -> Place:
    return Place(what, place)


def _input_fields(program: Program) -> RelocationList:
    return relocations(facts.of(program, encode), File.IN)


def _constant_fields(program: Program) -> RelocationList:
    return relocations(facts.of(program, encode), File.CONST)


def _has_back(program: Program) -> bool:
    return indices_of(program).has_back


class Job:
    """State of one link while a profile works on it: the programs, the table, and the results so far.

    To explain a finished link (`linkage.plain`), a job has the interfaces without the programs, which may no longer exist.
    """

    def __init__(
        self,
        profile: Profile,
        vertex: Program | None,
        fragment: Program | None,
        table: LinkTable,
        options: LinkOptions,
        sides: tuple[Interface, Interface] | None = None,
    ) -> None:
        self.profile, self.vertex, self.fragment, self.table, self.options = profile, vertex, fragment, table, options
        if sides is None:
            assert vertex is not None
            assert fragment is not None
            sides = interface_of(vertex), interface_of(fragment)
        self.producer, self.consumer = sides
        self.found = Diagnostics()
        self.blocks: list[Block] = []
        self.places: list[Place] = []
        self.patches: list[Patch] = []

    @property
    def is_behind_geometry(self) -> bool:
        """True if the program before the rasterizer is a geometry program."""
        return self.vertex is not None and self.vertex.processor is Processor.GEOM

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The fragment program's instructions; none when explaining a link, since they were already checked."""
        return () if self.fragment is None else self.fragment.instructions

    @property
    def has_back(self) -> bool:
        """True if one of the programs has a back color."""
        return self.has_back_outputs or self.has_back_inputs

    @property
    def has_back_outputs(self) -> bool:
        """True if the program before the rasterizer has a back color."""
        return _part(self.vertex, self.producer, _has_back)

    @property
    def has_back_inputs(self) -> bool:
        """True if the fragment program has a back color."""
        return _part(self.fragment, self.consumer, _has_back)

    @property
    def written(self) -> dict[int, int]:
        """Channels that the vertex program writes of each output."""
        return _part(self.vertex, self.producer, write_masks)

    @property
    def input_fields(self) -> RelocationList:
        """Places of the fragment program's tokens that name inputs."""
        return _part(self.fragment, self.consumer, _input_fields)

    @property
    def constant_fields(self) -> RelocationList:
        """Places of the fragment program's tokens that name constants."""
        return _part(self.fragment, self.consumer, _constant_fields)

    def span(self, register: int) -> Span | None:
        """The declaration of a fragment input."""
        return next((item.span for item in (*self.consumer.varyings, *self.consumer.specials) if item.register == register), None)

    def span_of(self, semantic: Semantic) -> Span | None:
        """The declaration of a semantic: of an input, or otherwise of an output."""
        ports: tuple[Input | Output, ...] = (*self.consumer.varyings, *self.consumer.specials, *self.producer.outputs)
        return next((item.span for item in ports if item.semantic == semantic), None)

    def error(self, code: str, message: str, *, register: int | None = None, span: Span | None = None, hint: str = "") -> None:
        """Note an error; the link fails after the profile has checked everything."""
        self._add(Severity.ERROR, code, message, register, span, hint)

    def warning(self, code: str, message: str, *, register: int | None = None, span: Span | None = None, hint: str = "") -> None:
        """Note behavior that a user might not expect."""
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
        """Add the carrier of a value."""
        self.places.append(_place(what, place))

    def label(self, row: Relocation) -> str:
        """Name of a row's input: its register and its semantic."""
        return self._labels[row.slot]

    @cached_property
    def _labels(self) -> list[str]:
        parts, consumer = self.consumer.parts, self.consumer
        if "labels" not in parts:
            parts["labels"] = [f"IN[{item.register}] {item.semantic}" for item in consumer.varyings]
        labels: list[str] = parts["labels"]
        return labels

    @cached_property
    def feeding(self) -> dict[int, Semantic]:
        """The semantic of each output register."""
        parts, producer = self.producer.parts, self.producer
        if "semantics" not in parts:
            parts["semantics"] = {output.register: output.semantic for output in producer.outputs}
        semantics: dict[int, Semantic] = parts["semantics"]
        return semantics

    def source(self, row: Relocation) -> Semantic | None:
        """The semantic of the output that feeds an input, None if none does.

        It differs from the input's semantic under a link state, and for colors that fall back to the color of the other side.
        """
        return None if row.output_register is None else self.feeding[row.output_register]

    def is_sprite(self, semantic: Semantic) -> bool:
        """True if rasterizer state replaces this varying by the point coordinate."""
        enabled = self.options.sprite_coord_enable
        return enabled != 0 and semantic.name in TEXTURE_NAMES and bool(enabled >> semantic.index & 1)

    def sprites(self, replaced: dict[int, int]) -> None:
        """Add a table of the carriers that points fill with their coordinate, if there are any. `replaced`: input register to carrier."""
        if replaced:
            origin = ", t upside down" if self.options.sprite_lower_left else ""
            self.block("point coordinates", 8, [(carrier, f"IN[{register}]{origin}") for register, carrier in replaced.items()])

    def stop_if_errors(self) -> None:
        """Raise LinkError with all findings if any of them is an error."""
        if self.found.has_errors:
            raise LinkError(self.found.sorted())

    def done(self) -> DeviceLink:
        """The finished link.

        Raises:
            LinkError: an error was noted.
        """
        self.stop_if_errors()
        return DeviceLink(self.profile.name, tuple(self.blocks), tuple(self.places), tuple(self.patches), self.found.sorted())


Registers = list[int | None]
"""The output register of each input, in the order of the link table's rows; None without an output."""


@record
class Plain:
    """The strategy of a profile for plain pairs; see `linkage.scheme`."""

    outputs: Callable[[Job], Any]
    inputs: Callable[[Job], Any]
    words: Callable[[Any, Any, Registers], tuple[tuple[Words, ...], tuple[Patch, ...]] | None]


Codes = Callable[[Interface, Interface, DeviceLink], tuple[dict[int, int], dict[int, int]]]
"""Maps the two interfaces and their link to the chip's numbers of output and input registers."""


@record
class Profile:
    """A device: its limits as data, and its one linking strategy."""

    name: str
    title: str
    semantic_limits: SemanticLimits
    _: KW_ONLY
    build: Callable[[Job], None]
    plain: Plain | None = None  # the same numbers for most pairs, in less time
    codes: Codes | None = None  # the chip's numbers of outputs and inputs, if its driver has programs name them
    build_between: Callable[[Job], None] | None = None  # links two stages before the rasterizer; None if the device has no table for them
    interpolators: int = 32  # whole varyings that every pair may have in addition to the position
    has_face: bool = True
    has_fragment_flow: bool = True
    has_geometry: bool = True
    has_tessellation: bool = True
    has_primitive_id: bool = True  # also layer, viewport and clip distances as fragment inputs
