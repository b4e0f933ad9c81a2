"""Words that the driver gives lowered programs, and words that they give it: numbers that programs may not use themselves.

The choice of the buffers and of their words is this package's own: the notes say only that grids arrive as constants, and that
invocations are counted by the program.
"""

from __future__ import annotations

from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_SHADER_BUFFERS

CONSTANTS = MAX_CONSTANT_BUFFERS - 1
"""Constant buffer with one vec4 of uint: the sizes of the grid along x, y and z, and DRAWID."""

COUNTERS = MAX_SHADER_BUFFERS - 1
"""BUFFER with two uint words: invocations of task programs, and of mesh programs."""

TASK_COUNTER, MESH_COUNTER = 0, 4
"""Byte addresses of the counters."""

RESERVED_BUFFERS = 4
"""Last BUFFER registers, which programs may not use: counters, and buffers of the emulator."""

FIRST_RESERVED = MAX_SHADER_BUFFERS - RESERVED_BUFFERS
