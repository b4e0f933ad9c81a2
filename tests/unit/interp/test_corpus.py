"""Real shaders run on whatever inputs."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.interp.run import run
from tgsi.diagnostics import UnsupportedError
from tgsi.enums import File
from tgsi.parser import parse

LATER = frozenset({"LOAD", "STORE", "ATOMUADD", "ATOMXCHG", "ATOMIMAX", "TG4"})
"""Opcodes that the corpus uses and the interpreter does not run yet."""


@pytest.mark.peers
@pytest.mark.parametrize("stage", ["VERT", "FRAG"])
def test_corpus_runs(stage: str, shared: Path) -> None:
    refused = set()
    for path in sorted((shared / "corpus").glob(f"{stage}-*.tgsi")):
        program = parse(path.read_text(), name=path.name)
        random = np.random.default_rng(zlib.crc32(path.name.encode()))
        registers = program.file_size(File.IN)
        words: Any = random.integers(0, 2**32, (8, registers, 4), np.uint32)
        floats: Any = random.uniform(-2, 2, (8, registers, 4)).astype(np.float32)
        constants = {0: random.uniform(-2, 2, (64, 4)).astype(np.float32)}
        names = {instruction.opcode.name for instruction in program.instructions}
        if names & LATER:
            with pytest.raises(UnsupportedError):
                run(program, words)
            refused |= names & LATER
            continue
        for inputs in (words, floats):
            assert run(program, inputs, constants=constants, fuel=300).outputs.shape == (8, program.file_size(File.OUT), 4)
    assert refused <= LATER
