"""Task and mesh programs as texts, and runs of them in both engines."""

from __future__ import annotations

from typing import Any

import numpy as np

import tgsi
from backends.run.result import RunResult

LANES = (4, 8, 16, 32, 64)
BLOCKS = ((1, 1, 1), (3, 1, 1), (32, 1, 1), (11, 3, 1), (8, 4, 4), (32, 8, 4))
"""Blocks of 1, 3, 32, 33, 128 and 1024 threads."""

_IMMEDIATES = """IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 8, 16, 64}
IMM[2] UINT32 {65535, 65536, 300, 4294967295}
"""
_VALUES = """DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], GRID_SIZE
DCL SV[3], BLOCK_SIZE
DCL SV[4], INVOCATIONID
DCL SV[5], DRAWID
DCL TEMP[0..7]
DCL ADDR[0..1]
"""


def _block(block: tuple[int, int, int]) -> str:
    return "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} {size}\n" for axis, size in zip(("WIDTH", "HEIGHT", "DEPTH"), block))


def task(body: str, block: tuple[int, int, int] = (4, 1, 1), payload: int = 64, shared: int = 64) -> str:
    """Text of a task program. SV: thread, block, grid size, block size, number, draw. MEMORY[0] is SHARED, MEMORY[1] the payload."""
    sizes = f"PROPERTY TS_PAYLOAD_BYTES {payload}\nPROPERTY TS_SHARED_BYTES {shared}\n"
    memory = "DCL MEMORY[0], SHARED\nDCL MEMORY[1], PAYLOAD\n"
    return f"TASK\n{_block(block)}{sizes}{memory}{_VALUES}{_IMMEDIATES}{body}\nEND\n"


def mesh(
    body: str, block: tuple[int, int, int] = (4, 1, 1), vertices: int = 8, primitives: int = 6, kind: str = "TRIANGLES", shared: int = 64
) -> str:
    """Text of a mesh program, with the values and memory of `task`.

    Outputs of a vertex: 0 POSITION, 1 and 2 GENERIC (array 1). Of a primitive: 3 PRIMITIVE_INDICES, 4 and 5 GENERIC (array 2).
    """
    sizes = f"PROPERTY MS_OUTPUT_PRIMITIVE {kind}\nPROPERTY MS_MAX_OUTPUT_VERTICES {vertices}\n"
    sizes += f"PROPERTY MS_MAX_OUTPUT_PRIMITIVES {primitives}\nPROPERTY MS_SHARED_BYTES {shared}\n"
    outputs = "DCL OUT[][0], POSITION\nDCL OUT[][1..2], ARRAY(1), GENERIC[0]\n"
    outputs += "DCL OUT[][3], PRIMITIVE_INDICES, PRIMITIVE\nDCL OUT[][4..5], ARRAY(2), GENERIC[2], PRIMITIVE\n"
    memory = "DCL MEMORY[0], SHARED\nDCL MEMORY[1], PAYLOAD\n"
    return f"MESH\n{_block(block)}{sizes}{outputs}{memory}{_VALUES}{_IMMEDIATES}{body}\nEND\n"


def differences(ours: RunResult, theirs: RunResult) -> list[str]:
    """Names of the parts in which two results of a task or mesh program differ."""
    pairs: list[tuple[str, Any, Any]] = [("tasks", ours.tasks, theirs.tasks), ("payload", ours.payload, theirs.payload)]
    pairs.append(("alive", ours.alive, theirs.alive))
    pairs += [("exhausted", ours.exhausted, theirs.exhausted), ("faults", np.array(ours.faults), np.array(theirs.faults))]
    pairs.append(("workgroups", np.array(len(ours.meshes)), np.array(len(theirs.meshes))))
    for number, (a, b) in enumerate(zip(ours.meshes, theirs.meshes)):
        for name in ("vertices", "indices", "primitives"):
            pairs.append((f"{name} of {number}", getattr(a, name), getattr(b, name)))
        pairs.append((f"faults of {number}", np.array(a.faults), np.array(b.faults)))
    pairs += [(f"buffer {number}", data, theirs.buffers[number]) for number, data in ours.buffers.items()]
    return [name for name, a, b in pairs if a.shape != b.shape or not np.array_equal(a, b)]


def run(text: str, **options: Any) -> RunResult:
    """Result of the interpreter, after comparing it with compiled code of every width."""
    program = tgsi.parse(text)
    expected = tgsi.run(program, engine="interp", **options)
    for lanes in LANES:
        assert differences(expected, tgsi.run(program, lanes=lanes, **options)) == [], f"{lanes} lanes"
    return expected
