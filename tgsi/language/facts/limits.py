"""Limits of a shader's size. Engines size their tables by these numbers."""

from __future__ import annotations

from tgsi.language.record import record

PROMISED_CONSTANTS = 4096
"""vec4s of one constant buffer that a screen reports to its users: 64 KiB."""

MAX_BLOCK_THREADS = 1024
"""Threads of a workgroup of a task or mesh program."""

MAX_TASK_MEMORY = 32768
"""Bytes of payload and shared memory together, of a task workgroup and of a mesh workgroup with the payload that it reads."""

MAX_MESH_REGISTERS = 32
"""Output registers of a mesh program, of vertices and primitives together: 128 components."""


@record(kw_only=True)
class ShaderLimits:
    """Upper bounds of one program; each is the largest count that is accepted."""

    instructions: int = 1 << 18
    nesting: int = 100
    temporaries: int = 4096
    inputs: int = 80
    outputs: int = 80
    addresses: int = 16
    immediates: int = 4096
    system_values: int = 64
    constant_buffers: int = 16
    constants: int = PROMISED_CONSTANTS + 16  # vec4s of one buffer; frontends that fill the promised ones add some of their own
    samplers: int = 32
    sampler_views: int = 128
    images: int = 32
    buffers: int = 32


SOFTWARE = ShaderLimits()
"""Limits of our own renderer."""
