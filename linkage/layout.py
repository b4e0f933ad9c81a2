"""Sets of the GENERIC indices that programs touch, their layout in slots, and the inverse table.

These are the three steps of the linkage utility in the proposal of 2010: collect a set, lay it out, invert the layout. Layouts store the
set of used slots separately, so every index up to 255 can be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from linkage.usage import read_masks, semantic_of, write_masks
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.facts.enums import File
from tgsi.language.program import Program
from tgsi.language.record import record

INDICES = 256
ABSENT = 0xFF
"""Entry of an inverse table for an index without a slot; slots go up to 254."""


@record
class SemanticSet:
    """A set of GENERIC indices 0 to 255, as 256 bits: bit i of `bits` is index i."""

    bits: int = 0

    @classmethod
    def of(cls, indices: Iterable[int]) -> SemanticSet:
        """The set of the given indices. ValueError for an index that does not fit a byte."""
        bits = 0
        for index in indices:
            if not 0 <= index < INDICES:
                raise ValueError(f"indices: {index} is not 0 to {INDICES - 1}")
            bits |= 1 << index
        return cls(bits)

    def __contains__(self, index: object) -> bool:
        return isinstance(index, int) and 0 <= index < INDICES and bool(self.bits >> index & 1)

    def __iter__(self) -> Iterator[int]:
        bits = self.bits
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __or__(self, other: SemanticSet) -> SemanticSet:
        return SemanticSet(self.bits | other.bits)

    def __and__(self, other: SemanticSet) -> SemanticSet:
        return SemanticSet(self.bits & other.bits)

    def words(self) -> tuple[int, ...]:
        """The set as eight 32-bit words, the form that drivers keep."""
        return tuple(self.bits >> 32 * i & 0xFFFFFFFF for i in range(INDICES // 32))


def collect(program: Program, file: File) -> SemanticSet:
    """GENERIC indices of the inputs or outputs that instructions touch, without declared but unused varyings.

    An indirect access touches its whole array, or without an array the whole file. O(declarations + instructions).

    Raises:
        LinkError: an index in use is above 255; validation under the limit set `byte` reports such indices earlier.
    """
    touched = read_masks(program, file).keys() | write_masks(program, file).keys()
    bits = 0
    for declaration in program.declared(file):
        base = declaration.semantic
        if base is None or base.name != "GENERIC":
            continue
        for register in range(declaration.first, declaration.last + 1):
            if register not in touched:
                continue
            semantic = semantic_of(declaration, register)
            if semantic is None or semantic.index >= INDICES:
                text = f"{file.name}[{register}] {semantic}: sets of semantics hold GENERIC 0 to {INDICES - 1}"
                raise LinkError((Diagnostic("K020", Severity.ERROR, text),))
            bits |= 1 << semantic.index
    return SemanticSet(bits)


class Rule(Enum):
    """Rules by which a layout was chosen."""

    IDENTITY = "identity"
    SHIFT = "shift"
    COMPACT = "compact"


@record
class Layout:
    """Slots and their contents: `indices` has a byte for each slot, `used` a bit for each slot in use (the others are ABSENT)."""

    indices: bytes
    used: SemanticSet
    rule: Rule

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def size(self) -> int:
        """One more than the highest slot in use."""
        return self.used.bits.bit_length()

    def index(self, slot: int) -> int | None:
        """The GENERIC index in a slot, None for an empty one."""
        return self.indices[slot] if slot in self.used else None


def lay_out(members: SemanticSet, cheap: int, slots: int) -> Layout:
    """Give each member a slot.

    Identity if the largest member is below `cheap`; otherwise a shift by the smallest if all members then fit below it; otherwise ascending
    order without gaps. Identity comes first so that separately compiled programs agree without patching. O(256).

    Args:
        members: the indices that need a slot.
        cheap: number of slots of which empty ones cost nothing.
        slots: number of slots, at most 255.

    Raises:
        LinkError: there are more members than slots.
        ValueError: `cheap` or `slots` is out of range.
    """
    if not 0 <= cheap <= slots < INDICES:
        raise ValueError(f"cheap, slots: 0 <= {cheap} <= {slots} <= {INDICES - 1} does not hold")
    if len(members) > slots:
        raise LinkError((Diagnostic("K021", Severity.ERROR, f"{len(members)} GENERIC semantics are in use, there are {slots} slots"),))
    placed = bytearray([ABSENT]) * slots
    bits = members.bits
    smallest = (bits & -bits).bit_length() - 1 if bits else 0
    largest = bits.bit_length() - 1
    if largest < cheap or largest - smallest < cheap:
        shift = 0 if largest < cheap else smallest
        for index in members:
            placed[index - shift] = index
        return Layout(bytes(placed), SemanticSet(bits >> shift), Rule.SHIFT if shift else Rule.IDENTITY)
    for slot, index in enumerate(members):
        placed[slot] = index
    return Layout(bytes(placed), SemanticSet((1 << len(members)) - 1), Rule.COMPACT)


def invert(layout: Layout) -> bytes:
    """256 bytes: the slot of each GENERIC index, ABSENT where it has none. O(256 + slots)."""
    table = bytearray([ABSENT]) * INDICES
    for slot in layout.used:
        table[layout.indices[slot]] = slot
    return bytes(table)
