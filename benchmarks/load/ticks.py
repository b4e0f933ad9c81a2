"""The time-stamp counter that phases are measured by, read from Python."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from backends.llvm.builder.environment import count_ticks
from backends.llvm.builder.function import I64, Function, Module
from backends.llvm.engine.engine import compile_module


@functools.cache
def tick_reader() -> Callable[[], int]:
    """Function that returns the current count."""
    module = Module("ticks")
    f = Function(module, "ticks", [], I64, shared=True)
    f.ret(count_ticks(f))
    library = compile_module(module)
    read = ctypes.CFUNCTYPE(ctypes.c_int64)(library.address["ticks"])
    return lambda: int(read()) if library else 0  # keeps the library alive, which owns the code
