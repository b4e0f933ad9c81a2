"""Instructions that differ between processors: the mode of the floating-point unit at native entries, the pause of spin loops, and the
time-stamp counter.

Other modules name no intrinsic of a processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from backends.llvm.builder.function import I32, I64, Function, Val

DEFAULT_MXCSR = 0x1F80
"""Round to nearest, denormals kept, no traps: in the control word of x86."""
DEFAULT_FPCR = 0
"""The same in the control word of AArch64."""
_YIELD = 1  # AArch64's YIELD: a hint that another thread may run


def set_default_environment(f: Function) -> Val | None:
    """Set the default mode of the floating-point unit. Returns the previous mode, for `restore_environment`.

    Threads inherit modes of rounding and flushing to zero: MXCSR on x86, FPCR on AArch64. Other targets are entered in their default mode.
    """
    if f.module.has("x86"):
        saved, wanted = f.alloca("i32"), f.alloca("i32")
        f.call(None, "llvm.x86.sse.stmxcsr", saved)
        f.store(f.const(I32, DEFAULT_MXCSR), wanted)
        f.call(None, "llvm.x86.sse.ldmxcsr", wanted)
        return saved
    if f.module.has("aarch64"):
        mode = f.call(I64, "llvm.aarch64.get.fpcr")
        f.call(None, "llvm.aarch64.set.fpcr", f.const(I64, DEFAULT_FPCR))
        return mode
    return None


def restore_environment(f: Function, saved: Val | None) -> None:
    """Restore the mode returned by `set_default_environment`."""
    if saved is not None:
        f.call(None, "llvm.x86.sse.ldmxcsr" if f.module.has("x86") else "llvm.aarch64.set.fpcr", saved)


@contextmanager
def default_environment(f: Function) -> Iterator[None]:
    """Save the mode of the floating-point unit, set the default mode, and restore the saved one after the body.

    Every native entry does this on every thread. The body should only call functions, because LLVM may move arithmetic across the change of
    mode.
    """
    saved = set_default_environment(f)
    yield
    restore_environment(f, saved)


def pause(f: Function) -> None:
    """Pause instruction of spin loops, in which the thread keeps its processor."""
    if f.module.has("x86"):
        f.call(None, "llvm.x86.sse2.pause")
    elif f.module.has("aarch64"):
        f.call(None, "llvm.aarch64.hint", f.const(I32, _YIELD))


def count_ticks(f: Function) -> Val:
    """A 64-bit counter of time in units of the processor. AArch64 uses the timer, because programs may not read its cycle counter."""
    return f.call(I64, "llvm.readsteadycounter" if f.module.has("aarch64") else "llvm.readcyclecounter")
