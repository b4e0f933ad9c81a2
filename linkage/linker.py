"""Repeated linking of a program: only changed slots are patched, and never in a copy that is in use."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import TracebackType

from linkage.legality import check_together
from linkage.link import link
from linkage.options import IDENTITY, LinkState
from linkage.relocate import RelocationList, patch, placement, relocations, writes_of
from linkage.table import LinkTable
from linkage.usage import interface_of, key_of
from passes.analysis import facts
from passes.validate.semantics import SOFTWARE
from tgsi.language.diagnostics import Diagnostic, LinkError, Severity
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.semantics import Semantic
from tgsi.language.facts.stages import LAST_STAGES
from tgsi.language.program import Program
from tgsi.language.record import record
from tgsi.language.tokens.decoder import decode
from tgsi.language.tokens.encoder import encode


@record(frozen=False)
class LinkCounters:
    """Counters of a Linker's work so far."""

    links: int = 0
    unchanged: int = 0  # links for which the current copy needed no patch
    compared: int = 0  # slots compared, up to the first difference
    patched_slots: int = 0
    patched_fields: int = 0
    copies: int = 0


class LinkedCopy:
    """One copy of the tokens. As a context manager it is in use, and therefore not patched, until the block ends."""

    __slots__ = ("_users", "generation", "places", "words")

    def __init__(self, words: array[int], assignment: tuple[int, ...]) -> None:
        self.words = words
        self.places = packed(assignment)
        self.generation = 0
        self._users = 0

    @property
    def assignment(self) -> tuple[int, ...]:
        """The place of each declared register, in their order."""
        return tuple(self.places)

    @property
    def is_in_use(self) -> bool:
        """True if the copy was acquired more often than released."""
        return self._users > 0

    def acquire(self) -> LinkedCopy:
        """Hold the copy, which is not patched until every `acquire` is matched by a `release`."""
        self._users += 1
        return self

    def release(self) -> None:
        """Release the copy. ValueError if it is not in use."""
        if not self._users:
            raise ValueError("release: the copy is not in use")
        self._users -= 1

    def __enter__(self) -> LinkedCopy:
        return self.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def program(self) -> Program:
        """The linked program, decoded."""
        return decode(self.words)


from_bytes = int.from_bytes

Places = bytes | tuple[int, ...]
"""The place of each declared register: as bytes if all of them fit, so that equal places always compare equal."""


def packed(assignment: tuple[int, ...]) -> Places:
    """An assignment as `Places`."""
    return bytes(assignment) if max(assignment, default=0) < 256 else assignment


class _Rotation:
    """Copies of a program's tokens, in which the registers of a file are renumbered.

    Slots are compared with those of the copy's last link; from the first difference on, those that differ are patched. Copies
    rotate: one that is held is left alone, and each stale copy is patched once, when its turn comes.
    """

    def __init__(self, program: Program, file: File, copies: int) -> None:
        if copies < 1:
            raise ValueError(f"copies: expected at least 1, not {copies}")
        self.counters = LinkCounters()
        self._original: Sequence[int] = encode(program)
        self._list: RelocationList = relocations(self._original, file)
        self._blocks = self._list.blocks
        self._declared = tuple(register for first, last in self._blocks for register in range(first, last + 1))
        self._fields = tuple(self._list.by_register.get(register, ()) for register in self._declared)
        self._slots = tuple(map(writes_of, self._fields))
        self._copies: list[LinkedCopy] = []
        for _ in range(copies):
            self._add()
        self._current = 0

    @property
    def copies(self) -> tuple[LinkedCopy, ...]:
        """All copies."""
        return tuple(self._copies)

    @property
    def relocations(self) -> RelocationList:
        """The places that are patched."""
        return self._list

    @property
    def stale(self) -> int:
        """Number of copies with an older assignment than the current one."""
        current = self._copies[self._current].places
        return sum(copy.places != current for copy in self._copies)

    def _linked(self, wanted: Places) -> LinkedCopy:
        """A copy with an assignment."""
        copy = self._copies[self._current]
        if copy.places == wanted:
            self.counters.unchanged += 1
            self.counters.compared += len(wanted)
            return copy
        if len(self._copies) > 1 or copy._users:
            copy = self._next(wanted)
        self._patch(copy, wanted)
        return copy

    def _add(self) -> LinkedCopy:
        copy = LinkedCopy(array("I", self._original), self._declared)
        self._copies.append(copy)
        self.counters.copies += 1
        return copy

    def _next(self, wanted: Places) -> LinkedCopy:
        """Choose a copy that already has the right assignment, otherwise the next unused one, otherwise a new one."""
        copies = self._copies
        turn = [(self._current + i) % len(copies) for i in range(1, len(copies) + 1)]
        for number in turn:
            if copies[number].places == wanted:
                self._current = number
                return copies[number]
        for number in turn:
            if not copies[number].is_in_use:
                self._current = number
                return copies[number]
        self._current = len(copies)
        return self._add()

    def _patch(self, copy: LinkedCopy, wanted: Places) -> None:
        counters, words, old, slots = self.counters, copy.words, copy.places, self._slots
        if type(old) is type(wanted) is bytes:
            different = from_bytes(old, "little") ^ from_bytes(wanted, "little")
        else:
            different = sum(0xFF << 8 * slot for slot, (was, place) in enumerate(zip(old, wanted)) if was != place)
        first, count, fields = -1, 0, 0
        while different:  # a byte a slot
            slot = (different & -different).bit_length() - 1 >> 3
            different &= -256 << 8 * slot
            if not count:
                first = slot
            count += 1
            item = slots[slot]
            fields += item.fields
            if item.writes is None:
                patch(words, self._fields[slot], {self._declared[slot]: wanted[slot]})
                continue
            place = wanted[slot] & 0xFFFF
            for word, keep, factor in item.writes:
                words[word] = words[word] & keep | place * factor
        counters.compared += first + 1 if count else len(wanted)
        counters.patched_slots += count
        counters.patched_fields += fields
        copy.places = wanted
        copy.generation += count > 0


ABSENT = 0xFF
_CODES = {
    key_of(semantic): code
    for code, semantic in enumerate(
        (
            *(Semantic("GENERIC", index) for index in range(224)),
            *(Semantic("TEXCOORD", index) for index in range(8)),
            *(Semantic("COLOR", index) for index in range(2)),
            *(Semantic("CLIPDIST", index) for index in range(2)),
            *(Semantic(name) for name in ("FOG", "POSITION", "PRIM_ID", "LAYER", "VIEWPORT_INDEX")),
        )
    )
}
"""A one-byte code for each semantic that most programs use."""


def _places_by_code(program: Program) -> bytes:
    """256 bytes: the output register for each code, or `ABSENT`. Empty for a program that needs the general code path.

    Raises:
        LinkError: the program breaks the limits of the software profile, see `check_together`.
    """
    check_together(SOFTWARE, program)
    producer = interface_of(program)
    if producer.duplicates or program.processor is not Processor.VERT or producer.first_free > ABSENT:
        return b""
    table = bytearray([ABSENT]) * 256
    for key, register in producer.by_key.items():
        if key in _CODES:
            table[_CODES[key]] = register
    return bytes(table)


class Linker(_Rotation):
    """Patcher of one fragment program's tokens: each input gets the register number of the output that feeds it.

    Slots are compared with those of the copy's last link; from the first difference on, those that differ are patched. Copies
    rotate: one that is held is left alone, and each stale copy is patched once, when its turn comes.

    Source: the nv30 driver of Mesa of 2010, which patches fragment programs when a draw binds another vertex program; docs/linkage.md,
    "Three ways to apply a link".
    """

    def __init__(self, fragment: Program, *, copies: int = 2, state: LinkState = IDENTITY) -> None:
        """`copies` is the number of copies at first; more are made when all are held. `state` is a non-identity linkage.

        Raises:
            LinkError: a semantic of the fragment program has no legal index.
            ValueError: it is not a fragment program, or `copies` is less than 1.
        """
        if fragment.processor is not Processor.FRAG:
            raise ValueError(f"fragment: expected a FRAG program, not {fragment.processor.name}")
        check_together(SOFTWARE, fragment)
        super().__init__(fragment, File.IN, copies)
        self.fragment = fragment
        self.state = state
        inputs = interface_of(fragment).varyings
        wanted = [state.source(item.semantic) for item in inputs]
        self._registers = tuple(item.register for item in inputs)
        self._keys = tuple(key_of(semantic) for semantic in wanted)
        other = {"COLOR": "BCOLOR", "BCOLOR": "COLOR"}
        self._fallback = {key_of(s): key_of(Semantic(other[s.name], s.index)) for s in wanted if s.name in other}
        self._is_simple = not self._list.is_whole and all(first == last for first, last in self._blocks)
        position = {register: number for number, register in enumerate(self._registers)}
        self._positions = tuple(position.get(register, -1) for register in self._declared)
        in_order = self._is_simple and -1 not in self._positions
        self._keys_in_order = tuple(self._keys[position] for position in self._positions) if in_order else ()
        has_codes = all(key in _CODES for key in self._keys_in_order)
        self._codes = bytes([_CODES[key] for key in self._keys_in_order]) if has_codes else b""
        self._vertex: Program | None = None

    def table(self) -> LinkTable:
        """The LinkTable of the last link. ValueError before the first one."""
        if self._vertex is None:
            raise ValueError("table: nothing was linked yet")
        return link(self._vertex, self.fragment, state=self.state)

    def link(self, vertex: Program) -> LinkedCopy:
        """The tokens of the fragment program for a vertex program. Hold the copy while it is in use (`with linker.link(v) as copy`).

        Raises:
            LinkError: the programs do not link, a semantic has no legal index, or a range of inputs would have to be split.
        """
        self.counters.links += 1
        table = facts.of(vertex, _places_by_code)  # the fragment program was checked when the Linker was created, against the same limits
        if table and self._codes:
            places = self._codes.translate(table)
            if ABSENT not in places:
                self._vertex = vertex
                return self._linked(places)
        wanted = packed(self.assignment(vertex))
        self._vertex = vertex
        return self._linked(wanted)

    def assignment(self, vertex: Program) -> tuple[int, ...]:
        """The place of each declared input register, in the order of declared registers."""
        producer = interface_of(vertex)
        if producer.duplicates or vertex.processor is not Processor.VERT:
            link(vertex, self.fragment)  # raises LinkError, unless the program is of another stage that may feed fragments
        outputs = producer.by_key
        if self._keys_in_order:
            direct = [place for place in map(outputs.get, self._keys_in_order) if place is not None]
            if len(direct) == len(self._keys_in_order):
                return tuple(direct)
        feeding = [outputs.get(key) for key in self._keys]
        if None in feeding and self._fallback:
            feeding = [
                outputs.get(self._fallback[key]) if place is None and key in self._fallback else place
                for place, key in zip(feeding, self._keys)
            ]
        free = producer.first_free
        if self._is_simple:
            places = []
            for position in self._positions:
                place = feeding[position] if position >= 0 else None
                if place is None:
                    place, free = free, free + 1
                places.append(place)
            return tuple(places)
        targets = {register: place for register, place in zip(self._registers, feeding) if place is not None}
        mapping = placement(self._blocks, targets, is_whole=self._list.is_whole, first_free=free)
        return tuple(mapping[register] for register in self._declared)


class OutputLinker(_Rotation):
    """Patcher of the tokens of one program before the rasterizer: each output gets the register number of the input that it feeds.

    Outputs that feed no input come after all inputs. The copies rotate like those of a `Linker`.

    Source: the proposal of 2010, which patches either of the two programs; docs/linkage.md, "Three ways to apply a link".
    """

    def __init__(self, vertex: Program, *, copies: int = 2, state: LinkState = IDENTITY) -> None:
        """`copies` is the number of copies at first; more are made when all are held. `state` is a non-identity linkage.

        Raises:
            LinkError: a semantic of the program has no legal index.
            ValueError: the program does not precede the rasterizer, or `copies` is less than 1.
        """
        if vertex.processor not in LAST_STAGES:
            raise ValueError(f"vertex: expected a program before the rasterizer, not {vertex.processor.name}")
        check_together(SOFTWARE, vertex)
        super().__init__(vertex, File.OUT, copies)
        self.vertex = vertex
        self.state = state

    def link(self, fragment: Program) -> LinkedCopy:
        """The tokens of the program for a fragment program. Hold the copy while it is in use (`with linker.link(f) as copy`).

        Raises:
            LinkError: the programs do not link, a semantic has no legal index, one output feeds two inputs, or a range of outputs would
                have to be split.
        """
        self.counters.links += 1
        return self._linked(packed(self.assignment(fragment)))

    def assignment(self, fragment: Program) -> tuple[int, ...]:
        """The place of each declared output register, in the order of declared registers."""
        targets: dict[int, int] = {}
        for row in link(self.vertex, fragment, state=self.state).rows:
            if row.output_register is None:
                continue
            other = targets.setdefault(row.output_register, row.input_register)
            if other != row.input_register:
                text = f"OUT[{row.output_register}] feeds IN[{other}] and IN[{row.input_register}], and can have one number only"
                raise LinkError((Diagnostic("K022", Severity.ERROR, text, (), "patch the fragment program instead"),))
        free = fragment.file_size(File.IN)
        mapping = placement(self._blocks, targets, is_whole=self._list.is_whole, first_free=free, file=File.OUT)
        return tuple(mapping[register] for register in self._declared)


def linked_program(vertex: Program, fragment: Program, *, state: LinkState = IDENTITY, moved: str = "fragment") -> Program:
    """One program of a pair, renumbered to match the other: the result of patching, as a Program.

    Args:
        vertex: the program before the rasterizer.
        fragment: a FRAG program.
        state: a linkage other than the identity.
        moved: "fragment" returns the fragment program, each input with the number of the output that feeds it; "vertex" returns the
            vertex program, each output with the number of the input that it feeds.

    Raises:
        LinkError: as `Linker.link` and `OutputLinker.link`.
        ValueError: `moved` is neither of its words.
    """
    from passes.lower.registers import move_registers

    if moved not in ("fragment", "vertex"):
        raise ValueError(f"moved: expected 'fragment' or 'vertex', not {moved!r}")
    if moved == "vertex":
        outputs = OutputLinker(vertex, copies=1, state=state)
        return move_registers(vertex, File.OUT, dict(zip(outputs._declared, outputs.assignment(fragment))))
    linker = Linker(fragment, copies=1, state=state)
    return move_registers(fragment, File.IN, dict(zip(linker._declared, linker.assignment(vertex))))
