"""Real shaders run on whatever inputs."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from backends.result import RunResult
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File
from tgsi.ir import Program
from tgsi.parser import parse

LATER = ("TG4", "on MEMORY", "on HWATOMIC", "on IMAGE")
"""What the corpus uses and the interpreter does not run yet."""


def _run(program: Program, inputs: Any, **options: Any) -> RunResult | None:
    try:
        return run(program, inputs, **options)
    except UnsupportedError as error:
        if not all(any(later in found.message for later in LATER) for found in error.diagnostics):
            raise
    return None


@pytest.mark.peers
@pytest.mark.parametrize("stage", ["VERT", "FRAG"])
def test_corpus_runs(stage: str, shared: Path) -> None:
    for path in sorted((shared / "corpus").glob(f"{stage}-*.tgsi")):
        program = parse(path.read_text(), name=path.name)
        random = np.random.default_rng(zlib.crc32(path.name.encode()))
        registers = program.file_size(File.IN)
        words: Any = random.integers(0, 2**32, (8, registers, 4), np.uint32)
        floats: Any = random.uniform(-2, 2, (8, registers, 4)).astype(np.float32)
        constants = {0: random.uniform(-2, 2, (64, 4)).astype(np.float32)}
        for inputs in (words, floats):
            result = _run(program, inputs, constants=constants, fuel=300)
            assert result is None or result.outputs.shape == (8, program.file_size(File.OUT), 4)
