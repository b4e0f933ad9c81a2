"""Flat images of ELF objects: resolves the few kinds of references that LLVM writes for x86-64 and for AArch64.

Sources: System V ABI for AMD64, section 4.4; ELF for the Arm 64-bit Architecture, section 5.7.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from backends.llvm.engine.image import Flat
from backends.llvm.engine.object_files import UNDEFINED, Relocation, Symbol, read_elf
from backends.system import has_executable_memory, machine
from tgsi.language.record import record

_ALLOCATED, _WRITABLE, _PROGBITS, _TLS = 2, 1, 1, 0x400
_PAGE = 0xFFF
_WORD = struct.Struct("<I")


@record
class Machine:
    """The object format of a machine.

    number: ELF's. slot: code of a call that goes through the address at its end. calls: kinds of a call. table: kinds that refer to an
    address in memory. resolve(memory, kind, target, at): writes a reference; False for an unknown kind. Both are offsets in the image,
    which begins a page.
    """

    number: int
    slot: bytes
    calls: frozenset[int]
    table: frozenset[int]
    resolve: Callable[[bytearray, int, int, int], bool]

    @property
    def slot_address(self) -> int:
        """Offset of the address in a slot."""
        return len(self.slot) - 8


def _x86(memory: bytearray, kind: int, target: int, at: int) -> bool:
    if kind not in (2, 4, 9, 41, 42):  # PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX
        return False
    struct.pack_into("<i", memory, at, target - at)
    return True


_OFFSET_SHIFTS = {277: 0, 278: 0, 284: 1, 285: 2, 286: 3, 299: 4, 312: 3}  # low 12 bits of an address: addition, loads and stores by size


def _aarch64(memory: bytearray, kind: int, target: int, at: int) -> bool:
    (word,) = _WORD.unpack_from(memory, at)
    if kind in (275, 311):  # ADR_PREL_PG_HI21, ADR_GOT_PAGE
        pages = (target >> 12) - (at >> 12)
        word |= (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    elif kind in (282, 283):  # JUMP26, CALL26
        word |= (target - at) >> 2 & 0x3FFFFFF
    elif kind in _OFFSET_SHIFTS and not (target & _PAGE) & ((1 << _OFFSET_SHIFTS[kind]) - 1):
        word |= (target & _PAGE) >> _OFFSET_SHIFTS[kind] << 10
    elif kind == 261:  # PREL32
        word = target - at & 0xFFFFFFFF
    else:
        return False
    _WORD.pack_into(memory, at, word)
    return True


MACHINES = {
    # jmp [rip + 2]; two bytes of padding; the address
    "x86_64": Machine(62, bytes((0xFF, 0x25, 2, 0, 0, 0, 0x66, 0x90)) + bytes(8), frozenset({4}), frozenset({9, 41, 42}), _x86),
    # ldr x16, 8; br x16; the address
    "aarch64": Machine(183, struct.pack("<IIQ", 0x58000050, 0xD61F0200, 0), frozenset({282, 283}), frozenset({311, 312}), _aarch64),
}


def is_possible() -> bool:
    """True if images can be placed in this process: its architecture is supported, and memory can be made executable."""
    return has_executable_memory() and machine() in MACHINES


def flatten(image: bytes, of: str = "") -> bytes | None:
    """Flat image of an object, or None if the object needs a real linker. ValueError for bytes that are not an object file.

    of: the machine of `MACHINES` that will run the image; the default is this one.
    """
    if not (of or is_possible()) or not image.startswith(b"\x7fELF\x02\x01"):
        return None
    number, sections, symbols, relocations = read_elf(image)
    own = MACHINES[of or machine()]
    if number != own.number:
        return None
    places: dict[int, int] = {}
    memory = bytearray()
    for index, section in enumerate(sections):
        if not section.flags & _ALLOCATED or not section.size:
            continue
        if section.kind != _PROGBITS or section.flags & (_WRITABLE | _TLS):
            return None
        memory += bytes(-len(memory) % max(section.alignment, 16))
        places[index] = len(memory)
        memory += image[section.offset : section.offset + section.size]
    slots: dict[str, int] = {}
    for relocation in relocations:
        if relocation.section in places and not _resolve(own, memory, places, slots, relocation, symbols[relocation.symbol]):
            return None
    exports = {s.name: places[s.section] + s.value for s in symbols if s.is_exported and s.section in places}
    imports = {name: at + own.slot_address for name, at in slots.items()}
    return Flat(memoryview(memory), exports, imports).pack() if memory else None


def _resolve(own: Machine, memory: bytearray, places: dict[int, int], slots: dict[str, int], item: Relocation, symbol: Symbol) -> bool:
    """Resolve one reference in `memory`; False for an unknown kind."""
    if symbol.section == UNDEFINED and symbol.name and item.kind in own.calls | own.table:
        if symbol.name not in slots:
            memory += bytes(-len(memory) % len(own.slot))
            slots[symbol.name] = len(memory)
            memory += own.slot
        target = slots[symbol.name] + (own.slot_address if item.kind in own.table else 0)
    elif symbol.section in places and item.kind not in own.table:
        target = places[symbol.section] + symbol.value
    else:
        return False
    return own.resolve(memory, item.kind, target + item.addend, places[item.section] + item.offset)
