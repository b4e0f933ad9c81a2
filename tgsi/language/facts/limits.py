"""Limits of a shader's size, by which engines size their tables, and the time of a call without a limit."""

from __future__ import annotations

from tgsi.language.record import record

NEVER = (1 << 63) - 1
"""A time in nanoseconds that does not come."""

PROMISED_CONSTANTS = 4096
"""vec4s of one constant buffer that a screen reports to its users: 64 KiB."""

MAX_BLOCK = 1024
"""Threads of a block, and along each of its axes (PIPE_COMPUTE_CAP_MAX_THREADS_PER_BLOCK)."""

MAX_GRID = 65535
"""Blocks of a grid along an axis (PIPE_COMPUTE_CAP_MAX_GRID_SIZE; GL_MAX_COMPUTE_WORK_GROUP_COUNT is at least this)."""

MAX_GEOMETRY_VERTICES = 1024
"""Vertices that an invocation of a geometry shader emits (PIPE_CAP_MAX_GEOMETRY_OUTPUT_VERTICES)."""

MAX_ATOMIC_COUNTERS = 4096
"""Atomic counters of a program, each of four bytes (PIPE_CAP_MAX_HW_ATOMIC_COUNTERS)."""

MAX_POINT_SIZE = 8192.0
"""Pixels, as exact as edges (PIPE_CAPF_MAX_POINT_WIDTH)."""

MAX_PAYLOAD = 16384
"""Bytes that a task hands to its mesh workgroups."""

MAX_TASK_SHARED = 32768
"""Bytes of SHARED memory of a task workgroup, its payload included. A mesh workgroup has as many, with the payload that it reads."""

MAX_MESH_SHARED = 28672
"""Bytes of SHARED memory of a mesh workgroup."""

MAX_MESH_VERTICES = 256
"""Vertices that a mesh workgroup outputs, and primitives."""

MAX_INDENTED = 100
"""Levels of nesting that printed texts show by indentation. Deeper code stays there, so that a text grows with its program alone."""

MANY_TEMPORARIES = 4096
"""Temporaries from which registers of a program share numbers before it runs: engines keep each register for every lane."""

MAX_MESH_REGISTERS = 32
"""Output registers of a mesh program, for vertices and primitives together."""


@record(kw_only=True)
class ShaderLimits:
    """Upper bounds of one program; each is the largest count that is accepted.

    nesting: of loops, switches, and the IFs between them; of IFs that stand inside of each other only two count, because they can be
    written one after another. temporaries, immediates: tokens hold 16 bits of a register's number, and one of them is its sign.
    """

    instructions: int = 1 << 18
    nesting: int = 100
    temporaries: int = 1 << 15
    inputs: int = 80
    outputs: int = 80
    addresses: int = 16
    immediates: int = 1 << 15
    system_values: int = 64
    constant_buffers: int = 16
    constants: int = PROMISED_CONSTANTS + 16  # vec4s of one buffer: those promised to users, and some that frontends add
    samplers: int = 32
    sampler_views: int = 128
    images: int = 32
    buffers: int = 32


SOFTWARE = ShaderLimits()
"""Limits of our own renderer."""

MAX_ARRAY = 1023
"""Largest number of an array: tokens keep ten bits."""
