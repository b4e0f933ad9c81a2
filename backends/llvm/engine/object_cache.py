"""Compiled objects on disk, so that a shader seen before needs no code generation.

A file holds a checksum and an object. A file that is damaged, foreign, of another version or unreadable counts as absent. Many processes
may use one directory: files are written next to their place and renamed, and a file that is removed while another process reads it can
still be read to its end. No function here raises because of the disk.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import random
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from backends.llvm.engine.sources import own_sources
from backends.llvm.targets import host
from backends.llvm.targets.machines import identity

_MAGIC = b"TGSIOBJ2"
_DIGEST = hashlib.sha256
_HEAD = len(_MAGIC) + 32
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
    """Objects in a directory, at most `max_bytes` in all. The least recently used objects are removed first."""

    def __init__(self, directory: Path, max_bytes: int = 256 * 1024 * 1024) -> None:
        self.directory, self.max_bytes = Path(directory), max_bytes
        self._root = os.fspath(directory)
        # Bytes written since the directory was last measured. The count starts at a random number below the limit: a process that writes
        # little then measures seldom, and many such processes measure as often as a single one that writes the same amount.
        self._written = random.uniform(0, self._allowed)

    @property
    def _allowed(self) -> int:
        return self.max_bytes // 16

    def _path(self, key: str) -> str:
        return f"{self._root}/{key[:2]}/{key}"

    def get(self, key: str) -> bytes | None:
        """Object stored under `key`; None if it is missing or damaged."""
        path = self._path(key)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # pathlib takes longer than the rest of this function
            try:
                status = os.fstat(handle)
                data = os.read(handle, status.st_size)
            finally:
                os.close(handle)
        except OSError:
            return None
        if data[:_HEAD] != _head(key, payload := data[_HEAD:]):
            self.discard(key)
            return None
        if status.st_mtime < time.time() - _FRESH:
            with contextlib.suppress(OSError):
                os.utime(path)
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Store an object; do nothing if the disk refuses it."""
        path = Path(self._path(key))
        temporary = path.with_name(f".new-{os.getpid()}-{threading.get_native_id()}-{next(_serial)}")
        try:
            handle = _create(temporary)
            try:
                data = _head(key, payload) + payload
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
            for path in self.directory.glob("*/*"):
                with contextlib.suppress(OSError):
                    status = path.stat()
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


def _head(key: str, payload: bytes) -> bytes:
    """Bytes before an object. They depend on the key, so that an object under another name counts as damaged."""
    digest = _DIGEST(key.encode())
    digest.update(payload)
    return _MAGIC + digest.digest()


def _create(path: Path) -> int:
    """Create a file, and its folder if necessary. Returns its descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, flags, 0o600)


@functools.cache
def _cache_at(directory: str) -> ObjectCache:
    return ObjectCache(Path(directory))


def default_cache() -> ObjectCache | None:
    """Cache in TGSI_CACHE_DIR (None if that is set and empty), otherwise in the user's cache directory."""
    place = os.environ.get("TGSI_CACHE_DIR")
    if place == "":
        return None
    return _cache_at(place if place is not None else str(platformdirs.user_cache_path("tgsi") / "objects"))


def resolve_cache(cache: ObjectCache | str | os.PathLike[str] | bool | None) -> ObjectCache | None:
    """Cache for an argument: a cache, a directory, True or None for the default one, False for none."""
    if isinstance(cache, ObjectCache):
        return cache
    if cache is False:
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
