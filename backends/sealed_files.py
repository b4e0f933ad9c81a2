"""Files that only this user can have written: private directories, and sealed contents by key in one of bounded size.

A directory counts as private if it belongs to the user of this process and no other user can write to it. The same holds for a file, which
must also be a regular file. A secret in the directory, readable only for its owner, seals the files: a file made by another user has no
valid seal, whoever owns it. On systems without file owners (Windows), only the seal protects. Machine code that is read from such a file
may be run.

A file that is damaged, foreign, of another version or unreadable counts as absent. Many processes may use one directory: files are written
next to their place and renamed, and a file that is removed while another process reads it can still be read to its end.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import itertools
import os
import stat
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

try:
    from _blake2 import blake2b  # hashlib loads OpenSSL, which takes 3 ms; `random` of the standard library avoids it likewise
except ImportError:
    from hashlib import blake2b

DIGEST_SIZE = 32
digest_of = functools.partial(blake2b, digest_size=DIGEST_SIZE)
"""A hash object like those of hashlib: names of kernels and of files. ``key=`` makes a seal, which cannot be made without the key."""
SECRET_NAME = "secret"
SECRET_SIZE = 32
_OTHERS_WRITE, _OTHERS_ACCESS = 0o022, 0o077
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_MAGIC = b"TGSIOBJ4"
_HEAD = len(_MAGIC) + DIGEST_SIZE
MAX_CONTENT = 64 << 20
"""Most bytes of one file's content. A larger file counts as damaged."""


_serial = itertools.count()
_FRESH = 600.0  # seconds; the time of a file is not updated if it is younger


class NotPrivateError(Exception):
    """A directory or a file in it that another user may have written; the text has the reason, and the way out."""


def read_private(path: str, most: int, refused: int = _OTHERS_WRITE) -> tuple[bytes, os.stat_result]:
    """Return the bytes and the status of a private regular file. It is never waited for: a FIFO is refused, not read.

    refused: permission bits that the file must not have.

    Raises:
        OSError: the file is missing or cannot be read.
        NotPrivateError: the file is not regular, not ours, writable for others, or larger than `most` bytes.
    """
    try:
        handle = os.open(path, _READ)  # pathlib would take longer than the whole function
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
        for status in (os.lstat(root), Path(root).stat()):  # another user could have created a link to one of our directories
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


class SealedFiles:
    """Contents by key in a directory, at most `max_bytes` in all. The least recently used are removed first.

    A directory that other users can write to is not used: this warns once, and uses a temporary directory until the process ends.
    """

    def __init__(self, directory: Path, max_bytes: int = 256 * 1024 * 1024) -> None:
        self.directory, self.max_bytes = Path(directory), max_bytes
        self._root = os.fspath(directory)
        self._secret: bytes | None = None
        # Bytes written since the directory was last measured. The count starts at a random number below the limit. So many processes that
        # write little measure, in total, as often as one process that writes the same amount.
        self._written = int.from_bytes(os.urandom(4), "little") * self._allowed / (1 << 32)

    @property
    def _allowed(self) -> int:
        return self.max_bytes // 16

    def _path(self, key: str) -> str:
        return f"{self._root}/{key[:2]}/{key}"

    def _take_secret(self, look: Callable[[str], bytes | None]) -> bool:
        """Take the secret of the directory, found or made by `look`. Returns true if it is a new one."""
        secret, old = None, self._secret
        try:
            secret = look(self._root)
        except NotPrivateError as reason:
            self._root = _temporary_place(self._root, str(reason))
            with contextlib.suppress(NotPrivateError):
                secret = look(self._root)
        self._secret = secret
        return secret not in (None, old)

    def get(self, key: str) -> bytes | None:
        """The content stored under `key`; None if it is missing or damaged, or if another user may have written it."""
        if self._secret is None and not self._take_secret(find_secret):
            return None
        path = self._path(key)
        try:
            data, status = read_private(path, _HEAD + MAX_CONTENT)
        except OSError:
            return None
        except NotPrivateError:
            self.discard(key)
            return None
        payload = data[_HEAD:]
        if data[:_HEAD] != self._head(key, payload):
            if self._take_secret(find_secret):  # the directory was removed and made again by another process
                return self.get(key)
            self.discard(key)
            return None
        if status.st_mtime < time.time() - _FRESH:
            with contextlib.suppress(OSError):
                os.utime(path)
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Store a content; do nothing if the disk refuses it."""
        if self._secret is None or not Path(self._root).is_dir():
            self._take_secret(make_secret)
        if self._secret is None or len(payload) > MAX_CONTENT:
            return
        path = Path(self._path(key))
        temporary = path.with_name(f".new-{os.getpid()}-{threading.get_native_id()}-{next(_serial)}")
        try:
            handle = create_private(os.fspath(temporary))
            try:
                data = self._head(key, payload) + payload
                if os.write(handle, data) != len(data):  # the disk is nearly full
                    raise OSError("short write")
            finally:
                os.close(handle)
            temporary.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()
            return
        self._account(_HEAD + len(payload))

    def _head(self, key: str, payload: bytes) -> bytes:
        """Bytes before a content: a seal that depends on the key, too, so that a content under another name counts as damaged."""
        return _MAGIC + digest_of(key.encode() + digest_of(payload).digest(), key=self._secret or b"").digest()

    def discard(self, key: str) -> None:
        """Remove a content that turned out to be unusable."""
        with contextlib.suppress(OSError):
            Path(self._path(key)).unlink()

    def _account(self, size: int) -> None:
        """Count `size` written bytes. Measure and trim the directory after every sixteenth of its limit."""
        self._written += size
        if self._written >= self._allowed:
            self._written = 0
            self.trim()

    def trim(self) -> None:
        """If the limit is exceeded, remove the oldest files down to three quarters of it."""
        files: list[tuple[float, int, Path]] = []
        with contextlib.suppress(OSError):
            for path in Path(self._root).glob("*/*"):
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self.max_bytes:
            return
        for _, size, path in sorted(files, key=lambda item: item[0]):
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size
            if total <= self.max_bytes * 3 // 4:
                return


@functools.cache
def _temporary_place(refused: str, reason: str) -> str:
    """Private temporary directory in the place of a refused one; it is removed when this process ends."""
    import shutil
    import tempfile

    text = f"compiled shaders are not kept in {refused}, because {reason}; a temporary directory serves until this process ends. "
    way = "Remove the directory or `chmod -R go-w` it if it is yours, or name another one by TGSI_CACHE_DIR; TGSI_CACHE=off keeps nothing."
    warnings.warn(text + way, RuntimeWarning, stacklevel=2)
    try:
        folder, owner = tempfile.mkdtemp(prefix="tgsi-"), os.getpid()
    except OSError:
        return os.devnull  # no directory: nothing is found there or put there
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return folder


def is_on() -> bool:
    """Return false if TGSI_CACHE is off, so that nothing is kept on disk. ValueError for other values than on and off."""
    said = os.environ.get("TGSI_CACHE", "on").lower()
    if said not in ("on", "off"):
        raise ValueError(f"TGSI_CACHE: {said!r} is neither on nor off")
    return said == "on"


@functools.cache
def files_at(directory: str) -> SealedFiles:
    """The files of a directory, one object for each directory."""
    return SealedFiles(Path(directory))


def default_files() -> SealedFiles | None:
    """Files in TGSI_CACHE_DIR (None if that is set and empty), otherwise in the user's cache directory. None if TGSI_CACHE is off."""
    if not is_on():
        return None
    place = os.environ.get("TGSI_CACHE_DIR")
    if place == "":
        return None
    if place is None:
        import platformdirs  # only where no directory is named

        place = str(platformdirs.user_cache_path("tgsi") / "objects")
    return files_at(place)
