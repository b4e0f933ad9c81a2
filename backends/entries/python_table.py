"""CPython as native entries see it: addresses of functions and objects, and the layout of a few structures.

CPython's headers compile the same layouts into every extension module; `install` checks them before it uses them.
Source: https://docs.python.org/3/c-api (buffer, call, long, tuple), Include/cpython of CPython 3.11 to 3.14.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from ctypes import c_uint64
from typing import Any

import numpy as np

NAMES = 64
FALLBACKS = 32

OBJECT_TYPE = 8  # byte offsets: the type of an object
SIZE = 16  # the length of a tuple or a list
LIST_ITEMS = 24  # address of the items of a list
TUPLE_ITEMS = (24, 32)  # the first item of a tuple; a hash stands before it from CPython 3.14 on
BYTES_DATA = 32
FLOAT_VALUE = 16
BUFFER_DATA, BUFFER_LENGTH, BUFFER_AXES, BUFFER_FORMAT, BUFFER_SHAPE, BUFFER_SIZE = 0, 16, 36, 40, 48, 80  # Py_buffer

FUNCTIONS = {
    "as_long": "PyLong_AsLongAndOverflow",
    "from_long": "PyLong_FromLongLong",
    "get_buffer": "PyObject_GetBuffer",
    "release_buffer": "PyBuffer_Release",
    "vectorcall": "PyObject_Vectorcall",
    "clear_error": "PyErr_Clear",
    "bad_argument": "PyErr_BadArgument",
    "take_reference": "Py_IncRef",
    "drop_reference": "Py_DecRef",
    "dict_get": "PyDict_GetItemWithError",
    "dict_size": "PyDict_Size",
    "dict_next": "PyDict_Next",
    "is_error": "PyErr_ExceptionMatches",
    "thread": "PyThread_get_thread_ident",
    "save_thread": "PyEval_SaveThread",
    "restore_thread": "PyEval_RestoreThread",
    "is_subtype": "PyType_IsSubtype",
}


class PythonTable(ctypes.Structure):
    """Addresses of CPython's functions and of objects that live as long as the process."""

    _fields_ = [
        *((name, c_uint64) for name in FUNCTIONS),
        ("none", c_uint64),
        ("true", c_uint64),
        ("false", c_uint64),
        ("long_type", c_uint64),
        ("float_type", c_uint64),
        ("tuple_type", c_uint64),
        ("list_type", c_uint64),
        ("dict_type", c_uint64),
        ("text_type", c_uint64),
        ("bytes_type", c_uint64),
        ("array_type", c_uint64),
        ("exception", c_uint64),
        ("items", c_uint64),  # byte offset of the first item of a tuple
        ("names", c_uint64 * NAMES),  # interned names of keywords, by number
        ("fallbacks", c_uint64 * FALLBACKS),  # Python functions, by number of the entry
        ("guarded", c_uint64 * FALLBACKS),  # their variants that lock the context themselves
        ("plain", c_uint64 * FALLBACKS),  # in observed contexts, their variants that do not record
    ]


def items_offset() -> int:
    """Byte offset of the first item in a tuple; 0 if it is not one of the expected ones, or if lists or floats have another layout."""
    probe = ("items", "offset")
    others = list(probe)
    lengths = [ctypes.c_int64.from_address(id(thing) + SIZE).value for thing in (probe, others)]
    first = ctypes.c_uint64.from_address(id(others) + LIST_ITEMS).value
    number = 1.25
    if ctypes.c_double.from_address(id(number) + FLOAT_VALUE).value != number:
        return 0
    if lengths != [2, 2] or ctypes.c_uint64.from_address(first).value != id(probe[0]):
        return 0
    places = {ctypes.c_uint64.from_address(id(probe) + offset).value: offset for offset in TUPLE_ITEMS}
    return places.get(id(probe[0]), 0)


def unguarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside a method that claims the context itself; other methods unchanged."""
    plain: Callable[..., Any] = getattr(method, "__wrapped__", method)
    return plain


def make_table(
    names: Sequence[str], methods: Sequence[Callable[..., Any]], plain: Sequence[Callable[..., Any]] = ()
) -> tuple[PythonTable, object]:
    """The table of this process, and objects that must live as long as it. plain: variants of the methods that do not record."""
    free = [unguarded(method) for method in methods]
    table, interned = PythonTable(), [sys.intern(name) for name in names]
    for field, function in FUNCTIONS.items():
        setattr(table, field, ctypes.cast(getattr(ctypes.pythonapi, function), ctypes.c_void_p).value)
    table.none, table.true, table.false = id(None), id(True), id(False)
    table.long_type, table.float_type = id(int), id(float)
    table.tuple_type, table.list_type, table.dict_type = id(tuple), id(list), id(dict)
    table.text_type, table.bytes_type, table.array_type, table.exception = id(str), id(bytes), id(np.ndarray), id(Exception)
    table.items = items_offset()
    table.names[: len(interned)] = [id(name) for name in interned]
    table.fallbacks[: len(free)] = [id(function) for function in free]
    table.guarded[: len(methods)] = [id(function) for function in methods]
    table.plain[: len(plain)] = [id(function) for function in plain]
    return table, (interned, free, list(methods), list(plain))
