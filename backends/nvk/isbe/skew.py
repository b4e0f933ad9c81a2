"""SKEW: the order of bytes that lets 32 lanes read one attribute of 32 vertices from one line.

Without SKEW, rows (vertices or primitives) lie one after the other, each `row_bytes` long. With SKEW, 32 rows make a block. A line of
128 bytes holds one 4-byte word of the 32 rows, lines follow in the order of the words in a row, and blocks follow each other. Both
orders fill the same bytes, so SKEW is a permutation of each block. Source: Mesa's page on the layout of ISBE ("ATTR").
"""

from __future__ import annotations

from backends.nvk.isbe.regions import LINE_BYTES, ROWS_OF_BLOCK, WORD_BYTES, IsbeError


def skewed(address: int, row_bytes: int) -> int:
    """Address with SKEW of the byte that has `address` without. Rows have `row_bytes` bytes, a multiple of 4."""
    row, byte = divmod(_checked(address, row_bytes), row_bytes)
    block, lane = divmod(row, ROWS_OF_BLOCK)
    word, rest = divmod(byte, WORD_BYTES)
    return block * block_bytes(row_bytes) + word * LINE_BYTES + lane * WORD_BYTES + rest


def plain(address: int, row_bytes: int) -> int:
    """Address without SKEW of the byte that has `address` with it. Undoes `skewed`."""
    block, inner = divmod(_checked(address, row_bytes), block_bytes(row_bytes))
    word, in_line = divmod(inner, LINE_BYTES)
    lane, rest = divmod(in_line, WORD_BYTES)
    return (block * ROWS_OF_BLOCK + lane) * row_bytes + word * WORD_BYTES + rest


def block_bytes(row_bytes: int) -> int:
    """Bytes of a block of 32 rows: a line for each word of a row."""
    return ROWS_OF_BLOCK * row_bytes


def part_bytes(rows: int, row_bytes: int) -> int:
    """Bytes that `rows` rows take: whole blocks."""
    return -(-rows // ROWS_OF_BLOCK) * block_bytes(row_bytes)


def _checked(address: int, row_bytes: int) -> int:
    if row_bytes <= 0 or row_bytes % WORD_BYTES:
        raise IsbeError(f"a row of {row_bytes} bytes: rows have a positive multiple of {WORD_BYTES} bytes")
    if address < 0:
        raise IsbeError(f"address {address} is negative")
    return address
