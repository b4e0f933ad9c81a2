"""The fixed path that Mesa 22 connects to, redirected to our socket.

A mount in a private name space does this without affecting other processes. If the system forbids mounts, the path itself becomes a link to
our socket, unless it is already in use.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from pathlib import Path

from tgsi.tools.vtest.launch.namespaces import Space, choose, mount_privately, unmount

PLACE_MODE = 0o444
"""Mode of the empty files that serve as mount points, by which later runs recognize files that they may remove."""

_TRIES = 100


class KnownPath:
    """The known path for one run: `claim` it, fork the processes that may have to `release` it, then `enter`.

    Attributes: way: text for the log about how the path leads to the socket.
    """

    def __init__(self, path: Path, socket: Path) -> None:
        self.path, self.socket = path, socket
        self.way = ""
        self._space: Space | None = None
        self._place = -1  # descriptor of the mount point; each run that mounts over it holds a shared lock
        self._is_link = self._is_mounted = False

    def claim(self) -> None:
        """Choose a mount or a link, and create its files. Raises OSError, with a way out, if neither is possible."""
        if self._find_place():
            self._space = choose(self.socket, self.path)
        if self._space is not None:
            whose = "a user and mount name space" if self._space == Space.MOUNTS_AS_USER else "a mount name space"
            self.way = f"{self.path} leads to {self.socket} by a bind mount in {whose}"
            return
        self.release()
        self._link()
        self.way = f"{self.path} is a link to {self.socket}, because the system forbids mounts"

    def enter(self) -> None:
        """Enter the name space in which the path leads to the socket. The process must have a single thread."""
        if self._space is not None:
            mount_privately(self._space, self.socket, self.path)
            self._is_mounted = True

    def release(self) -> None:
        """Remove the files of `claim` unless another run uses them. Releasing twice is allowed."""
        if self._is_mounted:
            self._is_mounted = False
            with contextlib.suppress(OSError):
                unmount(self.path)
        if self._is_link:
            self._is_link = False
            with contextlib.suppress(OSError):
                if self.path.readlink() == self.socket:
                    self.path.unlink()
        if self._place >= 0:
            with contextlib.suppress(OSError):  # another run uses the file, or another user created it
                fcntl.flock(self._place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_place(os.fstat(self._place)) and _is_same(self._place, self.path):
                    self.path.unlink()
            os.close(self._place)
            self._place = -1

    def _find_place(self) -> bool:
        """Find or create a file as mount point. Returns False on failure."""
        for _ in range(_TRIES):
            with contextlib.suppress(FileExistsError):
                self._place = os.open(self.path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, PLACE_MODE)
            if self._place < 0:
                try:
                    status = self.path.lstat()
                    if not _is_place(status):
                        return stat.S_ISREG(status.st_mode) or stat.S_ISSOCK(
                            status.st_mode
                        )  # files of other users can be mounted over, too
                    self._place = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
                except FileNotFoundError:
                    continue
                except OSError:
                    return True  # other users cannot read it, but mounting needs no read access
            fcntl.flock(self._place, fcntl.LOCK_SH)
            if _is_same(self._place, self.path):
                return True
            os.close(self._place)  # another run removed it in the meantime
            self._place = -1
        return False

    def _link(self) -> None:
        """Make the path a link to the socket. Creating a link fails if the path exists, so two runs cannot both have it."""
        for _ in range(2):
            try:
                self.path.symlink_to(self.socket)
            except FileExistsError:
                if not self._remove_remains():
                    break
            else:
                self._is_link = True
                return
        raise OSError(
            f"Mesa's programs connect to {self.path}, which another server uses, and this system forbids mounts over it; "
            f"end that server or remove {self.path}, or allow user name spaces (sysctl user.max_user_namespaces)"
        )

    def _remove_remains(self) -> bool:
        """Remove leftovers of a killed run: an empty file, or a dangling link. Returns whether the path is free."""
        try:
            status = self.path.lstat()
            if _is_place(status) or (stat.S_ISLNK(status.st_mode) and not self.path.exists()):
                self.path.unlink()
                return True
        except OSError:
            pass
        return not os.path.lexists(self.path)


def _is_place(status: os.stat_result) -> bool:
    """Return whether a file is the mount point of a run."""
    return status.st_mode == stat.S_IFREG | PLACE_MODE and not status.st_size


def _is_same(descriptor: int, path: Path) -> bool:
    """Return whether a descriptor belongs to the file that is now at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
