"""Mount name spaces: a file at the place of another one, for this process and the processes that it makes."""

from __future__ import annotations

import ctypes
import os
from enum import IntEnum
from pathlib import Path

_BIND, _RECURSIVE, _SLAVE = 1 << 12, 1 << 14, 1 << 19  # of mount(2)


class Space(IntEnum):
    """Name spaces that a process leaves, as unshare(2) wants them."""

    MOUNTS = 0x00020000
    MOUNTS_AS_USER = 0x10020000  # an ordinary user may mount in a user name space of its own


def choose(source: Path, target: Path) -> Space | None:
    """The name spaces in which this process may mount `source` over `target`; None if it may not. A child process tries."""
    for space in Space:
        pid = os.fork()
        if not pid:
            code = 1
            try:
                mount_privately(space, source, target)
                code = 0
            finally:
                os._exit(code)
        if os.waitpid(pid, 0)[1] == 0:
            return space
    return None


def mount_privately(space: Space, source: Path, target: Path) -> None:
    """Move this process, which has one thread, to new name spaces, and mount a file over another one there.

    In a new user name space every user and group keeps its number. Raises OSError if the system refuses.
    """
    user, group = os.geteuid(), os.getegid()
    _call("unshare", int(space))
    if space == Space.MOUNTS_AS_USER:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text)
    _mount(b"none", b"/", _RECURSIVE | _SLAVE)  # what is mounted here stays here, and other mounts are still seen
    _mount(os.fsencode(source), os.fsencode(target), _BIND)


def unmount(target: Path) -> None:
    """Take back what this process mounted over a file. Raises OSError."""
    _call("umount2", os.fsencode(target), 2)  # MNT_DETACH: programs that use it do not matter


def _mount(source: bytes, target: bytes, flags: int) -> None:
    _call("mount", source, target, None, ctypes.c_ulong(flags), None)


def _call(name: str, *arguments: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
