"""Linking of an object, or its flat image, to code that can be called."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from backends.llvm.engine import image as flat
from backends.llvm.targets.host import llvm_lock
from backends.system import symbol as process_symbol
from tgsi.language._forks import wait_before_fork

#: Outside functions that generated code may call. Others may differ between machines, or be missing.
ALLOWED_SYMBOLS = frozenset({"memcpy", "memset", "sched_yield", "sem_post", "sem_wait", "__chkstk"})

Resolve = Callable[[str], int | None]
"""Function from an outside name, which is not a function of the process, to its address; None for an unknown name."""

# LLJIT's tables are shared by all libraries of the process; llvmlite's own lock covers single calls only.
lock = threading.RLock()

# Held during a fork, because a child process could not finish another thread's work in LLVM. The order is that of nested calls.
wait_before_fork(lambda: lock)
wait_before_fork(llvm_lock)


def prepare(image: bytes) -> bytes:
    """Form of an object that is kept in memory and on disk: its flat image if it can have one, otherwise the object itself."""
    from backends.llvm.engine.flatten import flatten  # images from the disk need no linking

    return flatten(image) or image


def link(image: bytes, name: str, exports: Sequence[str], resolve: Resolve) -> tuple[dict[str, int], object]:
    """Link `image`, an object or a flat image. Returns the addresses of `exports`, and an object that must live as long as they are used.

    Raises ValueError for broken images, for outside functions that neither ALLOWED_SYMBOLS nor `resolve` has, and for a missing export;
    RuntimeError or OSError if LLVM's linker or the system refuses.
    """
    if image.startswith(flat.MAGIC):
        unpacked = flat.unpack(image)
        placed = flat.Placed(unpacked, _outside(unpacked.imports, name, resolve))
        missing = [export for export in exports if export not in placed.address]
        if missing:
            raise ValueError(f"{name!r} has no {', '.join(missing)}")
        return placed.address, placed
    from backends.llvm.engine.jit import link_object  # loads LLVM, which flat images do not need
    from backends.llvm.engine.object_files import undefined_symbols

    imports = _outside(undefined_symbols(image) - {"_GLOBAL_OFFSET_TABLE_"}, name, resolve)

    with lock:
        tracker = link_object(image, name, exports, {s: address for s, address in imports.items() if s not in ALLOWED_SYMBOLS})
    return {export: tracker[export] for export in exports}, tracker


def _outside(symbols: set[str] | dict[str, int], name: str, resolve: Resolve) -> dict[str, int]:
    """Addresses of the outside functions `symbols`."""
    addresses = {s: process_symbol(s) if s in ALLOWED_SYMBOLS else resolve(s) for s in symbols}
    unknown = sorted(s for s, address in addresses.items() if address is None)
    if unknown:
        raise ValueError(f"module {name!r} calls {', '.join(unknown)}, which generated code may not")
    return {s: address for s, address in addresses.items() if address is not None}
