"""Ready-made kernels: compiled when the wheel was built, or by `./dev setup` in a checkout (`backends.ready_made`).

These are kernels that do not depend on a program, of which a first frame needs more than twenty. Each level of x86-64, and AArch64, has one
file in a folder of this package. It is trusted like the package's modules, and no other folder is read. A file is used if it was compiled
from the source of the running code by the same version of LLVM. Stale or damaged files are ignored, and the kernels are compiled.
TGSI_READY_MADE=off ignores all.

A file is a head, a table with a row for each kernel, and the flat images (`image`). A kernel is read when it is first requested.

Next to the kernels of a checkout lies the digest of its source, under the name of the files in their state (`Sources.stamp`), so that a
process without a cache need not read 600 files. A wheel has none, because the state of the installed files is unknown when it is built.
"""

from __future__ import annotations

import contextlib
import functools
import os
import struct
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from backends.llvm.engine.sources import ROOT, Sources, own_sources, source_files
from backends.llvm.targets import host, machines
from backends.sealed_files import digest_of
from tgsi.language.record import record

FOLDER = Path(__file__).parent / "kernel_files"
NOTE = ".sources"

AARCH64 = "aarch64"
LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64-v2", AARCH64)
"""Machines that may have a file."""

_MAGIC = b"TGSISET2"
_HEAD = struct.Struct("<8s32s32sI")  # magic, digest of `surroundings`, digest of the table, rows
_ROW = struct.Struct("<32s32sQI")  # name, digest of the image, place, bytes
_MOST_ROWS = 1 << 16


def is_on() -> bool:
    """Return false if TGSI_READY_MADE is off, so that all kernels are compiled. ValueError for values other than on and off."""
    said = os.environ.get("TGSI_READY_MADE", "on").lower()
    if said not in ("on", "off"):
        raise ValueError(f"TGSI_READY_MADE: {said!r} is neither on nor off")
    return said == "on"


def level_of(cpu: str) -> str | None:
    """The machine of `LEVELS` whose generated text, and so its results, equal those of `cpu`, or None.

    Files are for Linux. A host belongs to the highest level whose features it all has, unless builders may use further features.
    """
    return _level_of(cpu, host.host())


@functools.cache
def _level_of(cpu: str, own_host: host.Host) -> str | None:
    if "-linux" not in own_host.triple:
        return None
    if cpu != "host":
        return cpu if cpu in LEVELS else None
    if machines.own_architecture().name == AARCH64:
        return AARCH64
    own = set(own_host.features.replace("+", "").split(","))
    fitting = (level for level in LEVELS if level in machines.LEVELS and machines.NEEDED[level] <= own)
    return next((level for level in fitting if machines.cpu_features(cpu) == machines.LEVELS[level]), None)


def name_of(parts: Iterable[object]) -> bytes:
    """Name of a kernel in each file. parts: its key, compared by repr."""
    return digest_of("\0".join(map(repr, parts)).encode("utf-8", "surrogatepass")).digest()


def surroundings(sources: str, level: str) -> bytes:
    """Digest of everything that a file depends on: the digest of the generator's source, LLVM's version, the machine."""
    return digest_of("\0".join((sources, host.host().llvm, level)).encode()).digest()


def pack(around: bytes, images: Mapping[bytes, bytes]) -> bytes:
    """Contents of a file. around: a result of `surroundings`. images: flat images by name."""
    place, rows = _HEAD.size + _ROW.size * len(images), []
    for name, image in images.items():
        rows.append(_ROW.pack(name, digest_of(image).digest(), place, len(image)))
        place += len(image)
    table = b"".join(rows)
    return b"".join((_HEAD.pack(_MAGIC, around, digest_of(table).digest(), len(images)), table, *images.values()))


@record
class ReadyMade:
    """The file of a machine, opened. rows: digest, place and size of the image of each name."""

    path: Path
    around: bytes
    rows: Mapping[bytes, tuple[bytes, int, int]]

    @classmethod
    def open(cls, path: Path) -> ReadyMade | None:
        """Read the table of a file. None if it is missing or is not such a file."""
        try:
            with path.open("rb", buffering=0) as file:
                magic, around, digest, count = _HEAD.unpack(file.read(_HEAD.size))
                if magic != _MAGIC or count > _MOST_ROWS:
                    return None
                table = file.read(_ROW.size * count)
            if len(table) != _ROW.size * count or digest_of(table).digest() != digest:
                return None
        except (OSError, struct.error):
            return None
        return cls(path, around, {name: (digest, place, size) for name, digest, place, size in _ROW.iter_unpack(table)})

    def get(self, name: bytes) -> bytes | None:
        """Image of a name; None if the file lacks it or does not match its table."""
        row = self.rows.get(name)
        if row is None:
            return None
        digest, place, size = row
        with contextlib.suppress(OSError), self.path.open("rb", buffering=0) as file:
            file.seek(place)
            image = file.read(size)
            if digest_of(image).digest() == digest:
                return image
        return None


def path_of(level: str) -> Path:
    """File of a machine."""
    return FOLDER / f"{level}.kernels"


def note_of(stamp: str | None, digest: str | None) -> str:
    """Contents of the file that `note_sources` writes."""
    return f"{stamp} {digest}\n"


def note_sources() -> None:
    """Write the digest of the source next to the kernels. Nothing is written while a file is so new that a change might go unnoticed."""
    now = Sources(source_files(), ROOT, time.time())
    if now.stamp is not None and now.digest is not None and now.digest == own_sources().digest:
        temporary = FOLDER / f".new-{os.getpid()}-{NOTE}"
        temporary.write_text(note_of(now.stamp, now.digest), encoding="ascii")
        temporary.replace(FOLDER / NOTE)


def recall_sources() -> None:
    """Take the digest of the source from the file written by `note_sources`, if the source files have not changed since."""
    sources = own_sources()
    stamp = sources.stamp if is_on() and not sources.is_known else None
    if stamp is not None:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            note = (FOLDER / NOTE).read_text(encoding="ascii")
            digest = note[len(stamp) + 1 : -1]
            if note == note_of(stamp, digest):
                sources.recall(digest)


@functools.cache
def current(level: str) -> ReadyMade | None:
    """The file of a machine, if it was compiled from this process's source by its LLVM."""
    sources = own_sources().digest
    file = ReadyMade.open(path_of(level)) if sources is not None else None
    return file if file is not None and file.around == surroundings(sources or "", level) else None


def find(parts: Iterable[object], cpu: str) -> bytes | None:
    """Flat image of a kernel for `cpu`; None if it has to be compiled. parts: the key of the kernel."""
    level = level_of(cpu) if is_on() else None
    file = current(level) if level is not None else None
    return file.get(name_of(parts)) if file is not None else None
