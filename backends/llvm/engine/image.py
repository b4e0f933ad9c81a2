"""Flat images of objects: one piece of memory with every inner reference resolved, so that loading it is a copy.

LLVM's own linker takes 0.3 to 0.5 ms for an object of a shader, longer than all other steps together when a kernel comes from disk. The
objects of this code generator need little linking: code and read-only data that refer to each other by distance, and calls of a few
outside functions. Objects that need more (another machine, another format, writable data) go to LLVM's linker: `flatten` returns None.

A flat image is a header, names, then the memory: the object's sections in their order, followed by a slot for each outside function,
which is a jump through an address that is written when the image is placed.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import platform
import struct
import sys
from collections.abc import Mapping

import numpy as np

from backends.llvm.engine.object_files import UNDEFINED, Relocation, Symbol, read_elf
from tgsi.language.record import record

MAGIC = b"TGSIFLAT"
_HEADER = struct.Struct("<8sIIII")  # magic, exports, imports, bytes of names, bytes of memory
_OFFSET = struct.Struct("<I")
_SLOT = bytes((0xFF, 0x25, 2, 0, 0, 0, 0x66, 0x90)) + bytes(8)  # jmp [rip + 2]; two bytes of padding; the address
_SLOT_ADDRESS = 8

_X86_64 = 62  # ELF's machine number
_ALLOCATED, _WRITABLE, _PROGBITS, _TLS = 2, 1, 1, 0x400
_PC32, _PLT32, _GOT = 2, 4, frozenset({9, 41, 42})

MAX_BYTES = 1 << 28


@record
class Flat:
    """Memory of an image, final except for its slots. exports: name to offset. imports: outside name to the offset of its address."""

    memory: memoryview
    exports: dict[str, int]
    imports: dict[str, int]

    def pack(self) -> bytes:
        """Encode as bytes; `unpack` is the inverse."""
        names = "\0".join((*self.exports, *self.imports)).encode()
        offsets = struct.pack(f"<{len(self.exports) + len(self.imports)}I", *self.exports.values(), *self.imports.values())
        return _HEADER.pack(MAGIC, len(self.exports), len(self.imports), len(names), len(self.memory)) + offsets + names + self.memory


def unpack(image: bytes) -> Flat:
    """Decode the bytes of `Flat.pack`; ValueError for anything else."""
    try:
        magic, exports, imports, length, size = _HEADER.unpack_from(image)
        count = exports + imports
        offsets = struct.unpack_from(f"<{count}I", image, _HEADER.size)
        begin = _HEADER.size + _OFFSET.size * count
        names = image[begin : begin + length].decode().split("\0")
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError("broken image") from error
    memory = memoryview(image)[begin + length :]
    if magic != MAGIC or len(names) != max(count, 1) or len(memory) != size or not 0 < size <= MAX_BYTES:
        raise ValueError("broken image")
    if any(at >= size for at in offsets[:exports]) or any(at + 8 > size for at in offsets[exports:]):
        raise ValueError("broken image")
    pairs = list(zip(names, offsets))
    return Flat(memory, dict(pairs[:exports]), dict(pairs[exports:]))


@functools.cache
def is_possible() -> bool:
    """True if images can be placed in this process: x86-64 machine code, and memory protection as on Linux."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and ctypes.sizeof(ctypes.c_void_p) == 8


def flatten(image: bytes) -> bytes | None:
    """Flat image of an object, or None if the object needs a real linker. ValueError for bytes that are no object."""
    if not is_possible() or not image.startswith(b"\x7fELF\x02\x01"):
        return None
    machine, sections, symbols, relocations = read_elf(image)
    if machine != _X86_64:
        return None
    places: dict[int, int] = {}
    memory = bytearray()
    for number, section in enumerate(sections):
        if not section.flags & _ALLOCATED or not section.size:
            continue
        if section.kind != _PROGBITS or section.flags & (_WRITABLE | _TLS):
            return None
        memory += bytes(-len(memory) % max(section.alignment, 16))
        places[number] = len(memory)
        memory += image[section.offset : section.offset + section.size]
    slots: dict[str, int] = {}
    for relocation in relocations:
        if relocation.section in places and not _resolve(memory, places, slots, relocation, symbols[relocation.symbol]):
            return None
    exports = {s.name: places[s.section] + s.value for s in symbols if s.is_exported and s.section in places}
    return Flat(memoryview(memory), exports, {name: at + _SLOT_ADDRESS for name, at in slots.items()}).pack() if memory else None


def _resolve(memory: bytearray, places: dict[int, int], slots: dict[str, int], item: Relocation, symbol: Symbol) -> bool:
    """Resolve one reference in `memory`; False for an unknown kind."""
    at = places[item.section] + item.offset
    if symbol.section == UNDEFINED and symbol.name and (item.kind == _PLT32 or item.kind in _GOT):
        if symbol.name not in slots:
            memory += bytes(-len(memory) % len(_SLOT))
            slots[symbol.name] = len(memory)
            memory += _SLOT
        target = slots[symbol.name] + (_SLOT_ADDRESS if item.kind in _GOT else 0)
    elif symbol.section in places and item.kind in (_PC32, _PLT32):
        target = places[symbol.section] + symbol.value
    else:
        return False
    struct.pack_into("<i", memory, at, target + item.addend - at)
    return True


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library


@functools.cache
def process_symbol(name: str) -> int:
    """Address of a function of this process; ValueError if there is none."""
    try:
        address = ctypes.cast(getattr(_library(), name), ctypes.c_void_p).value
    except AttributeError as error:
        raise ValueError(f"this process has no function {name}") from error
    assert address
    return address


def _executable(memory: bytes | bytearray) -> tuple[mmap.mmap, int]:
    """Executable copy of `memory`, and its address. OSError, with the reason, if the system allows none.

    The first attempt is anonymous memory, made executable after it is written. Systems that forbid that may still map a file.
    """
    size = len(memory)
    held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    held[:size] = memory
    base = ctypes.addressof(ctypes.c_char.from_buffer(held))
    if not _library().mprotect(base, size, mmap.PROT_READ | mmap.PROT_EXEC):
        return held, base
    refused = ctypes.get_errno()
    try:
        file = os.memfd_create("tgsi", os.MFD_CLOEXEC)
        try:
            os.write(file, memory)
            held = mmap.mmap(file, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
        finally:
            os.close(file)
    except OSError as error:
        reasons = f"mprotect: {os.strerror(refused)}; a mapped memfd: {os.strerror(error.errno or 0)}"
        policy = "a policy such as SELinux's execmem or a seccomp filter may forbid it"
        advice = 'engine="interp" runs programs without compiled code'
        raise OSError(refused, f"this system lets no memory become executable ({reasons}): {policy}; {advice}") from error
    return held, np.frombuffer(held, np.uint8).ctypes.data


class Placed:
    """A flat image in executable memory, which is freed with this object."""

    def __init__(self, flat: Flat, outside: Mapping[str, int]) -> None:
        """Place the image. `outside`: the address of each outside name. OSError if the system has no memory that may be executed."""
        memory = bytearray(flat.memory)
        for name, at in flat.imports.items():
            struct.pack_into("<Q", memory, at, outside[name])
        self._memory, base = _executable(memory)
        self.address = {name: base + at for name, at in flat.exports.items()}
