"""Files that a text includes. They lie in the folders that the caller names; every other one is refused before the compiler runs."""

from __future__ import annotations

import re
from pathlib import Path

from frontends.glsl.request import MAX_CHARACTERS, Request
from tgsi.language.diagnostics import Diagnostic, Label, ParseError, Severity
from tgsi.language.source import Source, Span

MAX_FILES = 256
"""Files that one text may include, all together."""

_DIRECTIVE = re.compile(r"""^[ \t]*\#[ \t]*include[ \t]*(?:["<]([^">\n]*)[">])?""", re.MULTILINE)
_REMOVED = re.compile(r"\\\r?\n|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def included(request: Request) -> dict[str, str]:
    """Path -> text of every file that a text may include, in conditions that do not hold, too.

    Files that are not there are left to the compiler, which knows the conditions.

    Raises:
        ParseError: a file lies outside of the folders, there are too many, or one is no text (G014).
    """
    made: dict[str, str] = {}
    waiting = [(request.source, Path(request.folders[0]) if request.folders else None)]
    while waiting:
        source, here = waiting.pop()
        for name, label in _names(source):
            path = _find(name, here, request.folders, label)
            if path is None or str(path) in made:
                continue
            if len(made) >= MAX_FILES:
                _refuse(f"the text includes more than {MAX_FILES} files", label)
            made[str(path)] = text = _read(path, label)
            waiting.append((Source(text, str(path)), path.parent))
    return made


def _names(source: Source) -> list[tuple[str, Label]]:
    """The files that the directives of a text name, with their places."""
    text = _REMOVED.sub(lambda found: "" if found[0][0] == "\\" else " ", source.text)
    made = []
    for found in _DIRECTIVE.finditer(text):
        name = found[1]
        at = source.text.find(name) if name else -1
        label = Label(Span(source, at, at + len(name))) if name and at >= 0 else Label(Span(source, 0, 0))
        if name is None:
            _refuse("a file to include is named by a text in quotation marks", label)
        else:
            made.append((name, label))
    return made


def _find(name: str, here: Path | None, folders: tuple[str, ...], label: Label) -> Path | None:
    """The file of a name: next to the including one, then in the folders. None if there is none."""
    if not folders:
        _refuse(f"`{name}` cannot be included: the text has no folder", label)
    for folder in dict.fromkeys(([here] if here is not None else []) + [Path(item) for item in folders]):
        try:
            path = (folder / name).resolve()
            is_file = path.is_file()
        except (OSError, ValueError, RuntimeError):
            continue
        if not any(path.is_relative_to(item) for item in folders) or Path(name).is_absolute():
            if is_file or Path(name).is_absolute() or ".." in Path(name).parts:
                _refuse(f"`{name}` lies outside of the folders of includes", label)
            continue
        if is_file:
            return path
    return None


def _read(path: Path, label: Label) -> str:
    try:
        with path.open("rb") as file:
            text = file.read(MAX_CHARACTERS + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        _refuse(f"{path} cannot be read: {error}", label)
        raise
    if len(text) > MAX_CHARACTERS:
        _refuse(f"{path} has more than {MAX_CHARACTERS} characters", label)
    return text


def _refuse(message: str, label: Label) -> None:
    raise ParseError((Diagnostic("G014", Severity.ERROR, message, (label,), "name its folder with includes=, or -I of tgsi-compile"),))
