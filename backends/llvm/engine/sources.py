"""Digest of the code generator's own source, a part of the key of every object on disk.

A process imports modules at different times, and the files may be edited in between. So a digest of files describes the running code
only if no file changed since the process began. If one did, the disk cache is not used: code that an old process generates is never
found under the name of new source, nor the reverse.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

#: Folder of backends, linkage and passes: the repository, or the package tgsi if it is installed.
ROOT = Path(__file__).resolve().parents[3]

#: Source on which the text of a module depends besides its key: the generators, the tables that they read, and the code that makes keys and
#: records. Folders include their subfolders.
GENERATORS = (
    ROOT / "backends",
    ROOT / "passes" / "analysis",
    ROOT / "passes" / "lower",
    ROOT / "passes" / "validate",
    ROOT / "linkage",
    (ROOT / "tgsi" if (ROOT / "tgsi").is_dir() else ROOT) / "language",
)

_MARGIN = 0.05  # seconds; the clocks of files and of processes may tick only every 10 ms


def source_files() -> list[str]:
    """Paths of the Python files of `GENERATORS`, sorted. Texts, since objects of pathlib would take longer than reading the files."""
    walked = (entry for folder in GENERATORS for entry in os.walk(folder))
    return sorted(f"{folder}/{name}" for folder, _, names in walked for name in names if name.endswith(".py"))


def process_start() -> float:
    """Start of this process, as a file time. On systems that do not provide it (Linux does), the time when this module was loaded."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return _LOADED
    return time.time() - age


_LOADED = time.time()


class Sources:
    """A set of source files in their state at the start of a process."""

    def __init__(self, files: Iterable[str | os.PathLike[str]], root: Path, began: float) -> None:
        """Read the files. `began` is a file time. The digest is None if a file is younger, or if there are no files (as in an archive)."""
        self._paths = [os.fspath(file) for file in files]
        self._state = self._look()
        digest = hashlib.sha256()
        for path in self._paths:
            try:
                with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - see `source_files`
                    data = file.read()
            except OSError:
                self._state = ()
                break
            digest.update(f"{path[len(os.fspath(root)) :]}\0{len(data)}\0".encode())
            digest.update(data)
        youngest = max((entry[0] for entry in self._state), default=float("inf"))
        is_known = youngest < (began - _MARGIN) * 1e9 and self._look() == self._state
        self.digest: str | None = digest.hexdigest() if is_known else None
        self._modules = 0  # number of imported modules at the last check

    def _look(self) -> tuple[tuple[int, int, int], ...]:
        """Time of the last change (ctime, which programs cannot set), inode and size of every file; () if a file is missing."""
        try:
            return tuple((s.st_ctime_ns, s.st_ino, s.st_size) for s in map(os.stat, self._paths))
        except OSError:
            return ()

    def are_unchanged(self) -> bool:
        """True if the digest still describes the running code, including modules that were imported since the last check."""
        if self.digest is None:
            return False
        modules = len(sys.modules)
        if modules != self._modules:  # only new imports read files
            if self._look() != self._state:
                self.digest = None
            self._modules = modules
        return self.digest is not None


@functools.cache
def own_sources() -> Sources:
    """State of the code generator's source."""
    return Sources(source_files(), ROOT, process_start())
