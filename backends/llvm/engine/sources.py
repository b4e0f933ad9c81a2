"""Digest of the code generator's own source, a part of the key of every object on disk.

A process imports modules at different times, and the files may be edited in between. So a digest of files describes the running code
only if no file changed since the process began. If one did, the disk cache is disabled, so that code from old source is never stored under
the digest of new source, nor the reverse.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from backends.sealed_files import digest_of

#: Folder of backends, linkage and passes: the repository, or the package tgsi if it is installed.
ROOT = Path(__file__).resolve().parents[3]

#: Source that determines the text of a module together with its key: the generators, the tables that they read, and the code that makes
#: keys and
#: records. Folders include their subfolders; `passes.optimise` contributes only the module that finds short loops.
GENERATORS = (
    ROOT / "backends",
    ROOT / "passes" / "analysis",
    ROOT / "passes" / "lower",
    ROOT / "passes" / "optimise" / "evaluate.py",
    ROOT / "passes" / "validate",
    ROOT / "linkage",
    (ROOT / "tgsi" if (ROOT / "tgsi").is_dir() else ROOT) / "language",
)

APART = frozenset({"gallium", "glsl", "interp", "nvk", "spirv"})
"""Folders of `backends` that no generator imports: the interface of Gallium, other engines and languages.

They are left out to save time.
"""

_MARGIN = 0.05  # seconds; resolution of the clocks of files and of processes, which may be 10 ms
_SETTLED = 10.0  # seconds; some file systems keep times in steps of two seconds


def source_files() -> list[str]:
    """Paths of the Python files of `GENERATORS`, sorted. Paths are strings, because pathlib would take longer than reading the files."""
    return sorted(path for place in GENERATORS for path in ([str(place)] if place.suffix else _files_in(str(place))))


def _files_in(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        name = entry.name
        if name.endswith(".py"):
            yield entry.path
        elif entry.is_dir() and name != "__pycache__" and entry.path not in _LEFT_OUT:
            yield from _files_in(entry.path)


_LEFT_OUT = frozenset(str(ROOT / "backends" / name) for name in APART)


def process_start() -> float:
    """Start of this process, as a file time. On systems that do not provide it (Linux does), the time when this module was loaded."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return _LOADED
    return time.time() - age


_LOADED = time.time()


_State = tuple[int, int, int]
"""Time of the last change (ctime, which programs cannot set), inode and size of a file."""


def _read_file(path: str, size: int) -> tuple[bytes, _State]:
    """Contents of a file, at most `size` + 1 bytes, and its state afterwards. Uses a descriptor, because file objects are slower."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        data, status = os.read(file, size + 1), os.fstat(file)
    finally:
        os.close(file)
    return data, (status.st_ctime_ns, status.st_ino, status.st_size)


class Sources:
    """A set of source files in their state at the start of a process."""

    def __init__(self, files: Iterable[str | os.PathLike[str]], root: Path, began: float) -> None:
        """Read the state of the files.

        `began` is a file time. There is no digest if a file is younger, or if there are no files (as in an archive).
        """
        self._paths, self._root = [os.fspath(file) for file in files], os.fspath(root)
        self._state = self._look()
        self._age = began - max((entry[0] for entry in self._state), default=float("inf")) / 1e9  # seconds, of the youngest file
        self._digest: str | None = None
        self._is_known = self._age <= _MARGIN
        self._modules = 0  # number of imported modules at the last check

    @property
    def digest(self) -> str | None:
        """The digest; None if it would not describe the running code. Reads the files, unless `recall` has set the digest."""
        if not self._is_known:
            self._digest, self._is_known = self._read(), True
        return self._digest

    @property
    def is_known(self) -> bool:
        """True if the files need not be read for the digest."""
        return self._is_known

    @property
    def stamp(self) -> str | None:
        """Name of the files in their state: as long as it stays the same, so does the digest.

        None if a file is so new that another change might leave its time stamp unchanged.
        """
        if self._age <= _SETTLED:
            return None
        return digest_of(repr((self._root, self._paths, self._state)).encode("utf-8", "surrogateescape")).hexdigest()

    def recall(self, digest: str) -> None:
        """Take the digest that an earlier process computed for this stamp."""
        self._digest, self._is_known = digest, True

    def _read(self) -> str | None:
        digest = digest_of()
        try:
            for path, state in zip(self._paths, self._state, strict=True):
                data, status = _read_file(path, state[2])
                if status != state or len(data) != state[2]:
                    return None
                digest.update(f"{path[len(self._root) :]}\0{len(data)}\0".encode())
                digest.update(data)
        except OSError:
            return None
        return digest.hexdigest()

    def _look(self) -> tuple[_State, ...]:
        """State of every file; () if a file is missing."""
        try:
            return tuple((s.st_ctime_ns, s.st_ino, s.st_size) for s in map(os.stat, self._paths))
        except OSError:
            return ()

    def are_unchanged(self) -> bool:
        """True if the digest still describes the running code, including modules that were imported since the last check."""
        if self.digest is None:
            return False
        modules = len(sys.modules)
        if modules != self._modules:  # files are checked only after new imports
            if self._look() != self._state:
                self._digest = None
            self._modules = modules
        return self._digest is not None


@functools.cache
def own_sources() -> Sources:
    """State of the code generator's source."""
    return Sources(source_files(), ROOT, process_start())
