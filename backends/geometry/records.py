"""The records that Python and the kernels of this package share, one `ctypes.Structure` each.

A stage leaves shaded vertices and primitives. Vertices are words [vertex][register][channel], `vertex_size` bytes each. Primitives are
32-bit numbers of vertices, [primitive][row]; a second array has the number of each primitive within its instance.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_void_p

from backends.pipe.limits import MAX_PATCH_VERTICES, MAX_STREAM_OUTPUT_TARGETS, MAX_STREAM_OUTPUTS, MAX_VERTEX_STREAMS
from backends.raster.draw_record import Call

MAX_REGISTERS = 80
"""Most input or output registers of a stage."""
DEFAULT, PRIMITIVE = -1, -2
"""Sources of an input that no output feeds: the constant (0, 0, 0, 1), and the primitive's number in every channel."""


class VertexRecord(ctypes.Structure):
    """One chunk of input primitives on its way through assembly and vertex shader.

    Corner k of primitive q of an instance is vertex (q >> shift) * multiply[k] + offset[MAX_PATCH_VERTICES * (q & 1) + k] of the draw,
    counted from its start.
    """

    _fields_ = [
        ("draw", c_void_p),  # backends.raster.draw_record.Draw: indices, attributes, vertex shader
        ("env", c_void_p),  # ShaderEnv of the vertex shader
        ("ids", c_void_p),  # of each vertex to shade: its number; `instances`: its instance
        ("instances", c_void_p),
        ("cache", c_void_p),  # CACHE_SLOTS entries; see backends.raster.front.vertex_cache
        ("soa_in", c_void_p),
        ("soa_out", c_void_p),
        ("system", c_void_p),
        ("vertices", c_void_p),  # the shaded vertices
        ("corners", c_void_p),
        ("numbers", c_void_p),
        ("first", c_int32),
        ("count", c_int32),
        ("call", Call),
        ("rows", c_int32),
        ("shift", c_int32),
        ("multiply", c_int32 * MAX_PATCH_VERTICES),
        ("offset", c_int32 * (2 * MAX_PATCH_VERTICES)),
        ("registers", c_int32),
        ("stamp", c_int32),
        ("num_vertices", c_int32),
    ]


class StreamRecord(ctypes.Structure):
    """The output arrays for primitives of one vertex stream, with room for as many primitives as there are vertices."""

    _fields_ = [
        ("corners", c_void_p),  # null: primitives are only counted
        ("numbers", c_void_p),
        ("count", c_int32),  # written so far
        ("generated", c_int32),
    ]


class GeometryRecord(ctypes.Structure):
    """Geometry shader invocations over shaded vertices, and the arrays in which the emitted vertices are gathered.

    Item i is invocation i % invocations of primitive i / invocations. `done` is the first item that did not fit.
    """

    _fields_ = [
        ("shader", c_void_p),  # geometry(record, first item)
        ("env", c_void_p),
        ("vertices", c_void_p),  # the input vertices
        ("corners", c_void_p),
        ("numbers", c_void_p),
        ("vertex_size", c_int32),
        ("rows", c_int32),
        ("items", c_int32),
        ("invocations", c_int32),
        ("source", c_int32 * MAX_REGISTERS),  # by input register: bytes into the vertex, DEFAULT or PRIMITIVE
        ("staged", c_void_p),  # inputs of one vector: [row][register][channel][lane]
        ("system", c_void_p),
        ("emitted", c_void_p),  # [lane][vertex][register][channel]; then a vertex for stores of idle lanes
        ("marks", c_void_p),  # [lane][vertex]
        ("counts", c_void_p),
        ("lanes", c_int32),
        ("limit", c_int32),  # vertices a lane
        ("out_size", c_int32),  # bytes of a vertex
        ("out_rows", c_int32),  # 1 points, 2 lines, 3 triangles
        ("provokes_first", c_int32),
        ("number_at", c_int32),  # byte offset of the primitive's number in an emitted vertex; -1: it has its input's number
        ("out_vertices", c_void_p),
        ("capacity", c_int32),  # vertices
        ("num_vertices", c_int32),
        ("done", c_int32),
        ("most_vertices", c_int32),  # for which generated code allocates at a time
        ("streams", StreamRecord * MAX_VERTEX_STREAMS),
        ("gather", c_void_p),  # kernel
    ]


class OutputRecord(ctypes.Structure):
    """Stream output of the primitives of one stream. Every size is in bytes.

    Primitives are never written in part: one that does not fit into all of its targets, or lacks a target, is dropped.
    """

    _fields_ = [
        ("vertices", c_void_p),
        ("corners", c_void_p),
        ("vertex_size", c_int32),
        ("rows", c_int32),
        ("count", c_int32),
        ("written", c_int32),  # number of written primitives
        ("num_outputs", c_int32),
        ("source", c_int32 * MAX_STREAM_OUTPUTS),  # offset in the shaded vertex
        ("size", c_int32 * MAX_STREAM_OUTPUTS),
        ("target", c_int32 * MAX_STREAM_OUTPUTS),
        ("place", c_int32 * MAX_STREAM_OUTPUTS),  # offset in the written vertex
        ("base", c_void_p * MAX_STREAM_OUTPUT_TARGETS),
        ("limit", c_int64 * MAX_STREAM_OUTPUT_TARGETS),
        ("offset", c_int64 * MAX_STREAM_OUTPUT_TARGETS),  # end of the bytes written so far
        ("stride", c_int32 * MAX_STREAM_OUTPUT_TARGETS),
    ]


class HandRecord(ctypes.Structure):
    """Output of a stage as input of the next one: vertices of `size` bytes, and the primitives of each vertex stream, of `rows` vertices
    each.
    """

    _fields_ = [
        ("vertices", c_void_p),
        ("size", c_int32),
        ("rows", c_int32),
        ("streams", StreamRecord * MAX_VERTEX_STREAMS),
    ]


class StepRecord(ctypes.Structure):
    """One stage after the vertex shader, in a draw that generated code carries out."""

    _fields_ = [
        ("record", c_void_p),  # of the stage; its kind says of which type
        ("vertices", c_void_p),  # buffer for its vertices until the next piece; null: memory that stays valid until the rasterizer is done
        ("kind", c_int32),  # place in STAGE_KINDS
        ("pad", c_int32),
    ]


_STREAM_COUNTS = ("generated", "needed", "written")
STAGE_COUNTS = ("vs_invocations", "hs_invocations", "ds_invocations", "gs_invocations", "gs_primitives", *_STREAM_COUNTS)
"""Counters of StageCounts; the last ones have a number for each vertex stream."""


class StageCounts(ctypes.Structure):
    """Running totals of draws that generated code carries out, by the names of their counters."""

    _fields_ = [
        *((name, c_int64 * MAX_VERTEX_STREAMS if name in _STREAM_COUNTS else c_int64) for name in STAGE_COUNTS),
    ]


MAX_STEPS = 2
"""Most stages of a draw between the vertex shader and the rasterizer."""


class RunRecord(ctypes.Structure):
    """A draw with more stages or stream output that generated code carries out; see `backends.geometry.steps`."""

    _fields_ = [
        ("owner", c_void_p),  # for the callbacks that supply memory and take the output
        ("counts", c_void_p),  # StageCounts
        ("levels", c_void_p),  # tessellation levels of the context: four outer, two inner, and four zeros
        ("targets", c_void_p),  # addresses of TargetRecords
        ("assemble", c_void_p),  # kernels
        ("shade", c_void_p),
        ("output", c_void_p),
        ("outputs", c_void_p),  # OutputRecord
        ("output_stream", c_int32 * MAX_VERTEX_STREAMS),  # of each of `outputs`
        ("num_outputs", c_int32),
        ("num_steps", c_int32),
        ("counts_input", c_int32),  # 0: a plain draw follows, which counts the input
        ("pad", c_int32),
        ("steps", StepRecord * MAX_STEPS),
        ("hands", HandRecord * (MAX_STEPS + 1)),  # of the vertex shader, and of each step
        ("vertex", VertexRecord),
        ("vertices", c_void_p),  # buffer for the vertex shader's vertices until the next piece; null: see `StepRecord`
    ]
