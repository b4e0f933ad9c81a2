"""Cells of notebooks: ``%%glsl`` and ``%%tgsi`` compile the cell, show its mistakes with carets, and draw its fragment shader on a quad.

``%load_ext tgsi`` registers both. The words after them are a stage, the name of a variable for the program, and options of
``tgsi-compile --draw``::

    %%glsl frag shade --size 320x200 --uniform tint=1,0.5,0
"""

from __future__ import annotations

import io
import shlex
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgsi.language.notebook import heading, picture, text
from tgsi.language.record import record

if TYPE_CHECKING:
    from tgsi.language.program import Program

_SIZE = "320x240"


class CellError(Exception):
    """A cell that cannot be drawn; the message is what a terminal would show."""


@record(eq=False)
class DrawnCell:
    """A shader of a cell, shown as its picture.

    program: None for a text that is only a part of a shader (mainImage). picture: a PNG; b"" for a shader that is not drawn. report:
    choices that the drawing made, and warnings.
    """

    program: Program | None
    picture: bytes
    report: str

    def _repr_html_(self) -> str:
        shown = picture(self.picture) if self.picture else ""
        first, _, rest = self.report.partition("\n")
        more = text(first.strip(), rest) if rest.strip() else heading(first.strip()) if first.strip() else ""
        program = self.program
        code = text(f"TGSI, {len(program.instructions)} instructions", str(program)) if program is not None else ""
        return shown + more + code


def draw_cell(language: str, line: str, cell: str) -> tuple[str, DrawnCell]:
    """The variable of a cell, "" for none, and what it shows. CellError for wrong words and shaders."""
    from frontends.glsl.request import STAGE_WORDS

    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CellError(f"%%{language}: {error}") from None
    stage = name = ""
    if words and words[0] in STAGE_WORDS:
        stage = words.pop(0)
    if words and words[0].isidentifier():
        name = words.pop(0)
    program = _program(language, stage, cell)
    ending = (program.processor.name if program is not None else "FRAG").upper()
    with tempfile.TemporaryDirectory(prefix="tgsi-cell-") as folder:
        if ending != "FRAG":
            if words:
                raise CellError(f"%%{language}: {' '.join(words)}: a fragment shader is drawn, not {ending}; other stages take no options")
            return name, DrawnCell(program, b"", f"{ending} program")
        return name, DrawnCell(program, *_drawn(Path(folder), language, words, cell))


def _program(language: str, stage: str, cell: str) -> Program | None:
    """The program of a cell; None where a drawing has to complete it."""
    import tgsi
    from frontends.glsl.request import stage_of
    from tgsi.tools.compile.draw.stages import is_main_image

    if language == "glsl" and is_main_image(cell):
        return None
    try:
        chosen = stage_of(stage, f"%%{language}") if stage else None
        if language == "tgsi":
            program = tgsi.parse(cell, name="cell")
            tgsi.validate(program)
            return program
        return tgsi.compile(cell, stage=chosen, language=language, name="cell")
    except (tgsi.TgsiError, ValueError) as error:
        raise CellError(str(error)) from None


def _drawn(folder: Path, language: str, words: list[str], cell: str) -> tuple[bytes, str]:
    """The picture and the report of tgsi-compile --draw."""
    from tgsi.tools.compile.cli import main

    source, picture = folder / ("cell.frag" if language == "glsl" else "cell.tgsi"), folder / "picture.png"
    source.write_text(cell, encoding="utf-8")
    size = [] if any(word.startswith("--size") for word in words) else ["--size", _SIZE]
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main([str(source), "--draw", str(picture), *size, *words])
        except SystemExit as error:  # a wrong option
            code = error.code if isinstance(error.code, int) else 2
    told = [part.getvalue().replace(f"{folder}/", "").strip() for part in (out, errors)]
    if code or not picture.exists():
        raise CellError("\n".join(filter(None, reversed(told))))
    return picture.read_bytes(), "\n".join(filter(None, told)).removeprefix("picture.png: ")


def load_ipython_extension(shell: Any) -> None:
    """Register the cells in an IPython shell."""
    from IPython.core.error import UsageError

    def cell_of(language: str) -> Any:
        def cell(line: str, body: str) -> DrawnCell:
            try:
                name, drawn = draw_cell(language, line, body)
            except CellError as error:
                raise UsageError(f"\n{error}") from None
            if name:
                shell.user_ns[name] = drawn.program
            return drawn

        return cell

    for language in ("glsl", "tgsi"):
        shell.register_magic_function(cell_of(language), "cell", language)
