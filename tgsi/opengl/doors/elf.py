"""Shared objects for Linux written by Python: each export jumps through a slot of a table that Python fills.

An object has one page of headers, symbols and strings, pages of jumps, and a page with the table, and needs no relocation. Its SONAME makes
glibc take it for a library that a program loads by that name later. (System V ABI, chapters 4 and 5; AMD64 and AArch64 supplements)
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable, Sequence

TABLE = "tgsi_table"
"""The export with the addresses, in the order of the names."""
CONSTANTS = {0: "tgsi_nothing", 1: "tgsi_true", 0x3000: "tgsi_success"}
"""Exports of functions that do nothing and need no Python, by what they return: 0, EGL_TRUE, EGL_SUCCESS."""

_PAGE, _STEP = 65536, 16
_MACHINES = {"x86_64": 62, "AMD64": 62, "aarch64": 183, "arm64": 183}


def machine() -> int:
    """The number of this machine in ELF headers; 0 if no jumps are known for it."""
    return _MACHINES.get(platform.machine(), 0)


def _jump_x86(at: int, slot: int) -> bytes:
    """endbr64; jmp [rip + slot]"""
    return b"\xf3\x0f\x1e\xfa\xff\x25" + struct.pack("<i", slot - at - 10) + b"\xcc" * 6


def _jump_arm(at: int, slot: int) -> bytes:
    """bti c; adrp x16, slot; ldr x16, [x16, slot]; br x16"""
    pages = (slot >> 12) - ((at + 4) >> 12)
    adrp = 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    load = 0xF9400210 | (slot & 0xFFF) >> 3 << 10
    return struct.pack("<4I", 0xD503245F, adrp, load, 0xD61F0200)


def _constant(kind: int, value: int) -> bytes:
    """endbr64; mov eax, value; ret, or bti c; mov x0, value; ret"""
    if kind == _MACHINES["x86_64"]:
        return b"\xf3\x0f\x1e\xfa\xb8" + struct.pack("<I", value) + b"\xc3" + b"\xcc" * 6
    return struct.pack("<4I", 0xD503245F, 0xD2800000 | value << 5, 0xD65F03C0, 0)


_JUMPS: dict[int, Callable[[int, int], bytes]] = {62: _jump_x86, 183: _jump_arm}


def _aligned(value: int, unit: int = 16) -> int:
    return -(-value // unit) * unit


def _hash(name: str) -> int:
    """The hash of DT_HASH."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24 if high else value) & ~high & 0xFFFFFFFF
    return value


def shared_object(soname: str, names: Sequence[str], kind: int | None = None) -> bytes:
    """The bytes of a shared object that exports `names` and the table.

    Args:
        soname: the name by which programs load it, such as libOSMesa.so.8.
        names: exported functions.
        kind: the machine's number, by default this machine's.

    Raises:
        ValueError: there are no jumps for the machine.
    """
    kind = machine() if kind is None else kind
    if kind not in _JUMPS:
        raise ValueError(f"shared_object: machine: {platform.machine()} is not x86-64 or AArch64")
    strings, places = bytearray(b"\0"), {}
    called = [*names, *CONSTANTS.values()]
    symbols = [*called, TABLE]
    for name in [soname, *symbols]:
        places[name] = len(strings)
        strings += name.encode() + b"\0"
    count, buckets = len(symbols), max(1, len(symbols) // 2)
    hash_at = _aligned(64 + 56 * 4)
    symbols_at = _aligned(hash_at + 4 * (2 + buckets + count + 1))
    strings_at = symbols_at + 24 * (count + 1)
    text_at = _aligned(strings_at + len(strings), _PAGE)
    table_at = _aligned(text_at + _STEP * len(called), _PAGE)
    dynamic_at = _aligned(table_at + 8 * len(names))

    text = b"".join(_JUMPS[kind](text_at + _STEP * k, table_at + 8 * k) for k in range(len(names)))
    text += b"".join(_constant(kind, value) for value in CONSTANTS)
    rows = [struct.pack("<IBBHQQ", places[name], 0x12, 0, 1, text_at + _STEP * k, _STEP) for k, name in enumerate(called)]
    rows.append(struct.pack("<IBBHQQ", places[TABLE], 0x11, 0, 2, table_at, 8 * len(names)))
    first, chain = [0] * buckets, [0] * (count + 1)
    for number, name in enumerate(symbols, 1):
        bucket = _hash(name) % buckets
        chain[number], first[bucket] = first[bucket], number
    entries = [(14, places[soname]), (4, hash_at), (5, strings_at), (6, symbols_at), (10, len(strings)), (11, 24), (0, 0)]
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    end = dynamic_at + len(dynamic)

    def segment(sort: int, flags: int, at: int, size: int, alignment: int) -> bytes:
        return struct.pack("<IIQQQQQQ", sort, flags, at, at, at, size, size, alignment)

    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), 3, kind, 1, 0, 64, 0, 0, 64, 56, 4, 64, 0, 0)
    head += segment(1, 5, 0, text_at + len(text), _PAGE) + segment(1, 6, table_at, end - table_at, _PAGE)
    head += segment(2, 6, dynamic_at, len(dynamic), 8) + segment(0x6474E551, 6, 0, 0, 16)
    table = struct.pack(f"<{2 + buckets + count + 1}I", buckets, count + 1, *first, *chain)
    image = bytearray(end)
    for at, data in ((0, head), (hash_at, table), (symbols_at, bytes(24) + b"".join(rows)), (strings_at, strings), (text_at, text)):
        image[at : at + len(data)] = data
    image[dynamic_at:end] = dynamic
    return bytes(image)
