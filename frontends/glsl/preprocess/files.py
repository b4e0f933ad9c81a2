"""Files that texts include: regular files in the folders of a request, opened without following links and read once."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePath
from typing import NoReturn

from frontends.glsl.preprocess.reports import Reports, quoted
from frontends.glsl.preprocess.scan import Token, Unit
from frontends.glsl.request import MAX_CHARACTERS
from tgsi.language.source import Source, characters

MAX_FILES = 256
"""Files that one text may include, all together."""
MAX_INCLUSIONS = 4096
"""Inclusions of these files."""
MAX_DEPTH = 64
"""Largest depth of nested includes."""
HINT = "name its folder with includes=, or -I of tgsi-compile"

_KINDS = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"), (stat.S_ISLNK, "a link"),
)  # fmt: skip
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))

_WAY = sum(getattr(os, name, 0) for name in ("O_PATH", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC"))


class _NotRegularError(OSError):
    """A file that is not a regular file."""


class Files:
    """The files of one compilation."""

    def __init__(self, folders: tuple[str, ...], reports: Reports) -> None:
        self._folders = tuple(Path(item) for item in folders)
        self._reports = reports
        self._units: dict[Path, Unit] = {}
        self._inclusions = 0

    def find(self, name: str, here: Path | None, token: Token, chain: tuple[Path, ...]) -> tuple[Path, Unit]:
        """The file of a name: next to the including one (`here`, None for ``<name>``), then in the folders. `chain`: the including files.

        Raises:
            ParseError: the file is not there, lies elsewhere, is not a regular file of text, or there are too many (G014).
        """
        self._inclusions += 1
        if self._inclusions > MAX_INCLUSIONS:
            self._refuse(f"the text includes files more than {MAX_INCLUSIONS} times", token)
        if not self._folders:
            self._refuse(f"{quoted(name)} cannot be included: the text has no folder", token)
        path = self._path(name, here, token)
        if len(chain) >= MAX_DEPTH:
            why = "it includes itself" if path in chain else f"files include each other more than {MAX_DEPTH} deep"
            self._refuse(f"{quoted(name)} cannot be included: {why}", token, "put `#pragma once` into it")
        unit = self._units.get(path)
        if unit is None:
            if len(self._units) >= MAX_FILES:
                self._refuse(f"the text includes more than {MAX_FILES} files", token)
            unit = self._units[path] = self._reports.places.scan(Source(self._text(path, name, token), str(path)))
        return path, unit

    def _path(self, name: str, here: Path | None, token: Token) -> Path:
        """The path of a name, without links."""
        if not name or "\0" in name or PurePath(name).is_absolute():
            self._refuse(f"{quoted(name)} lies outside of the folders of includes", token)
        is_outside = False
        for folder in dict.fromkeys((*(() if here is None else (here,)), *self._folders)):
            try:
                path = Path(os.path.realpath(folder / name))
                is_inside = any(path.is_relative_to(item) for item in self._folders)
                if is_inside and os.path.lexists(path):
                    return path
            except (OSError, ValueError):
                continue
            is_outside |= not is_inside and (".." in PurePath(name).parts or os.path.lexists(folder / name))
        if is_outside:
            self._refuse(f"{quoted(name)} lies outside of the folders of includes", token)
        self._refuse(f"there is no file {quoted(name)} in the folders of includes", token)

    def _text(self, path: Path, name: str, token: Token) -> str:
        """The characters of a file."""
        folder = next(item for item in self._folders if path.is_relative_to(item))
        try:
            with os.fdopen(_open(folder, path), "rb") as file:
                data = file.read(4 * MAX_CHARACTERS + 1)
            text = characters(data)
        except _NotRegularError as error:
            self._refuse(f"{quoted(name)} cannot be included: it is {error}", token, "files of includes are regular files")
        except OSError as error:
            self._refuse(f"{path} cannot be read: {error.strerror or error}", token)
        if text is None or "\0" in text:
            self._refuse(f"{path} is not a text: it has control characters", token)
        if len(text) > MAX_CHARACTERS:
            self._refuse(f"{path} has more than {MAX_CHARACTERS} characters", token)
        return text.removeprefix("\ufeff")

    def _refuse(self, message: str, token: Token, hint: str = HINT) -> NoReturn:
        self._reports.refuse(message, token, hint, "G014")


def _open(folder: Path, path: Path) -> int:
    """A descriptor of a regular file below a folder. No link is followed, and only regular files are opened.

    On systems that cannot open a file relative to a folder (Windows), the path is checked before the file is opened, and the file
    afterwards.

    Raises:
        OSError: the file is gone, or no regular file.
    """
    _check(os.lstat(path))
    if os.open not in os.supports_dir_fd:
        return _checked(os.open(path, _FLAGS))
    at = os.open(folder, _WAY & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        *way, last = path.relative_to(folder).parts
        for part in way:
            inner = os.open(part, _WAY, dir_fd=at)
            os.close(at)
            at = inner
        _check(os.stat(last, dir_fd=at, follow_symlinks=False))
        return _checked(os.open(last, _FLAGS, dir_fd=at))
    finally:
        os.close(at)


def _checked(descriptor: int) -> int:
    try:
        _check(os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _NotRegularError(next((name for test, name in _KINDS if test(status.st_mode)), "no regular file"))
