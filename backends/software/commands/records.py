"""Records of the executor: templates of draws, and the memory, spans and batches that generated code writes.

Generated code fills in the values that change from draw to draw; Python creates templates, supplies memory, and takes spans and batches at
a flush.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_uint64, c_void_p
from enum import IntEnum

from backends.device.commands.bound_record import HEAD_WORDS, TABLES, ClearCall
from backends.device.counters import FlushReason
from backends.geometry.records import RunRecord, StageCounts
from backends.pipe.limits import MAX_ATTRIBUTES, MAX_CONSTANT_BUFFERS, MAX_TARGETS
from backends.raster.draw.facts import Fact
from backends.raster.draw.packet import Size
from backends.raster.records import PassRecord
from tgsi.language.facts.enums import Processor


class Code(IntEnum):
    """Result of a command. All except DONE, STOPPED and FAILED mean that nothing was done."""

    DONE = 0
    UNKNOWN = 1  # Python has to draw: no template, or an unsupported draw
    MEMORY = 2  # `ExecutorRecord.wanted` bytes are missing
    FULL = 3  # too much is pending: flush
    NEW = 4  # no template, and a part of it is missing
    ROOM = 5  # no room for more templates
    LAYERS = 6  # all layers of the framebuffer need tiles
    STOPPED = 7  # a signal handler has raised an exception
    WAIT = 8  # pending work uses memory that the draw writes: flush
    FAILED = 9  # an error of Python ended the draw halfway: raise it


_LATEST: list[tuple[str, type]] = [
    ("frame", c_int64),  # in which the latest copy was made
    ("latest", c_uint64),  # address of the words from which it was made
    ("address", c_uint64),  # of the copy
]


class EnvironmentRecipe(ctypes.Structure):
    """The environment (ShaderEnv) of one stage of a template, and its latest copies."""

    _fields_ = [
        ("content", c_void_p),  # a ShaderEnv without constants, textures and samplers
        ("stage", c_int32),
        ("num_constants", c_int32),
        ("slot", c_int32 * MAX_CONSTANT_BUFFERS),
        ("declared", c_int32 * MAX_CONSTANT_BUFFERS),  # bytes that must be readable
        ("is_whole", c_int32 * MAX_CONSTANT_BUFFERS),  # the whole buffer is needed
        ("units", c_int32),  # texture units
        ("is_revised", c_int32),  # not 0: constants or tables belong to it, so it depends on their revision
        ("reaches", c_int32),  # number of the stage's place in `REACHED`, plus 1; 0: its program accesses no memory
        *_LATEST,
    ]


REACHED = (Processor.VERT, Processor.FRAG)
"""Stages with copies of their tables in `ExecutorRecord.tables`."""

REASONS = tuple(FlushReason)
"""Reasons of flushes, by their places in `ExecutorRecord.flushes`."""
SWEEPING = 64
"""Frames between Python's searches for unused objects."""

CLEAR_WORDS = ctypes.sizeof(ClearCall) // 8
"""Words of the arguments of a clear."""

MOST_APPROVED, MOST_WRITTEN = 8, 64
"""Approved draws that access memory, and ranges that pending programs write, in the form for generated code."""


class ApprovedDraw(ctypes.Structure):
    """Programs and memory of a draw approved by Python; see `backends.software.commands.reached`."""

    _fields_ = [
        ("bound", c_uint64),  # address of the BoundRecord
        ("revision", c_int64),  # `BoundRecord.memory_revision`
        ("shaders", c_uint64 * len(REACHED)),
        ("tables", c_uint64 * (TABLES * len(REACHED))),
    ]


AWAITS_UPLOAD = 1
"""Result instead of the address of an environment: its constants await a pending write."""

NO_PIXEL = 1
"""Result instead of the address of a record: the draw has no pixel and no counter to update."""


class StageEnvironment(ctypes.Structure):
    """The environment of a stage before the rasterizer, and the destination of its address."""

    _fields_ = [
        ("recipe", c_void_p),
        ("place", c_void_p),
        ("reaches", c_int32),  # its program reads or writes memory
        ("writes", c_int32),
    ]


QUEUED_FIELDS = ("queued_frame", "queued_targets", "queued_input", "queued_draw", "queued_vertices", "queued_corners")
"""The latest `Draw` record queued for a template: the frame, targets and record of the vertex stage for which it is valid, its address, and
the addresses of its vertices and corners.
"""


class StagedRecord(ctypes.Structure):
    """The additional stages of a template, or its stream output.

    The template's `content` is then the record of the vertex stage.
    """

    _fields_ = [
        ("content", c_void_p),  # a `Draw` record of the primitives that leave the last stage; null: nothing is drawn
        ("environments", c_void_p),  # StageEnvironment
        ("num_environments", c_int32),
        ("most", c_int32),  # input primitives of a draw
        ("chunk", c_int32),  # that go through the stages together, for which memory is reserved
        ("pad", c_int32),
        ("has_loops", c_int32),
        ("follows", c_int32),  # a plain draw of the same primitives follows
        ("executor", c_void_p),  # of the draw that is carried out
        ("bound", c_void_p),
        ("fragment_environment", c_uint64),
        *((name, c_int64) for name in QUEUED_FIELDS),
        ("run", RunRecord),
    ]


class TemplateRecord(ctypes.Structure):
    """A combination, and its draw.

    head, classes, kind, framebuffer: see `backends.software.commands.hashing.Combination`. content: a `Draw` record; addresses of vertices
    and indices, and bound values, are filled in.
    """

    _fields_ = [
        ("head", c_uint64 * HEAD_WORDS),
        ("classes", c_void_p),  # i32
        ("kind", c_uint64),  # see `draw_kind`
        ("framebuffer", c_uint64),
        ("content", c_void_p),
        *_LATEST,
        ("is_layered", c_int32),
        ("has_views", c_int32),  # vertices name viewports
        ("prim_shift", c_int32),
        ("corners", c_int32),  # of a written-out primitive
        ("shift", c_int32),
        ("closes", c_int32),
        ("multiply", c_int32 * 3),
        ("offset", c_int32 * 6),
        ("num_attributes", c_int32),
        ("buffer", c_int32 * MAX_ATTRIBUTES),  # slot of the vertex buffer, -1: none
        ("source_offset", c_int32 * MAX_ATTRIBUTES),
        ("element_bytes", c_int32 * MAX_ATTRIBUTES),
        ("vertex", EnvironmentRecipe),
        ("fragment", EnvironmentRecipe),
        ("staged", c_void_p),  # StagedRecord; null: only vertex and fragment shader, without stream output
    ]


class TemplateSlot(ctypes.Structure):
    """An entry of the hash table of templates; template 0: empty."""

    _fields_ = [("template", c_uint64), ("hash", c_int32), ("pad", c_int32)]


class ReadRange(ctypes.Structure):
    """Memory that pending draws read, or that belongs to targets.

    by_tiles: 1 if fragment shaders may read it; 0 if only front ends do.
    """

    _fields_ = [("address", c_uint64), ("size", c_int64), ("by_tiles", c_int64)]


class PreparedTargets(ctypes.Structure):
    """Prepared targets: a pass to their first layer, and the facts needed to bind them."""

    _fields_ = [
        ("opened", PassRecord),  # `prepared` is a serial that no other targets have
        ("framebuffer", c_uint64),  # number of their kind
        ("arena_size", c_int64),  # required bytes of each arena
        ("targets", ReadRange * MAX_TARGETS),  # their memory
        ("num_targets", c_int32),
        ("has_integers", c_int32),  # see `ExecutorRecord`
        ("width", c_int32),  # pixels
        ("height", c_int32),
    ]


class ReadSlot(ctypes.Structure):
    """An entry of the hash table of read ranges: the number of a ReadRange. Entries of an earlier pass or frame are empty."""

    _fields_ = [("epoch", c_int64), ("number", c_int32), ("pad", c_int32)]


class KnownClear(ctypes.Structure):
    """An entry of the hash table of known clears: the call, and its ClearRecords among `ExecutorRecord.kept_clears`."""

    _fields_ = [
        ("targets_id", c_int64),  # 0: empty
        ("words", c_uint64 * CLEAR_WORDS),  # of the ClearCall
        ("first", c_int32),
        ("count", c_int32),
    ]


class CopySlot(ctypes.Structure):
    """An entry of the table of copies, which is valid only in its frame."""

    _fields_ = [("frame", c_int64), ("key", c_uint64), ("address", c_uint64)]


class ExecutorRecord(ctypes.Structure):
    """The state of one renderer's commands."""

    _fields_ = [
        ("is_hindered", c_int32),  # every draw falls back to Python
        ("is_reached", c_int32),  # programs of pending draws read or write memory
        ("keeps", c_int32),  # Python keeps objects alive until the next flush
        ("is_limited", c_int32),  # flushes may have a time limit
        ("may_reach", c_int32),  # Python has checked the next draw, whose programs may access memory by `tables`
        ("is_layered", c_int32),  # all layers of the framebuffer have tiles
        ("frame", c_int64),  # incremented when memory of draws becomes invalid
        ("epoch", c_int64),  # incremented with each frame and each pass
        ("num_passes", c_int32),  # pending ones, including that of the bound targets
        ("pass_reads", c_int32),  # number of ranges that earlier passes read
        ("tables", c_uint64 * (TABLES * len(REACHED))),  # by stage
        ("num_approved", c_int32),  # draws written to `approved` so far, as in a ring
        ("num_written", c_int32),
        ("approved", ApprovedDraw * MOST_APPROVED),
        ("written", c_void_p),  # ReadRange: memory that programs of pending draws may write
        ("reads_pending_write", c_int32),  # pending programs write memory that was noted as read: a flush has to come first
        ("pad_met", c_int32),
        ("framebuffer", c_uint64),  # number of the class of the bound framebuffer
        ("targets", ReadRange * MAX_TARGETS),  # memory of the bound framebuffer
        ("num_targets", c_int32),
        ("has_integers", c_int32),  # a color buffer of the framebuffer has a pure integer format
        ("targets_id", c_int64),  # unique number of the bound framebuffer
        ("width", c_int32),  # of the framebuffer, pixels
        ("height", c_int32),
        ("slots", c_uint64),  # TemplateSlot
        ("mask", c_int32),  # number of slots - 1
        ("place", c_int32),  # slot at which the latest search for a template ended
        ("hash", c_int32),  # for which it searched
        ("num_templates", c_int32),
        ("most_templates", c_int32),
        ("num_spare", c_int32),
        ("spare", c_uint64),  # addresses of Blocks that are free
        ("part_slots", c_uint64),  # PartSlot
        ("parts_mask", c_int32),  # number of part_slots - 1
        ("missing", c_int32),  # number of the step with the missing part in the latest composition; the number of steps if complete
        ("numbers", c_uint64),  # of facts, as far as the latest composition got
        ("found", c_uint64),  # addresses of parts, likewise
        ("bound", c_uint64),  # of the last draw: its BoundRecord, kind and template
        ("kind", c_uint64),
        ("bound_framebuffer", c_uint64),
        ("template", c_uint64),  # 0: look it up
        ("memory", c_uint64),  # of this frame: next free byte, and bytes that are left
        ("room", c_int64),
        ("memory_base", c_uint64),  # where this piece of memory begins
        ("wanted", c_int64),  # bytes that were missing
        ("first_memory", c_uint64),  # memory with which a frame begins, and its bytes
        ("first_room", c_int64),
        ("spans", c_void_p),
        ("batches", c_void_p),
        ("num_spans", c_int32),
        ("most_spans", c_int32),
        ("num_batches", c_int32),
        ("most_batches", c_int32),
        ("closed", c_int32),  # number of closed batches
        ("batch_size", c_int32),  # most primitives of a batch
        ("batch_spans", c_int32),  # most spans of a batch
        ("num_reads", c_int32),
        ("most_reads", c_int32),
        ("reads_mask", c_int32),  # number of read_slots - 1
        ("reads", c_void_p),  # ReadRange
        ("read_slots", c_void_p),  # ReadSlot, twice as many at least
        ("uploads", c_void_p),  # UploadRecord: pending writes
        ("num_uploads", c_int32),
        ("most_uploads", c_int32),
        ("upload_begin", c_uint64),  # all their bytes lie from here to `upload_end`
        ("upload_end", c_uint64),
        ("copies", c_void_p),  # CopySlot
        ("copies_mask", c_int32),  # number of copies - 1
        ("pad_copies", c_int32),
        ("run_ahead", c_void_p),  # lets workers begin: run_ahead(scene, clears, uploads, batches)
        ("scene", c_void_p),
        ("watch", c_void_p),  # WatchRecord of the shaders
        ("ahead", c_int64),  # amount of pending work (`offer_work`) at which workers are woken next
        ("ahead_step", c_int64),  # increment of that amount
        ("clears", c_void_p),  # ClearRecord: pending ones
        ("num_clears", c_int32),
        ("known_clears_mask", c_int32),  # number of known_clears - 1
        ("known_clears", c_void_p),  # KnownClear
        ("kept_clears", c_void_p),  # ClearRecord
        ("queued", c_int64),  # primitives of all spans
        ("most_queued", c_int64),
        ("held", c_int64),  # bytes that pending draws read
        ("most_held", c_int64),
        ("zeros", c_void_p),  # for attributes without memory
        ("flush", c_void_p),  # flush(scene) of `backends.raster.control.scheduler`
        ("flushes", c_int64 * len(REASONS)),  # running totals from here on: flushes by reason
        ("runs", c_int64),  # native ones that wrote targets
        ("known_draws", c_int64),
        ("other_draws", c_int64),  # taken by Python
        ("templates_composed", c_int64),
        ("vertices", c_int64),
        ("primitives", c_int64),
        ("polygon_triangles", c_int64),  # of plain draws, beyond the first of each polygon
        ("staged_primitives", c_int64),  # of draws with more stages, until Python collects these counts
        ("staged_counts", StageCounts),  # likewise
        ("stamp", c_int32),  # of the last staged draw that used the vertex cache
        ("pad_stamp", c_int32),
        ("supply", c_void_p),  # supply(code) -> 1 if Python provided memory (MEMORY) or flushed (FULL), 0 after an error
    ]


ROOM_READS = 128
"""Most read ranges of a draw."""

WRITTEN_OUT, SIZE_AT, STAGED, PATCH_AT, STREAMED = 1 << 12, 13, 1 << 15, 16, 1 << 22


def draw_kind(mode: int, index_size: int, is_written_out: bool, size: Size) -> int:
    """The part of a draw call that is part of the combination.

    Draws with more stages or stream output add STAGED, the vertices of a patch from bit PATCH_AT on, and STREAMED.
    """
    return mode | index_size << 8 | WRITTEN_OUT * is_written_out | size << SIZE_AT


def call_facts(kind: int) -> dict[Fact, int]:
    """The facts from a `draw_kind`: those that are neither bound state nor conclusions."""
    size = kind >> SIZE_AT & 3
    return {
        Fact.MODE: kind & 255,
        Fact.INDEX_SIZE: kind >> 8 & 7,
        Fact.IS_WRITTEN_OUT: bool(kind & WRITTEN_OUT),
        Fact.IS_TINY: size == Size.TINY,
        Fact.IS_FEW: size <= Size.FEW,
        Fact.IS_STORED: False,
    }
