"""Directories that only this user can write. Machine code that is read from one may be run.

A directory counts as private if it belongs to the user of this process and nobody else may write it; a file, if that holds for it, too, and
it is a regular one. A secret in the directory, which nobody else may read, seals the files: one that somebody else made has no right seal,
whatever its owner. Where a system has no owners of files (Windows), the seal alone protects.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

SECRET_NAME = "secret"
SECRET_SIZE = 32
_OTHERS_WRITE, _OTHERS_ACCESS = 0o022, 0o077
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class NotPrivateError(Exception):
    """A directory or a file in it that somebody else can have written; the text says why, and the way out."""


def read_private(path: str, most: int, refused: int = _OTHERS_WRITE) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the status of a private regular file. It is never waited for: a FIFO is refused, not read.

    refused: permission bits that the file must not have.

    Raises:
        OSError: the file is missing or cannot be read.
        NotPrivateError: the file is not regular, not ours, open to others, or larger than `most` bytes.
    """
    try:
        handle = os.open(path, _READ)  # pathlib takes longer than the rest of this function
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise NotPrivateError(f"{path} is not a regular file") from None
        raise
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotPrivateError(f"{path} is not a regular file")
        if reason := _flaw(status, refused):
            raise NotPrivateError(f"{path} {reason}")
        if status.st_size > most:
            raise NotPrivateError(f"{path} has {status.st_size} bytes, more than {most}")
        return os.read(handle, status.st_size), status
    finally:
        os.close(handle)


def create_private(path: str) -> int:
    """Create a file that only this user can read, and the directories that lead to it, 0700 each. Returns its descriptor. OSError."""
    try:
        return os.open(path, _CREATE, 0o600)
    except FileNotFoundError:
        make_private(Path(path).parent)
        return os.open(path, _CREATE, 0o600)


def make_private(folder: Path) -> None:
    """Create a directory and the missing ones above it, each of them 0700. OSError."""
    missing = []
    while not folder.exists() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for item in reversed(missing):
        with contextlib.suppress(FileExistsError):
            item.mkdir(mode=0o700)


def find_secret(root: str) -> bytes | None:
    """Return the secret of a directory, or None if the directory or its secret is missing or cannot be read.

    Raises:
        NotPrivateError: the directory is not private, or its secret is not.
    """
    try:
        for status in (os.lstat(root), Path(root).stat()):  # somebody else could have laid a link to a directory of ours
            others = 0 if stat.S_ISLNK(status.st_mode) else _OTHERS_WRITE
            if flaw := _flaw(status, others):
                raise NotPrivateError(f"it {flaw}")
        secret, _ = read_private(f"{root}/{SECRET_NAME}", SECRET_SIZE, _OTHERS_ACCESS)
    except OSError:
        return None
    return secret if len(secret) == SECRET_SIZE else None


def make_secret(root: str) -> bytes | None:
    """Return the secret of a directory; make both if they are missing. None if the disk refuses. NotPrivateError as `find_secret`."""
    if (secret := find_secret(root)) is not None:
        return secret
    place, new = f"{root}/{SECRET_NAME}", f"{root}/.new-{os.urandom(8).hex()}"
    try:
        handle = create_private(new)
        try:
            os.write(handle, os.urandom(SECRET_SIZE))
        finally:
            os.close(handle)
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.link(new, place)
    except OSError:
        pass
    with contextlib.suppress(OSError):
        Path(new).unlink()
    return find_secret(root)


def _flaw(status: os.stat_result, refused: int) -> str:
    """Reason why a file or directory is not private, or an empty text. refused: permission bits that it must not have."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid != os.geteuid():
        return f"belongs to user {status.st_uid}, and this process runs as user {os.geteuid()}"
    if status.st_mode & refused:
        return f"is open to others (mode {stat.S_IMODE(status.st_mode):04o})"
    return ""
