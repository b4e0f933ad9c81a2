"""Generated code: windows of batches, from the first batch that is taken to the serial work after the last tile.

Workers take batches from an atomic counter until the setup records fill a part of the cache, so light batches make long windows and few
phases. An upload between two batches ends a window if tiles may read the changed bytes. Otherwise it waits for the front ends of the
batches before it, and the window continues.
"""

from __future__ import annotations

import ctypes

from backends.abi.records import WatchRecord
from backends.device.counters import BATCH_FIELDS
from backends.llvm.builder.environment import count_ticks
from backends.llvm.builder.function import BOOL, F32, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.library.polling import is_stopped
from backends.raster.control.waking import worker_at
from backends.raster.records import Batch, ClearRecord, PassRecord, Scene, Targets, UploadRecord, Worker
from backends.raster.tile.coarse import INFINITY

LIGHT_PRIMITIVES = 256  # primitives up to which a window's front end is left to one thread
LIGHT_BYTES, LIGHT_TILES = 1024, 4  # of setup records and chunks of bins; tiles to clear


def _batch_at(f: Function, s: Record, i: Val) -> Val:
    return f.at(s.get("work.batches"), i.zext(I64) * ctypes.sizeof(Batch))


def _upload_at(f: Function, s: Record, i: Val) -> Val:
    return f.at(s.get("work.uploads"), i.zext(I64) * ctypes.sizeof(UploadRecord))


def _awaits_tiles(f: Function, s: Record) -> Val:
    """1 if the next upload changes bytes that tiles read, which ends the window; otherwise 0."""
    number, result = s.get("window.first_upload"), f.var(I32, 0)
    with f.if_(number < s.get("work.num_uploads")):
        result.set(Record(f, _upload_at(f, s, number), UploadRecord).get("by_tiles"))
    return result.get()


def _pass_at(f: Function, s: Record, i: Val) -> Record:
    return Record(f, f.at(s.get("work.passes"), i.zext(I64) * ctypes.sizeof(PassRecord)), PassRecord)


def _is_last_pass(s: Record) -> Val:
    return s.get("window.pass_number") + 1 >= s.get("work.num_passes")


def _pass_end(f: Function, s: Record, field: str, whole: str) -> Val:
    """The end of the batches or clears of the pass. The last pass has no end yet and takes the end of all work."""
    end = f.var(I32, s.get(f"work.{whole}"))
    with f.if_(~_is_last_pass(s)):
        end.set(_pass_at(f, s, s.get("window.pass_number")).get(field))
    return end.get()


def leave_if_stopped(f: Function, s: Record) -> None:
    """If the flush is interrupted, end the window and the flush, and return."""
    with f.leaving(is_stopped(f, Record(f, s.get("crew.watch"), WatchRecord))):
        s.set("window.is_binned", f.const(I32, 0))
        s.set("window.finished", f.const(I32, 1))
        f.ret()


def _build_take_batches(module: Module) -> None:
    """take_batches(worker): runs the front end on batches until the window is full, by number or by bytes.

    Windows reuse the arenas.
    """
    f = Function(module, "take_batches", [PTR], shared=True, internal=True)
    s = Record(f, Record(f, f.args[0], Worker).get("scene"), Scene)
    watch = Record(f, s.get("crew.watch"), WatchRecord)
    with f.loop() as loop:
        loop.break_if(f.load(I32, s.address("shared.filled"), atomic=True) >= s.get("crew.window_bytes"))
        loop.break_if(is_stopped(f, watch))
        i = f.load(I32, s.address("shared.next_batch"), atomic=True)
        loop.break_if(i >= f.load(I32, s.address("window.last_batch"), atomic=True))  # stays at the limit, as more may follow
        with f.if_(f.exchange(s.address("shared.next_batch"), i, i + 1)):
            batch = _batch_at(f, s, i)
            b = Record(f, batch, Batch)
            b.set("arena", f.load(PTR, s.get("crew.arenas"), (i - s.get("window.first_batch")) << 3))
            f.call(None, "front_end", f.args[0], batch)
            f.change_atomically("add", s.address("shared.filled"), b.get("used"))
            with f.if_(b.get("count") > LIGHT_PRIMITIVES):
                f.call(I32, "poll", watch.pointer)
    f.ret()


def _build_begin_pass(module: Module) -> None:
    """begin_pass(scene): the serial work before the first batch of a pass. Until then the pass may still get other targets."""
    f = Function(module, "begin_pass", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    number, start = s.get("window.pass_number"), f.var(I32, 0)
    with f.if_(number > 0):
        start.set(_pass_at(f, s, number - 1).get("end_batch"))
    with f.if_((s.get("work.num_passes") > 0) & s.get("shared.next_batch").eq(start.get())):
        p = _pass_at(f, s, number)
        f.call(PTR, "memcpy", s.address("targets"), p.address("targets"), f.const(I64, ctypes.sizeof(Targets)))
        for name in ("tiles_x", "num_tiles", "layer_tiles", "layers"):
            s.set(f"tiles.{name}", p.get(name))
        farthest = s.get("tiles.farthest")
        with f.range(0, p.get("num_tiles")) as i:
            f.store(f.const(F32, INFINITY), farthest, i.zext(I64) << 2)
    f.ret()


def _build_begin_window(module: Module) -> None:
    """begin_window(scene): the serial work before a window."""
    f = Function(module, "begin_window", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    s.set("shared.next_batch", s.get("window.first_batch"))
    s.set("shared.filled", 0)
    s.set("window.is_changed", f.const(I32, 0))
    f.call(None, "go_on", f.args[0])
    s.set("window.ticks", count_ticks(f))
    f.ret()


def _build_go_on(module: Module) -> None:
    """go_on(scene): extends a window to the queued batches, up to the next upload, while workers may be taking some.

    Carries out uploads before the first batch of the window; they are all done before a batch is taken.
    """
    f = Function(module, "go_on", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    f.call(None, "begin_pass", f.args[0])
    first = s.get("window.first_batch")
    last = f.var(I32, f.min(first + s.get("crew.window_size"), _pass_end(f, s, "end_batch", "num_batches")))
    number = f.var(I32, s.get("window.first_upload"))
    with f.loop() as loop:
        loop.break_if(number.get() >= s.get("work.num_uploads"))
        u = Record(f, _upload_at(f, s, number.get()), UploadRecord)
        with f.if_(u.get("before") > first):
            last.set(f.min(last.get(), u.get("before")))
        loop.break_if(u.get("before") > first)
        _carry_out(f, u)
        number.add(1)
    s.set("window.first_upload", number.get())
    f.store(last.get(), s.address("window.last_batch"), atomic=True)
    f.ret()


def _carry_out(f: Function, u: Record) -> None:
    with f.range(0, u.get("rows")) as k:
        row, from_row = k.zext(I64) * u.get("target_stride"), k.zext(I64) * u.get("row_bytes")
        f.call(PTR, "memcpy", (u.get("target") + row).as_pointer(), (u.get("source") + from_row).as_pointer(), u.get("row_bytes"))


def _build_pass_uploads(module: Module) -> None:
    """pass_uploads(scene, first) -> 1 if the window gets more batches, after uploads that no tile reads; otherwise 0.

    first: first batch of the window that was not examined yet. A batch whose arena was too small ends the window, and its
    remaining part begins the next one, so no upload after such a batch may be carried out.
    """
    f = Function(module, "pass_uploads", [PTR, I32], I32, shared=True, internal=True)
    scene, first = f.args
    s = Record(f, scene, Scene)
    last, number = s.get("shared.next_batch"), f.var(I32, s.get("window.first_upload"))
    with f.leaving((number.get() >= s.get("work.num_uploads")) | (last >= _pass_end(f, s, "end_batch", "num_batches"))):
        f.ret(f.const(I32, 0))
    is_full = (last - s.get("window.first_batch") >= s.get("crew.window_size")) | (s.get("shared.filled") >= s.get("crew.window_bytes"))
    with f.leaving(is_full):
        f.ret(f.const(I32, 0))
    with f.range(first, last) as i:
        b = Record(f, _batch_at(f, s, i), Batch)
        with f.leaving(b.get("skipped") + b.get("done") < b.get("count")):
            f.ret(f.const(I32, 0))
    with f.loop() as loop:
        loop.break_if(number.get() >= s.get("work.num_uploads"))
        u = Record(f, _upload_at(f, s, number.get()), UploadRecord)
        loop.break_if(u.get("before").ne(last) | u.get("by_tiles").ne(0))
        _carry_out(f, u)
        number.add(1)
    with f.leaving(number.get().eq(s.get("window.first_upload"))):
        f.ret(f.const(I32, 0))
    s.set("window.first_upload", number.get())
    s.set("window.is_changed", f.const(I32, 1))
    f.call(None, "go_on", scene)
    f.ret((s.get("window.last_batch") > last).zext(I32))


def _lengthen(f: Function, s: Record, worker: Val) -> None:
    """Continue a window that stopped at uploads whose bytes no tile reads.

    Returns from the function if the new batches are work for several workers.
    """
    first = f.var(I32, s.get("window.first_batch"))
    with f.loop() as loop:
        loop.break_if(f.call(I32, "pass_uploads", s.pointer, first.get()).eq(0))
        first.set(s.get("shared.next_batch"))
        with f.leaving(f.call(I32, "has_batches", s.pointer).ne(0)):
            with f.range(0, s.get("crew.participants")) as i:  # the following phase of tiles has none
                w = Record(f, worker_at(f, s, i), Worker)
                w.set("band.next_tile", f.const(I32, 0))
                w.set("band.end_tile", f.const(I32, 0))
            s.set("window.is_longer", f.const(I32, 1))
            s.set("window.finished", f.const(I32, 0))
            f.ret()
        f.call(None, "take_batches", worker)
        leave_if_stopped(f, s)


def _build_begin_tiles(module: Module) -> None:
    """begin_tiles(scene, worker): the serial work between the phases.

    Light batches after uploads are taken here, too, because waking other workers would take longer.

    A batch whose arena was too small ends the window: the next window begins with its remaining part. A window that waits for more batches
    has no phase of tiles yet: this part of the flush ends. A window does not wait after an upload, because a change of targets would force
    everything to be binned again.
    """
    f = Function(module, "begin_tiles", [PTR, PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    leave_if_stopped(f, s)
    with f.leaving(s.get("window.is_binned").ne(0)):
        s.set("window.is_binned", f.const(I32, 0))
        s.set("window.is_wanted", f.const(I32, 1))
        f.ret()
    _lengthen(f, s, f.args[1])
    first, last = s.get("window.first_batch"), s.get("shared.next_batch")
    cut, bytes_ = f.var(I32, -1), f.var(I64, 0)
    totals = {name: f.var(I64, 0) for name in BATCH_FIELDS}
    with f.range(first, last) as i:
        b = Record(f, _batch_at(f, s, i), Batch)
        bytes_.add(b.get("used").zext(I64))
        with f.if_(cut.get() < 0):  # batches after the cut run again, and are counted, in the next window
            for total, field in zip(totals.values(), BATCH_FIELDS.values()):
                total.add(b.get(field).zext(I64))
            cut.set(f.select(b.get("skipped") + b.get("done") < b.get("count"), i, -1))
    now = count_ticks(f)
    s.set("totals.front_ticks", s.get("totals.front_ticks") + now - s.get("window.ticks"))
    s.set("window.ticks", now)
    end, is_last_pass = _pass_end(f, s, "end_batch", "num_batches"), _is_last_pass(s)
    waits = s.get("work.goes_on").ne(0) & is_last_pass & (cut.get() < 0) & (last >= end)
    waits = waits & (last - first < s.get("crew.window_size")) & (s.get("shared.filled") < s.get("crew.window_bytes"))
    waits = waits & _awaits_tiles(f, s).eq(0) & s.get("window.is_changed").eq(0)
    s.set("window.finished", waits.zext(I32))
    with f.leaving(waits):
        f.ret()
    for name, total in totals.items():
        s.set(f"totals.{name}", s.get(f"totals.{name}") + total.get())
    s.set("totals.arena_bytes", f.max(s.get("totals.arena_bytes"), bytes_.get()))
    s.set("window.cut", cut.get())
    s.set("window.last_batch", f.select(cut.get() < 0, last, cut.get() + 1))
    is_final = (cut.get() < 0) & (last >= end) & (~is_last_pass | s.get("work.goes_on").eq(0))
    s.set("window.is_final", is_final.zext(I32))
    s.set("window.end_clear", _pass_end(f, s, "end_clear", "num_clears"))
    s.set("window.resolving", f.select(is_final & is_last_pass, s.get("work.num_resolves"), 0))
    tiles, participants = s.get("tiles.num_tiles"), s.get("crew.participants")
    alone = s.get("work.alone").ne(0)
    with f.range(0, participants) as i:
        w = Record(f, worker_at(f, s, i), Worker)
        w.set("band.next_tile", f.select(alone, 0, (i * tiles).udiv(participants)))
        w.set("band.end_tile", f.select(alone & (i < participants - 1), 0, ((i + 1) * tiles).udiv(participants)))
    with f.if_(f.call(I32, "has_tiles", f.args[0]).ne(0)):
        s.set("window.is_wanted", f.const(I32, 1))
    f.ret()


def _build_has_batches(module: Module) -> None:
    """has_batches(scene) -> 1 if the next window has enough batches or primitives for several workers."""
    f = Function(module, "has_batches", [PTR], I32, shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    first, last = s.get("shared.next_batch"), s.get("window.last_batch")
    with f.leaving(last - first > 1):
        f.ret(f.const(I32, 1))
    with f.if_(last > first), f.leaving(Record(f, _batch_at(f, s, first), Batch).get("count") > LIGHT_PRIMITIVES):
        f.ret(f.const(I32, 1))
    f.ret(f.const(I32, 0))


def _build_has_tiles(module: Module) -> None:
    """has_tiles(scene) -> 1 if the tiles of a window are work for several workers."""
    f = Function(module, "has_tiles", [PTR], I32, shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    tiles, batches = s.get("tiles.num_tiles"), s.get("window.last_batch") - s.get("window.first_batch")
    clears = f.select(s.get("window.first_clear") < s.get("window.end_clear"), tiles > LIGHT_TILES, Val(f, BOOL, "false"))
    is_binned = s.get("shared.filled") > batches * (tiles << 2) + LIGHT_BYTES
    f.ret((clears | is_binned | (s.get("window.resolving") > 0)).zext(I32))


def _build_end_window(module: Module) -> None:
    """end_window(scene, worker): the serial work after a window.

    Light windows that follow, each cut short by an upload or by the end of a pass, are drawn here, too, because waking other workers would
    take longer.
    """
    f = Function(module, "end_window", [PTR, PTR], shared=True, internal=True)
    scene, worker = f.args
    s = Record(f, scene, Scene)
    with f.leaving(s.get("window.is_longer").ne(0)):
        s.set("window.is_longer", f.const(I32, 0))
        s.set("window.is_wanted", f.const(I32, 1))
        f.ret()
    with f.loop() as loop:
        leave_if_stopped(f, s)
        f.call(None, "leave_window", scene)
        loop.break_if(s.get("window.finished").ne(0))
        with f.leaving(f.call(I32, "has_batches", scene).ne(0)):
            s.set("window.is_wanted", f.const(I32, 1))
            f.ret()
        loop.break_if(f.call(I32, "is_short", scene).eq(0))
        f.call(None, "take_batches", worker)
        f.call(None, "begin_tiles", scene, worker)
        leave_if_stopped(f, s)
        with f.leaving(s.get("window.is_longer").ne(0)):  # no phase of tiles yet
            s.set("window.is_longer", f.const(I32, 0))
            f.ret()
        s.set("window.is_binned", f.const(I32, 1))
        loop.break_if(f.call(I32, "has_tiles", scene).ne(0))
        s.set("window.is_binned", f.const(I32, 0))
        f.call(None, "tiles", worker)
    f.ret()


def _build_is_short(module: Module) -> None:
    """is_short(scene) -> 1 if an upload or the end of a pass, but not that of the work, ends the window; otherwise 0."""
    f = Function(module, "is_short", [PTR], I32, shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    last, number = s.get("window.last_batch"), s.get("window.first_upload")
    is_pass = ~_is_last_pass(s) & last.eq(_pass_end(f, s, "end_batch", "num_batches"))
    with f.leaving(is_pass | (number >= s.get("work.num_uploads"))):
        f.ret(is_pass.zext(I32))
    is_upload = Record(f, _upload_at(f, s, number), UploadRecord).get("before").eq(last)
    f.ret((is_upload & (last < s.get("work.num_batches"))).zext(I32))


def _build_leave_window(module: Module) -> None:
    """leave_window(scene): adds the counters of a window, and begins the next one."""
    f = Function(module, "leave_window", [PTR], shared=True, internal=True)
    s = Record(f, f.args[0], Scene)
    cut, last = s.get("window.cut"), s.get("window.last_batch")
    s.set("totals.tile_ticks", s.get("totals.tile_ticks") + count_ticks(f) - s.get("window.ticks"))
    s.set("totals.num_windows", s.get("totals.num_windows") + 1)
    clears, due = s.get("work.clears"), f.var(I32, s.get("window.first_clear"))
    with f.loop() as passed:  # those before a batch of this window, the cut one included
        passed.break_if(due.get() >= s.get("work.num_clears"))
        clear = Record(f, f.at(clears, due.get().zext(I64) * ctypes.sizeof(ClearRecord)), ClearRecord)
        passed.break_if(clear.get("before") >= last)
        due.add(1)
    s.set("window.first_clear", due.get())
    s.set("window.first_batch", f.select(cut < 0, last, cut))
    with f.if_(cut >= 0):
        b = Record(f, _batch_at(f, s, cut), Batch)
        b.set("skipped", b.get("skipped") + b.get("done"))
    is_last_pass, goes_on, is_final = _is_last_pass(s), s.get("work.goes_on").ne(0), s.get("window.is_final").ne(0)
    is_end = s.get("window.first_batch") >= _pass_end(f, s, "end_batch", "num_batches")
    end_clear = _pass_end(f, s, "end_clear", "num_clears")
    is_left = (s.get("window.first_clear") < end_clear) | (is_last_pass & (s.get("work.num_resolves") > 0))
    is_over = is_final | (is_end & ~is_left & (~is_last_pass | ~goes_on))  # more work may have been queued while tiles were drawn
    s.set("window.finished", (is_end & is_last_pass & (is_over | goes_on)).zext(I32))
    with f.if_(is_over & ~is_last_pass):
        s.set("window.first_clear", end_clear)
        s.set("window.pass_number", s.get("window.pass_number") + 1)
    f.call(None, "begin_window", f.args[0])
    f.ret()


def build_windows(module: Module) -> None:
    """take_batches(worker), begin_window(scene), go_on(scene), begin_tiles(scene, worker), end_window(scene, worker)."""
    for build in (
        _build_take_batches,
        _build_has_batches,
        _build_has_tiles,
        _build_begin_pass,
        _build_go_on,
        _build_begin_window,
        _build_pass_uploads,
        _build_begin_tiles,
        _build_leave_window,
        _build_is_short,
        _build_end_window,
    ):
        build(module)
