"""`poll`: called periodically by native code, so that Python's signal handlers run and time limits hold (`backends.abi.records.Watch`).

Callers are the tile walk, the front end after a batch, waiting threads, and loops of programs that have used up a slice of their fuel.
Twenty times a second, and only on the caller's thread, `poll` takes Python's lock and lets signal handlers run. Polling does not change
results, because it does not divide work. After an exception or the time limit, `stop` is set: threads proceed to the next barrier without
new work, and Python discards pending work before it raises.
"""

from __future__ import annotations

from backends.abi.records import Stop, Watch, WatchRecord, has_watches, layout_digest
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.engine.kernel_cache import KernelCache

_BILLION = 1_000_000_000


def make_watch(kernels: KernelCache) -> Watch:
    """Make a watch for native code of a machine."""
    if not has_watches():
        return Watch(0)
    return Watch(kernels.keep(("poll", layout_digest(WatchRecord)), ("poll",), build_poll).address["poll"])


def has_polls(module: Module) -> bool:
    """True if loops of programs poll on a module's target; code for other targets does not run in this process."""
    return module.has("x86") or module.has("aarch64")


def read_clock(f: Function, watch: Record, clock: Val | None = None) -> Val:
    """The time in nanoseconds, of the watch's clock or of another system clock."""
    time = f.alloca("[2 x i64]")
    f.call_pointer(I32, watch.get("clock"), watch.get("clock_id") if clock is None else clock, time)
    return f.load(I64, time, 0, 8) * _BILLION + f.load(I64, time, 8, 8)


def begin_watch(f: Function, watch: Record) -> None:
    """Let the calling thread run signal handlers from now on."""
    with f.if_(watch.get("clock").as_address().ne(0)):
        watch.set("caller", f.call_pointer(I64, watch.get("ident")))
        watch.set("next", read_clock(f, watch) + watch.get("period"))


def is_stopped(f: Function, watch: Record) -> Val:
    """True if native code must end."""
    return f.load(I32, watch.address("stop"), atomic=True).ne(0)


def build_poll(module: Module) -> None:
    """poll(watch) -> `Stop`. Any thread may call it; handlers run on the caller's."""
    f = Function(module, "poll", [PTR], I32, shared=True)
    w = Record(f, f.args[0], WatchRecord)
    stop = w.address("stop")
    with f.leaving(is_stopped(f, w)):
        f.ret(f.load(I32, stop, atomic=True))
    with f.leaving(w.get("clock").as_address().eq(0)):
        f.ret(f.const(I32, 0))
    now = read_clock(f, w)
    with f.leaving(now > w.get("limit")):
        f.line(f"{f.fresh()} = cmpxchg {stop}, i32 0, i32 {int(Stop.LIMIT)} seq_cst seq_cst")
        f.ret(f.load(I32, stop, atomic=True))
    with f.leaving(now < w.get("next")):
        f.ret(f.const(I32, 0))
    with f.leaving(f.call_pointer(I64, w.get("ident")).ne(w.get("caller"))):
        f.ret(f.const(I32, 0))
    owner = w.get("owner")
    held = f.call_pointer(I32, w.get("take_lock"))
    before = f.var(I64, 0)
    with f.if_(owner.as_address().ne(0)):
        before.set(f.load(I64, owner, 0, 8))
    is_own = before.get().eq(w.get("caller"))  # the owner is not a method of the screen, for which other threads wait
    with f.if_(is_own):
        f.store(w.get("busy"), owner, 0, 8)
    raised = f.call_pointer(I32, w.get("run_handlers")).ne(0)
    with f.if_(is_own):
        f.store(before.get(), owner, 0, 8)
    with f.if_(raised):
        f.call_pointer(None, w.get("take_error"), *(w.address("error", k) for k in range(3)))
        f.store(f.const(I32, int(Stop.RAISED)), stop, atomic=True)
    w.set("next", read_clock(f, w) + w.get("period"))
    f.call_pointer(None, w.get("leave_lock"), held)
    f.ret(f.load(I32, stop, atomic=True))
