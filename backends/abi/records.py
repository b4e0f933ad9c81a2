"""Records that generated code reads, a `ctypes.Structure` each; `backends.llvm.builder.record.Record` gives that code the same offsets.

The last one is the record of a watch, by which native code and Python meet while native code runs.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from ctypes import c_int32, c_int64, c_uint64, c_void_p
from enum import IntEnum
from functools import cache
from typing import Any

from backends import system
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_TEXTURE_LEVELS
from backends.pipe.state import SamplerState
from backends.sealed_files import digest_of
from tgsi.language.facts.limits import NEVER

ALIVE, EXHAUSTED = 1, 2
"""Bits of a lane's word after a run. ALIVE: the invocation was not killed. EXHAUSTED: a loop of it ended because its fuel had run out."""


class TextureRecord(ctypes.Structure):
    """One bound sampler view.

    Every read lies within the `size` bytes at `base`. Levels count from the view's first level: entry 0 of the arrays describes it,
    `last_level` is relative to it, and width, height and depth are its size in texels (for arrays, `depth` counts layers). Offsets and
    strides are bytes. The samples of a multisampled texture are planes `sample_stride` apart.
    """

    _fields_ = [
        ("base", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("width", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("depth", ctypes.c_int32),
        ("first_level", ctypes.c_int32),
        ("last_level", ctypes.c_int32),
        ("samples", ctypes.c_int32),
        ("level_offset", ctypes.c_int64 * MAX_TEXTURE_LEVELS),
        ("row_stride", ctypes.c_int32 * MAX_TEXTURE_LEVELS),
        ("layer_stride", ctypes.c_int64 * MAX_TEXTURE_LEVELS),
        ("sample_stride", ctypes.c_int64),
    ]


class SamplerRecord(ctypes.Structure):
    """The run-time part of a sampler. The border color is stored as float bits, and as the integers that views of integer formats read."""

    _fields_ = [
        ("lod_bias", ctypes.c_float),
        ("min_lod", ctypes.c_float),
        ("max_lod", ctypes.c_float),
        ("max_anisotropy", ctypes.c_int32),
        ("border_color", ctypes.c_uint32 * 4),
        ("border_integers", ctypes.c_uint32 * 4),
    ]

    @classmethod
    def of(cls, state: SamplerState) -> SamplerRecord:
        """Run-time part of `state`. Border colors beyond the range of a 32-bit float become infinite; infinities are 0 as integers."""
        record = cls(state.lod_bias, state.min_lod, state.max_lod, state.max_anisotropy)
        for k, value in enumerate(state.border_color):
            record.border_color[k] = ctypes.c_uint32.from_buffer(ctypes.c_float(value)).value
            record.border_integers[k] = int(value) & 0xFFFFFFFF if abs(value) < float("inf") else 0
        return record


class BufferRecord(ctypes.Structure):
    """One bound BUFFER: `words` 32-bit words at `base`."""

    _fields_ = [("base", ctypes.c_void_p), ("words", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class ShaderEnv(ctypes.Structure):
    """Resources of one draw and stage that a shader may read.

    constants: pointers to constant buffers. `constant_words` counts the readable 32-bit words of each. Storage is zero padded up to the
    range that the shader declares, so only indirect reads are checked at run time.
    textures, samplers: arrays of TextureRecord and SamplerRecord, one a unit. images: TextureRecords of one level.
    buffers: BufferRecords, for kernels with memory. counters: BufferRecords of HWATOMIC, for draws.
    sample_positions: x and y of each of the render target's `samples` samples. 0 samples mean one at the pixel's center.
    texture_kinds, image_kinds: for programs that use handles, the kind (i32) of handles 1, 2, ...; -1 where a handle names nothing. The
    tables have `num_textures` and `num_images` entries.
    watch: the WatchRecord that loops look at; 0: none.
    """

    _fields_ = [
        ("constants", ctypes.c_void_p * MAX_CONSTANT_BUFFERS),
        ("constant_words", ctypes.c_int32 * MAX_CONSTANT_BUFFERS),
        ("textures", ctypes.c_void_p),
        ("samplers", ctypes.c_void_p),
        ("buffers", ctypes.c_void_p),
        ("images", ctypes.c_void_p),
        ("sample_positions", ctypes.c_void_p),
        ("samples", ctypes.c_int32),
        ("counters", ctypes.c_void_p),
        ("texture_kinds", ctypes.c_void_p),
        ("image_kinds", ctypes.c_void_p),
        ("num_textures", ctypes.c_int32),
        ("num_images", ctypes.c_int32),
        ("watch", ctypes.c_void_p),
    ]


class RunRecord(ctypes.Structure):
    """Arguments of a run kernel, which executes `units` times `vectors` vectors of lanes, one after the other.

    A unit is a group whose vectors wait for each other at barriers, or a single vector. All staged arrays hold 32-bit words.

    inputs, outputs, system: [vector][register * 4 + channel][lane].
    alive: [vector][lane], not 0 where the lane is an invocation; the kernel stores ALIVE, EXHAUSTED, both or none.
    primitives, members, groups: [vector][lane], the lane's primitive, the lane's number in it, and the lane's group in this call.
    vertices: [primitive][vertex_rows][IN register][channel]. patches: [primitive][patch_rows][OUT register][channel].
    emitted: [vector][lane][vertex][OUT register][channel]. marks: [vector][lane][vertex]. counts: [vector][lane], emitted vertices.
    counters: BufferRecords of HWATOMIC. grid_memory: BufferRecords of GLOBAL and INPUT.
    shared: `shared_words` words a group. private: `shared_words` words a lane.
    state: `state_bytes` for each vector of a unit, kept while the vector waits at a barrier. If `state` is null, a kernel with barriers
    runs nothing: it only stores the number of bytes that it needs in `state_bytes`.
    stops: [vector], the barrier at which the vector waits; 0 at the start, -1 when the vector has ended.
    fragments: a FragmentRecord (backends.llvm.kernels.fragments).
    rows: the vertices and primitives of each group, as `backends.run.meshes.MeshMemory` lays them out. sizes: [primitive][3], numbers that
    groups set. payload: `payload_words` words a primitive, or the same words for all.
    """

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("env", "inputs", "outputs", "system", "alive", "primitives", "members", "groups")),
        *((name, ctypes.c_void_p) for name in ("vertices", "patches", "emitted", "marks", "counts")),
        *((name, ctypes.c_void_p) for name in ("counters", "grid_memory", "shared", "private", "state", "stops", "fragments")),
        ("state_bytes", ctypes.c_int64),
        *((name, ctypes.c_int32) for name in ("units", "vectors", "vertex_rows", "patch_rows", "shared_words", "payload_words")),
        *((name, ctypes.c_void_p) for name in ("rows", "sizes", "payload")),
    ]


class ResolveRecord(ctypes.Structure):
    """Pixels whose samples are averaged. source, target: addresses of pixel (0, 0); box: x0, y0, x1, y1, half-open."""

    _fields_ = [
        ("kernel", c_void_p),
        ("source", c_void_p),
        ("source_stride", c_int64),
        ("sample_stride", c_int64),
        ("target", c_void_p),
        ("target_stride", c_int64),
        ("box", c_int32 * 4),
    ]


@cache
def layout_of(layout: type[ctypes.Structure]) -> tuple[tuple[str, int, str], ...]:
    """Dotted name, offset and type of every field, including base classes and nested structures; for keys of compiled code."""
    entries: list[tuple[str, int, str]] = []
    fields = [field for base in reversed(layout.__mro__) for field in vars(base).get("_fields_", ())]
    for name, t, *_ in fields:
        at = int(getattr(layout, name).offset)
        if issubclass(t, ctypes.Structure):
            entries += [(f"{name}.{inner}", at + offset, kind) for inner, offset, kind in layout_of(t)]
        else:
            entries.append((name, at, _kind(t)))
    return tuple(entries)


@cache
def _kind(t: Any) -> str:
    return f"{getattr(t, '_type_', t)} {ctypes.sizeof(t)}"


@cache
def _text_of(layout: type[ctypes.Structure]) -> str:
    return repr(layout_of(layout))  # digests share records


def layout_digest(*records: type[ctypes.Structure]) -> str:
    """Digest of the layouts of `records`. It is part of a kernel's key in the cache on disk, since the kernel has the offsets built in."""
    return digest_of("\n".join(map(_text_of, records)).encode()).hexdigest()


PERIOD = 50_000_000
"""Nanoseconds from one look at signals to the next."""

_PYTHON = {
    "ident": "PyThread_get_thread_ident",
    "take_lock": "PyGILState_Ensure",
    "leave_lock": "PyGILState_Release",
    "run_handlers": "PyErr_CheckSignals",
    "take_error": "PyErr_Fetch",
}


class Stop(IntEnum):
    """Reasons for which native code ends early."""

    NONE = 0
    RAISED = 1
    """A signal handler raised an exception."""
    LIMIT = 2
    """The time limit was exceeded."""
    ASKED = 3
    """Another part of the same call has failed."""


class WatchRecord(ctypes.Structure):
    """The state of a watch. Times are nanoseconds of the monotonic clock.

    poll: the function to call, which takes the record and returns `stop`. clock: clock_gettime of C, and clock_id: its argument. wait:
    sem_timedwait of C, 0 where there is none. owner: address of the word that names the thread in a context, 0 if there is none; it has
    the value `busy` while handlers run.
    """

    _fields_ = [
        ("poll", c_void_p),
        ("clock", c_void_p),
        ("wait", c_void_p),
        *((name, c_void_p) for name in _PYTHON),
        ("owner", c_void_p),
        ("busy", c_uint64),
        ("caller", c_uint64),  # thread that runs handlers; 0: none
        ("next", c_int64),  # time of the next look at signals
        ("period", c_int64),
        ("limit", c_int64),
        ("clock_id", c_int32),
        ("stop", c_int32),
        ("error", c_void_p * 3),  # the exception that a handler raised: type, value, traceback
    ]


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(getattr(library, name), c_void_p).value or 0


def has_watches() -> bool:
    """True if the system has the clock of POSIX; without it native code runs to its end."""
    return hasattr(time, "CLOCK_MONOTONIC") and hasattr(system.library(), "clock_gettime")


class Watch:
    """A watch lets signal handlers run while native code does, and ends native code that takes too long.

    Native code that may run long calls `poll` now and then (`backends.llvm.library.polling`). On the thread of the caller it lets Python's
    signal handlers run, in place, so nothing is cut and nothing runs twice. If a handler raises, or time is up, `stop` is set, and every
    thread that sees it abandons its work.

    poll: address of that function; 0 where `has_watches` is false.

    Attributes:
        record: read and written by native code.
        owner: array of one number, the word that names the thread in a context.
        address: of the record, for native code; 0 if there is no function.
    """

    def __init__(self, poll: int) -> None:
        self.record = r = WatchRecord(poll=poll, limit=NEVER, period=PERIOD)
        self.address = ctypes.addressof(r) if poll else 0
        self.owner = memoryview(bytearray(8)).cast("Q")
        if poll:
            process = system.library()
            r.clock, r.clock_id = _address(process, "clock_gettime"), time.CLOCK_MONOTONIC
            can_wait = system.has_posix_semaphores() and hasattr(process, "sem_timedwait")
            r.wait = _address(process, "sem_timedwait") if can_wait else 0
            for field, name in _PYTHON.items():
                setattr(r, field, _address(ctypes.pythonapi, name))

    def refuse_calls(self, owner: memoryview[int], busy: int) -> None:
        """Let the first number of `owner`, of 64 bits, be `busy` while signal handlers run in native code."""
        self.owner, self.record.busy = owner, busy
        self.record.owner = ctypes.addressof(c_uint64.from_buffer(owner.cast("B")))

    def begin(self) -> None:
        """Begin to watch the work of the calling thread: it handles signals, and ends at the limit of the current budget."""
        from tgsi.language import budgets

        r = self.record
        r.caller, r.next = threading.get_ident(), budgets.now() + r.period
        r.limit = budgets.deadline()

    def set_limit(self) -> None:
        """Set the deadline from the current budget, if there is one."""
        from tgsi.language import budgets  # first draws load it only if there is a limit

        self.record.limit = budgets.deadline()

    def look(self) -> bool:
        """Look at the clock, as native code does. Returns true if the running code must end."""
        from tgsi.language import budgets

        r = self.record
        if not r.stop and budgets.now() > r.limit:
            r.stop = Stop.LIMIT
        return bool(r.stop)

    def stop(self) -> None:
        """Let native code on all threads end soon."""
        if not self.record.stop:
            self.record.stop = Stop.ASKED

    def end(self) -> None:
        """End to watch, after all threads have returned. Raises the exception of a handler, or TimeLimitError."""
        r = self.record
        r.caller, r.limit = 0, NEVER
        if r.stop:
            self.take_reason()()

    def forget(self) -> None:
        """End to watch, because another exception is on its way."""
        r = self.record
        r.caller, r.limit, r.stop = 0, NEVER, 0

    def take_reason(self) -> Callable[[], None]:
        """Let native code run again. Returns a function that raises the exception for which it was ended, if there is one."""
        r = self.record
        reason, r.stop, r.limit = r.stop, 0, NEVER
        if reason == Stop.RAISED:
            error, r.error[:] = list(r.error), (None,) * 3
            return lambda: _RESTORE(*error)
        if reason == Stop.LIMIT:
            from tgsi.language import budgets

            return budgets.raise_error
        return lambda: None


_RESTORE = ctypes.PYFUNCTYPE(None, *[c_void_p] * 3)(("PyErr_Restore", ctypes.pythonapi))
"""Raises an exception; takes the references of its parts."""
