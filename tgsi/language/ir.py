"""The intermediate representation: flat, immutable, shared data. `program.Program` adds text and facts.

Two nodes that differ only in their span are equal. Operands carry no span, since equal operand texts share one object. To show an
operand's caret in an error message, its statement is read again.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING

from tgsi.language.diagnostics import Diagnostic
from tgsi.language.facts.enums import File, ImmediateType, Interpolation, Location, MemoryType, Processor, ReturnType
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.semantics import Semantic
from tgsi.language.record import record
from tgsi.language.source import Source, Span

if TYPE_CHECKING:
    from tgsi.language.interface import Interface

XYZW = 15
"""Write mask of all four channels (bit 0 is x)."""

IDENTITY = (0, 1, 2, 3)
"""The swizzle that changes nothing."""


@record
class IndirectRef:
    """``ADDR[index].component``: the register whose value is added to an index."""

    file: File
    index: int
    component: int = 0


@record
class Dimension:
    """The outer bracket of a two-index register: constant buffer, or vertex of a primitive."""

    index: int
    indirect: IndirectRef | None = None
    array_id: int = 0


PLACES = {File.TEMP: 0, File.ADDR: 4, File.OUT: 8}
"""The files that instructions write, and the place of their channels among the sixteen numbers of a register index."""

_PLACES = [PLACES.get(file, -1) for file in File]

STILL, CHOSEN = -1, -2
"""`RegisterRef.cell` of a register that instructions only read, and of one that an address or a dimension selects."""


@record
class RegisterRef:
    """One register, direct or indirect. With `indirect`, `index` is the offset that is added to the address.

    cell: the number of channel x of a plain register that instructions write; STILL or CHOSEN for all other registers.
    """

    file: File
    index: int
    dimension: Dimension | None = None
    indirect: IndirectRef | None = None
    array_id: int = 0
    cell: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Number the register."""
        place = _PLACES[self.file]
        cell = CHOSEN if self.indirect is not None or self.dimension is not None else STILL if place < 0 else self.index * 16 + place
        object.__setattr__(self, "cell", cell)  # the object is frozen


@record
class DstOperand:
    """A destination; bit c of `write_mask` is set if channel c is written."""

    register: RegisterRef
    write_mask: int = XYZW


@record
class SrcOperand:
    """A source: channel c reads channel ``swizzle[c]``, then takes the absolute value, then negates."""

    register: RegisterRef
    swizzle: tuple[int, int, int, int] = IDENTITY
    negate: bool = False
    absolute: bool = False


@record
class TexOffset:
    """A texel offset: three channels of a register."""

    register: RegisterRef
    swizzle: tuple[int, int, int] = (0, 1, 2)


@record
class MemoryAccess:
    """Tail of a memory instruction: qualifier bits, texture target (``BUFFER`` when none is written), format."""

    qualifiers: int = 0
    target: str = "BUFFER"
    format: str = ""


@record
class Instruction:
    """One instruction.

    `texture` is the spelling of a target, `returns` the type of texel in its token (None for UNKNOWN, which Mesa's text implies), `label`
    the number after a colon, or None.
    """

    opcode: OpcodeInfo
    dst: tuple[DstOperand, ...] = ()
    src: tuple[SrcOperand, ...] = ()
    _: KW_ONLY
    saturate: bool = False
    precise: bool = False
    texture: str | None = None
    returns: ReturnType | None = None
    offsets: tuple[TexOffset, ...] = ()
    memory: MemoryAccess | None = None
    label: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class ImageInfo:
    """The tail of an IMAGE declaration; `format` is empty where none is named."""

    target: str
    format: str = ""
    writable: bool = False
    raw: bool = False


@record
class ViewInfo:
    """The tail of an SVIEW declaration: target and the type that each channel returns."""

    target: str
    types: tuple[ReturnType, ReturnType, ReturnType, ReturnType]


@record
class Declaration:
    """Registers `first` to `last` of a file, both included. `per_primitive`: outputs of a mesh program that exist once a primitive."""

    file: File
    first: int
    last: int
    _: KW_ONLY
    dimension: int | None = None
    semantic: Semantic | None = None
    interpolation: Interpolation | None = None
    location: Location = Location.CENTER
    usage_mask: int = XYZW
    array_id: int = 0
    invariant: bool = False
    local: bool = False
    streams: tuple[int, int, int, int] = (0, 0, 0, 0)
    per_primitive: bool = False
    image: ImageInfo | None = None
    view: ViewInfo | None = None
    memory: MemoryType | None = None
    atomic: bool = False
    cylindrical_wrap: int = 0
    span: Span | None = field(default=None, compare=False, repr=False)

    def covers(self, index: int) -> bool:
        """True if the range holds this register."""
        return self.first <= index <= self.last


@record
class Immediate:
    """Four raw 32-bit words (NaN payloads and -0.0 survive) and the type that they were written as."""

    type: ImmediateType
    words: tuple[int, int, int, int]
    span: Span | None = field(default=None, compare=False, repr=False)


@record
class Property:
    """A program property; names of values are numbers here (see tgsi.language.facts.properties)."""

    name: str
    value: int
    span: Span | None = field(default=None, compare=False, repr=False)


@record(slots=False)
class ProgramData:
    """The fields of a `tgsi.Program`.

    `source` is the text that the program came from, for messages. `notes`: changes by the legacy dialect, or warnings of a compiler.
    `interface` has the names of a program that was read from another language. None of them takes part in equality.
    """

    processor: Processor
    declarations: tuple[Declaration, ...] = ()
    immediates: tuple[Immediate, ...] = ()
    properties: tuple[Property, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)
    _: KW_ONLY
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    interface: Interface | None = field(default=None, compare=False, repr=False)

    def property(self, name: str, default: int = 0) -> int:
        """Value of a property: the last one written."""
        return next((p.value for p in reversed(self.properties) if p.name == name), default)

    def declared(self, file: File) -> tuple[Declaration, ...]:
        """The declarations of one file, in order."""
        return tuple([d for d in self.declarations if d.file is file])

    def file_size(self, file: File, dimension: int | None = None) -> int:
        """One more than the highest declared register of a file (of one constant buffer, where `dimension` is given)."""
        if file is File.IMM:
            return len(self.immediates)
        ends = [d.last + 1 for d in self.declarations if d.file is file and (dimension is None or (d.dimension or 0) == dimension)]
        return max(ends, default=0)


Statement = Declaration | Immediate | Property | Instruction


def statements(program: ProgramData, *, canonical: bool = False) -> list[Statement]:
    """All statements of a program: in the order of the text or tokens that it came from, or with `canonical` always in canonical order.

    Canonical order is properties, declarations, immediates, instructions. It is also the order of a program whose statements do not all
    have places in one text, and of one in which a pass moved statements past others of their kind.
    """
    items: list[Statement] = [*program.properties, *program.declarations, *program.immediates, *program.instructions]
    if canonical:
        return items
    starts: list[int] = []
    source: Source | None = None
    for group in (program.properties, program.declarations, program.immediates, program.instructions):
        last = -1
        for item in group:
            span = item.span
            if span is None or span.start < last or (source is not None and span.source is not source):
                return items
            last, source = span.start, span.source
            starts.append(last)
    return [items[number] for number in sorted(range(len(items)), key=starts.__getitem__)]
