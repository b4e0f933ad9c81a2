"""LLVM's own linker, for objects that have no flat image."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence

import llvmlite.binding as llvm

from backends.llvm.targets.llvm_machines import create_machine, initialize

_serial = itertools.count()


@functools.cache
def _jit() -> llvm.LLJIT:
    initialize()
    return llvm.create_lljit_compiler(create_machine("host"), use_jit_link=True)


def link_object(image: bytes, name: str, exports: Sequence[str], imports: Mapping[str, int]) -> llvm.ResourceTracker:
    """Link an object. `imports`: addresses of outside functions that are not symbols of the process.

    The result maps `exports` to addresses and must live as long as they are used. Calls must not overlap. RuntimeError if LLVM refuses.
    """
    builder = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
    for export in exports:
        builder.export_symbol(export)
    for symbol, address in imports.items():
        builder.import_symbol(symbol, address)
    return builder.link(_jit(), f"{name}.{next(_serial)}")
