"""Many draws in one call: rows of a structured array, read in place by generated code."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import c_int32, c_int64, c_uint64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.device.commands.bound_record import DrawCall
from backends.device.region import ALIGNMENT
from backends.pipe.limits import MAX_CONSTANT_BUFFERS
from tgsi.language.facts.enums import Processor

NUMBERS = {
    "count": "count",
    "start": "start",
    "instance_count": "instance_count",
    "start_instance": "start_instance",
    "index_bias": "index_bias",
    "drawid": "draw_id",
}
"""Fields of a row that are numbers of a draw, with their fields of DrawCall."""
CONSTANTS = {"vertex_constants": Processor.VERT, "fragment_constants": Processor.FRAG}
"""Fields of a row that are constants of a stage, slot 0."""
MOST_BYTES = 65536
"""Largest constants of a row for one stage."""


class ManyRecord(ctypes.Structure):
    """Draws that generated code carries out one after the other. Constants of a row are copied, because the caller may change the array."""

    _fields_ = [
        ("rows", c_uint64),
        ("stride", c_int64),  # bytes
        ("next", c_int64),  # next row to draw; generated code increments it
        ("count", c_int64),
        ("call", DrawCall),  # fields that are the same for all rows
        ("num_fields", c_int32),
        ("num_constants", c_int32),
        ("source", c_int32 * len(NUMBERS)),  # byte offsets in a row
        ("target", c_int32 * len(NUMBERS)),  # byte offsets in a DrawCall
        ("constants", c_int32 * len(CONSTANTS)),  # byte offset in a row
        ("bytes", c_int32 * len(CONSTANTS)),
        ("stage", c_int32 * len(CONSTANTS)),
        ("slot", c_int32 * len(CONSTANTS)),  # number of the ConstantSlot
    ]


class ManyDraws:
    """Checked rows of draws.

    Attributes:
        record: for generated code.
        rows: the array, contiguous, with plain 32-bit fields.
    """

    def __init__(self, rows: NDArray[Any], call: DrawCall) -> None:
        """rows: structured, one dimension, fields as `converted` makes them."""
        self.rows, names = rows, rows.dtype.names or ()
        offsets: Mapping[str, int] = {name: rows.dtype.fields[name][1] for name in names} if rows.dtype.fields else {}
        self.record = r = ManyRecord(rows=rows.ctypes.data, stride=rows.dtype.itemsize, count=len(rows), call=call)
        for name in names:
            if name in NUMBERS:
                r.source[r.num_fields], r.target[r.num_fields] = offsets[name], getattr(DrawCall, NUMBERS[name]).offset
                r.num_fields += 1
            else:
                stage, k = CONSTANTS[name], r.num_constants
                r.constants[k], r.bytes[k] = offsets[name], rows.dtype[name].itemsize
                r.stage[k], r.slot[k] = stage, stage * MAX_CONSTANT_BUFFERS
                r.num_constants += 1

    def row(self, number: int) -> tuple[dict[str, int], dict[Processor, NDArray[Any]]]:
        """The numbers of a row by name, and its constants by stage."""
        row = self.rows[number]
        names = self.rows.dtype.names or ()
        return (
            {name: int(row[name]) for name in names if name in NUMBERS},
            {CONSTANTS[name]: np.ascontiguousarray(row[name]) for name in names if name in CONSTANTS},
        )

    @property
    def room(self) -> int:
        """Bytes of constant memory that a row takes."""
        r = self.record
        return sum(r.bytes[k] + ALIGNMENT - 1 & -ALIGNMENT for k in range(r.num_constants))

    @property
    def drawn(self) -> int:
        """Number of drawn rows, incremented by generated code."""
        return int(self.record.next)

    @drawn.setter
    def drawn(self, number: int) -> None:
        self.record.next = number


def converted(rows: NDArray[Any], name: str) -> NDArray[Any]:
    """Rows with fields of exactly 32 bits; copied only if they have other fields.

    Raises:
        TypeError: the array is not structured, has an unknown field, or a field of another kind.
        ValueError: a number does not fit 32 bits.
    """
    kind = rows.dtype
    if kind.names is None or rows.ndim != 1:
        raise TypeError(f"{name}: records: expected a structured array of one dimension, not shape {rows.shape} of {kind}")
    wanted: list[Any] = []
    for field in kind.names:
        column = kind[field]
        base = column.base
        if field in NUMBERS and base.kind in "iu" and not column.shape:
            wanted.append((field, np.int32 if field == "index_bias" else np.uint32))
        elif field in CONSTANTS and base.kind in "fiu" and base.itemsize == 4:
            if column.itemsize > MOST_BYTES:
                raise ValueError(f"{name}: records: field {field}: {column.itemsize} bytes; at most {MOST_BYTES} are possible")
            wanted.append((field, base.newbyteorder("="), column.shape))
        elif field in NUMBERS or field in CONSTANTS:
            need = "an integer" if field in NUMBERS else "float32, int32 or uint32, of any shape,"
            raise TypeError(f"{name}: records: field {field}: expected {need}, not {column}")
        else:
            known = ", ".join((*NUMBERS, *CONSTANTS))
            raise TypeError(f"{name}: records: field {field} is unknown; there are {known}")
    for field in NUMBERS.keys() & set(kind.names):
        low, high = (-(1 << 31), (1 << 31) - 1) if field == "index_bias" else (0, (1 << 32) - 1)
        values = rows[field]
        if len(values) and (int(values.min()) < low or int(values.max()) > high):
            raise ValueError(f"{name}: records: field {field}: {int(values.min())} to {int(values.max())} is outside of {low} to {high}")
    plain = all(kind[field].base.itemsize == 4 and kind[field].isnative for field in kind.names)
    if plain and rows.flags.c_contiguous:
        return rows
    words = np.empty(len(rows), np.dtype(wanted))
    for field in kind.names:
        words[field] = rows[field]
    return words
