"""The first walk over a program: what each instruction reads and writes, and the writers of every cell.

Programs in which an address reaches a register that instructions write are read by `passes.analysis.cells.CellMap` instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from passes.analysis import facts
from passes.analysis.access import indexed_registers, is_direct
from passes.analysis.cells import CELLS, MASKS, SELECTED, CellMap, Cells, found_masks
from tgsi.language.facts.enums import OUT
from tgsi.language.facts.opcodes import OpcodeInfo
from tgsi.language.facts.stages import STAGES
from tgsi.language.ir import CHOSEN, PLACES, RegisterRef
from tgsi.language.program import Program

_DIRECT = CellMap(None)


class _Kinds(dict[OpcodeInfo, tuple[bool, Sequence[tuple[int, ...] | None], bool]]):
    """By opcode: whether it writes one register channel by channel, the channels that it reads by write mask, and whether offsets or a
    resource may hold further registers that it reads."""

    def __missing__(self, opcode: OpcodeInfo) -> tuple[bool, Sequence[tuple[int, ...] | None], bool]:
        is_simple = opcode.num_dst == 1 and not opcode.uses_64bit and not opcode.is_store
        made = self[opcode] = is_simple, MASKS[opcode], opcode.has_offsets or opcode.stores_to_dst
        return made


_KINDS = _Kinds()


def plain_accesses(program: Program) -> tuple[list[Cells], list[Cells]] | None:
    """Return the results of `CellMap.reads` and `CellMap.writes` for each instruction; None if an address may reach a TEMP, ADDR or OUT.

    One loop takes half of the time of separate calls. It also finds the registers that an address indexes.
    """
    if OUT in STAGES[program.processor].vertex_rows:
        return None
    all_reads: list[Cells] = []
    all_writes: list[Cells] = []
    chosen: list[RegisterRef] = []
    for item in program.instructions:
        targets = item.dst
        is_simple, masks_of, is_more = _KINDS[item.opcode]
        mask = 15
        target: RegisterRef | None = None
        if not targets:
            all_writes.append(())
        else:
            register, mask = targets[0].register, targets[0].write_mask
            if register.cell >= 0 and is_simple:
                all_writes.append(CELLS[register.cell << 4 | mask])
            else:
                all_writes.append(_DIRECT.writes(item))
                for operand in targets:
                    if operand.register.cell == CHOSEN and not is_direct(operand.register):
                        target = operand.register
                        if target.file in PLACES or len(targets) > 1:
                            return None
        masks = masks_of[mask]
        if masks is None:
            masks = found_masks(item)
        cells: Cells = ()
        for source, mask in zip(item.src, masks):
            register = source.register
            cell = register.cell
            if cell >= 0:
                cells += CELLS[cell << 4 | SELECTED[mask][source.swizzle]]
            elif cell == CHOSEN:
                if register.file in PLACES:
                    if not is_direct(register):
                        return None
                    cells += _DIRECT.source(source, mask)
                elif not is_direct(register):
                    chosen.append(register)
                    cells += _DIRECT.index_cells(register)
        if target is not None:
            chosen.append(target)
            cells += _DIRECT.index_cells(target)
        if is_more:
            if item.offsets and not all(is_direct(offset.register) for offset in item.offsets):
                return None
            cells = _DIRECT.reads(item)
        all_reads.append(cells)
    facts.keep(program, indexed_registers, tuple(dict.fromkeys(chosen)) if chosen else ())
    return all_reads, all_writes
