"""Numbers for register channels, and fast lookup of the channels that an instruction reads and writes.

A cell is an integer that identifies one channel of a TEMP, ADDR or OUT register. Registers that an address may reach share one negative
cell, because the register of an indirect access is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from passes.analysis import facts
from passes.analysis.access import indexed_registers, is_direct, results
from tgsi.language.channels import source_channels, swizzled
from tgsi.language.facts.enums import IMM, OUT, File
from tgsi.language.facts.opcode_row import WIDE, OpcodeInfo
from tgsi.language.facts.stages import STAGES
from tgsi.language.facts.traits import ENDSUBROUTINE, SUBROUTINE
from tgsi.language.ir import CHOSEN, PLACES, STILL, DstOperand, IndirectRef, Instruction, RegisterRef, SrcOperand
from tgsi.language.program import Program

STATIC = frozenset({File.IN, File.CONST, IMM, File.SV})
"""Read-only files: their registers keep their values while a lane runs."""

Cells = tuple[int, ...]

CHANNELS: Sequence[Cells] = tuple(tuple(c for c in range(4) if mask >> c & 1) for mask in range(16))
"""The channels of each mask."""

_FILES = {code: file for file, code in PLACES.items()}
_MANY = 1 << 16

Swizzle = tuple[int, int, int, int]


class _Selected(dict[Swizzle, int]):
    """The mask of the channels that a swizzle selects in the channels of one mask."""

    def __init__(self, mask: int) -> None:
        super().__init__()
        self._mask = mask

    def __missing__(self, swizzle: Swizzle) -> int:
        cells = self[swizzle] = swizzled(swizzle, self._mask)
        return cells


class _Cells(dict[int, Cells]):
    """The cells of some channels of a register. The key is the cell of channel x, times 16, plus a mask of the channels."""

    def __missing__(self, key: int) -> Cells:
        if len(self) >= _MANY:
            self.clear()
        first = key >> 4
        cells = self[key] = tuple([first + channel for channel in CHANNELS[key & 15]])
        return cells


class _Masks(dict[OpcodeInfo, Sequence[tuple[int, ...] | None]]):
    """Results of `source_masks` by opcode and write mask; None for opcodes whose reads also depend on a texture target or on files."""

    def __missing__(self, opcode: OpcodeInfo) -> Sequence[tuple[int, ...] | None]:
        if opcode.has_memory or opcode.has_offsets:
            masks: Sequence[tuple[int, ...] | None] = (None,) * 16
        else:
            samples = [Instruction(opcode, (DstOperand(_NOTHING, mask),)) for mask in range(16)]
            masks = tuple([tuple([source_channels(item, number) for number in range(opcode.num_src)]) for item in samples])
        self[opcode] = masks
        return masks


_NOTHING = RegisterRef(File.NULL, 0)
MASKS = _Masks()
_EVERYTHING = DstOperand(_NOTHING)
_targeted: dict[tuple[OpcodeInfo, int, str | None, File, int], tuple[int, ...]] = {}
"""Results of `source_masks` for opcodes of textures and memory: by opcode, write mask, target, file of the destination, and sources."""
SELECTED = [_Selected(mask) for mask in range(16)]
CELLS = _Cells()


def cell(file: File, index: int, channel: int) -> int:
    """Return the cell of a channel of a register that no address reaches."""
    return index * 16 + PLACES[file] + channel


def place_of(number: int) -> tuple[File, int, int]:
    """Return file, index and channel of a cell that is not negative."""
    return _FILES[number & 12], number >> 4, number & 3


def source_masks(item: Instruction) -> tuple[int, ...]:
    """Return, for each source, the channels that are read before its swizzle."""
    dst = item.dst
    masks = MASKS[item.opcode][dst[0].write_mask if dst else 15]
    return found_masks(item) if masks is None else masks


def found_masks(item: Instruction) -> tuple[int, ...]:
    """Return the result of `source_masks` for an opcode whose reads depend on a target or on files."""
    target = item.memory.target if item.memory is not None else item.texture
    first = item.dst[0] if item.dst else _EVERYTHING
    key = item.opcode, first.write_mask, target, first.register.file, len(item.src)
    masks = _targeted.get(key)
    if masks is None:
        masks = _targeted[key] = tuple([source_channels(item, number) for number in range(len(item.src))])
    return masks


def stored_channels(item: Instruction, number: int = 0) -> Cells:
    """Return the channels that are always stored to destination `number`; 64-bit results fill pairs."""
    opcode, mask = item.opcode, item.dst[number].write_mask
    if number or not opcode.uses_64bit:
        return CHANNELS[mask]
    if opcode.dst_types[0] in WIDE:
        needed = 1 if opcode.num_src == 2 else 2
        return tuple(c for c in range(4) if (mask >> (c & 2) & 3).bit_count() >= needed)
    if opcode.num_src == 2:  # a comparison: one word a pair
        return tuple(next(c for c in pair if mask >> c & 1) for pair in ((0, 1), (2, 3)) if mask >> pair[0] & 3)
    return CHANNELS[mask][:2]


class _Groups(dict[int, int]):
    """The shared cell of each register, by its own cell; 0 if no address reaches it.

    Ranges are searched, because there may be a thousand arrays.
    """

    def __init__(self, ranges: Sequence[tuple[int, int, int, int]]) -> None:
        super().__init__()
        self._ranges = ranges

    def __missing__(self, cell: int) -> int:
        shared = 0
        for place, first, last, group in self._ranges:
            if cell & 12 == place and first <= cell >> 4 <= last:
                shared = group
                break
        self[cell] = shared
        return shared


class CellMap:
    """The cells of a program's registers. Without a program: those of programs without addresses."""

    __slots__ = ("_known", "_ranges", "groups")

    def __init__(self, program: Program | None) -> None:
        self.groups: dict[tuple[File, int], int] = {}
        """Registers that an address may reach, by file and array number (0: the whole file), and their cell."""
        self._ranges: list[tuple[int, int, int, int]] = []  # place of the file, first and last register, cell
        self._known = _Groups(self._ranges)
        if program is not None:
            self._find_groups(program)

    def _find_groups(self, program: Program) -> None:
        whole: set[File] = {OUT} if OUT in STAGES[program.processor].vertex_rows else set()
        indexed = facts.of(program, indexed_registers)
        if not whole and not indexed:
            return
        reached: set[tuple[File, int]] = set()
        arrays = {(d.file, d.array_id): d for d in program.declarations if d.array_id}
        for register in indexed:
            if register.indirect is not None and register.file in PLACES:
                key = register.file, register.array_id
                if key in arrays:
                    reached.add(key)
                else:
                    whole.add(register.file)
        number = -1
        for file in sorted(whole):
            self.groups[file, 0] = number
            self._ranges.append((PLACES[file], 0, 1 << 31, number))
            number -= 1
        for file, array in sorted(reached):
            declared = arrays[file, array]
            if file in whole:
                self.groups[file, array] = self.groups[file, 0]
            else:
                self.groups[file, array] = number
                self._ranges.append((PLACES[file], declared.first, declared.last, number))
                number -= 1

    def group(self, file: File, index: int) -> int:
        """Return the shared cell of a register, or 0 if no address reaches it."""
        return self._known[index * 16 + PLACES[file]] if file in PLACES else 0

    def is_shared(self, register: RegisterRef) -> bool:
        """Return true if an address may reach the register."""
        return bool(self._ranges) and self.group(register.file, register.index) != 0

    def of(self, register: RegisterRef, channels: Cells) -> Cells:
        """Return the cells of some channels of a register; none for read-only files."""
        cell = register.cell
        if cell == CHOSEN:
            if register.file not in PLACES:
                return ()
            if register.indirect is not None:
                group = self.groups.get((register.file, register.array_id)) or self.groups.get((register.file, 0))
                return (group,) if group else ()
            cell = register.index * 16 + PLACES[register.file]
        elif cell == STILL:
            return ()
        if self._ranges and (group := self._known[cell]):
            return (group,)
        return (cell + channels[0],) if len(channels) == 1 else tuple([cell + channel for channel in channels])

    def first(self, register: RegisterRef) -> int:
        """Return the cell of channel x of a register, or the cell of its group; STILL for read-only files."""
        if register.cell >= 0 and not self._ranges:
            return register.cell
        cells = self.of(register, (0,))
        return cells[0] if cells else STILL

    def index_cell(self, ref: IndirectRef) -> Cells:
        """Return the cell that an index is read from, if there is one."""
        place = PLACES.get(ref.file)
        if place is None:
            return ()
        cell = ref.index * 16 + place
        group = self._known[cell] if self._ranges else 0
        return (group or cell + ref.component,)

    def index_cells(self, register: RegisterRef) -> Cells:
        """Return the cells of the registers that index a register."""
        indirect, dimension = register.indirect, register.dimension
        cells = self.index_cell(indirect) if indirect is not None else ()
        if dimension is not None and dimension.indirect is not None:
            cells += self.index_cell(dimension.indirect)
        return cells

    def source(self, operand: SrcOperand, mask: int) -> Cells:
        """Return the cells that a source reads in the channels of `mask` (before its swizzle), without those of its indices."""
        register = operand.register
        cell = register.cell
        if cell == STILL:
            return ()
        taken = SELECTED[mask][operand.swizzle]
        if cell == CHOSEN:
            return self.of(register, CHANNELS[taken])
        if self._ranges and (group := self._known[cell]):
            return (group,)
        return CELLS[cell << 4 | taken]

    @staticmethod
    def has_indices(item: Instruction) -> bool:
        """Return true if an address chooses a register of an operand, or its dimension."""
        for operand in item.src:
            if operand.register.cell == CHOSEN and not is_direct(operand.register):
                return True
        return any(target.register.cell == CHOSEN and not is_direct(target.register) for target in item.dst)

    def reads(self, item: Instruction) -> Cells:
        """Return all cells that an instruction reads, perhaps with duplicates."""
        opcode, targets = item.opcode, item.dst
        masks = MASKS[opcode][targets[0].write_mask if targets else 15]
        if masks is None:
            masks = found_masks(item)
        cells: Cells = ()
        for operand, mask in zip(item.src, masks):
            register = operand.register
            cell = register.cell
            if cell >= 0:
                if self._ranges and (group := self._known[cell]):
                    cells += (group,)
                else:
                    cells += CELLS[cell << 4 | SELECTED[mask][operand.swizzle]]
            elif cell == CHOSEN:
                cells += self.source(operand, mask) + self.index_cells(register)
        for target in targets:
            if target.register.cell == CHOSEN:
                cells += self.index_cells(target.register)
        if opcode.stores_to_dst:  # the handle of an image
            cells += self.of(targets[0].register, (0,))
        for offset in item.offsets:
            cells += self.of(offset.register, tuple(set(offset.swizzle))) + self.index_cells(offset.register)
        return cells

    def writes(self, item: Instruction) -> Cells:
        """Return all cells that an instruction writes."""
        targets = item.dst
        if not targets:
            return ()
        opcode = item.opcode
        if opcode.num_dst == 1 and not opcode.uses_64bit and not opcode.is_store:
            target = targets[0]
            cell = target.register.cell
            if cell >= 0:
                if self._ranges and (group := self._known[cell]):
                    return (group,)
                return CELLS[cell << 4 | target.write_mask]
            return self.of(target.register, CHANNELS[target.write_mask])
        return tuple(
            register for number, target in enumerate(results(item)) for register in self.of(target.register, stored_channels(item, number))
        )


def touched_by_subs(items: Iterable[Instruction | None], cells: CellMap) -> Cells:
    """Return the cells that subroutines touch; a call may read and write any of them."""
    touched: set[int] = set()
    inside = False
    for item in items:
        if item is None:
            continue
        inside = inside or item.opcode.flow is SUBROUTINE
        if inside:
            touched.update(cells.reads(item))
            touched.update(cells.writes(item))
        inside = inside and item.opcode.flow is not ENDSUBROUTINE
    return tuple(sorted(touched))
