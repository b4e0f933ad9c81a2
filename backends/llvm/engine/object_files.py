"""Readers of little-endian object files: undefined symbols of ELF, Mach-O, COFF and WebAssembly, and all contents of ELF files."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_ELF64 = tuple(struct.Struct(form) for form in ("<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ", "<IBBHQQ"))
_ELF32 = tuple(struct.Struct(form) for form in ("<16sHHIIIIIHHHHHH", "<IIIIIIIIII", "<IIIBBH"))
_SHT_SYMTAB, _SHT_RELA = 2, 4
_MACHO_MAGIC, _LC_SYMTAB = 0xFEEDFACF, 2
_MACHO_SYMBOL, _COFF_SYMBOL = struct.Struct("<IBBHQ"), struct.Struct("<8sIhHBB")
_STAB, _TYPE, _EXTERNAL = 0xE0, 0x0E, 1
_COFF_MACHINES = frozenset({0x8664, 0xAA64, 0x014C})
_COFF_EXTERNAL = 2


def undefined_symbols(data: bytes) -> set[str]:
    """Names of the undefined symbols of an object file, or of the imported functions of WebAssembly; ValueError for other bytes."""
    readers = {b"\x7fELF\x02\x01": _elf, b"\x7fELF\x01\x01": _elf, struct.pack("<I", _MACHO_MAGIC): _macho, b"\0asm": _wasm}
    reader = next((read for magic, read in readers.items() if data.startswith(magic)), None)
    if reader is None and len(data) >= 20 and struct.unpack_from("<H", data)[0] in _COFF_MACHINES:
        reader = _coff
    if reader is None:
        raise ValueError("not an object file: neither ELF nor Mach-O, COFF or WebAssembly, little-endian")
    try:
        return set(reader(data))
    except (struct.error, IndexError, ValueError) as error:
        raise ValueError("broken object file") from error


def _name(data: bytes, begin: int) -> str:
    return data[begin : data.index(b"\0", begin)].decode()


def _sections(data: bytes) -> list[tuple[int, ...]]:
    """Section headers of an ELF file."""
    header_form, section_form, _ = _ELF64 if data[4] == 2 else _ELF32
    header = header_form.unpack_from(data)
    start, count = header[6], header[12]
    return [section_form.unpack_from(data, start + i * section_form.size) for i in range(count)]


def _elf(data: bytes) -> Iterator[str]:
    wide = data[4] == 2
    sections = _sections(data)
    for section in sections:
        if section[1] != _SHT_SYMTAB:
            continue
        form = (_ELF64 if wide else _ELF32)[2]
        for at in range(section[4], section[4] + section[5], form.size):
            symbol = form.unpack_from(data, at)
            if symbol[3 if wide else 5] == 0 and symbol[0]:
                yield _name(data, sections[section[6]][4] + symbol[0])


def _macho(data: bytes) -> Iterator[str]:
    at, commands = 32, struct.unpack_from("<I", data, 16)[0]
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == _LC_SYMTAB:
            offset, count, strings = struct.unpack_from("<III", data, at + 8)
            for number in range(count):
                name, flags, _, _, _ = _MACHO_SYMBOL.unpack_from(data, offset + number * _MACHO_SYMBOL.size)
                if not flags & (_STAB | _TYPE) and flags & _EXTERNAL:
                    yield _name(data, strings + name).removeprefix("_")
        at += size


def _coff(data: bytes) -> Iterator[str]:
    offset, count = struct.unpack_from("<II", data, 8)
    strings = offset + count * _COFF_SYMBOL.size
    number = 0
    while number < count:
        name, value, section, _, storage, extra = _COFF_SYMBOL.unpack_from(data, offset + number * _COFF_SYMBOL.size)
        number += 1 + extra
        if section == 0 and value == 0 and storage == _COFF_EXTERNAL:
            long = name[:4] == bytes(4)
            yield _name(data, strings + struct.unpack("<I", name[4:])[0]) if long else name.rstrip(b"\0").decode()


def _wasm(data: bytes) -> Iterator[str]:
    at = 8
    while at < len(data):
        section = data[at]
        size, at = _leb(data, at + 1)
        if section == 2:
            yield from _imports(data, at)
        at += size


def _imports(data: bytes, at: int) -> Iterator[str]:
    count, at = _leb(data, at)
    for _ in range(count):
        size, at = _leb(data, at)
        size, at = _leb(data, at + size)
        name, kind, at = data[at : at + size].decode(), data[at + size], at + size + 1
        if kind == 0:  # a function: its type
            _, at = _leb(data, at)
            yield name
        elif kind == 1:  # a table: its type and limits
            at = _limits(data, at + 1)
        elif kind == 2:  # a memory
            at = _limits(data, at)
        else:  # a global: type and mutability
            at += 2


def _limits(data: bytes, at: int) -> int:
    flags, at = _leb(data, at)
    for _ in range(1 + (flags & 1)):
        _, at = _leb(data, at)
    return at


def _leb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


UNDEFINED = 0
_GLOBAL, _FUNCTION = 1, 2
_RELOCATION = struct.Struct("<QIIq")  # offset, kind, symbol, addend


class Section(NamedTuple):
    """A section of an ELF file; `offset`: its place in the file."""

    kind: int
    flags: int
    offset: int
    size: int
    alignment: int


class Symbol(NamedTuple):
    """A symbol: a name, the number of its section (UNDEFINED: outside) and its place there. `exported`: a function that is called from
    outside."""

    name: str
    section: int
    value: int
    is_exported: bool


class Relocation(NamedTuple):
    """A relocation: a place in a section that refers to a symbol."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


class Elf(NamedTuple):
    """Contents of an ELF object for a 64-bit machine."""

    machine: int
    sections: list[Section]
    symbols: list[Symbol]
    relocations: list[Relocation]


def read_elf(data: bytes) -> Elf:
    """Read a relocatable 64-bit little-endian ELF file; ValueError for a broken one."""
    try:
        if not data.startswith(b"\x7fELF\x02\x01"):
            raise ValueError("not a 64-bit ELF file")
        raw = _sections(data)
        symbols: list[Symbol] = []
        relocations: list[Relocation] = []
        for section in raw:
            offset, size = section[4], section[5]
            if section[1] == _SHT_SYMTAB:
                names = raw[section[6]][4]
                for name, info, _, place, value, _ in _ELF64[2].iter_unpack(data[offset : offset + size]):
                    is_exported = info == _GLOBAL << 4 | _FUNCTION and place != UNDEFINED
                    wanted = is_exported or (place == UNDEFINED and name)
                    symbols.append(Symbol(_name(data, names + name) if wanted else "", place, value, is_exported))
            elif section[1] == _SHT_RELA:
                where = section[7]
                relocations += [Relocation(where, *item) for item in _RELOCATION.iter_unpack(data[offset : offset + size])]
        sections = [Section(s[1], s[2], s[4], s[5], s[8]) for s in raw]
        return Elf(_ELF64[0].unpack_from(data)[2], sections, symbols, relocations)
    except (struct.error, IndexError, ValueError) as error:
        raise ValueError("broken object file") from error
