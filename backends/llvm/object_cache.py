"""Compiled objects on disk, so that a shader seen before costs no code generation.

A file holds a checksum and an object; whatever is damaged, foreign or unreadable counts as absent. Many processes may use one
directory: files are written beside their place and renamed. Nothing here raises because of the disk.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import platformdirs

from backends.llvm import target

_MAGIC = b"TGSIOBJ1"
_DIGEST = hashlib.sha256
_DIGEST_SIZE = 32

#: What the text of a module depends on besides its key: the generators and the tables they read.
_GENERATORS = (
    "backends/llvm",
    "backends/raster",
    "backends/formats",
    "backends/gallium/enums.py",
    "passes/analysis",
    "linkage",
    "tgsi/opcodes.py",
    "tgsi/enums.py",
    "tgsi/ir.py",
    "tgsi/properties.py",
    "tgsi/semantics.py",
)


def generator_digest() -> str:
    """Digest of the source of everything that generates code."""
    root = Path(__file__).resolve().parent.parent.parent
    digest = _DIGEST()
    for name in _GENERATORS:
        place = root / name
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place] if place.exists() else []
        for file in files:
            digest.update(f"{file.relative_to(root)}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


#: Taken when the generators are loaded: a process that outlives an upgrade must not store old code under the new digest.
_SOURCES = generator_digest()


def object_key(parts: Iterable[object], cpu: str) -> str:
    """Name of an object: digest of `parts` (by repr), of the generator's source, of the target and of LLVM's version."""
    text = "\0".join(
        [
            *map(repr, parts),
            _SOURCES,
            target.identity(cpu),
            f"llvmlite {llvmlite.__version__} LLVM {'.'.join(map(str, llvm.llvm_version_info))}",
        ]
    )
    return _DIGEST(text.encode("utf-8", "surrogatepass")).hexdigest()


class ObjectCache:
    """Objects in a directory, bounded to `max_bytes` in all; the ones unused for longest go first."""

    def __init__(self, directory: Path, max_bytes: int = 256 * 1024 * 1024) -> None:
        self.directory, self.max_bytes = Path(directory), max_bytes
        self._written: int | None = None  # bytes put since the directory was last measured; None: never measured

    def _path(self, key: str) -> Path:
        return self.directory / key[:2] / key

    def get(self, key: str) -> bytes | None:
        """The object stored under `key`, if it is there and whole."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        payload = data[len(_MAGIC) + _DIGEST_SIZE :]
        if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : len(_MAGIC) + _DIGEST_SIZE] != _DIGEST(payload).digest():
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Store an object; silently nothing where the disk does not want it."""
        path = self._path(key)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        except OSError:
            return
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + _DIGEST(payload).digest() + payload)
            Path(temporary).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            return
        self._account(len(payload))

    def discard(self, key: str) -> None:
        """Forget an object that turned out to be unusable."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def _account(self, size: int) -> None:
        """Measure the directory at the first put and after every sixteenth of the limit."""
        if self._written is not None and self._written + size < self.max_bytes // 16:
            self._written += size
            return
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


@functools.cache
def _cache_at(directory: str) -> ObjectCache:
    return ObjectCache(Path(directory))


def default_cache() -> ObjectCache | None:
    """The cache in TGSI_CACHE_DIR (None where that is set and empty), else in the user's cache directory."""
    place = os.environ.get("TGSI_CACHE_DIR")
    if place == "":
        return None
    return _cache_at(place if place is not None else str(platformdirs.user_cache_path("tgsi") / "objects"))


def resolve_cache(cache: ObjectCache | str | os.PathLike[str] | bool | None) -> ObjectCache | None:
    """What a caller means: a cache, a directory, True or None for the default one, False for none."""
    if isinstance(cache, ObjectCache):
        return cache
    if cache is False:
        return None
    if cache is True or cache is None:
        return default_cache()
    return _cache_at(os.fspath(cache))
