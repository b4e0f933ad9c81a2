"""A request as a text for glslang: one directive or one token of live code on each line, so that a line number identifies a token."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from frontends.glsl.compatibility import ARRAYS
from frontends.glsl.divisions import warn_of_divisions
from frontends.glsl.extensions import EXTENSIONS, KNOWN, PASSED
from frontends.glsl.hlsl.texts import rewrite
from frontends.glsl.language import hlsl_dialect, language_of
from frontends.glsl.parts import joined, missing
from frontends.glsl.preprocess.directives import Preprocessor
from frontends.glsl.preprocess.reports import Reports, quoted
from frontends.glsl.preprocess.scan import Places, Token
from frontends.glsl.request import Request
from frontends.glsl.subroutines import EXTENSION, FIRST_VERSION, WORD, Subroutines, lower
from frontends.glsl.upgrade import PREFIX, upgrade
from frontends.glsl.vulkan import speaks_vulkan
from tgsi.language.diagnostics import Diagnostic, Label
from tgsi.language.record import record

_REDECLARING, _BLOCKS = 410, "GL_ARB_separate_shader_objects"
"""The version, and the extension, by which glslang takes the block gl_PerVertex of a text; In GLSL since 1.50."""
_GIVEN = re.compile(rf"\b{PREFIX}[0-9]*_\w+")


@record(kw_only=True)
class Prepared:
    """A text for glslang.

    Args:
        text: the text.
        head: the lines before the first token; a line has the token that it is about, or None.
        tokens: the token of each line after these.
        reports: places of tokens, and the findings of the preprocessor, which are warnings.
        old: a name of the upgrade -> the text's name.
        absent: functions that other texts must define, with their tokens. The text for glslang has empty definitions for them.
        subroutines: functions that uniforms choose.
        is_vulkan: the text is GLSL for Vulkan.
    """

    text: str
    head: Sequence[Token | None] = ()
    tokens: Sequence[Token] = ()
    reports: Reports = field(default_factory=lambda: Reports(Places()))
    old: Mapping[str, str] = field(default_factory=dict)
    absent: Sequence[tuple[str, Token]] = ()
    subroutines: Subroutines = field(default_factory=Subroutines)
    is_vulkan: bool = False

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Warnings of the preprocessor."""
        return tuple(self.reports.findings)

    def index(self, line: int) -> int | None:
        """The token of a line; None for a line of the head, and of a text without tokens."""
        number = line - 1 - len(self.head)
        return None if number < 0 or not self.tokens else min(number, len(self.tokens) - 1)

    def labels(self, line: int) -> tuple[Label, ...]:
        """The place in the user's text that a line for glslang comes from."""
        index = self.index(line)
        token = self.tokens[index] if index is not None else self.head[line - 1] if 0 < line <= len(self.head) else None
        return () if token is None else self.reports.labels(token)

    def words(self, message: str) -> str:
        """A message with the names of the text."""
        return _GIVEN.sub(lambda name: self.old.get(name[0], name[0]), message) if self.old else message


def prepare(request: Request, *, fills: bool = False) -> Prepared:
    """The text of a request for glslang: preprocessed, and upgraded to a version that glslang compiles.

    `fills` adds empty functions for those that other texts of the stage have to define.

    Raises:
        ParseError: the text has errors (G001), or forms and files that are not read (G012 to G014).
    """
    places = Places()
    reports = Reports(places)
    units = [places.scan(source) for source in (request.source, *request.more)]
    here = Path(request.folders[0]) if request.folders else None
    runs = [Preprocessor(places, reports, request.folders, here) for _ in units]
    if request.language == "hlsl":
        run, unit = runs[0], units[0]
        run.read(unit, hlsl_dialect(request.stage), request.defines)
        written = _written([], [], run.tokens, reports, {})
        return replace(written, text=rewrite(written.text))
    languages, is_vulkan = [language_of(unit, reports) for unit in units], request.language == "vulkan"
    for run, unit, language in zip(runs, units, languages, strict=True):
        run.read(unit, language.dialect(request.stage, is_vulkan=is_vulkan), request.defines)
    if request.language == "glsl" and any(speaks_vulkan(run.tokens, run.extensions) for run in runs):
        return prepare(replace(request, language="vulkan"), fills=fills)
    language = max(languages, key=lambda item: item.version)
    extensions = {name: item for run in runs for name, item in run.extensions.items()}
    tokens = joined([run.tokens for run in runs]) if request.more else runs[0].tokens
    subroutines = Subroutines()
    if any(token[0] == WORD for token in tokens) and (language.version >= FIRST_VERSION or EXTENSION in extensions) and not language.is_es:
        tokens, subroutines = lower(tokens, reports)
        reports.raise_errors()
    absent = missing(tokens) if fills else []
    for _, (_, place, origin), texts in absent:
        tokens = [*tokens, *((text, place, origin) for text in texts)]
    asked = [name for name, (behavior, _) in extensions.items() if behavior != "disable"]
    words = frozenset(token[0] for token in tokens)
    needed = [*asked, ARRAYS] if request.has_fixed and language.has_fixed and {"gl_in", "gl_TexCoord"} <= words else asked
    language = language.with_target_for(needed, words).with_least_target(request.least_version)
    warn_of_divisions(tokens, reports)
    upgraded = upgrade(tokens, language, request.stage, asked, reports, has_fixed=request.has_fixed)
    lines = [f"#version {language.target} core"]
    head: list[Token | None] = [None]
    for name, (behavior, token) in extensions.items():
        if is_vulkan or _is_passed(name, behavior, token, reports):
            asks = EXTENSIONS[name].asks if name in EXTENSIONS else name
            lines.append(f"#extension {asks} : {behavior}")
            head.append(token)
    reports.raise_errors()
    if language.target < _REDECLARING and _BLOCKS not in extensions and "gl_PerVertex" in words:
        lines.append(f"#extension {_BLOCKS} : enable")
        head.append(None)
    lines += upgraded.head
    head += [None] * len(upgraded.head)
    made = _written(lines, head, upgraded.tokens, reports, {**upgraded.old, **subroutines.old})
    found = [(subroutines.old.get(name, name), token) for name, token, _ in absent]
    return replace(made, absent=found, subroutines=subroutines, is_vulkan=is_vulkan)


def _is_passed(name: str, behavior: str, token: Token, reports: Reports) -> bool:
    """True if the directive of an extension goes to glslang; reports unknown extensions."""
    if name == "all":
        if behavior in ("require", "enable"):
            reports.error(f"no text can {behavior} all extensions", token, "name the extensions, or write warn or disable")
        return behavior == "warn"
    extension = EXTENSIONS.get(name)
    if extension is not None:
        return extension.way == PASSED
    if name in KNOWN:
        return True
    message = f"{quoted(name)}: extension not supported"
    if behavior == "require":
        reports.error(message, token)
    else:
        reports.warning(message, token)
    return False


def _written(lines: list[str], head: list[Token | None], tokens: list[Token], reports: Reports, old: Mapping[str, str]) -> Prepared:
    text = "\n".join([*lines, *[token[0] for token in tokens], ""])
    return Prepared(text=text, head=head, tokens=tokens, reports=reports, old=old)
