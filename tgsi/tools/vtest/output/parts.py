"""Names of files that each client writes: its process writes a part, which the parent process renames when the process has ended.

The first part of a server gets the requested name, NAME.EXT, the next ones NAME-2.EXT and so on.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tgsi.tools.vtest.output.log import LOG


def part(path: Path, process: int | str) -> Path:
    """The temporary name of a process's part."""
    return path.with_name(f".{path.stem}.{process}.part{path.suffix}")


def numbered(path: Path, number: int) -> Path:
    """The final name of the part with this number, from 1 on."""
    return path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")


class Parts:
    """The parts of all clients of a server. companions: suffixes of further files with the same name."""

    def __init__(self, paths: Sequence[Path], companions: Sequence[str] = (".rep",)) -> None:
        self._paths, self._companions = paths, companions
        self._counts: Counter[Path] = Counter()

    def collect(self, process: int | str, name: str) -> None:
        """Rename the files of a process that has ended. name: of its client."""
        for path in self._paths:
            several = sorted(path.parent.glob(glob.escape(part(path, f"{process}-").with_suffix("").stem) + "*.part" + path.suffix))
            for written in [part(path, process), *several]:
                if written.exists():
                    self._name(written, path, name)

    def _name(self, written: Path, path: Path, name: str) -> None:
        self._counts[path] += 1
        target = numbered(path, self._counts[path])
        for suffix in self._companions:
            if written.with_suffix(suffix).exists():
                written.with_suffix(suffix).replace(target.with_suffix(suffix))
        written.replace(target)
        LOG.info(f"{target} is from {name}")
