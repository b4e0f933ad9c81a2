"""Compilation of the ready-made kernels of a level: on any machine, by as many processes as there are processors."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from backends.llvm.engine import ready_made
from backends.llvm.engine.sources import own_sources
from backends.ready_made.makers import request
from backends.ready_made.rows import Row, rows_of
from backends.system import cpu_count, end_with_parent, write_whole

_TRIPLES = {ready_made.AARCH64: "aarch64-unknown-linux-gnu"}
_MACHINES = {ready_made.AARCH64: "aarch64"}


def target_of(level: str) -> str:
    """LLVM's target of a level. It names the whole machine, so that the code is the same whatever machine compiles it."""
    return _TRIPLES.get(level, f"x86_64-unknown-linux-gnu/{level}")


def compiled(row: Row, level: str) -> tuple[bytes, bytes] | None:
    """Name and flat image of a kernel. None for kernels that need a real linker, and for those that this system does not request."""
    from backends.llvm.engine.codegen import generate
    from backends.llvm.engine.flatten import flatten

    cpu = target_of(level)
    library = request(row, cpu)
    if library is None:
        return None
    key, make = library
    image = flatten(generate(make().text(), cpu)[0], _MACHINES.get(level, "x86_64"))
    return (ready_made.name_of(key), image) if image is not None else None


def _compile_some(work: Sequence[tuple[Row, str]]) -> list[tuple[str, tuple[bytes, bytes] | None]]:
    return [(level, compiled(row, level)) for row, level in work]


def build(levels: Iterable[str], folder: Path = ready_made.FOLDER, processes: int = 0) -> dict[str, Path]:
    """Write the files of some levels, and return their paths. processes: number of compiling processes; 0 means one for each processor.

    ValueError: the source is younger than this process, so that it may not be the running code, or it changes meanwhile.
    """
    wanted = list(dict.fromkeys(levels))
    sources = own_sources().digest
    if sources is None:
        raise ValueError("ready-made kernels: the source is younger than this process; run the command again")
    work = [(row, level) for level in wanted for row in rows_of(level)]
    images: dict[str, dict[bytes, bytes]] = {level: {} for level in wanted}
    size = 4  # kernels that a process takes at a time
    chunks = [work[k : k + size] for k in range(0, len(work), size)]
    with ProcessPoolExecutor(processes or cpu_count(), multiprocessing.get_context("spawn"), end_with_parent) as pool:
        for batch in pool.map(_compile_some, chunks):
            for level, named in batch:
                if named is not None:
                    images[level][named[0]] = named[1]
    if not own_sources().are_unchanged():
        raise ValueError("ready-made kernels: the source changed while they were compiled; start again")
    folder.mkdir(exist_ok=True)
    return {level: _write(folder / ready_made.path_of(level).name, sources, level, images[level]) for level in wanted}


def _write(path: Path, sources: str, level: str, images: dict[bytes, bytes]) -> Path:
    write_whole(path, ready_made.pack(ready_made.surroundings(sources, level), dict(sorted(images.items()))))
    return path
