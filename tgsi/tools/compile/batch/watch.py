"""``--watch``: do the work again whenever a file changes that it read. Files are polled, so any file system will do."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tgsi.tools.compile.batch.names import shown
from tgsi.tools.compile.errors import PROGRAM, UsageError

INTERVAL = 0.2
"""Seconds between two looks at the files, at least."""
SHARE = 50
"""Seconds of waiting for each second that a look takes, so that 10,000 files take at most 2% of a processor, too."""
MOST_LOOKS = 20
"""Polls after which work begins even if files are still changing."""

_SYSTEM = ("/proc/", "/sys/", "/dev/")
_CODE = (".py", ".pyc", ".so", ".pyd", ".lark")

Signature = tuple[int, ...] | None
"""Time, size, number and mode of a file; None if there is none."""


def watch(
    work: Callable[[], int],
    listing: Callable[[], Sequence[str]] = tuple,
    *,
    quiet: bool = False,
    wait: Callable[[float], object] = time.sleep,
) -> int:
    """Do `work`, and do it again whenever a file changes that it opened for reading. Ctrl-C ends it, with exit code 0.

    Files that `work` could not open count as well, so it is done again when they appear. `listing` gives the names of the inputs. It is
    called again when a folder changes that it or `work` has listed; different names count as a change. `work` prints its own errors; an
    exception ends the watch.

    Raises:
        UsageError: `work` and `listing` opened nothing, so no change of a file could mend them.
    """
    try:
        while True:
            with _reads() as reads:
                names = _names(listing)
                code = work()
            if not reads:
                if code:
                    return code
                raise UsageError("--watch: this command reads no file, so there is nothing to watch")
            _say(quiet, f"watching {_counted(_files(reads))}; Ctrl-C ends this")
            changed = _wait_for_change(reads, names, listing, wait)
            _say(quiet, f"{changed} changed")
    except KeyboardInterrupt:
        return 0


def _wait_for_change(
    reads: dict[str, Signature], names: object, listing: Callable[[], Sequence[str]], wait: Callable[[float], object]
) -> str:
    """Return when a file has changed and then stayed unchanged for an interval: its name, and the number of other changed files."""
    while True:
        begin = time.perf_counter()
        changed = _changes(reads, names, listing)
        if changed:
            break
        wait(max(INTERVAL, SHARE * (time.perf_counter() - begin)))
    now = {name: _signature(name) for name in reads}
    for _ in range(MOST_LOOKS):  # an editor or a checkout may still be writing
        wait(INTERVAL / 4)
        before, now = now, {name: _signature(name) for name in reads}
        if now == before:
            break
    changed = _changes(reads, names, listing) or changed
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"{shown(changed[0])}{more}"


def _changes(reads: dict[str, Signature], names: object, listing: Callable[[], Sequence[str]]) -> list[str]:
    """Names of files that changed since they were read, and of folders with new or missing inputs."""
    changed: list[str] = []
    folders: list[str] = []
    for name, old in reads.items():
        new = _signature(name)
        if new != old:
            (folders if _is_folder(old) and _is_folder(new) else changed).append(name)
    if folders and not changed:
        if _names(listing) != names:
            changed = folders
        else:
            reads.update({name: _signature(name) for name in folders})
    return changed


def _names(listing: Callable[[], Sequence[str]]) -> object:
    try:
        return list(listing())
    except UsageError as error:
        return str(error)


def _signature(name: str) -> Signature:
    try:
        status = os.stat(name)  # a Path for each look costs more than the look
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def _is_folder(signature: Signature) -> bool:
    return signature is not None and stat.S_ISDIR(signature[3])


def _files(reads: dict[str, Signature]) -> list[str]:
    return [name for name, signature in reads.items() if not _is_folder(signature)]


def _counted(files: Sequence[str]) -> str:
    return shown(files[0]) if len(files) == 1 else f"{len(files)} files"


def _say(quiet: bool, text: str) -> None:
    if not quiet:
        print(f"{PROGRAM}: {text}", file=sys.stderr, flush=True)


_active: list[dict[str, Signature]] = []
_hooked = False


@cache
def _ignored() -> tuple[str, ...]:
    """Beginnings of paths whose files are not input: of the system, of this package, of compiled kernels, and of a run of glslang."""
    from tempfile import gettempdir

    from backends.sealed_files import default_files
    from frontends.glsl.compiler import FOLDER_PREFIX

    kernels = default_files()
    ours = [Path(__file__).parents[3], *([] if kernels is None else [kernels.directory])]
    return *_SYSTEM, f"{Path(gettempdir()).absolute() / FOLDER_PREFIX}", *(f"{folder}{os.sep}" for folder in ours)


@contextmanager
def _reads() -> Iterator[dict[str, Signature]]:
    """Collect the files and folders that are opened for reading in the meantime, with their state just before."""
    global _hooked
    _ignored()
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    signatures: dict[str, Signature] = {}
    _active.append(signatures)
    try:
        yield signatures
    finally:
        _active.pop()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or event not in ("open", "os.scandir"):
        return
    name = arguments[0]
    if event == "open":
        mode, flags = arguments[1], arguments[2]
        if isinstance(mode, str) and any(letter in mode for letter in "wax+"):
            return
        if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if not isinstance(name, str):
        return
    if not name.endswith(_CODE) and name not in _active[-1] and not os.path.abspath(name).startswith(_ignored()):
        _active[-1][name] = _signature(name)
