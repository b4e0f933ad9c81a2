"""Compiled objects on disk, so that a shader seen before needs no code generation.

A file holds a seal and an object. Only who knows the secret of the directory can make the seal (`private_folder`), since an object is run
as it is. A file that is damaged, foreign, of another version or unreadable counts as absent. Many processes may use one directory: files
are written next to their place and renamed, and a file that is removed while another process reads it can still be read to its end. No
function here raises because of the disk.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import hmac
import itertools
import os
import random
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

from backends.llvm.engine.private_folder import NotPrivateError, create_private, find_secret, make_secret, read_private
from backends.llvm.engine.sources import own_sources
from backends.llvm.targets import host
from backends.llvm.targets.machines import identity

_MAGIC = b"TGSIOBJ3"
_DIGEST = hashlib.sha256
_HEAD = len(_MAGIC) + 32
MAX_OBJECT = 64 << 20
"""Most bytes of one object. A larger file counts as damaged."""

_serial = itertools.count()
_FRESH = 600.0  # seconds; the time of a file is not updated if it is younger


@functools.cache
def _surroundings(cpu: str) -> bytes:
    """Text on which all objects for one target depend: the generator's source, the target, LLVM's version."""
    return "\0".join((own_sources().digest or "", identity(cpu), host.host().version)).encode()


def object_key(parts: Iterable[object], cpu: str) -> str:
    """Name of an object: a digest of `parts` (by repr), of the generator's source, of the target and of LLVM's version."""
    digest = _DIGEST(_surroundings(cpu))
    digest.update("\0".join(["", *map(repr, parts)]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class ObjectCache:
    """Objects in a directory, at most `max_bytes` in all. The least recently used objects are removed first.

    A directory that somebody else can write (`private_folder`) is not used: a warning says so once, and a temporary directory takes its
    place until the process ends.
    """

    def __init__(self, directory: Path, max_bytes: int = 256 * 1024 * 1024) -> None:
        self.directory, self.max_bytes = Path(directory), max_bytes
        self._root = os.fspath(directory)
        self._secret: bytes | None = None
        # Bytes written since the directory was last measured. The count starts at a random number below the limit: a process that writes
        # little then measures seldom, and many such processes measure as often as a single one that writes the same amount.
        self._written = random.uniform(0, self._allowed)

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
        """Object stored under `key`; None if it is missing or damaged, or if somebody else can have written it."""
        if self._secret is None and not self._take_secret(find_secret):
            return None
        path = self._path(key)
        try:
            data, status = read_private(path, _HEAD + MAX_OBJECT)
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
        """Store an object; do nothing if the disk refuses it."""
        if self._secret is None or not Path(self._root).is_dir():
            self._take_secret(make_secret)
        if self._secret is None or len(payload) > MAX_OBJECT:
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
        """Bytes before an object: a seal that depends on the key, too, so that an object under another name counts as damaged."""
        return _MAGIC + hmac.digest(self._secret or b"", key.encode() + _DIGEST(payload).digest(), _DIGEST)

    def discard(self, key: str) -> None:
        """Remove an object that turned out to be unusable."""
        with contextlib.suppress(OSError):
            Path(self._path(key)).unlink()

    def _account(self, size: int) -> None:
        """Count `size` written bytes. Measure and trim the directory after every sixteenth of its limit."""
        self._written += size
        if self._written >= self._allowed:
            self._written = 0
            self.trim()

    def trim(self) -> None:
        """Remove the oldest files until three quarters of the limit are left, if the limit is passed."""
        found: list[tuple[float, int, Path]] = []
        with contextlib.suppress(OSError):
            for path in Path(self._root).glob("*/*"):
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        if total <= self.max_bytes:
            return
        for _, size, path in sorted(found, key=lambda item: item[0]):
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size
            if total <= self.max_bytes * 3 // 4:
                return


Cache = ObjectCache | str | os.PathLike[str] | bool | None
"""Argument for a cache: the object, its directory, True or None for the default one, False for none."""


@functools.cache
def _temporary_place(refused: str, reason: str) -> str:
    """Private temporary directory in the place of a refused one; it is removed when this process ends."""
    import shutil
    import tempfile

    text = f"compiled shaders are not kept in {refused}, because {reason}; a temporary directory serves until this process ends. "
    way = "Remove the directory or `chmod -R go-w` it if it is yours, or name another one by TGSI_CACHE_DIR; TGSI_CACHE=off keeps nothing."
    warnings.warn(text + way, RuntimeWarning, stacklevel=2)
    try:
        made, owner = tempfile.mkdtemp(prefix="tgsi-"), os.getpid()
    except OSError:
        return os.devnull  # no directory: nothing is found there or put there
    atexit.register(lambda: shutil.rmtree(made, ignore_errors=True) if os.getpid() == owner else None)
    return made


def is_on() -> bool:
    """Return false if TGSI_CACHE is off, so that nothing is kept on disk. ValueError for other values than on and off."""
    said = os.environ.get("TGSI_CACHE", "on").lower()
    if said not in ("on", "off"):
        raise ValueError(f"TGSI_CACHE: {said!r} is neither on nor off")
    return said == "on"


@functools.cache
def _cache_at(directory: str) -> ObjectCache:
    return ObjectCache(Path(directory))


def default_cache() -> ObjectCache | None:
    """Cache in TGSI_CACHE_DIR (None if that is set and empty), otherwise in the user's cache directory. None if TGSI_CACHE is off."""
    if not is_on():
        return None
    place = os.environ.get("TGSI_CACHE_DIR")
    if place == "":
        return None
    return _cache_at(place if place is not None else str(platformdirs.user_cache_path("tgsi") / "objects"))


def resolve_cache(cache: ObjectCache | str | os.PathLike[str] | bool | None) -> ObjectCache | None:
    """Cache for an argument: a cache, a directory, True or None for the default one, False for none. TGSI_CACHE=off turns all off."""
    if isinstance(cache, ObjectCache):
        return cache
    if cache is False or not is_on():
        return None
    if cache is True or cache is None:
        return default_cache()
    return _cache_at(os.fspath(cache))


def recall_sources(cache: Cache) -> None:
    """Take the digest of the generator's source from a cache, so that this process need not read it; leave it there for the next one."""
    store, sources = resolve_cache(cache), own_sources()
    stamp = sources.stamp if store is not None else None
    if store is None or stamp is None:
        return
    kept = store.get(stamp)
    if kept is not None:
        sources.recall(kept.decode("ascii", "replace"))
    elif sources.digest is not None:
        store.put(stamp, sources.digest.encode())


def recall_host(cache: Cache) -> None:
    """Take LLVM's answers about this machine from a cache, so that this process need not load LLVM; leave them there for the next one."""
    store, surroundings = resolve_cache(cache), host.surroundings()
    if store is None or surroundings is None or host.is_known():
        return
    key = _DIGEST(surroundings.encode()).hexdigest()
    kept = store.get(key)
    if kept is None:
        store.put(key, host.host().pack())
        return
    try:
        host.use(host.Host.unpack(kept))
    except (ValueError, TypeError):  # another form
        store.discard(key)
