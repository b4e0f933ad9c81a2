"""Commands of a client of the virgl protocol that generated code carries out: the names of their words, and the records of their reader.

The rows of `tgsi.tools.vtest` use the same names, so each layout is written down once.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint32, c_uint64, c_void_p
from enum import IntEnum

from backends.device.commands.bound_record import DrawCall
from tgsi.language.facts.limits import PROMISED_CONSTANTS

DRAW = (
    "start count mode indexed instance_count index_bias start_instance primitive_restart restart_index min_index max_index count_from_so"
    " vertices_per_patch drawid indirect_handle indirect_offset indirect_stride draw_count draw_count_offset draw_count_handle"
)
LEAST_DRAW = 12
DEFAULT_PATCH = 3
"""Vertices of a patch where the command has no word for them."""
CLEAR = "buffers red green blue alpha depth depth_high stencil"
CONSTANTS = "shader_type index"
UNIFORMS = "shader_type index offset length res_handle"
VERTEX_BUFFER = "stride offset res_handle"
INDEX_BUFFER = "res_handle index_size offset"
BOX = "x y z width height depth"
_PLACE = f"res_handle level usage stride layer_stride {BOX}"
TRANSFER = f"{_PLACE} offset direction"
COPY_TRANSFER = f"{_PLACE} src_res_handle src_offset flags"
FROM_HOST = 2
"""Bit of `direction` and of `flags`: to the client's memory."""

MAX_UNIFORMS = 16 * PROMISED_CONSTANTS
"""Largest part of a resource that serves as a constant buffer, in bytes."""

MAX_WORDS = 64
"""Words of the longest command that is repeated."""

ANY_DETAIL = 0xFF
"""Bits 8 to 15 of a header, which name an object's kind in the protocol."""
COMMANDS = 256
"""Numbers that the header of a command has room for."""


class Kind(IntEnum):
    """Functions of generated code that carry out a command."""

    PYTHON = 0  # none
    REPEATED = 1  # equal words, which Python has carried out before, give words of the bound state the same values again
    DRAW = 2
    CONSTANTS = 3
    UNIFORMS = 4
    VERTEX_BUFFERS = 5
    INDEX_BUFFER = 6
    CALL = 7  # a draw as `DrawCall` has it; without words, the last one again
    VERTEX_SLOTS = 8  # vertex buffers from a slot on; other slots stay
    SLOT_CONSTANTS = 9  # CONSTANTS of `backends.device.commands.layout`
    SUBDATA = 10  # SUBDATA of it
    TRANSFER = 11  # to a buffer, from the client's memory of it
    COPY_TRANSFER = 12  # to a buffer, from the client's memory of another resource
    NOTHING = 13  # words that are ignored
    CLEAR = 14
    CLEAR_CALL = 15  # CLEAR of `backends.device.commands.layout`
    BARRIER = 16  # BARRIER of it
    QUERY = 17  # QUERY of it, of queries that count samples
    SLOT_CHANGES = 18  # CHANGES of it; from here on a header has a bit for each word that follows
    CALL_CHANGES = 19  # REDRAW of it


class CommandRow(ctypes.Structure):
    """A row of the table of commands."""

    _fields_ = [
        ("kind", c_int32),  # Kind
        ("least", c_int32),  # mandatory words
        ("fields", c_int32),  # words before the group
        ("group", c_int32),  # words of a group, which may repeat; 0: there is none
        ("detail", c_int32),  # bits that the detail of the header may have
    ]


class BufferSlot(ctypes.Structure):
    """An entry of the hash table of buffers by handle."""

    _fields_ = [("handle", c_uint32), ("use", c_int32), ("address", c_uint64), ("size", c_int64)]


class BufferTableRecord(ctypes.Structure):
    """The buffers of a client."""

    _fields_ = [("slots", c_void_p), ("mask", c_int32), ("pad", c_int32)]


class RepeatSlot(ctypes.Structure):
    """An entry of the hash table of repeated commands."""

    _fields_ = [("hash", c_int32), ("use", c_int32), ("entry", c_uint64)]


class Repeat(ctypes.Structure):
    """A repeated command. Its `count` words follow, the header among them, then its `writes` values, a `Written` each.

    unless, hinders: Hindrance bits with which it falls back to Python, and bits that it sets.
    """

    _fields_ = [("count", c_int32), ("writes", c_int32), ("unless", c_uint32), ("hinders", c_uint32)]


class Written(ctypes.Structure):
    """A word of a BoundRecord, by its number in the record, and its value. The first ones are `BoundRecord.words`."""

    _fields_ = [("place", c_int64), ("number", c_uint64)]


class Use(IntEnum):
    """Uses of an entry of a hash table. A search ends at a FREE one only."""

    FREE = 0
    LIVE = 1
    REMOVED = 2


class ReaderRecord(ctypes.Structure):
    """The state of one context's reader."""

    _fields_ = [
        ("bound", c_void_p),  # BoundRecord
        ("index_size", c_int32),  # of the bound index buffer, bytes; 0: none is bound
        ("repeats_mask", c_int32),  # number of slots - 1
        ("buffers", c_void_p),  # BufferTableRecord
        ("memories", c_void_p),  # likewise: the client's memory of resources, by the same handles
        ("queries", c_void_p),  # BufferTableRecord: QueryRecords in the place of memory
        ("repeats", c_void_p),  # RepeatSlot
        ("has_call", c_int32),
        ("call", DrawCall),  # of the last draw of Kind.CALL
        ("read", c_int64),  # number of commands that were carried out
        ("rows", CommandRow * COMMANDS),
    ]


class WireRecord(ctypes.Structure):
    """A client's connection: received bytes that are still unread, and a table of the memory that it may wait for."""

    _fields_ = [
        ("descriptor", c_int32),
        ("begin", c_int32),  # of the unread bytes in the buffer
        ("end", c_int32),
        ("capacity", c_int32),  # bytes of the buffer
        ("buffer", c_void_p),
        ("receive", c_void_p),  # recv and send of the system
        ("send", c_void_p),
        ("marks", c_void_p),  # u64: messages so far; number of the last one
        ("memory", c_void_p),  # BufferTableRecord: memory whose pending uses a client waits for, by the handles that it names
        ("unsent", c_int32),  # the rest of an answer that the socket did not accept
        ("pad", c_int32),
        ("answered", c_int64),  # number of requests
    ]


MIX = 0x9E3779B1
"""Factor of the hashes of both tables."""


def hash_of_words(words: memoryview) -> int:
    """The hash of a command's words, an i32."""
    total = 0
    for word in words:
        total = (total + word) * MIX & 0xFFFFFFFF
        total ^= total >> 15
    return ctypes.c_int32(total).value


def hash_of_handle(handle: int) -> int:
    """The hash of a handle, of which the lower bits are used."""
    return (handle * MIX & 0xFFFFFFFF) >> 12
