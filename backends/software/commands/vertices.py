"""Generated code: a copy of a template's `Draw` record with the bound vertex buffers, index buffer and values."""

from __future__ import annotations

import ctypes

from backends.device.commands.bound_record import FIRST_VALUE, VALUES, BoundRecord, VertexBufferSlot
from backends.device.region import ALIGNMENT
from backends.llvm.builder.function import I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.pipe.limits import MAX_VIEWPORTS
from backends.raster.draw_record import Draw, View
from backends.software.commands.copies import copy_words, return_found, return_latest, set_latest
from backends.software.commands.memory import allocate
from backends.software.commands.records import NO_PIXEL, ExecutorRecord, TemplateRecord

_UNLIMITED = 0xFFFFFFFF
_FIXED = 4
"""Words of a key before bound values: the template, the revision of the vertex buffers, the address of the indices, and the interval."""
_KEY = _FIXED + VALUES
_KEY_AT = ctypes.sizeof(Draw)
_VIEWS_AT = (_KEY_AT + 8 * _KEY + ALIGNMENT - 1) & -ALIGNMENT


def build_placed_draw(module: Module) -> None:
    """placed_draw(executor, bound, template, indices, is_same) -> address of a Draw record; 0 if memory ran out; NO_PIXEL if it would draw
    nothing.

    is_same: not 0 if no word has changed since the last use of the template.

    A record is reused until the frame, the vertex buffers, the address of the indices, the interval or bound values change.
    """
    f = Function(module, "placed_draw", [PTR, PTR, PTR, I64, I32], I64, shared=True, internal=True)
    executor, bound, template, indices, is_same = f.args
    e, b, t = Record(f, executor, ExecutorRecord), Record(f, bound, BoundRecord), Record(f, template, TemplateRecord)
    frame, revision = e.get("frame"), b.get("vertex_revision")
    key = f.alloca(f"[{_KEY} x i64]")
    for k, word in enumerate((template.as_address(), revision, indices, b.get("interval"))):
        f.store(word, key, 8 * k, 8)
    with f.if_(is_same.ne(0)):
        return_latest(f, t, frame, key, _FIXED)
    copy_words(f, f.at(key, 8 * _FIXED), b.address("words", FIRST_VALUE), VALUES)
    return_latest(f, t, frame, key, _KEY)
    return_found(f, executor, t, frame, key, _KEY)
    is_plain, has_views = t.get("staged").as_address().eq(0), t.get("has_views").ne(0)
    size = f.select(has_views, f.const(I64, _VIEWS_AT + ctypes.sizeof(View) * MAX_VIEWPORTS), _VIEWS_AT)
    record = f.var(I64, allocate(f, executor, size))
    with f.leaving(record.get().eq(0)):
        f.ret(record.get())
    target = record.get().as_pointer()
    f.call(PTR, "memcpy", target, t.get("content"), f.const(I64, ctypes.sizeof(Draw)))
    d = Record(f, target, Draw)
    f.store(indices, d.address("assembly.indices"), 0, 8)
    d.set("fragments.interval", b.get("interval").trunc(I32))
    with f.range(0, t.get("num_attributes")) as a:
        _write_attribute(f, e, b, t, d, a)
    with f.if_(is_plain):
        views = f.select(has_views, f.at(target, _VIEWS_AT).as_address(), f.const(I64, 0)).as_pointer()
        seen = f.call(I32, "write_values", target, bound, e.get("width"), e.get("height"), views)
        record.set(f.select(seen.ne(0), record.get(), f.const(I64, NO_PIXEL)))
    words = f.at(target, _KEY_AT)
    copy_words(f, words, key, _KEY)
    f.call(None, "note_copy", executor, words, f.const(I32, _KEY), record.get())
    set_latest(t, frame, words.as_address(), record.get())
    f.ret(record.get())


def _write_attribute(f: Function, e: Record, b: Record, t: Record, d: Record, a: Val) -> None:
    """Write address, stride and limit of attribute `a`; without memory it reads zeros."""
    is_read_now = t.get("staged").as_address().ne(0)
    slot = f.load(I32, t.address("buffer"), a << 2)
    size_of = f.load(I32, t.address("element_bytes"), a << 2).zext(I64)
    offset = f.load(I32, t.address("source_offset"), a << 2).zext(I64)
    address, stride, limit, first = f.var(I64, 0), f.var(I64, 0), f.var(I64, 0), f.var(I64, 0)
    f.store(e.get("zeros"), d.address("fetch.attribute"), a << 3, 8)
    with f.if_(slot >= 0):
        v = Record(f, f.at(b.address("vertex_buffers"), slot.zext(I64) * ctypes.sizeof(VertexBufferSlot)), VertexBufferSlot)
        size, start = v.get("size"), offset - v.get("lead")  # of element 0, from the address on
        room, step = size - start - size_of, v.get("stride")
        with f.if_(v.get("address").ne(0) & (room >= 0) & ((start >= 0) | step.ne(0))):
            address.set(v.get("address"))
            stride.set(step)
            limit.set(_UNLIMITED)
            with f.if_(step.ne(0)):
                with f.if_(start < 0):
                    first.set((step - 1 - start).udiv(step))
                limit.set(f.min(room.udiv(step) + 1, f.const(I64, _UNLIMITED)) - first.get())
            with f.else_of(limit.get() > 0) as nothing:
                f.store(address.get() + start + first.get() * step, d.address("fetch.attribute"), a << 3, 8)
                with f.if_(~is_read_now):
                    f.call(None, "note_read", e.pointer, address.get(), size, f.const(I64, 0))
                nothing()
                for value in (stride, limit, first):
                    value.set(0)
    f.store(stride.get(), d.address("fetch.stride"), a << 3, 8)
    f.store(first.get().trunc(I32), d.address("fetch.first"), a << 2)
    f.store(limit.get().trunc(I32), d.address("fetch.limit"), a << 2)
