"""Small task and mesh programs for the tests of the lowering."""

from __future__ import annotations

from collections.abc import Sequence

import tgsi
from backends.nvk.lower.code import Code, IsbeRead, IsbeWrite, Item, print_item
from backends.nvk.lower.lowering import lower_mesh, lower_task
from tgsi.language.program import Program

_IMMEDIATES = "IMM[0] UINT32 {0, 1, 2, 3}\nIMM[1] UINT32 {4, 8, 16, 64}\nIMM[2] UINT32 {65535, 65536, 300, 4294967295}\n"
_VALUES = "DCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL SV[2], GRID_SIZE\nDCL SV[3], DRAWID\nDCL TEMP[0..3]\nDCL ADDR[0]\n"
_MEMORY = "DCL MEMORY[0], SHARED\nDCL MEMORY[1], PAYLOAD\n"
OUTPUTS = "DCL OUT[][0], POSITION\nDCL OUT[][1], PRIMITIVE_INDICES, PRIMITIVE\nDCL OUT[][2], LAYER, PRIMITIVE\n"


def task(*lines: str, block: Sequence[int] = (4, 1, 1), payload: int = 20, shared: int = 8) -> Program:
    """A task program. MEMORY[0] is shared memory, MEMORY[1] the payload."""
    sizes = f"PROPERTY TS_PAYLOAD_BYTES {payload}\nPROPERTY TS_SHARED_BYTES {shared}\n"
    return tgsi.parse("\n".join([f"TASK\n{_block(block)}{sizes}{_MEMORY}{_VALUES}{_IMMEDIATES}", *lines, "END", ""]))


def mesh(
    *lines: str,
    outputs: str = OUTPUTS,
    block: Sequence[int] = (4, 1, 1),
    vertices: int = 8,
    primitives: int = 6,
    kind: str = "TRIANGLES",
    shared: int = 0,
) -> Program:
    """A mesh program with the outputs of `OUTPUTS`, or others."""
    sizes = f"PROPERTY MS_OUTPUT_PRIMITIVE {kind}\nPROPERTY MS_MAX_OUTPUT_VERTICES {vertices}\n"
    sizes += f"PROPERTY MS_MAX_OUTPUT_PRIMITIVES {primitives}\nPROPERTY MS_SHARED_BYTES {shared}\n"
    return tgsi.parse("\n".join([f"MESH\n{_block(block)}{sizes}{outputs}{_MEMORY}{_VALUES}{_IMMEDIATES}", *lines, "END", ""]))


def task_code(*lines: str, payload: int = 20, shared: int = 8, block: Sequence[int] = (4, 1, 1)) -> Code:
    """Lowered code of a task program."""
    return lower_task(task(*lines, payload=payload, shared=shared, block=block)).code


def mesh_code(*lines: str, after: Program | None = None, outputs: str = OUTPUTS, block: Sequence[int] = (4, 1, 1), shared: int = 0) -> Code:
    """Lowered code of a mesh program; `after` is its task program."""
    return lower_mesh(mesh(*lines, outputs=outputs, block=block, shared=shared), after).code


def accesses(code: Code) -> list[str]:
    """Texts of the reads and writes of ISBE."""
    return [print_item(item) for item in code.items if isinstance(item, IsbeRead | IsbeWrite)]


def body(code: Code, empty: Code) -> list[str]:
    """Texts of the items that a program has more than one without statements."""
    added = len(code.items) - len(empty.items)
    end = len(code.items) - 1
    return [print_item(item) for item in code.items[end - added : end]]


def first_access(code: Code) -> Item:
    """The first read or write of ISBE."""
    return next(item for item in code.items if isinstance(item, IsbeRead | IsbeWrite))


def _block(block: Sequence[int]) -> str:
    return "".join(f"PROPERTY CS_FIXED_BLOCK_{axis} {size}\n" for axis, size in zip(("WIDTH", "HEIGHT", "DEPTH"), block))
