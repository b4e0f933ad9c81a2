"""The record that Python and the kernels of mesh draws share."""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_void_p

NOWHERE = -1
"""Offset of an output that the program does not write."""


class GatherRecord(ctypes.Structure):
    """A chunk of mesh workgroups, and the arrays in which its vertices and primitives are packed.

    A call runs up to `left` workgroups, from workgroup `done` of run `run` on, and advances all three. It returns early if the arrays might
    be too small for the next batch. Offsets and sizes are in bytes.
    """

    _fields_ = [
        ("launch", c_void_p),  # launch(record) of the grid kernel
        ("mesh", c_void_p),  # MeshRecord of the kernel; its `outputs` and `counts` have room for a batch
        ("runs", c_void_p),  # MeshRun array, whose `first` are 0
        ("run_count", c_int32),
        ("run", c_int32),
        ("done", c_int32),
        ("left", c_int32),
        ("batch", c_int32),  # most workgroups that run before their output is packed
        # the memory of a workgroup: see backends.run.meshes.MeshMemory
        ("size", c_int32),
        ("vertex_bytes", c_int32),
        ("primitives", c_int32),
        ("primitive_bytes", c_int32),
        ("max_vertices", c_int32),
        ("max_primitives", c_int32),
        # places in a primitive's row; NOWHERE if the program does not write the output
        ("indices_at", c_int32),
        ("cull_at", c_int32),
        ("mask_at", c_int32),
        ("viewport_at", c_int32),
        ("number_at", c_int32),
        # the output
        ("vertices", c_void_p),
        ("corners", c_void_p),  # with room for another primitive, as the next two, and for a vec4
        ("numbers", c_void_p),  # null: not read
        ("rows", c_void_p),  # copies of the primitives' rows; null: not read
        ("vertex_room", c_int32),  # capacity in vertices and primitives
        ("primitive_room", c_int32),
        ("most", c_int32),  # most primitives of a batch, viewports included
        ("vertex_count", c_int32),
        ("count", c_int32),  # of primitives that are drawn
        ("groups", c_int32),  # workgroups that ran
        ("generated", c_int64),  # primitives that the workgroups output
        # faults
        ("cut_vertices", c_int32),  # workgroups that set more vertices than the program declares
        ("cut_primitives", c_int32),
        ("lost", c_int32),  # primitives that name missing vertices
    ]
