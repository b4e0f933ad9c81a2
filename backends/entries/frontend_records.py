"""Memory that the C functions of a frontend share with Python: the table of the process, a context's state, places of uniforms."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint32, c_uint64

SYMBOL = "tgsi_frontend_table"
"""Name by which generated code calls the function that returns the address of the FrontendTable."""
MOST_FUNCTIONS = 256
THREADS = 16
NOTED = 8
STAGES = 6
COLUMNS = 32
NOTES, PLACES, DRAWS, VERTICES = 1, 2, 4, 8
"""Bits of `FrontendState.valid`: the noted values, the places of uniforms, the state of the next draw, and the open primitive are those of
Python."""


class FrontendState(ctypes.Structure):
    """State of one context that C functions may rely on. Python clears `valid` with every command of its own."""

    _fields_ = [
        ("thread", c_uint64),  # in which the context is current
        ("valid", c_uint32),
        ("has_error", c_uint32),  # Python holds an error
        ("bound", c_uint64),  # address of the context's BoundRecord
        ("modes", c_uint32),  # primitives that may be drawn, one bit each
        ("pad", c_uint32),
        ("places", c_uint64),  # address of the Uniforms of the current program
        ("index_address", c_uint64),  # memory of the index buffer; 0: indexed draws are Python's
        ("index_bytes", c_int64),
        ("noted", c_uint64 * NOTED),  # values of binding commands
        ("row", c_uint64),  # four floats for the position of the next vertex, then four for each attribute of the open primitive
        ("row_bytes", c_int64),
        ("next_row", c_uint64),  # room for the next vertex
        ("end_row", c_uint64),
        ("columns", c_int32 * COLUMNS),  # offset in the row by location of the attribute; 0: the primitive does not have it yet
    ]


class FrontendTable(ctypes.Structure):
    """The functions of CPython that are called, states by thread, and the functions that take what is left to Python."""

    _fields_ = [
        ("thread", c_uint64),  # PyThread_get_thread_ident
        ("ensure", c_uint64),  # PyGILState_Ensure
        ("release", c_uint64),  # PyGILState_Release
        ("states", c_uint64 * THREADS),  # by `slot_of`
        ("fallbacks", c_uint64 * MOST_FUNCTIONS),  # by number of the function; 0: it does nothing and returns 0
    ]


class Block(ctypes.Structure):
    """The constants of a stage."""

    _fields_ = [("address", c_uint64), ("size", c_int64)]


class Uniforms(ctypes.Structure):
    """Constants of a program by stage, and how many Places follow, one for each location."""

    _fields_ = [
        ("stale", c_uint32),  # stages whose constants the device lacks, one bit each
        ("count", c_int32),
        ("blocks", Block * STAGES),
    ]


class Place(ctypes.Structure):
    """Addresses of the values of a location. `kind` 0: Python writes them."""

    _fields_ = [
        ("kind", c_uint32),  # kind_of
        ("most", c_int32),  # elements that follow each other from this one on
        ("bytes", c_int32),  # of an element
        ("stages", c_uint32),  # that become stale, one bit each
        ("addresses", c_uint64 * 2),  # 0: there is none
    ]


def kind_of(letter: str, columns: int, rows: int) -> int:
    """Number of a type: struct letter of its scalars, columns and rows."""
    return ord(letter) << 16 | columns << 8 | rows


def slot_of(thread: int) -> int:
    """Slot of a thread in `FrontendTable.states`. Threads that share one take it in turns."""
    return thread >> 12 & THREADS - 1
