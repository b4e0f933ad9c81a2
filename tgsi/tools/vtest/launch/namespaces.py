"""Mount name spaces: a file replaces another one for this process and its children."""

from __future__ import annotations

import ctypes
import os
from enum import IntEnum
from pathlib import Path

_BIND, _RECURSIVE, _SLAVE = 1 << 12, 1 << 14, 1 << 19  # of mount(2)


class Space(IntEnum):
    """Name spaces to leave, as flags of unshare(2)."""

    MOUNTS = 0x00020000
    MOUNTS_AS_USER = 0x10020000  # ordinary users may mount in a user name space of their own


def choose(source: Path, target: Path) -> Space | None:
    """The name spaces in which this process may mount `source` over `target`, as tried by a child process; None if it may not."""
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
    """Enter new name spaces and mount a file over another one there. The process must have a single thread.

    In a new user name space all users and groups keep their numbers. Raises OSError if the system refuses.
    """
    user, group = os.geteuid(), os.getegid()
    _call("unshare", int(space))
    if space == Space.MOUNTS_AS_USER:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text)
    _mount(b"none", b"/", _RECURSIVE | _SLAVE)  # mounts made here stay private, and outside mounts remain visible
    _mount(os.fsencode(source), os.fsencode(target), _BIND)


def unmount(target: Path) -> None:
    """Unmount this process's mount over a file. Raises OSError."""
    _call("umount2", os.fsencode(target), 2)  # MNT_DETACH, as programs may still use it


def _mount(source: bytes, target: bytes, flags: int) -> None:
    _call("mount", source, target, None, ctypes.c_ulong(flags), None)


def _call(name: str, *arguments: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
