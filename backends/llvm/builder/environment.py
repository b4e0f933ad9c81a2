"""The floating-point environment of native entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.llvm.builder.function import I32, I64, Function, Val

DEFAULT_MXCSR = 0x1F80
"""Round to nearest, denormals kept, no traps."""


def set_mxcsr(f: Function, value: int) -> Val:
    """Load `value` into MXCSR. Returns the address of a word with its previous contents, for `llvm.x86.sse.ldmxcsr`."""
    saved, wanted = f.alloca("i32"), f.alloca("i32")
    f.call(None, "llvm.x86.sse.stmxcsr", saved)
    f.store(f.const(I32, value), wanted)
    f.call(None, "llvm.x86.sse.ldmxcsr", wanted)
    return saved


@contextmanager
def default_environment(f: Function) -> Iterator[None]:
    """Save the mode of the floating-point unit, set the default mode, and restore the saved one after the body.

    Every native entry does this on every thread, because threads inherit rounding and flush-to-zero modes: MXCSR on x86, FPCR on
    AArch64. Other targets are entered in their default mode. The body should call functions that compute, instead of computing itself:
    LLVM may move arithmetic across the change of mode.
    """
    if f.module.has("x86"):
        saved = set_mxcsr(f, DEFAULT_MXCSR)
        yield
        f.call(None, "llvm.x86.sse.ldmxcsr", saved)
    elif f.module.has("aarch64"):
        mode = f.call(I64, "llvm.aarch64.get.fpcr")
        f.call(None, "llvm.aarch64.set.fpcr", f.const(I64, 0))
        yield
        f.call(None, "llvm.aarch64.set.fpcr", mode)
    else:
        yield
