"""Reading ELF objects: which symbols does one expect from outside?"""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SHT_SYMTAB = 2


def undefined_symbols(data: bytes) -> set[str]:
    """Names of the undefined symbols of a 64-bit little-endian ELF object; ValueError when it is not one."""
    if len(data) < _HEADER.size or data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF object")
    try:
        return _scan(data)
    except (struct.error, IndexError) as error:
        raise ValueError("broken ELF object") from error


def _scan(data: bytes) -> set[str]:
    header = _HEADER.unpack_from(data)
    start, entry_size, count = header[6], header[11], header[12]
    sections = [_SECTION.unpack_from(data, start + i * entry_size) for i in range(count)]
    found = set()
    for section in sections:
        if section[1] != _SHT_SYMTAB:
            continue
        offset, size, strings = section[4], section[5], sections[section[6]]
        for at in range(offset, offset + size, _SYMBOL.size):
            name, _, _, index, _, _ = _SYMBOL.unpack_from(data, at)
            if index == 0 and name:
                begin = strings[4] + name
                found.add(data[begin : data.index(b"\0", begin)].decode())
    return found
