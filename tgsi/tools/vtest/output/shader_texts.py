"""Texts of a client's shaders in files: as received, and after the passes of `tgsi.optimize`."""

from __future__ import annotations

from pathlib import Path

from backends.pipe.enums import ShaderType
from tgsi.api import optimize
from tgsi.language.diagnostics import TgsiError
from tgsi.language.program import Program
from tgsi.tools.vtest.output.log import LOG


class ShaderTexts:
    """Writer of FOLDER/CLIENT-PROCESS/NUMBER.STAGE.tgsi and NUMBER.STAGE.passes.tgsi."""

    def __init__(self, folder: Path, process: int | str) -> None:
        self._folder, self._process = folder, process
        self._count = 0

    def received(self, client: str, stage: ShaderType, text: str) -> Path:
        """Write a text as received. Returns its file."""
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in client)
        folder = self._folder / f"{name}-{self._process}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self._count:03}.{stage.name.lower()}.tgsi"
        path.write_text(text, encoding="latin-1")
        self._count += 1
        return path

    def checked(self, path: Path, program: Program) -> None:
        """Write the program of a text after its passes."""
        try:
            path.with_suffix(".passes.tgsi").write_text(str(optimize(program)), encoding="latin-1")
        except TgsiError as error:
            LOG.warning(f"{path}: the passes failed: {error}")
