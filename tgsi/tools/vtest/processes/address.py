"""The socket of the server: its path and its mode."""

from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path

BACKLOG = 64


def listen(path: Path, mode: int = 0o600) -> socket.socket:
    """Create a listening socket at a path, replacing a stale socket without a listener. Users with write access may connect.

    Raises: OSError: it cannot be created. The message names the path, the reason and the way out.
    """
    try:
        _make_way(path)
        return _bound(path, mode)
    except OSError as error:
        if error.strerror is None and str(path) in str(error):
            raise
        raise OSError(f"{path}: the socket cannot be created: {error.strerror or error}; name another path with --socket") from None


def _make_way(path: Path) -> None:
    """Remove a stale socket without a listener."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise OSError(f"{path}: exists and is not a socket; remove it, or name another path with --socket")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)  # a blocking connect would wait if the other program's queue is full
        code = probe.connect_ex(str(path))
    if code == errno.ECONNREFUSED:
        path.unlink(missing_ok=True)
    elif code in (0, errno.EAGAIN):
        state = " and takes no more connections" if code else ""
        raise OSError(f"{path}: another program listens there{state}; end it, or name another path with --socket")
    elif code != errno.ENOENT:
        raise OSError(f"{path}: {os.strerror(code)}; name another path with --socket")


def _bound(path: Path, mode: int) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o777 & ~mode)  # avoids a moment in which other users could connect
    try:
        listener.bind(str(path))
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener


def identity(path: Path) -> tuple[int, int] | None:
    """The status of the file at a path, or None."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def remove(path: Path, own: tuple[int, int] | None) -> None:
    """Remove our socket, unless its path now has another one."""
    if own is not None and identity(path) == own:
        path.unlink(missing_ok=True)
