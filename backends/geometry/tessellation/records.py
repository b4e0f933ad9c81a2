"""The records that Python and the kernels of tessellation shaders share, one `ctypes.Structure` each.

A row is a vertex of a patch: words [register][channel]. Rows of patches follow each other.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_void_p

from backends.geometry.records import MAX_REGISTERS
from backends.geometry.tessellation.key import TessRecord
from backends.geometry.tessellation.levels import LEVEL_FIELDS

OUTER, INNER = -3, -4
"""Sources of an input that are levels of the patch, in addition to DEFAULT and PRIMITIVE of `backends.geometry.records`."""


class RowsRecord(ctypes.Structure):
    """Rows of patches, copied from the outputs of the previous stage: its vertices at `corners`, or rows if `corners` is null."""

    _fields_ = [
        *LEVEL_FIELDS,
        *((name, c_void_p) for name in ("vertices", "corners", "numbers", "target")),
        *((name, c_int32) for name in ("vertex_size", "patches", "rows", "registers")),
        ("source", c_int32 * MAX_REGISTERS),  # by target register: bytes into the vertex, or one of the sources below 0
    ]


class ControlRecord(ctypes.Structure):
    """Control shader invocations of `patches` patches.

    inputs: the input rows, `rows` for each patch; outputs: the output rows, as many as the program writes, all 0 at first. numbers: the
    number of each patch. levels: from `set_tess_state`, four outer and two inner floats. state: `state_bytes` for each vector of a patch,
    to keep values at barriers; if null, a kernel with barriers only returns the required `state_bytes`. stops: one i32 for each vector of
    all patches.
    """

    _fields_ = [
        *((name, c_void_p) for name in ("env", "inputs", "outputs", "numbers", "levels", "state", "stops")),
        ("state_bytes", c_int64),
        *((name, c_int32) for name in ("patches", "rows")),
    ]


class EvaluationRecord(ctypes.Structure):
    """Evaluation shader invocations of all points of the patches `first` to `patches` - 1.

    u, v, starts: as in TessRecord; inputs: as in ControlRecord. vertices: the output, [point][OUT register][channel], padded by a vector of
    points.
    """

    _fields_ = [
        *LEVEL_FIELDS,
        *((name, c_void_p) for name in ("env", "inputs", "numbers", "u", "v", "starts", "vertices")),
        *((name, c_int32) for name in ("first", "patches")),
    ]


class PatchesRecord(ctypes.Structure):
    """The stage of patches in a draw that generated code carries out. Its records lack the values of a single draw."""

    _fields_ = [
        ("copy_rows", c_void_p),  # kernels
        ("control_shader", c_void_p),  # null: there is none
        ("tessellate", c_void_p),
        ("evaluation_shader", c_void_p),
        ("control_rows", RowsRecord),
        ("control", ControlRecord),
        ("evaluation_rows", RowsRecord),
        ("points", TessRecord),
        ("evaluation", EvaluationRecord),
        ("written_bytes", c_int64),  # of the vertices of a patch that the control shader writes
        ("outer", c_int32),  # byte offset of the levels among them, -1: they are all 0
        ("inner", c_int32),
        ("lanes", c_int32),  # of the evaluation shader
        ("pad", c_int32),
    ]
