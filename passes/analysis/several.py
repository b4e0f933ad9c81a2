"""Fast test for registers with several webs in programs without branches, as most registers have a single one."""

from __future__ import annotations

from passes.analysis.makers import bits_of
from passes.analysis.values import Values
from tgsi.language.facts.enums import OUT
from tgsi.language.facts.opcodes import OPCODES
from tgsi.language.ir import PLACES

_OUTPUT = PLACES[OUT]


def several_webs(values: Values) -> set[int]:
    """Return the cells of TEMP and ADDR registers that may have several webs in a program without branches and arrays.

    All others have one: a single instruction writes every channel that is read, before all reads.
    """
    if values.webs_at[0] != values.version:
        values.webs_at = values.version, _several(values)
    return values.webs_at[1]


_UNUSUAL = bits_of(
    opcode for opcode in OPCODES.values() if opcode.num_dst > 1 or opcode.uses_64bit or opcode.has_offsets or opcode.stores_to_dst
)
"""Opcodes of instructions that may touch several registers at once, other than by their sources."""


def _several(values: Values) -> set[int]:
    registers: set[int] = set()  # registers, by the number of their cells without the channel
    written: set[int] = set()
    owned: set[int] = set()
    for reads, writes in zip(values.reads, values.writes):
        if reads and not written.issuperset(reads):
            registers.update([cell >> 2 for cell in reads if cell not in written])
        if writes:
            if (key := writes[0] >> 2) in owned:
                registers.add(key)
            else:
                owned.add(key)
            written.update(writes)
    if values.opcodes.bits & _UNUSUAL:
        for item, reads, writes in zip(values.items, values.reads, values.writes):
            if item is not None and (len(item.dst) > 1 or item.opcode.uses_64bit or item.offsets or item.opcode.stores_to_dst):
                registers.update([cell >> 2 for cell in (*reads, *writes)])
    if registers and values.is_indexed:
        registers.update(cell >> 2 for cells in (values.reads, values.writes) for few in cells for cell in few)
    return {cell for key in registers if key & 3 != _OUTPUT >> 2 for cell in range(key << 2, (key << 2) + 4)}
