"""Relocations: the places of register numbers in a token stream, so that a program is linked by writing a few fields in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from dataclasses import field

from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.facts.enums import File
from tgsi.language.record import record


@record
class Field:
    """Bits `shift` to `shift` + `width` - 1 of a word hold the number of register `anchor`, plus `bias`.

    The bias is not 0 for indirect operands: their number is an offset from the array that they index.
    """

    word: int
    shift: int
    width: int
    anchor: int
    bias: int = 0


@record(slots=False)
class RelocationList:
    """Every place in a token stream that names a register of one file.

    `blocks` are declared ranges, first to last, which move as a whole; `semantics` are the fields of semantic indices by the
    first register of their declaration. `is_whole`: an indirect operand without an array ties all blocks together.
    """

    file: File
    fields: tuple[Field, ...]
    blocks: tuple[tuple[int, int], ...]
    semantics: Mapping[int, Field]
    is_whole: bool = False
    by_register: Mapping[int, tuple[Field, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table: dict[int, list[Field]] = {}
        for item in self.fields:
            table.setdefault(item.anchor, []).append(item)
        object.__setattr__(self, "by_register", {register: tuple(items) for register, items in table.items()})


def relocations(words: Sequence[int], file: File = File.IN) -> RelocationList:
    """The relocation list of a token stream, from one walk over its words. O(words).

    Raises:
        ValueError: the words are not a token stream (`tgsi.decode` says where).
    """
    walk = _Walk(words, file)
    try:
        walk.run()
    except IndexError:
        raise ValueError("words: the stream ends inside a statement") from None
    return walk.result()


class _Walk:
    """A pass over the words, at whose end anchors of indirect operands are known."""

    def __init__(self, words: Sequence[int], file: File) -> None:
        self.words, self.file = words, int(file)
        self.fields: list[Field] = []
        self.indirect: list[tuple[int, int, int]] = []  # word, shift, array number
        self.blocks: list[tuple[int, int]] = []
        self.arrays: dict[int, int] = {}
        self.semantics: dict[int, Field] = {}

    def run(self) -> None:
        words = self.words
        at, end = words[0] & 0xFF, (words[0] & 0xFF) + (words[0] >> 8)
        if end > len(words):
            raise IndexError
        while at < end:
            head = words[at]
            kind, length = head & 15, head >> 4 & (0x3FFF if head & 15 == 1 else 0xFF)
            if kind == 0 and head >> 12 & 15 == self.file:
                self.declaration(at, head)
            elif kind == 2:
                length = self.instruction(at, head) - at  # the length field is too narrow for long instructions
            if length < 1 or kind > 3:
                raise ValueError(f"words: word {at} begins no statement")
            at += length

    def declaration(self, at: int, head: int) -> None:
        limits = self.words[at + 1]
        first, last = limits & 0xFFFF, limits >> 16
        self.fields += (Field(at + 1, 0, 16, first), Field(at + 1, 16, 16, first, last - first))
        self.blocks.append((first, last))
        place = at + 2 + (head >> 20 & 1) + (head >> 22 & 1)
        if head >> 21 & 1:
            self.semantics[first] = Field(place, 8, 16, first)
        if head >> 25 & 1:
            self.arrays[self.words[at + (head >> 4 & 0xFF) - 1] & 0x3FF] = first

    def instruction(self, start: int, head: int) -> int:
        """Note the operands; returns the index of the word after the instruction."""
        words, at = self.words, start + 1 + (head >> 27 & 1)
        if head >> 28 & 1:
            count = words[at] >> 8 & 15
            for offset in range(at + 1, at + 1 + count):
                if words[offset] >> 16 & 15 == self.file:
                    self.fields.append(Field(offset, 0, 16, words[offset] & 0xFFFF))
            at += 1 + count
        at += head >> 29 & 1
        for _ in range(head >> 21 & 3):
            at = self.operand(at, 10, 8)
        for _ in range(head >> 23 & 15):
            at = self.operand(at, 6, 4)
        return at

    def operand(self, at: int, shift: int, flags: int) -> int:
        """Note an operand whose index starts at bit `shift`.

        Bit `flags` and the next one determine which words follow. Returns the next word's index.
        """
        word = self.words[at]
        is_indirect, has_dimension = word >> flags & 1, word >> flags + 1 & 1
        if word & 15 == self.file:
            if is_indirect:
                self.indirect.append((at, shift, self.words[at + 1] >> 22))
            else:
                self.fields.append(Field(at, shift, 16, word >> shift & 0xFFFF))
        if is_indirect:
            self.index(at + 1)
        at += 1 + is_indirect
        if not has_dimension:
            return at
        if self.words[at] & 1:
            self.index(at + 1)
        return at + 1 + (self.words[at] & 1)

    def index(self, at: int) -> None:
        """Note the register in the word of an index."""
        if self.words[at] & 15 == self.file:
            self.fields.append(Field(at, 4, 16, self.words[at] >> 4 & 0xFFFF))

    def result(self) -> RelocationList:
        lowest = min((first for first, _ in self.blocks), default=0)
        is_whole = False
        for word, shift, array in self.indirect:
            is_whole |= array not in self.arrays
            anchor = self.arrays.get(array, lowest)
            self.fields.append(Field(word, shift, 16, anchor, (self.words[word] >> shift & 0xFFFF) - anchor))
        fields = sorted(self.fields, key=lambda item: (item.word, item.shift))
        return RelocationList(File(self.file), tuple(fields), tuple(sorted(set(self.blocks))), self.semantics, is_whole)


def patch(words: MutableSequence[int], fields: Iterable[Field], mapping: Mapping[int, int]) -> int:
    """Write register numbers into a token stream in place. Returns the number of fields written.

    Registers without an entry in `mapping` do not change. The stream is not parsed or encoded again.
    """
    count = 0
    for item in fields:
        new = mapping.get(item.anchor)
        if new is not None:
            mask = (1 << item.width) - 1
            words[item.word] = words[item.word] & ~(mask << item.shift) | (new + item.bias & mask) << item.shift
            count += 1
    return count


@record
class Writes:
    """The words that name a declared register, each with the mask of its other bits and a factor that replicates the number in all its
    places.

    `fields` is the number of places; `writes` is None if a place has a bias.
    """

    writes: tuple[tuple[int, int, int], ...] | None
    fields: int


def writes_of(fields: Sequence[Field]) -> Writes:
    """The writes that renumber a register."""
    if any(item.bias or item.width != 16 for item in fields):
        return Writes(None, len(fields))
    words: dict[int, tuple[int, int]] = {}
    for item in fields:
        keep, factor = words.get(item.word, (0xFFFFFFFF, 0))
        words[item.word] = keep & ~(0xFFFF << item.shift), factor | 1 << item.shift
    return Writes(tuple((word, *parts) for word, parts in words.items()), len(fields))


def placement(
    blocks: Sequence[tuple[int, int]],
    targets: Mapping[int, int],
    *,
    is_whole: bool = False,
    first_free: int = 0,
    file: File = File.IN,
) -> dict[int, int]:
    """A place for every declared register, given fixed places for some of them.

    Registers without a target move after all others, so that none is overwritten. Ranges move as a whole.

    Args:
        blocks: declared ranges, first to last.
        targets: register to place, for those with a fixed place.
        is_whole: all ranges must move by the same distance.
        first_free: the least place for registers without a target.
        file: the file of the registers, for messages.

    Raises:
        LinkError: a range would have to be split, or two registers would share a place.
    """
    mapping: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []
    distances: set[int] = set()
    for first, last in blocks:
        wanted = {targets[register] - register for register in range(first, last + 1) if register in targets}
        if len(wanted) > 1:
            raise _torn(first, last, targets, file)
        if not wanted:
            waiting.append((first, last))
            continue
        distance = wanted.pop()
        distances.add(distance)
        for register in range(first, last + 1):
            mapping[register] = register + distance
    if is_whole and (len(distances) > 1 or (distances and waiting)):
        distance = distances.pop()
        if distances:
            raise _torn(blocks[0][0], max(last for _, last in blocks), targets, file)
        for first, last in waiting:
            for register in range(first, last + 1):
                mapping[register] = register + distance
        waiting = []
    if mapping and min(mapping.values()) < 0:
        register = min(mapping, key=mapping.__getitem__)
        text = f"{file.name}[{register}] would have to move before register 0 with its range"
        raise LinkError((Diagnostic("K022", Severity.ERROR, text, (), _APART),))
    free = max(first_free, max(mapping.values(), default=-1) + 1)
    for first, last in waiting:
        for register in range(first, last + 1):
            mapping[register] = free
            free += 1
    _check_apart(mapping, targets, file)
    return mapping


def _check_apart(mapping: Mapping[int, int], targets: Mapping[int, int], file: File) -> None:
    owner: dict[int, int] = {}
    for register, place in mapping.items():
        other = owner.setdefault(place, register)
        if other != register and not (other in targets and register in targets):  # two inputs may share an output
            name = file.name
            text = f"{name}[{other}] and {name}[{register}] would both become {name}[{place}], because one of them moves with its range"
            raise LinkError((Diagnostic("K022", Severity.ERROR, text, (), _APART),))


_APART = "declare the registers one by one, or their partners in one range"


def _torn(first: int, last: int, targets: Mapping[int, int], file: File) -> LinkError:
    shown = ", ".join(f"{file.name}[{r}] to {targets[r]}" for r in range(first, last + 1) if r in targets)
    text = f"{file.name}[{first}..{last}] moves as a whole, but its registers go to different places: {shown}"
    return LinkError((Diagnostic("K022", Severity.ERROR, text, (), _APART),))
