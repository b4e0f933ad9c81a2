"""Records of a flush: spans, batches, workers and the scene, grouped by who may write them.

Generated code names their fields (`backends.llvm.builder.record`), so that the order of fields is free. The layout follows the caches:
fields that one step reads together are adjacent, and words that several threads write have separate cache lines.
"""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint8, c_uint64, c_void_p

from backends.abi.records import ResolveRecord
from backends.device.counters import BATCH_FIELDS, Place, counted
from backends.pipe.limits import MAX_COLOR_BUFFERS
from backends.raster.draw_record import Call


class Span(ctypes.Structure):
    """A range of primitives of one call of a draw."""

    _fields_ = [
        ("draw", c_void_p),
        ("vertex_env", c_void_p),
        ("fragment_env", c_void_p),
        ("first", c_int32),
        ("count", c_int32),  # at least 1
        ("call", Call),
    ]


class Batch(ctypes.Structure):
    """Consecutive spans, and the arena for their setup records and bins.

    Numbers of primitives and of spans count from the batch's first ones. The thread that queues a batch writes the first group of fields.
    """

    _fields_ = [
        ("first_span", c_int32),  # in `Work.spans`
        ("num_spans", c_int32),  # 1 to MAX_SPANS
        ("count", c_int32),  # primitives
        ("skipped", c_int32),  # primitives that earlier windows drew: 0 at first
        # the flush writes the rest
        ("done", c_int32),  # primitives that this window draws
        ("used", c_int32),  # bytes of the arena
        ("limit", c_int32),  # end of the setup records that are drawn; 0: the arena is empty
        *[(field, c_int32) for name, field in BATCH_FIELDS.items() if field == name],  # counters of the front end
        ("arena", c_void_p),
    ]


# -------------------------------------------------------------------------------------------------------- groups of Worker
class WorkerBuffers(ctypes.Structure):
    """Scratch memory and counts of a worker; the addresses never change."""

    _fields_ = [
        ("intervals", c_void_p),  # i64: samples that passed, by interval; see `backends.device.counters.Intervals`
        ("vertices", c_void_p),
        ("clip_masks", c_void_p),
        ("vertex_id", c_void_p),
        ("instance_id", c_void_p),
        ("t0", c_void_p),  # triangles: numbers of vertex records, and the primitive inside the batch
        ("t1", c_void_p),
        ("t2", c_void_p),
        ("prim", c_void_p),
        ("u0", c_void_p),  # the same after clipping
        ("u1", c_void_p),
        ("u2", c_void_p),
        ("uprim", c_void_p),
        ("cache", c_void_p),
        ("cursors", c_void_p),
        ("list", c_void_p),
        ("polygon", c_void_p),
        ("soa_in", c_void_p),
        ("soa_out", c_void_p),
        ("system", c_void_p),
        ("invocations", c_void_p),  # of the vertex shader in this window, up to the end of each span of a batch
    ]


class VertexRun(ctypes.Structure):
    """Assembled vertices of a group that are not shaded yet, and further inputs of the shader."""

    _fields_ = [
        ("env", c_void_p),
        ("first", c_int32),
        ("base_vertex", c_int32),
        ("start_instance", c_int32),
        ("draw_id", c_int32),
    ]


class GroupScratch(ctypes.Structure):
    """The lists that steps of the front end pass to later steps, for one span or for consecutive spans that are set up together."""

    _fields_ = [
        ("span", Span),  # a copy of the last one, without the primitives that earlier windows drew
        ("run", VertexRun),
        ("prim", c_int32),  # word of the first primitive of `span`; see `SetupLayout.PRIM`
        ("num_prims", c_int32),
        ("num_vertices", c_int32),
        ("or_mask", c_int32),  # of all clip masks
        ("and_mask", c_int32),
        ("stipple_counter", c_float),
        ("stamp", c_int32),  # stamp of the span in the vertex cache: entries with another stamp are invalid
    ]


class ArenaScratch(ctypes.Structure):
    """The state of a batch's arena: records grow up, chunks of bins grow down."""

    _fields_ = [
        ("used", c_int32),  # end of the records; 0: the arena is not open
        ("top", c_int32),  # lowest chunk
        ("clipper_out", c_int32),  # triangles that are binned
    ]


class TileScratch(ctypes.Structure):
    """Values that the tile walk passes to shading."""

    _fields_ = [
        ("fragment_env", c_void_p),  # of the batch that is drawn
        ("layer", c_int32),
        ("is_last", c_int32),  # no later triangle of the window lies in the tile, and no resolve reads it
    ]


class WorkerCounters(ctypes.Structure):
    """Running totals of one worker."""

    _fields_ = [(name, c_int64) for name in counted(Place.WORKER)]


class Band(ctypes.Structure):
    """The tiles of one worker. Other workers take tiles from it when their own bands are empty, so its words have separate cache lines."""

    _fields_ = [
        ("pad0", c_int32 * 32),
        ("next_tile", c_int32),
        ("end_tile", c_int32),
        ("pad1", c_int32 * 31),
    ]


class Worker(ctypes.Structure):
    """One thread: its identity (written by `Pool`), its scratch memory, and its tiles, which other workers may take."""

    _fields_ = [
        ("scene", c_void_p),
        ("semaphore", c_void_p),  # the thread sleeps on it
        ("index", c_int32),  # among the workers
        ("is_asleep", c_int32),  # it waits for its semaphore, or is about to; the thread that resets this to 0 posts the semaphore
        ("buffers", WorkerBuffers),
        ("group", GroupScratch),
        ("space", ArenaScratch),
        ("tile", TileScratch),
        ("counters", WorkerCounters),
        ("ticks", c_int64 * 2),  # time-stamp counts spent on batches, and on tiles, since the pool was made
        ("band", Band),
    ]


class ClearRecord(ctypes.Structure):
    """One surface to clear with 64 bytes of pattern; if `masked`, the bits in `keep` are not changed. Records are in order of `before`."""

    _fields_ = [
        ("base", c_void_p),
        ("row_stride", c_int64),
        ("layer_stride", c_int64),
        ("layers", c_int32),
        ("texel_bytes", c_int32),
        ("masked", c_int32),
        ("before", c_int32),  # number of the batch that follows the clear
        ("has_depth", c_int32),  # depths are cleared
        ("farthest", c_float),  # upper bound of all depths afterwards
        ("pad", c_int32 * 4),
        ("pattern", c_uint8 * 64),
        ("keep", c_uint8 * 64),
    ]


class UploadRecord(ctypes.Structure):
    """Rows of bytes to copy after all batches before a given one are drawn. Records are in order of `before`."""

    _fields_ = [
        ("target", c_uint64),
        ("target_stride", c_int64),
        ("source", c_uint64),  # rows without gaps
        ("row_bytes", c_int64),
        ("rows", c_int32),
        ("before", c_int32),  # number of the batch that follows
        ("by_tiles", c_int32),  # 1: the tiles of batches before it read these bytes, too; 0: their front ends alone
    ]


# --------------------------------------------------------------------------------------------------------- groups of Scene
class Targets(ctypes.Structure):
    """The color and depth buffers of a pass. Strides are bytes a row, a layer, a sample."""

    _fields_ = [
        ("color", c_void_p * MAX_COLOR_BUFFERS),
        ("color_stride", c_int64 * MAX_COLOR_BUFFERS),
        ("color_layer", c_int64 * MAX_COLOR_BUFFERS),
        ("color_sample", c_int64 * MAX_COLOR_BUFFERS),
        ("depth", c_void_p),
        ("depth_stride", c_int64),
        ("depth_layer", c_int64),
        ("depth_sample", c_int64),
    ]


class Tiles(ctypes.Structure):
    """The tiles of the bound framebuffer."""

    _fields_ = [
        ("farthest", c_void_p),  # a float for each tile: upper bound of its stored depths
        ("tiles_x", c_int32),
        ("num_tiles", c_int32),  # of all active layers, layer by layer
        ("layer_tiles", c_int32),  # of one layer
        ("layers", c_int32),  # number of active layers: 1 while no draw names a layer
    ]


class PassRecord(ctypes.Structure):
    """The targets of some of the work of a flush, and the end of that work. The last pass ends where the work ends."""

    _fields_ = [
        ("targets", Targets),
        ("tiles_x", c_int32),  # of these four see `Tiles`
        ("num_tiles", c_int32),
        ("layer_tiles", c_int32),
        ("layers", c_int32),
        ("end_batch", c_int32),
        ("end_clear", c_int32),
        ("begin", c_uint64),  # begin of a range that contains all memory of the targets
        ("end", c_uint64),
        ("prepared", c_int64),  # serial of the prepared targets that generated code has bound; 0: Python bound them
    ]


class Work(ctypes.Structure):
    """The work of a flush up to a point: clears, uploads and batches in their order, then resolves. Parts of it may already be done."""

    _fields_ = [
        ("passes", c_void_p),
        ("clears", c_void_p),
        ("uploads", c_void_p),
        ("spans", c_void_p),
        ("batches", c_void_p),
        ("resolves", c_void_p),
        ("num_clears", c_int32),
        ("num_batches", c_int32),
        ("num_resolves", c_int32),
        ("num_uploads", c_int32),
        ("num_passes", c_int32),  # 0: targets and tiles are those of the scene
        ("alone", c_int32),  # the caller does all of the work
        ("restarts", c_int32),  # number of flushes requested by generated code, each of which leaves one pass
        ("goes_on", c_int32),  # more batches follow: a window that is not full waits for them
    ]


class Crew(ctypes.Structure):
    """Threads, and limits of work. Written when the pool is created or its targets are resized."""

    _fields_ = [
        ("workers", c_void_p),
        ("arenas", c_void_p),  # pointers, one a batch of a window
        ("done", c_void_p),  # semaphore of a caller that does not help; otherwise that of the last worker, which is the caller
        ("watch", c_void_p),  # WatchRecord, which may interrupt a flush
        ("threads", c_int32),
        ("participants", c_int32),  # threads, and the caller if it helps
        ("arena_size", c_int32),  # bytes
        ("most_tiles", c_int32),  # of a pass, for which there is memory
        ("batch_size", c_int32),  # most primitives of a batch
        ("window_size", c_int32),  # most batches of a window
        ("last_cache", c_int64),  # bytes of the third-level cache; NEVER where unknown
        ("window_bytes", c_int32),  # limit on used bytes of the arenas, above which no batch begins
        ("quit", c_int32),
        ("is_held", c_int32),  # `run_ahead` must not wake workers: there are no threads, or the process forks
    ]


class Window(ctypes.Structure):
    """The batches that are binned together. Only the last thread to leave a phase writes here."""

    _fields_ = [
        ("first_batch", c_int32),
        ("last_batch", c_int32),
        ("first_clear", c_int32),  # earlier windows carried out all before it
        ("first_upload", c_int32),  # likewise
        ("pass_number", c_int32),
        ("end_clear", c_int32),  # of the pass
        ("is_wanted", c_int32),  # the next phase is work for several workers: sleeping ones are woken
        ("opener", c_int32),  # number of the thread that opened the latest such phase; see `backends.raster.control.waking`
        ("summoned", c_int32),  # most threads that take part in it
        ("is_final", c_int32),  # it includes everything after the last batch of this pass
        ("is_binned", c_int32),  # the phase of batches is over already
        ("is_longer", c_int32),  # more batches of the window follow after an upload, before the phase of tiles
        ("is_changed", c_int32),  # an upload between batches of the window is done, so they cannot be binned again
        ("cut", c_int32),  # batch whose arena was too small, or -1
        ("resolving", c_int32),  # number of resolves at the end of each tile of this window
        ("finished", c_int32),  # no batch remains
        ("is_open", c_int32),  # `first_batch` to `first_clear` and the arenas belong to a flush in progress
        ("ticks", c_int64),  # time-stamp counter when the phase began
    ]


class Totals(ctypes.Structure):
    """Measurements of the last flush, then running totals. Only the last thread to leave a phase updates them."""

    _fields_ = [
        ("num_windows", c_int64),
        ("arena_bytes", c_int64),  # of the largest window
        ("front_ticks", c_int64),  # time-stamp counts of phases of batches, with the serial work at their ends
        ("tile_ticks", c_int64),  # likewise, of tiles
        *[(name, c_int64) for name in counted(Place.BATCH)],
    ]


class Shared(ctypes.Structure):
    """Atomic words that all threads write, each on a separate cache line."""

    _fields_ = [
        ("pad0", c_int32 * 32),
        ("next_batch", c_int32),
        ("pad1", c_int32 * 31),
        ("filled", c_int32),  # bytes of the arenas in use
        ("pad2", c_int32 * 31),
        ("state", c_int32),  # participants and phase of a flush; see `backends.raster.control.scheduler`
        ("pad3", c_int32 * 31),
    ]


class Scene(ctypes.Structure):
    """One renderer's targets, work and threads.

    Python fills `targets` and `tiles` while no thread is in a flush, `asked` at any time, and `crew`; all other fields belong to generated
    code.
    """

    _fields_ = [
        ("targets", Targets),
        ("tiles", Tiles),
        ("asked", Work),
        ("work", Work),  # while threads are in a flush, participants of a phase may write it
        ("crew", Crew),
        ("window", Window),
        ("totals", Totals),
        ("shared", Shared),
    ]


class CopierRecord(ctypes.Structure):
    """Copies of rows by the threads of one scene, and recent times of both methods; see `backends.raster.control.at_once`."""

    _fields_ = [
        ("scene", c_void_p),
        ("job", ResolveRecord),  # the current copy; its kernel is 0 until Python has compiled it
        ("copies", c_int32),  # number of copies so far
        ("pad", c_int32),
        ("bytes", c_int64),  # number of timed copies by either method
        ("times", c_int64 * 2),  # averages in nanoseconds: of copies by all threads, and by the caller alone; 0: not timed
    ]
