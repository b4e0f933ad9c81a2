"""Python objects whose words in recordings are known, as generated code finds them: handles, names, and classes of records.

Objects are found by their addresses. A recording has a table of its own, because handles are numbers of one recording.
"""

from __future__ import annotations

import ctypes
from ctypes import c_uint32, c_uint64

CLASS = 1 << 31
"""Bit of the first word of a block: the object is a class, and the block tells how to write its instances."""


class WordsSlot(ctypes.Structure):
    """An entry of the table; object 0: empty.

    words: address of a block: a count, and as many words. Count 0: the object is gone, and another one may have its address. The block of
    a class has the number of its fields and CLASS, its number among the records, and the byte offset of each field in an instance.
    """

    _fields_ = [("object", c_uint64), ("words", c_uint64)]


def block_of(first: int, *words: int) -> ctypes.Array[c_uint32]:
    """A block in memory."""
    return (c_uint32 * (1 + len(words)))(first, *words)
