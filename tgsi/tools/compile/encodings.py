"""Bytes of files to text: UTF-8 or Latin-1, and binary tokens as a listing of words. Errors name the unreadable place and the way out."""

from __future__ import annotations

import struct
import sys

from tgsi.language.source import characters
from tgsi.tools.compile.errors import PROGRAM, UsageError

MAX_BYTES = 64 << 20

_VERSION = b"\x01\x01\x00\x00"
"""First word of tokens from 2007 to 2009: TGSI 1.1."""


def text_of(data: bytes, name: str) -> str:
    """The text of a shader, or a listing of its tokens.

    Raises:
        UsageError: it is neither, or another encoding of text, or tokens that are cut off, or tokens that another machine or time wrote.
    """
    _check_size(data, name)
    if data.startswith(b"\x1f\x8b"):
        raise UsageError(f"{name}: this file is compressed; unpack it, as with `gunzip`")
    if listing := _token_listing(data, name):
        return listing
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        raise UsageError(f"{name}: this is UTF-32 text; write it in UTF-8, as with `iconv -f UTF-32 -t UTF-8`")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or _is_wide(data):
        raise UsageError(f"{name}: this is UTF-16 text; write it in UTF-8, as with `iconv -f UTF-16 -t UTF-8`")
    data = data.rstrip(b"\0")  # the end of a string in C
    if (nul := data.find(b"\0")) >= 0:
        if not _is_readable(data[:nul]):
            raise UsageError(f"{name}: this is a binary file, not TGSI text")
        line = data.count(b"\n", 0, nul) + 1
        raise UsageError(f"{name}: a NUL character in line {line}, at offset {nul}: Mesa's text ends there; remove it and all after it")
    text = characters(data)
    if text is None:
        raise UsageError(f"{name}: this is a binary file, not TGSI text")
    return text


def log_text(data: bytes, name: str) -> str:
    """A log as text: UTF-8, or UTF-16 with a byte order mark. Bytes that are neither become replacement characters."""
    _check_size(data, name)
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


def _check_size(data: bytes, name: str) -> None:
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name}: larger than {MAX_BYTES >> 20} MiB")


def _is_wide(data: bytes) -> bool:
    """True if every second byte at the beginning is NUL, as in UTF-16 without a mark."""
    head = data[:16]
    return len(head) == 16 and any(not any(head[at::2]) and all(head[1 - at :: 2]) and _is_readable(head[1 - at :: 2]) for at in (0, 1))


def _is_readable(data: bytes) -> bool:
    return bool(data) and all(byte >= 32 or byte in b"\t\n\r" for byte in data)


def _token_listing(data: bytes, name: str) -> str:
    """Binary tokens as a listing of words; "" if the file does not begin as tokens do."""
    if data[:4] == _VERSION or data[:4] == _VERSION[::-1]:
        raise UsageError(
            f"{name}: these are tokens of TGSI 1.1, of 2007 to 2009, which are laid out in another way; print them as text with the Mesa "
            "that wrote them, and read that with --dialect legacy"
        )
    if len(data) < 8:
        return ""
    from tgsi.language.facts.enums import Processor

    stages = len(Processor)
    for order, swapped in (("little", False), ("big", True)):
        head, stage = (int.from_bytes(data[at : at + 4], order) for at in (0, 4))  # type: ignore[arg-type]
        if head & 0xFF != 2 or stage >= stages or not head >> 8:
            continue
        wanted = 2 + (head >> 8)
        if 4 * wanted == len(data):
            if swapped:
                print(f"{PROGRAM}: note: {name}: big-endian TGSI tokens, read with the bytes of their words swapped", file=sys.stderr)
            return "".join(f"{word:08x}\n" for word in struct.unpack(f"{'>' if swapped else '<'}{wanted}I", data))
        if _is_mirrored(data, stages):
            break
        what = f"{name}: TGSI tokens ({'big-endian, ' if swapped else ''}{wanted} words, as their header says)"
        if 4 * wanted > len(data):
            missing = 4 * wanted - len(data)
            raise UsageError(f"{what} that are cut off: {missing} of {4 * wanted} bytes are missing at the end; copy the file again")
        raise UsageError(f"{what}, followed by {len(data) - 4 * wanted} bytes of something else; write one program to a file")
    if _is_mirrored(data, stages):
        raise UsageError(
            f"{name}: this is a big-endian TGSI token file: its fields lie in the words in reverse order, as compilers of big-endian "
            "machines place them; print it as text on such a machine (tgsi_dump), and read that"
        )
    return ""


def _is_mirrored(data: bytes, stages: int) -> bool:
    """True for tokens as C keeps them on a big-endian machine, where the first field of a word is its highest bits."""
    words = 2 + int.from_bytes(data[1:4], "big")
    return data[0] == 2 and 4 * words == len(data) and not data[4] & 0xF and data[4] >> 4 < stages and not any(data[5:8])
