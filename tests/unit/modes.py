"""The mode of the floating-point unit of this thread, read and written by generated code: MXCSR on x86, FPCR on AArch64."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from backends.llvm.builder.function import I64, PTR, Function, Module
from backends.llvm.engine.engine import Library, compile_module

IS_X86 = Module("mode").has("x86")
DEFAULT = 0x1F80 if IS_X86 else 0
HOSTILE = (0x1F80 | 0x8040 | 0x2000) if IS_X86 else (1 << 24 | 2 << 22)
"""Denormals become zero, and results are rounded down."""


@functools.cache
def _library() -> Library:
    module = Module("mode")
    read, write = Function(module, "read", [PTR]), Function(module, "write", [PTR])
    if IS_X86:
        read.call(None, "llvm.x86.sse.stmxcsr", read.args[0])
        write.call(None, "llvm.x86.sse.ldmxcsr", write.args[0])
    else:
        read.store(read.call(I64, "llvm.aarch64.get.fpcr"), read.args[0])
        write.call(None, "llvm.aarch64.set.fpcr", write.load(I64, write.args[0]))
    read.ret()
    write.ret()
    return compile_module(module)


def _call(name: str, word: ctypes.c_uint64) -> None:
    function: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_library().address[name])
    function(ctypes.addressof(word))


def read_mode() -> int:
    """The mode of this thread."""
    word = ctypes.c_uint64()
    _call("read", word)
    return word.value


def set_mode(mode: int) -> None:
    """Set the mode of this thread."""
    _call("write", ctypes.c_uint64(mode))
