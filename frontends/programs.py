"""Programs from any source: texts of TGSI, GLSL and HLSL, modules of SPIR-V, files, and programs themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from frontends.glsl.request import (
    LANGUAGES,
    MAX_CHARACTERS,
    STAGE_SIGNS,
    SUFFIXES,
    Request,
    defines_of,
    entry_of,
    folders_of,
    guessed_stage,
    stage_of,
    suffixes,
)
from frontends.numbers import as_drivers
from tgsi.language.diagnostics import shown_at_caller
from tgsi.language.facts.enums import Processor
from tgsi.language.program import Program
from tgsi.language.source import Source, characters, is_glsl

ALL_LANGUAGES = (*LANGUAGES, "spirv", "tgsi")
MAX_BYTES = 4 * MAX_CHARACTERS


@shown_at_caller
def compile(
    source: Any,
    *,
    stage: Processor | str | None = None,
    language: str | None = None,
    defines: Mapping[str, Any] | Iterable[str] = (),
    includes: str | Path | Iterable[str | Path] = (),
    entry: str | None = None,
    name: str | None = None,
    fixed_names: bool = False,
) -> Program:
    """The program of a shader in GLSL, HLSL, SPIR-V or TGSI (docs/glsl.md). GLSL and HLSL need the extra ``tgsi[glsl]``.

    Args:
        source: a text, the path of a file, the bytes of a SPIR-V module, or a Program, which is returned unchanged; or several texts of
            GLSL, which make one stage as the shader objects of an OpenGL program do.
        stage: "vert", "frag", "geom", "tesc", "tese", "comp", "mesh" or "task", or a Processor; by default detected from the file's ending,
            otherwise from names that only one stage has, such as gl_Position.
        language: "glsl", "hlsl", "spirv" or "tgsi"; by default detected from the file's ending or the text. "opengl" and "vulkan" are the
            two dialects of GLSL; "glsl" detects the dialect from the words of the text.
        defines: macros, name -> text or number; or names alone.
        includes: folders of ``#include``. The folder of a file comes first. Files elsewhere are refused.
        entry: the entry point of HLSL or SPIR-V; "main" otherwise.
        name: the name of a text in messages.
        fixed_names: take names of OpenGL's fixed functions, such as gl_Vertex, for inputs, outputs and uniforms of these names, in versions
            of GLSL that have them. They are refused otherwise (G012).

    Returns:
        The program. Its `interface` has the names of uniforms, blocks, samplers, inputs and outputs; its `notes` are warnings.

    Raises:
        ParseError: the text has errors; each is a finding with a caret (codes G001 to G020).
        UnsupportedError: glslang is missing (G010) or gave up (G011), or TGSI has no words for the shader.
        TypeError, ValueError: an argument is wrong, or a file cannot be read.
    """
    return compile_program(
        source, "compile", stage=stage, language=language, defines=defines, includes=includes, entry=entry, name=name, takes_paths=True,
        fixed_names=fixed_names,
    )  # fmt: skip


def compile_program(
    source: Any,
    call: str,
    *,
    stage: Processor | str | None = None,
    language: str | None = None,
    defines: Mapping[str, Any] | Iterable[str] = (),
    includes: str | Path | Iterable[str | Path] = (),
    entry: str | None = None,
    name: str | None = None,
    takes_paths: bool = False,
    fixed_names: bool = False,
) -> Program:
    """The program of a text or a module, or of a file if `takes_paths` is set. See `compile` for the arguments.

    Messages of TypeError and ValueError begin with `call`."""
    if isinstance(source, Program):
        return source
    wanted = None if stage is None else stage_of(stage, call)
    if language is not None and language not in ALL_LANGUAGES:
        raise ValueError(f"{call}: language: {language!r} is not one of {', '.join(ALL_LANGUAGES)}")
    macros, folders = defines_of(defines, call), folders_of(includes, call)
    if entry is not None:
        entry_of(entry, call)
    if isinstance(source, Path) or (takes_paths and isinstance(source, str) and is_path(source)):
        path = Path(source)
        by_name, spoken = suffixes(path.name)
        source, wanted, language = read_file(path, call), by_name if wanted is None else wanted, language or spoken
        name, folders = name or str(path), (str(path.resolve().parent), *folders)
    shown = name or call
    more: tuple[Source, ...] = ()
    if isinstance(source, list | tuple):
        if not source or not all(isinstance(text, str) for text in source) or language not in (None, "glsl", "opengl", "vulkan"):
            raise TypeError(f"{call}: of several texts each is a str of GLSL")
        source, *others = source
        language, more = language or "glsl", tuple(Source(text, f"{shown}, text {number}") for number, text in enumerate(others, 2))
    if not isinstance(source, str):
        if not isinstance(source, bytes | bytearray | memoryview):
            raise TypeError(f"{call}: expected a Program, a text, a path, or the bytes of a SPIR-V module, not {type(source).__name__}")
        from frontends.spirv import read

        return as_drivers(read(bytes(source), entry, stage=wanted, name=shown))
    if language is None:
        language = "glsl" if is_glsl(source) else "tgsi"
    if language == "tgsi":
        from tgsi.language.text.parser import parse

        return parse(source, name=shown)
    if language == "spirv":
        raise TypeError(f"{call}: a module of SPIR-V is bytes, not a text")
    if wanted is None:
        wanted = _stage_in_text(source, call, name)
    from frontends.glsl.compiling import compile_request

    text = Source(source, shown)
    request = Request(
        source=text, stage=wanted, language=language, defines=macros, folders=folders, entry=entry or "main", has_fixed=bool(fixed_names),
        more=more,
    )  # fmt: skip
    return as_drivers(compile_request(request))


def _stage_in_text(text: str, call: str, name: str | None) -> Processor:
    """Stage whose names a text of GLSL or HLSL uses. ValueError if it uses none."""
    stage = guessed_stage(text)
    if stage is None:
        place = f"{name}: " if name else ""
        raise ValueError(f"{call}: {place}the text does not tell its stage; say it with stage= or --stage: {', '.join(SUFFIXES)}")
    return stage


def stage_elsewhere(text: str, stage: Processor) -> Processor | None:
    """Another stage, if a GLSL text uses names of that stage and none of the given stage; otherwise None."""
    meant = guessed_stage(text)
    sign = STAGE_SIGNS.get(stage)
    return None if meant is stage or (sign is not None and re.search(sign, text, re.MULTILINE)) else meant


def is_path(text: str) -> bool:
    """True for a text of one line that is not a program in any language."""
    return (
        len(text) < 4096
        and text.strip() != ""
        and "\n" not in text
        and ";" not in text
        and "{" not in text
        and text.split(None, 1)[0] not in Processor.__members__
    )


def read_file(path: Path, call: str) -> str | bytes:
    """Text of a file of a shader, or bytes of one of SPIR-V. ValueError for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{call}: {str(path)!r} is neither a shader nor a readable file: {reason.lower()}") from None
    if len(data) > MAX_BYTES:
        raise ValueError(f"{call}: {path} has more than {MAX_BYTES} bytes")
    if data[:4] in (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03") or path.suffix == ".spv":
        return data
    text = characters(data)
    if text is None:
        raise ValueError(f"{call}: {path} is neither text nor SPIR-V: it has control characters")
    return text.removeprefix("\ufeff")
