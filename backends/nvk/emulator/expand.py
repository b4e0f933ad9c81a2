"""Lowered code as a COMP program: reads and writes of ISBE become loads and stores of buffers that hold the bytes of all workgroups.

Input and output ATTR are buffers of words. In the buffer of output MAP each byte occupies a word, so that lanes may write neighboring
bytes. Two places follow each region of a workgroup, for accesses that must not change it: one for lanes whose predicate is 0, one for
computed addresses outside of the region, which `tasks.regions` reports.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from backends.nvk.isbe.index_map import landing
from backends.nvk.isbe.regions import LINE_BYTES, ROWS_OF_BLOCK, WORD_BYTES, IsbeError, Region, Side
from backends.nvk.isbe.skew import block_bytes, skewed
from backends.nvk.lower.code import Access, Code, IsbeRead, IsbeWrite, print_item
from backends.nvk.lower.driver import FIRST_RESERVED
from backends.nvk.lower.writer import Writer, channel_of, is_call, nth_channel
from tgsi.language.facts.enums import File, Processor
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.facts.semantics import Semantic
from tgsi.language.ir import Declaration, DstOperand, Instruction, Property, RegisterRef, SrcOperand
from tgsi.language.program import Program
from tgsi.language.record import record

INPUT, OUTPUT, MAP = range(FIRST_RESERVED, FIRST_RESERVED + 3)
"""BUFFER registers of the emulator: input ATTR, output ATTR and output MAP."""

CANARY = 16
"""Bytes from the end of a region to the place for accesses outside of it."""

MARGIN = 32
"""Bytes after each region."""


@record(kw_only=True)
class Sizes:
    """Bytes of the regions of a workgroup, and of rows: of the input, and of the vertices and primitives of the output.

    `primitive_start` is the address of the first primitive in output ATTR. Rows have 0 bytes where SKEW is never used.
    """

    input_bytes: int
    output_bytes: int
    map_bytes: int = 0
    vertex_row: int = 0
    primitive_row: int = 0
    primitive_start: int = 0


def expand(code: Code, sizes: Sizes) -> Program:
    """COMP program of `code.threads` threads a block. Block n, along x, works on the bytes of workgroup n.

    Raises:
        IsbeError: a constant address lies outside of its region, or the code reads MAP.
    """
    return _Expansion(code, sizes).program()


class _Expansion:
    def __init__(self, code: Code, sizes: Sizes) -> None:
        self.code, self.sizes = code, sizes
        plain = tuple(item for item in code.items if isinstance(item, Instruction))
        self.base = Program(Processor.COMP, declarations=code.declarations, immediates=code.immediates, instructions=plain)
        self.w = Writer(self.base)
        self.block = RegisterRef(File.SV, self.base.file_size(File.SV))
        self.starts: dict[int, SrcOperand] = {}

    def program(self) -> Program:
        """The whole program."""
        w = self.w
        sizes = self.sizes
        bytes_of = {INPUT: sizes.input_bytes + MARGIN, OUTPUT: sizes.output_bytes + MARGIN, MAP: 4 * (sizes.map_bytes + MARGIN)}
        for buffer, size in bytes_of.items():
            self.starts[buffer] = w.op("UMUL", channel_of(self.block, 0), w.constant(size))
        places = []
        for item in self.code.items:
            places.append(len(w.items))
            with w.scratch():
                match item:
                    case IsbeRead() | IsbeWrite():
                        self.access(item)
                    case _:
                        w.items.append(item)
        instructions = [item for item in w.items if isinstance(item, Instruction)]
        axes = (("WIDTH", self.code.threads), ("HEIGHT", 1), ("DEPTH", 1))
        return Program(
            Processor.COMP,
            declarations=(
                *self.code.declarations,
                Declaration(File.SV, self.block.index, self.block.index, semantic=Semantic("BLOCK_ID")),
                Declaration(File.BUFFER, INPUT, MAP),
                *w.declaration(),
            ),
            immediates=tuple(w.immediates),
            properties=(*self.code.properties, *(Property(f"CS_FIXED_BLOCK_{axis}", size) for axis, size in axes)),
            instructions=tuple(replace(item, label=places[item.label or 0]) if is_call(item) else item for item in instructions),
        )

    def access(self, item: IsbeRead | IsbeWrite) -> None:
        """Instructions of one read or write."""
        access = item.access
        if access.region is Region.MAP:
            self.write_map(item)
        elif access.region is Region.ATTR and access.bits == 32:
            self.use_attributes(item)
        else:
            self.refuse(item, "only words of ATTR and writes to MAP are supported")

    def use_attributes(self, item: IsbeRead | IsbeWrite) -> None:
        """Load or store a word of ATTR."""
        w, access = self.w, item.access
        buffer = INPUT if access.side is Side.I else OUTPUT
        end = self.sizes.input_bytes if access.side is Side.I else self.sizes.output_bytes
        place: int | SrcOperand
        if access.address.base is None:
            place = self.known(item, end - 3)
            if access.skew:
                start, row = self.rows(access)
                place = start + skewed(place - start, row)
        else:
            place = w.op("UADD", nth_channel(access.address.base, 0), w.constant(access.address.offset))
            inside = w.op("USLT", place, w.constant(end - 3))
            place = w.op("UCMP", inside, self.skewed(access, place) if access.skew else place, w.constant(end + CANARY))
        address = self.within(buffer, self.if_predicate(item, place, end))
        resource = RegisterRef(File.BUFFER, buffer)
        if isinstance(item, IsbeWrite):
            w.items.append(Instruction(OPCODES["STORE"], (DstOperand(resource, 1),), (address, nth_channel(item.value, 0))))
            return
        loaded = w.scalar()
        load = (SrcOperand(resource, (0, 0, 0, 0)), address)
        w.items.append(Instruction(OPCODES["LOAD"], (DstOperand(loaded.register, 1 << loaded.swizzle[0]),), load))
        target = channel_of(item.dst.register, item.dst.write_mask.bit_length() - 1)
        w.set(target, loaded if item.predicate is None else w.op("UCMP", nth_channel(item.predicate, 0), loaded, target))

    def write_map(self, item: IsbeRead | IsbeWrite) -> None:
        """Store the bytes of a write to the output MAP, downwards from the named address."""
        w, access, end = self.w, item.access, self.sizes.map_bytes
        if isinstance(item, IsbeRead) or access.side is Side.I:
            self.refuse(item, "only words of ATTR and writes to MAP are supported")
        count = access.bits // 8
        down = count - 1 - landing(count - 1, count)[0]  # from the named byte to that of the least significant one
        first: int | SrcOperand
        if access.address.base is None:
            first = self.known(item, end) - down
        else:
            place = w.op("UADD", nth_channel(access.address.base, 0), w.constant(access.address.offset))
            inside = w.op("AND", w.op("USGE", place, w.constant(down)), w.op("USLT", place, w.constant(end)))
            first = w.op("UCMP", inside, w.op("UADD", place, w.constant(-down)), w.constant(end + CANARY))
        first = self.if_predicate(item, first, end)
        address = self.within(MAP, first * 4 if isinstance(first, int) else w.op("SHL", first, w.constant(2)))
        split = w.register()
        for byte in range(count):
            moved = w.op("USHR", nth_channel(item.value, 0), w.constant(8 * byte)) if byte else nth_channel(item.value, 0)
            w.op("AND", moved, w.constant(0xFF), into=channel_of(split, byte))
        store = DstOperand(RegisterRef(File.BUFFER, MAP), (1 << count) - 1)
        w.items.append(Instruction(OPCODES["STORE"], (store,), (address, SrcOperand(split))))

    def known(self, item: IsbeRead | IsbeWrite, end: int) -> int:
        """A constant address, which must be below `end`."""
        offset = item.access.address.offset
        if not 0 <= offset < end:
            self.refuse(item, f"the address is not below 0x{max(end, 0):x}")
        return offset

    def if_predicate(self, item: IsbeRead | IsbeWrite, place: int | SrcOperand, end: int) -> int | SrcOperand:
        """`place` in lanes whose predicate is true, and a place after the region's end in the others."""
        if item.predicate is None:
            return place
        w = self.w
        there = w.constant(place) if isinstance(place, int) else place
        return w.op("UCMP", nth_channel(item.predicate, 0), there, w.constant(end))

    def within(self, buffer: int, place: int | SrcOperand) -> SrcOperand:
        """Address in a buffer of a place in the workgroup's region."""
        return self.w.op("UADD", self.starts[buffer], self.w.constant(place) if isinstance(place, int) else place)

    def rows(self, access: Access) -> tuple[int, int]:
        """Address of the first row, and bytes of a row."""
        if access.side is Side.I:
            return 0, WORD_BYTES  # the vertex id is its only attribute
        return (self.sizes.primitive_start, self.sizes.primitive_row) if access.per_primitive else (0, self.sizes.vertex_row)

    def skewed(self, access: Access, place: SrcOperand) -> SrcOperand:
        """Computed address with SKEW: `isbe.skew.skewed` as instructions."""
        w = self.w
        start, row_bytes = self.rows(access)
        plain = w.op("UADD", place, w.constant(-start)) if start else place
        row = w.op("UDIV", plain, w.constant(row_bytes))
        byte = w.op("UADD", plain, replace(w.op("UMUL", row, w.constant(row_bytes)), negate=True))
        block = w.op("UMUL", w.op("USHR", row, w.constant(ROWS_OF_BLOCK.bit_length() - 1)), w.constant(block_bytes(row_bytes)))
        line = w.op("UMUL", w.op("USHR", byte, w.constant(2)), w.constant(LINE_BYTES))
        lane = w.op("SHL", w.op("AND", row, w.constant(ROWS_OF_BLOCK - 1)), w.constant(2))
        moved = w.op("UADD", w.op("UADD", block, line), lane)
        return w.op("UADD", moved, w.constant(start)) if start else moved

    def refuse(self, item: IsbeRead | IsbeWrite, reason: str) -> NoReturn:
        """Raise IsbeError with the text of an item."""
        raise IsbeError(f"{print_item(item)}: {reason}")
