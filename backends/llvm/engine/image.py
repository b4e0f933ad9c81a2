"""Flat images of objects: one piece of memory with all internal references resolved, so that loading it is a copy.

LLVM's own linker takes 0.3 to 0.5 ms for an object of a shader, longer than all other steps together when a kernel comes from disk. The
objects of this code generator need little linking: code and read-only data that refer to each other by distance, and calls of a few
outside functions. Objects that need more (another machine, another format, writable data) go to LLVM's linker. `flatten` makes images.

A flat image is a header, names, then the memory: the object's sections in their order, followed by a slot for each outside function,
which is a jump through an address that is written when the image is placed.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from backends.system import ExecutableMemory
from tgsi.language.record import record

MAGIC = b"TGSIFLAT"
_HEADER = struct.Struct("<8sIIII")  # magic, exports, imports, bytes of names, bytes of memory
_OFFSET = struct.Struct("<I")
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


class Placed:
    """A flat image in executable memory, which is freed with this object."""

    def __init__(self, flat: Flat, outside: Mapping[str, int]) -> None:
        """Place the image. `outside`: the address of each outside name. OSError if the system has no memory that may be executed."""
        memory = bytearray(flat.memory)
        for name, at in flat.imports.items():
            struct.pack_into("<Q", memory, at, outside[name])
        self._memory = ExecutableMemory(memory)
        self.address = {name: self._memory.address + at for name, at in flat.exports.items()}
