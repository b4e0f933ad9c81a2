"""Shaders in folders and of patterns, and names of outputs in a folder that do not clash."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence

from tgsi.tools.compile.batch.names import MAGIC, Unread, is_folder, is_pattern, is_plain
from tgsi.tools.parsing import reason

STAGES = ("vert", "frag", "geom", "tesc", "tese", "comp", "mesh", "task")
ENDINGS = (".tgsi", ".spv", *(f".{stage}{more}" for stage in STAGES for more in ("", ".glsl", ".hlsl")))
"""Endings of the files of a folder that count as shaders. A file of any name counts if the command names it."""


def expand(words: Iterable[str], output: str | None = None) -> tuple[list[str], list[Unread]]:
    """Names of the files that the arguments of a command select, in order, and the arguments that select none.

    A folder selects the shaders below it, sorted, without hidden files and folders, and without links to folders. A pattern with ``*``,
    ``?``, ``[...]`` and ``**`` selects the files and folders that match it, unless a file has exactly that name. Each file that was found
    in a folder or by a pattern comes once; a file comes again if it is named again. An output folder inside a selected folder is skipped.
    """
    names: list[str] = []
    unread: list[Unread] = []
    paths: set[str] = set()
    for word in words:
        if is_plain(word):
            if os.path.abspath(word) not in paths:
                names.append(word)
            continue
        new, missed = (_in_folder if os.path.isdir(word) else _matches)(word, _output_folder(output, word))
        unread += missed
        known = paths | {os.path.abspath(name) for name in names}
        names += [name for name in new if os.path.abspath(name) not in known]
        paths.update(os.path.abspath(name) for name in new)
    return names, unread


def _output_folder(output: str | None, word: str) -> str:
    """The folder of ``-o`` as an absolute path, if it is not the folder of the word itself; otherwise ""."""
    folder = os.path.abspath(output) if output is not None and is_folder(output) else ""
    return "" if folder == os.path.abspath(word) else folder


def _in_folder(folder: str, without: str) -> tuple[list[str], list[Unread]]:
    unread: list[Unread] = []
    names = sorted(_walk(folder, unread, without))
    if not names and not unread:
        endings = f"{', '.join(f'.{ending}' for ending in ('tgsi', 'spv', *STAGES[:-1]))} or .{STAGES[-1]}"
        unread.append(Unread(folder, f"no shader in this folder: none of its files ends in {endings}; name a file to have it read anyway"))
    return names, unread


def _walk(folder: str, unread: list[Unread], without: str, every: bool = False) -> Iterator[str]:
    """Names of the shaders below a folder; of all files, if `every`. Nothing in the folder `without`."""
    folders = [folder]
    while folders:
        here = folders.pop()
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if not without or os.path.abspath(entry.path) != without:
                            folders.append(entry.path)
                    elif (every or entry.name.lower().endswith(ENDINGS)) and _is_regular(entry):
                        yield entry.path
        except OSError as error:
            unread.append(Unread(here, reason(error)))


def _is_regular(entry: os.DirEntry[str]) -> bool:
    """True for a file, a link to one, and a link to nothing, which is then reported; False for pipes and devices, which may have no end."""
    try:
        return entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path))
    except OSError:  # a circle of links
        return True


def _matches(pattern: str, without: str) -> tuple[list[str], list[Unread]]:
    """Files that match a pattern, and shaders in folders that do."""
    unread: list[Unread] = []
    drive, rest = os.path.splitdrive(pattern)
    parts = [part for part in rest.replace(os.sep, "/").split("/") if part]
    start = drive + ("/" if rest.startswith(("/", os.sep)) else "")
    names: list[str] = []
    for name in dict.fromkeys(sorted(_glob(start, parts, unread, without))):
        if os.path.isdir(name) and os.path.islink(name):
            continue
        if os.path.isdir(name):
            names += sorted(_walk(name, unread, without))
        elif not is_pipe(name):
            names.append(name)
    if not names and not unread:
        unread.append(Unread(pattern, "no shader matches this pattern"))
    return list(dict.fromkeys(names)), unread


def _glob(start: str, parts: Sequence[str], unread: list[Unread], without: str) -> Iterator[str]:
    """Paths below `start` that match parts of a pattern, one for each folder. ``**`` matches any number of folders, but no links."""
    from fnmatch import fnmatchcase

    if not parts:
        yield start
        return
    first, rest = parts[0], parts[1:]
    if first == "**":
        if not rest:
            yield from (name if start else name[2:] for name in _walk(start or ".", unread, without, every=True))
            return
        yield from _glob(start, rest, unread, without)
        for name in _entries(start, folders=True):
            yield from _glob(os.path.join(start, name), parts, unread, without)
    elif not is_pattern(first):
        path = os.path.join(start, first)
        if os.path.lexists(path):
            yield from _glob(path, rest, unread, without)
    else:
        for name in _entries(start):
            if fnmatchcase(name, first) and (not name.startswith(".") or first.startswith(".")):
                path = os.path.join(start, name)
                if not rest or os.path.isdir(path):
                    yield from _glob(path, rest, unread, without)


def _entries(folder: str, folders: bool = False) -> list[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return [e.name for e in entries if not folders or (e.is_dir(follow_symlinks=False) and not e.name.startswith("."))]
    except OSError:
        return []


def output_names(words: Sequence[str], names: Sequence[str], endings: Sequence[str]) -> list[str]:
    """Paths of outputs in the folder of ``-o``: those of the inputs, relative to their nearest common folder.

    The ending of an output follows the whole name of the input, so that ``a.vert`` and ``a.frag`` stay apart; Only ``.tgsi`` is dropped.
    Where two outputs would still have one name on some file system, the later one gets a number.
    """
    roots = [os.path.abspath(_root(word)) for word in words if word != "-"]
    try:
        top = os.path.commonpath(roots) if roots else ""
    except ValueError:  # on two drives
        top = ""
    taken: set[str] = set()
    paths: list[str] = []
    for name, ending in zip(names, endings, strict=True):
        path = os.path.abspath(name)
        below = os.path.relpath(path, top) if top and path.startswith(os.path.join(top, "")) else os.path.basename(name)
        stem = below[: -len(".tgsi")] if below.lower().endswith(".tgsi") and len(os.path.basename(below)) > len(".tgsi") else below
        number, chosen = 1, f"{stem}{ending}"
        while chosen.lower() in taken:
            number += 1
            chosen = f"{stem}-{number}{ending}"
        taken.add(chosen.lower())
        paths.append(chosen)
    return paths


def _root(word: str) -> str:
    """The folder that a word of the command names or looks into."""
    if os.path.isdir(word):
        return word
    if is_pattern(word) and not os.path.lexists(word):
        fixed = word[: min(word.find(letter) for letter in MAGIC if letter in word)]
        return os.path.dirname(fixed) or "."
    return os.path.dirname(word) or "."


def is_pipe(name: str) -> bool:
    """True for a pipe or a terminal, whose data can be read only once."""
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
