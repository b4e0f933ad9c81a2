"""Changes of files: unified differences as Git writes and reads them, and files that are replaced whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

LINES = 3
"""Equal lines around each change."""
NEAR = 24
"""Lines of both texts among which equal ones are looked for."""

Change = tuple[int, int, int, int]


def difference(name: str, old: str, new: str) -> str:
    """The unified difference of two texts of a file, for `git apply` and ``patch -p1``.

    A line ends with LF, so a CR before it belongs to the line. Takes linear time; where many lines differ, it may not be the shortest one.
    """
    before, after = _lines(old), _lines(new)
    lines = [f"--- {_git_name('a', name)}\n", f"+++ {_git_name('b', name)}\n"]
    for group in _groups(_changes(before, after)):
        at, shift = max(group[0][0] - LINES, 0), group[0][2] - group[0][0]
        end, end_after = min(group[-1][1] + LINES, len(before)), min(group[-1][3] + LINES, len(after))
        lines.append(f"@@ -{_range(at, end)} +{_range(at + shift, end_after)} @@\n")
        for first, last, first_after, last_after in group:
            lines += [f" {line}" for line in before[at:first]]
            lines += [f"-{line}" for line in before[first:last]]
            lines += [f"+{line}" for line in after[first_after:last_after]]
            at = last
        lines += [f" {line}" for line in before[at:end]]
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """Ranges of lines that differ, as (first, end) in both texts."""
    changes: list[Change] = []
    at = at_after = 0
    while at < len(before) or at_after < len(after):
        if at < len(before) and at_after < len(after) and before[at] == after[at_after]:
            at, at_after = at + 1, at_after + 1
            continue
        removed, added = _to_next_equal(before, after, at, at_after)
        if changes and (changes[-1][1], changes[-1][3]) == (at, at_after):
            changes[-1] = (changes[-1][0], at + removed, changes[-1][2], at_after + added)
        else:
            changes.append((at, at + removed, at_after, at_after + added))
        at, at_after = at + removed, at_after + added
    return changes


def _to_next_equal(before: Sequence[str], after: Sequence[str], at: int, at_after: int) -> tuple[int, int]:
    """Numbers of lines to skip until two lines of both texts are equal; one of each if none are near."""
    remaining, left_after = len(before) - at, len(after) - at_after
    for total in range(1, min(NEAR, remaining + left_after) + 1):
        for removed in range(max(total - left_after, 0), min(total, remaining) + 1):
            here, there = at + removed, at_after + total - removed
            if here < len(before) and there < len(after) and before[here] != after[there]:
                continue
            if before[here : here + 2] == after[there : there + 2]:
                return removed, total - removed
    return min(1, remaining), min(1, left_after)


def _groups(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Changes that are shown together, because their equal lines meet."""
    group: list[Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * LINES:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _lines(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _range(first: int, last: int) -> str:
    """Lines in the form of a diff header: number of the first line, and their count unless it is 1."""
    if last - first == 1:
        return str(first + 1)
    return f"{first + (last > first)},{last - first}"


def _git_name(side: str, name: str) -> str:
    """The name of a file in a header of Git: below the working directory if it is there, in quotes if it holds control characters."""
    below = os.path.relpath(name)
    path = f"{side}/{(os.path.abspath(name).lstrip(os.sep) if below.startswith(os.pardir) else below).replace(os.sep, '/')}"
    if path.isprintable() and '"' not in path and "\\" not in path:
        return f"{path}\t" if " " in path else path
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:03o}" for c in os.fsencode(path)) + '"'


def replace_file(name: str, old: bytes, new: bytes) -> None:
    """Give a file new contents at once, and leave its permissions, its owner and its extended attributes. A link stays a link.

    Raises:
        OSError: its contents have changed in the meantime, or it cannot be replaced; its old contents are kept.
    """
    path = os.path.realpath(name)
    if not os.access(path, os.W_OK):
        raise PermissionError("it may not be written; make it writable, as with chmod +w")
    status = os.stat(path)
    temporary = _new_file(os.path.dirname(path))
    try:
        with open(temporary, "r+b") as file:
            file.write(new)
            file.flush()
            _copy_rights(path, temporary, status)
            os.fsync(file.fileno())
        with open(path, "rb") as file:
            if file.read(len(old) + 1) != old:
                raise OSError("it was changed while it was read; run this again")
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _new_file(folder: str) -> str:
    for number in count():
        path = os.path.join(folder, f".tgsi-compile-{os.getpid()}-{number}")
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return path
    raise AssertionError("numbers have an end")


def _copy_rights(path: str, copy: str, status: os.stat_result) -> None:
    """Give a copy the owner, the extended attributes and the permissions of a file, as far as this user may."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(copy, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for key in os.listxattr(path):
                os.setxattr(copy, key, os.getxattr(path, key))
    os.chmod(copy, stat.S_IMODE(status.st_mode))
