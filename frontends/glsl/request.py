"""Requests: a text with its language, stage, macros, folders of includes and entry point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tgsi.language.diagnostics import Diagnostic, Label, ParseError, Severity
from tgsi.language.facts.enums import Processor
from tgsi.language.messages import did_you_mean, shorten
from tgsi.language.record import record
from tgsi.language.source import Source, Span

MAX_CHARACTERS = 1 << 20
"""Length of the longest text that is compiled."""

LANGUAGES = ("glsl", "opengl", "vulkan", "hlsl")
"""Possible languages: "glsl" detects the dialect from the words of the text, "opengl" and "vulkan" state it."""
_ENDINGS = ("glsl", "hlsl")

SUFFIXES = {
    "vert": Processor.VERT,
    "frag": Processor.FRAG,
    "geom": Processor.GEOM,
    "tesc": Processor.TESS_CTRL,
    "tese": Processor.TESS_EVAL,
    "comp": Processor.COMP,
    "mesh": Processor.MESH,
    "task": Processor.TASK,
}
"""The ending of a file's name -> its stage. They are glslang's names of the stages, too."""

STAGE_WORDS: Mapping[str, Processor] = {
    **SUFFIXES,
    **{word: stage for stage in SUFFIXES.values() for word in (stage.name.lower(),)},
    "vertex": Processor.VERT,
    "fragment": Processor.FRAG,
    "pixel": Processor.FRAG,
    "geometry": Processor.GEOM,
    "compute": Processor.COMP,
    "tessellation_control": Processor.TESS_CTRL,
    "tessellation_evaluation": Processor.TESS_EVAL,
}
"""Words that name a stage."""

STAGE_MACROS: Mapping[Processor, str] = {
    Processor.VERT: "GL_VERTEX_SHADER",
    Processor.FRAG: "GL_FRAGMENT_SHADER",
    Processor.GEOM: "GL_GEOMETRY_SHADER",
    Processor.TESS_CTRL: "GL_TESSELLATION_CONTROL_SHADER",
    Processor.TESS_EVAL: "GL_TESSELLATION_EVALUATION_SHADER",
    Processor.COMP: "GL_COMPUTE_SHADER",
    Processor.MESH: "GL_MESH_SHADER_EXT",
    Processor.TASK: "GL_TASK_SHADER_EXT",
}
"""The macro of a stage that glslang predefines."""

STAGE_SIGNS: Mapping[Processor, str] = {
    Processor.MESH: r"\bSetMeshOutputsEXT\b",
    Processor.TASK: r"\bEmitMeshTasksEXT\b",
    Processor.COMP: r"\blocal_size_[xyz]\b|\bgl_GlobalInvocationID\b|\bgl_WorkGroupID\b",
    Processor.GEOM: r"\bEmitVertex\b|\bEndPrimitive\b|\bmax_vertices\b",
    Processor.TESS_CTRL: r"\blayout\s{0,99}\(\s{0,99}vertices\s{0,99}=",
    Processor.TESS_EVAL: r"\bgl_TessCoord\b|\blayout\s{0,99}\(\s{0,99}(?:isolines|triangles|quads)\b[^)]{0,999}\)\s{0,99}in\b",
    Processor.VERT: r"\bgl_Position\b|\bgl_VertexID\b|\bgl_VertexIndex\b|\battribute\b",
    Processor.FRAG: r"\bgl_Frag\w+|\bdiscard\b|\bgl_FrontFacing\b"
    r"|(?:^|;)[ \t]{0,99}(?:layout\s{0,99}\([^)]{0,999}\)\s{0,99})?out\s{1,99}(?:(?:high|medium|low)p\s{1,99})?[iu]?vec4\b",
}
"""Signs of each stage, which no other one has, the surest first. Repetitions are bounded, so that no text takes quadratic time."""

MAX_DEFINE = 1 << 16
"""Characters of a macro that a caller defines."""

_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")
_LETTERS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\([A-Za-z0-9_, ]*\))?")


@record(kw_only=True)
class Request:
    """A compilation. `folders` are searched for includes; the first is the folder of the file, if the text comes from a file.

    `more`: other texts of the stage. `has_fixed`: names of the fixed functions become variables of the program.
    `least_version` is the least version of the desktop that the text is compiled as.
    """

    source: Source
    stage: Processor
    language: str = "glsl"
    defines: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ()
    entry: str = "main"
    has_fixed: bool = False
    least_version: int = 0
    more: tuple[Source, ...] = ()


def guessed_stage(text: str) -> Processor | None:
    """The stage of a text, guessed from names that only one stage has, or None."""
    plain = re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", " ", text[:MAX_CHARACTERS], flags=re.DOTALL)
    return next((stage for stage, sign in STAGE_SIGNS.items() if re.search(sign, plain, re.MULTILINE)), None)


def suffixes(name: str) -> tuple[Processor | None, str | None]:
    """Stage and language that the name of a file says, as ``shader.frag``, ``shader.frag.glsl`` and ``shader.hlsl``."""
    parts = Path(name).name.lower().split(".")[1:]
    language = parts[-1] if parts and parts[-1] in _ENDINGS else None
    stage = SUFFIXES.get(parts[-1 if language is None else -2]) if len(parts) > (language is not None) else None
    return stage, language or ("glsl" if stage is not None else None)


def stage_of(stage: Any, call: str) -> Processor:
    """The stage of a Processor or of a word of `STAGE_WORDS`. TypeError, ValueError."""
    if isinstance(stage, Processor):
        return stage
    if not isinstance(stage, str):
        raise TypeError(f"{call}: stage: expected a Processor or its name, not {type(stage).__name__}")
    word = STAGE_WORDS.get(stage.lower().removeprefix("."))
    if word is None:
        hint = did_you_mean(stage, map(str.upper, STAGE_WORDS))
        raise ValueError(f"{call}: stage: {stage!r} is not one of {', '.join(SUFFIXES)}" + (f"; {hint}" if hint else ""))
    return word


def defines_of(defines: Any, call: str) -> tuple[tuple[str, str], ...]:
    """Macros of a mapping, name -> text, number or None, or of names. A name may have parameters. TypeError, ValueError."""
    if isinstance(defines, str | bytes) or not isinstance(defines, Iterable):
        raise TypeError(f"{call}: defines: expected a mapping of names to values, not {type(defines).__name__}")
    items = defines.items() if isinstance(defines, Mapping) else ((name, None) for name in defines)
    made = []
    for name, value in items:
        if not isinstance(name, str) or not _MACRO.fullmatch(name):
            raise ValueError(f"{call}: defines: {name!r} is not a name of a macro")
        if name.startswith("GL_"):
            raise ValueError(f"{call}: defines: {name}: names that begin with GL_ belong to the language")
        if not isinstance(value, str | int | float | None):
            raise TypeError(f"{call}: defines: {name}: expected a text or a number, not {type(value).__name__}")
        text = "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
        if any(character in text for character in "\r\n"):
            raise ValueError(f"{call}: defines: {name}: its text has more than one line")
        if len(name) + len(text) > MAX_DEFINE:
            raise ValueError(f"{call}: defines: {shorten(name)}: it has {len(name) + len(text)} characters; {MAX_DEFINE} are the most")
        if (wrong := _NO_TEXT.search(text)) is not None:
            raise ValueError(f"{call}: defines: {name}: its text holds the character U+{ord(wrong[0]):04X}, which no shader has")
        made.append((name, text))
    return tuple(made)


def folders_of(includes: Any, call: str) -> tuple[str, ...]:
    """Folders of includes: a path, or several. TypeError, ValueError."""
    if isinstance(includes, str | Path):
        includes = [includes]
    if not isinstance(includes, Iterable) or isinstance(includes, bytes):
        raise TypeError(f"{call}: includes: expected folders, not {type(includes).__name__}")
    made = []
    for item in includes:
        if not isinstance(item, str | Path):
            raise TypeError(f"{call}: includes: expected a folder, not {type(item).__name__}")
        try:
            folder = Path(item).resolve()
            is_folder = folder.is_dir()
        except ValueError:  # NUL
            is_folder = False
        if not is_folder:
            raise ValueError(f"{call}: includes: there is no folder {str(item)!r}")
        made.append(str(folder))
    return tuple(made)


def entry_of(entry: Any, call: str) -> str:
    """The name of an entry point. TypeError, ValueError."""
    if not isinstance(entry, str):
        raise TypeError(f"{call}: entry: expected a name, not {type(entry).__name__}")
    if not _LETTERS.fullmatch(entry):
        raise ValueError(f"{call}: entry: {entry!r} is not a name of a function")
    return entry


def check_text(source: Source) -> None:
    """Raise ParseError for a text that cannot be a shader: too long, or with characters that no shader has (G020)."""
    text = source.text
    if len(text) > MAX_CHARACTERS:
        message = f"the text has {len(text)} characters; {MAX_CHARACTERS} are the most"
        raise ParseError((Diagnostic("G020", Severity.ERROR, message),))
    wrong = _NO_TEXT.search(text)
    if wrong is not None:
        label = Label(Span(source, wrong.start(), wrong.end()))
        message = f"the text holds the character U+{ord(wrong[0]):04X}"
        raise ParseError((Diagnostic("G020", Severity.ERROR, message, (label,), "a shader is text; a module of SPIR-V is bytes"),))
