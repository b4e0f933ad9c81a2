"""Real shaders of every stage run on arbitrary inputs."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from backends.interp.run import run
from tests.property.fitting import fitting_arguments
from tgsi.language.facts.enums import File
from tgsi.language.text.parser import parse


@pytest.mark.peers
@pytest.mark.parametrize("stage", ["VERT", "FRAG", "GEOM", "TESC", "TESE", "COMP"])
def test_corpus_runs(stage: str, shared: Path) -> None:
    for path in sorted((shared / "corpus").glob(f"{stage}-*.tgsi")):
        program = parse(path.read_text(), name=path.name)
        result = run(program, fuel=300, **fitting_arguments(program, zlib.crc32(path.name.encode()) % 100_000))
        assert result.outputs.shape[1:] == (0 if stage == "COMP" else program.file_size(File.OUT), 4)
