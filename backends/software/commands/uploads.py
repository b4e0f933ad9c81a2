"""Generated code: writes of the CPU to memory that pending draws read.

Such a write is queued among the pending draws, and its bytes are copied at once. A flush carries it out after all earlier draws and before
later ones, or only between their front ends if no fragment shader reads the bytes, as for vertices.
"""

from __future__ import annotations

import ctypes

from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.raster.records import UploadRecord
from backends.software.commands.memory import READ_BY_TILES, allocate, leave
from backends.software.commands.records import Code, ExecutorRecord

MOST_BYTES = 1 << 20
"""Most bytes of a queued write. For more bytes, a second copy would cost more than a flush."""


def build_upload(module: Module) -> None:
    """upload(executor, target, target_stride, source, source_stride, row_bytes, rows) -> Code.

    Writes rows of bytes now, or queues the write.

    UNKNOWN: too many bytes to queue. Pending work does not write the target. Source and target do not overlap.
    """
    f = Function(module, "upload", [PTR, I64, I64, I64, I64, I64, I32], I32, shared=True)
    executor, target, target_stride, source, source_stride, row, rows = f.args
    e, extent = Record(f, executor, ExecutorRecord), target_stride * (rows - 1).zext(I64) + row
    read = f.var(I32, 0)
    with f.if_(e.get("num_spans").ne(0)):
        read.set(f.call(I32, "reads_meet", executor, target, extent, f.const(I32, 0)))
    with f.leaving((read.get() | f.call(I32, "awaits_upload", executor, target, extent)).eq(0)):
        f.call(None, "copy_rows", target, target_stride, source, source_stride, row, rows)
        f.ret(f.const(I32, int(Code.DONE)))
    size, number = row * rows.zext(I64), e.get("num_uploads")
    leave(f, size > MOST_BYTES, Code.UNKNOWN)
    leave(f, (number >= e.get("most_uploads")) | (e.get("held") > e.get("most_held")), Code.FULL)
    copy = allocate(f, executor, size)
    leave(f, copy.eq(0), Code.MEMORY)
    f.call(None, "copy_rows", copy, row, source, source_stride, row, rows)
    u = Record(f, f.at(e.get("uploads"), number.zext(I64) * ctypes.sizeof(UploadRecord)), UploadRecord)
    u.set("target", target)
    u.set("target_stride", target_stride)
    u.set("source", copy)
    u.set("row_bytes", row)
    u.set("rows", rows)
    u.set("before", e.get("num_batches"))
    u.set("by_tiles", read.get().eq(READ_BY_TILES).zext(I32))
    e.set("closed", e.get("num_batches"))
    is_first = number.eq(0)
    e.set("upload_begin", f.select(is_first | target.ult(e.get("upload_begin")), target, e.get("upload_begin")))
    end = target + extent
    e.set("upload_end", f.select(is_first | e.get("upload_end").ult(end), end, e.get("upload_end")))
    e.set("num_uploads", number + 1)
    e.set("held", e.get("held") + size)
    f.ret(f.const(I32, int(Code.DONE)))


def build_upload_plain(module: Module) -> None:
    """upload_plain(executor, target, source, bytes) -> Code. `upload` of one row, unless programs of pending draws access memory."""
    f = Function(module, "upload_plain", [PTR, I64, I64, I64], I32, shared=True)
    executor, target, source, size = f.args
    e, none = Record(f, executor, ExecutorRecord), f.const(I64, 0)
    leave(f, e.get("is_hindered").ne(0) | e.get("is_reached").ne(0), Code.UNKNOWN)
    f.ret(f.call(I32, "upload", executor, target, none, source, none, size, f.const(I32, 1)))


def build_awaits_upload(module: Module) -> None:
    """awaits_upload(executor, address, bytes) -> 1 if pending writes may change any of these bytes, otherwise 0."""
    f = Function(module, "awaits_upload", [PTR, I64, I64], I32, shared=True)
    executor, address, size = f.args
    e = Record(f, executor, ExecutorRecord)
    meets = address.ult(e.get("upload_end")) & e.get("upload_begin").ult(address + size)
    f.ret((e.get("num_uploads").ne(0) & meets).zext(I32))


def build_copy_rows(module: Module) -> None:
    """copy_rows(target, target_stride, source, source_stride, row_bytes, rows)."""
    f = Function(module, "copy_rows", [I64, I64, I64, I64, I64, I32], shared=True, internal=True)
    target, target_stride, source, source_stride, row, rows = f.args

    def row_of(first: Val, stride: Val, k: Val) -> Val:
        return (first + k.zext(I64) * stride).as_pointer()

    with f.range(0, rows) as k:
        f.call(PTR, "memcpy", row_of(target, target_stride, k), row_of(source, source_stride, k), row)
    f.ret()
