"""The path that Mesa 22 connects to, led to a socket of ours.

A mount of this process' own does so without anybody else seeing it. Where the system allows none, the path itself becomes a link to our
socket, as long as nobody else has it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from pathlib import Path

from tgsi.tools.vtest.launch.namespaces import Space, choose, mount_privately, unmount

PLACE_MODE = 0o444
"""Mode of the empty files that are made to be mounted over, by which every run knows those that it may remove."""

_TRIES = 100


class KnownPath:
    """The known path for one run: `claim` it, fork whoever may have to `release` it, then `enter`.

    Attributes:
        way: words that say how the path leads to the socket.
    """

    def __init__(self, path: Path, socket: Path) -> None:
        self.path, self.socket = path, socket
        self.way = ""
        self._space: Space | None = None
        self._place = -1  # descriptor of the file that is mounted over; whoever mounts over it holds a shared lock
        self._is_link = self._is_mounted = False

    def claim(self) -> None:
        """Find a way, and make what it needs. Raises OSError, with the way out, if there is none."""
        if self._find_place():
            self._space = choose(self.socket, self.path)
        if self._space is not None:
            whose = "a user and mount name space" if self._space == Space.MOUNTS_AS_USER else "a mount name space"
            self.way = f"{self.path} leads to {self.socket} by a bind mount in {whose}"
            return
        self.release()
        self._link()
        self.way = f"{self.path} is a link to {self.socket}, because the system allows no mount"

    def enter(self) -> None:
        """Move this process, which has one thread, to where the path leads to the socket."""
        if self._space is not None:
            mount_privately(self._space, self.socket, self.path)
            self._is_mounted = True

    def release(self) -> None:
        """Take back what was made, if nobody else uses it. Releasing twice is allowed."""
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
            with contextlib.suppress(OSError):  # another run uses the file, or another user made it
                fcntl.flock(self._place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_place(os.fstat(self._place)) and _is_same(self._place, self.path):
                    self.path.unlink()
            os.close(self._place)
            self._place = -1

    def _find_place(self) -> bool:
        """Find or make a file that can be mounted over. Returns False if there is none."""
        for _ in range(_TRIES):
            with contextlib.suppress(FileExistsError):
                self._place = os.open(self.path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, PLACE_MODE)
            if self._place < 0:
                try:
                    found = self.path.lstat()
                    if not _is_place(found):
                        return stat.S_ISREG(found.st_mode) or stat.S_ISSOCK(found.st_mode)  # somebody else's is mounted over, too
                    self._place = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
                except FileNotFoundError:
                    continue
                except OSError:
                    return True  # nobody but its owner may read it, and mounting needs no reading
            fcntl.flock(self._place, fcntl.LOCK_SH)
            if _is_same(self._place, self.path):
                return True
            os.close(self._place)  # another run has just removed it
            self._place = -1
        return False

    def _link(self) -> None:
        """Make the path a link to the socket. Making a link fails if the path is taken, so two runs cannot have it."""
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
            f"Mesa's programs connect to {self.path}, which another server has, and this system allows no mount over it; "
            f"end that server or remove {self.path}, or allow user name spaces (sysctl user.max_user_namespaces)"
        )

    def _remove_remains(self) -> bool:
        """Remove what a run that was killed has left: an empty file, or a link to nothing. Returns whether the path is free now."""
        try:
            found = self.path.lstat()
            if _is_place(found) or (stat.S_ISLNK(found.st_mode) and not self.path.exists()):
                self.path.unlink()
                return True
        except OSError:
            pass
        return not os.path.lexists(self.path)


def _is_place(found: os.stat_result) -> bool:
    """Return whether a file is one that a run made to be mounted over."""
    return found.st_mode == stat.S_IFREG | PLACE_MODE and not found.st_size


def _is_same(descriptor: int, path: Path) -> bool:
    """Return whether a descriptor is that of the file at a path now."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
