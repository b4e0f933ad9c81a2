"""Short programs for tests of the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np

from backends.interp.run import run
from backends.run.result import RunResult
from tgsi.language.program import Program
from tgsi.language.text.parser import parse

VERT_HEADER = """VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..3]
DCL TEMP[0..7]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] FLT32 {0.0, 1.0, 2.0, 0.5}
"""


def vertex_program(body: str) -> Program:
    return parse(VERT_HEADER + body + "\nEND\n")


def run_vertices(body: str, inputs: Any, **options: Any) -> RunResult:
    """Run a VERT body. `inputs`: (invocations, 4) or (invocations, registers, 4); missing registers are 0."""
    given = np.asarray(inputs)
    if given.ndim == 2:
        given = given[:, None, :]
    missing = np.zeros((len(given), 2 - given.shape[1], 4), given.dtype)
    return run(vertex_program(body), np.concatenate([given, missing], axis=1), **options)


def column(values: list[int]) -> Any:
    """Words of shape (invocations, 4) with the value in every channel."""
    return np.repeat(np.array(values, np.int64)[:, None], 4, axis=1)
