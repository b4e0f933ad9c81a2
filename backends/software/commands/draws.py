"""Generated code: draw_vbo for bound state that has a template. All other draws fall back to Python before anything is done."""

from __future__ import annotations

from backends.device.commands.bound_record import WRITES_MEMORY, BoundRecord, DrawCall, Hindrance, Word, shader_word
from backends.device.commands.condition import Answer, ConditionValues
from backends.device.commands.numbers import CLASS_SHIFT
from backends.llvm.builder.function import BOOL, I32, I64, PTR, Function, Module, Val
from backends.llvm.builder.record import Record
from backends.llvm.builder.values import Var
from backends.pipe.enums import Prim
from backends.pipe.limits import MAX_PATCH_VERTICES
from backends.raster.draw.packet import FEW, TINY, Size
from backends.raster.draw.vertex_inputs import MAX_EXPANDED
from backends.raster.draw_record import Call
from backends.software.commands.assembly import MODES, is_loop, primitives_of
from backends.software.commands.compose import NO_ROOM
from backends.software.commands.environments import return_if_missing
from backends.software.commands.memory import allocate, leave
from backends.software.commands.records import (
    NO_PIXEL,
    PATCH_AT,
    SIZE_AT,
    STAGED,
    STREAMED,
    WRITTEN_OUT,
    Code,
    ExecutorRecord,
    StagedRecord,
    TemplateRecord,
)
from backends.software.commands.spans import is_full, offer_work
from tgsi.language.facts.enums import Processor

MOST_PRIMITIVES = 1 << 20
"""Most primitives of a draw for generated code; Python splits larger ones, with flushes in between."""
_CALL_WORDS = Call.draw_id.offset // 4 + 1
_MOST_INDEX = 1 << 28  # most bytes before the first index, so that offsets stay below 2^31


def build_draw(module: Module) -> None:
    """draw(executor, bound, call) -> Code. Takes a draw of a known combination."""
    _KnownDraw(module).build()


class _KnownDraw:
    """Writer of the function `draw`, with a method for each step, in order of execution.

    Attributes:
        e, b, c: the executor, the bound state, the arguments of the call.
        is_staged: vertices pass through other stages, or through a vertex shader that writes memory. is_streamed: with stream output.
        is_written: vertex numbers of all corners are written out first, for loops and for primitives that restart.
        per_instance, total: primitives of one instance and of all.
        indices, first: address of the indices that are read, and number of the first one.
    """

    def __init__(self, module: Module) -> None:
        f = self.f = Function(module, "draw", [PTR, PTR, PTR], I32, shared=True)
        self.module = module
        self.executor, self.bound, arguments = f.args
        self.e, self.b = Record(f, self.executor, ExecutorRecord), Record(f, self.bound, BoundRecord)
        self.c = Record(f, arguments, DrawCall)

    def build(self) -> None:
        """Write the function."""
        f = self.f
        self._begin()
        self._refuse()
        self._count()
        self.known, self.same, self.earlier = f.var(I64, self.template), f.var(I32, self.is_same), f.var(I64, 0)
        self.staged_call = f.alloca(f"[{_CALL_WORDS} x i32]")
        with f.if_(self.is_staged):
            self._run_stages()
        self._queue()
        f.ret(f.const(I32, int(Code.DONE)))

    def _begin(self) -> None:
        """Check the render condition, bind pending targets, and flush if too much is pending."""
        f, e, b = self.f, self.e, self.b
        self.hindrances = hindrances = b.get("hindrances")
        has_stages, self.is_streamed = ((hindrances & int(reason)).ne(0) for reason in (Hindrance.STAGES, Hindrance.STREAMS))
        self.is_staged = has_stages | (b.get("words", shader_word(Processor.VERT)) & (WRITES_MEMORY << CLASS_SHIFT)).ne(0)
        with f.if_(b.get("words", Word.CONDITION).ne(0)):
            _heed_condition(f, b, self.c)
        leave(f, e.get("is_hindered").ne(0), Code.UNKNOWN)
        with f.if_((hindrances & int(Hindrance.TARGETS)).ne(0)):
            leave(f, f.call(I32, "bind_targets", self.executor, self.bound).eq(0), Code.UNKNOWN)
        offer_work(f, e)

    def _refuse(self) -> None:
        """Fall back for draws that this function does not support."""
        f, e, b, c, is_staged = self.f, self.e, self.b, self.c, self.is_staged
        leave(f, is_staged & (self.hindrances & int(Hindrance.USER_MEMORY)).ne(0), Code.UNKNOWN)  # targets may overlap vertices
        self.count, self.instances, self.mode = count, instances, mode = c.get("count"), c.get("instance_count"), c.get("mode")
        self.is_patches = mode.eq(int(Prim.PATCHES))
        leave(f, (count < 1) | (instances < 1) | (mode.uge(MODES) & ~(is_staged & self.is_patches)), Code.UNKNOWN)
        self.index_size, self.start = c.get("index_size"), c.get("start")
        self.index_address = _checked_indices(f, b, self.index_size, self.start, count)
        loop = _any(f, [mode.eq(int(p)) for p in Prim if p < MODES and is_loop(p)])
        self.has_restart = self.index_size.ne(0) & c.get("primitive_restart").ne(0)
        self.is_polygon = mode.eq(int(Prim.POLYGON))
        leave(f, self.is_polygon & self.has_restart, Code.UNKNOWN)  # Python counts the polygons
        self.is_written = is_written = loop | self.has_restart
        leave(f, is_written & (self.is_patches | (count > MAX_EXPANDED)), Code.UNKNOWN)
        leave(f, (is_staged | is_written) & e.get("num_uploads").ne(0), Code.FULL)  # the stages read memory immediately
        leave(f, (is_staged | is_written) & e.get("num_written").ne(0), Code.UNKNOWN)
        leave(f, is_staged & (e.get("num_passes") > 1), Code.FULL)  # as well as textures, which may be targets of earlier passes

    def _count(self) -> None:
        """Count the primitives, and look up the template of the bound state."""
        f, e, b, c, count, index_size = self.f, self.e, self.b, self.c, self.count, self.index_size
        bits = f.select(index_size.eq(2), f.const(I32, 0xFFFF), f.select(index_size.eq(1), f.const(I32, 0xFF), -1))
        restart = [self.has_restart.zext(I32), c.get("restart_index") & bits]
        self.strip = [self.index_address.as_pointer(), index_size, *restart, self.start, count, self.mode]
        patch = _patch_vertices(f, b, c, self.is_patches)
        self.per_instance = f.var(I32, 0)
        with f.else_of(self.is_patches) as others:
            self.per_instance.set(count.udiv(f.max(patch, 1)))
            others()
            self.per_instance.set(primitives_of(f, self.module, self.mode, count))
        with f.if_(self.has_restart):
            self.per_instance.set(f.call(I32, "count_written", *self.strip))
        self.total = total = self.per_instance.get().zext(I64) * self.instances.zext(I64)
        leave(f, (total < 1) | (total > MOST_PRIMITIVES), Code.UNKNOWN)
        leave(f, is_full(f, e, total), Code.FULL)
        self.vertices = count.zext(I64) * self.instances.zext(I64)
        size = _size(f, total, self.vertices) << SIZE_AT
        self.kind = kind = self.mode | index_size << 8 | f.select(self.is_written, f.const(I32, WRITTEN_OUT), 0) | size
        staged = [f.select(self.is_staged, f.const(I32, STAGED), 0), f.select(self.is_streamed, f.const(I32, STREAMED), 0)]
        self.template, self.is_same = _template(f, e, b, (kind | staged[0] | patch << PATCH_AT | staged[1]).zext(I64))
        self.indices, self.first = f.var(I64, self.index_address), f.var(I32, self.start)

    def _write_out(self, t: Record) -> None:
        f = self.f
        with f.if_(self.is_written):
            self.indices.set(self.e.get("memory_base"))  # the same for all draws in a piece of memory, so that they share a record
            place = _written_out(f, self.executor, t, self.strip, self.per_instance)
            self.first.set((place - self.indices.get()).lshr(2).trunc(I32))

    def _call(self) -> Val:
        return _call(self.f, self.c, self.first.get(), self.index_size, self.start, self.per_instance.get())

    def _assembled(self, t: Record) -> Val:
        return self.f.select(self.is_polygon, self.instances.zext(I64), self.total.lshr(t.get("prim_shift").zext(I64)))

    def _run_stages(self) -> None:
        """Run the stages before the rasterizer, and return unless a plain draw follows."""
        f, e, b, total = self.f, self.e, self.b, self.total
        t = Record(f, self.template.as_pointer(), TemplateRecord)
        s = Record(f, t.get("staged"), StagedRecord)
        self._write_out(t)
        arguments = [self.indices.get(), total.trunc(I32), self.is_streamed.zext(I32)]
        code = f.call(I32, "prepare_staged", self.executor, self.bound, t.pointer, *arguments)
        with f.leaving(code.ne(0)):
            f.ret(code)
        f.call(PTR, "memcpy", self.staged_call, self._call(), f.const(I64, 4 * _CALL_WORDS))
        with f.leaving(s.get("follows").eq(0)):
            code = _run_staged(f, e, b, t, self.staged_call, total, self._assembled(t))
            with f.if_(code.eq(0)):
                with f.if_(s.get("run.counts_input").ne(0)):
                    e.set("vertices", e.get("vertices") + self.vertices)
                self._count_draw(self.template)
            f.ret(code)
        self.earlier.set(self.template)
        plain, _ = _template(f, e, b, self.kind.zext(I64))
        self.known.set(plain)
        self.same.set(0)

    def _queue(self) -> None:
        """Queue the draw, and run its additional stages."""
        f, e, executor, bound, same = self.f, self.e, self.executor, self.bound, self.same
        t = Record(f, self.known.get().as_pointer(), TemplateRecord)
        self._write_out(t)
        with f.if_(self.index_size.ne(0)):
            begin = self.index_address + self.start.zext(I64) * self.index_size.zext(I64)
            f.call(None, "note_read", executor, begin, self.count.zext(I64) * self.index_size.zext(I64), f.const(I64, 0))
        draw = f.call(I64, "placed_draw", executor, bound, t.pointer, self.indices.get(), same.get())
        leave(f, draw.eq(0), Code.MEMORY)
        with f.leaving(draw.eq(NO_PIXEL)):
            _run_earlier(f, e, self.b, self.earlier, self.staged_call, self.total)
            f.ret(f.const(I32, int(Code.DONE)))
        vertex_env = f.call(I64, "environment", executor, bound, t.address("vertex"), same.get())
        return_if_missing(f, vertex_env)
        fragment_env = f.call(I64, "environment", executor, bound, t.address("fragment"), same.get())
        return_if_missing(f, fragment_env)
        leave(f, e.get("reads_pending_write").ne(0), Code.UNKNOWN)  # before anything is queued
        f.call(None, "append", executor, draw, vertex_env, fragment_env, f.const(I32, 0), self.total.trunc(I32), self._call())
        e.set("vertices", e.get("vertices") + self.vertices)
        e.set("primitives", e.get("primitives") + self._assembled(t))
        extra = f.select(self.is_polygon, self.total - self.instances.zext(I64), 0)
        e.set("polygon_triangles", e.get("polygon_triangles") + extra)
        self._count_draw(self.known.get())
        _run_earlier(f, e, self.b, self.earlier, self.staged_call, self.total)

    def _count_draw(self, template: Val) -> None:
        e, b = self.e, self.b
        b.set("draws", b.get("draws") + 1)
        e.set("known_draws", e.get("known_draws") + 1)
        e.set("template", template)


def _heed_condition(f: Function, b: Record, c: Record) -> None:
    """Skip a draw if the render condition is false and Python would raise no error; fall back if the result is pending."""
    address = f.call(I64, "find_value", b.pointer, b.get("words", Word.CONDITION))
    leave(f, address.eq(0), Code.UNKNOWN)
    values = Record(f, address.as_pointer(), ConditionValues)
    answer = f.load(I32, values.get("answer").as_pointer())
    leave(f, answer.eq(int(Answer.ASKED)), Code.UNKNOWN)
    with f.leaving(answer.eq(values.get("skipped"))):
        size = c.get("index_size")
        has_indices = size.eq(0) | (b.get("index_address").ne(0) & (size.eq(1) | size.eq(2) | size.eq(4)))
        are_shaders_fine = b.get("words", shader_word(Processor.VERT)).ne(0) & b.get("words", shader_word(Processor.MESH)).eq(0)
        is_fine = has_indices & are_shaders_fine & c.get("mode").ult(MODES)
        f.ret(f.select(is_fine, f.const(I32, int(Code.DONE)), int(Code.UNKNOWN)))


def _patch_vertices(f: Function, b: Record, c: Record, is_patches: Val) -> Val:
    """Vertices of a patch, 0 for other primitives. Falls back for wrong numbers."""
    chosen = c.get("patch_vertices")
    vertices = f.select(is_patches, f.select(chosen.eq(0), b.get("patch_vertices"), chosen), 0)
    leave(f, vertices.ugt(MAX_PATCH_VERTICES), Code.UNKNOWN)
    return vertices


def _run_staged(f: Function, e: Record, b: Record, t: Record, call: Val, total: Val, assembled: Val) -> Val:
    """Run the prepared stages of a draw. assembled: `Packet.assembled`. Returns the Code."""
    return f.call(I32, "run_staged", e.pointer, b.pointer, t.pointer, call, total.trunc(I32), assembled)


def _run_earlier(f: Function, e: Record, b: Record, template: Var, call: Val, total: Val) -> None:
    """Run the stages of a queued draw with stream output. Returns from the function if they fail."""
    with f.if_(template.get().ne(0)):
        t = Record(f, template.get().as_pointer(), TemplateRecord)
        code = _run_staged(f, e, b, t, call, total, total)  # the plain draw has counted the input
        with f.leaving(code.ne(0)):
            f.ret(code)


def _size(f: Function, primitives: Val, vertices: Val) -> Val:
    """`Packet.size`."""
    few = f.select(vertices > TINY, f.const(I32, Size.FEW), Size.TINY)
    return f.select(primitives > FEW, f.const(I32, Size.MANY), few)


def _any(f: Function, conditions: list[Val]) -> Val:
    any_bit = Val(f, BOOL, "false")
    for condition in conditions:
        any_bit = any_bit | condition
    return any_bit


def _checked_indices(f: Function, b: Record, index_size: Val, start: Val, count: Val) -> Val:
    """Address of the index buffer, 0 for a draw without indices. Falls back for draws that read past the end of the buffer."""
    is_indexed = index_size.ne(0)
    last = (start.zext(I64) + count.zext(I64)) * index_size.zext(I64)
    leave(f, is_indexed & (start.uge(_MOST_INDEX) | (last > b.get("index_bytes")) | b.get("index_address").eq(0)), Code.UNKNOWN)
    return f.select(is_indexed, b.get("index_address"), f.const(I64, 0))


def _template(f: Function, e: Record, b: Record, kind: Val) -> tuple[Val, Val]:
    """Address of the template for the bound state, and whether it is the last draw's (i32) because no word has changed since.

    Falls back for draws without a template, and for those whose programs reach memory, unless Python has approved such a draw.

    A draw becomes the last one only after all of its copies are made.
    """
    here, framebuffer = b.pointer.as_address(), e.get("framebuffer")
    same = e.get("bound").eq(here) & e.get("kind").eq(kind) & e.get("bound_framebuffer").eq(framebuffer)
    template = f.var(I64, e.get("template"))
    same = same & b.get("are_words_new").eq(0) & template.get().ne(0)
    with f.if_(~same):
        template.set(f.call(I64, "find", e.pointer, b.pointer, kind))
        with f.if_(template.get().eq(0) & (kind & STAGED).eq(0)):
            template.set(f.call(I64, "compose", e.pointer, b.pointer, kind))
        with f.if_(template.get().ugt(NO_ROOM) & e.get("may_reach").eq(0)):
            t = Record(f, template.get().as_pointer(), TemplateRecord)
            with f.if_((t.get("vertex.reaches") | t.get("fragment.reaches")).ne(0)):
                leave(f, (kind & STAGED).ne(0) | f.call(I32, "is_approved", e.pointer, b.pointer).eq(0), Code.UNKNOWN)
        e.set("bound", here)
        e.set("kind", kind)
        e.set("bound_framebuffer", framebuffer)
        b.set("are_words_new", f.const(I32, 0))
    e.set("template", f.const(I64, 0))
    leave(f, template.get().eq(0), Code.NEW)
    leave(f, template.get().eq(NO_ROOM), Code.ROOM)
    is_layered = Record(f, template.get().as_pointer(), TemplateRecord).get("is_layered")
    leave(f, is_layered.ne(0) & e.get("is_layered").eq(0), Code.LAYERS)
    return template.get(), same.zext(I32)


def _written_out(f: Function, executor: Val, t: Record, strip: list[Val], per_instance: Var) -> Val:
    """Address of the vertex numbers of all corners. Returns Code.MEMORY from the function if memory ran out."""
    corners = per_instance.get().zext(I64) * t.get("corners").zext(I64)
    target = allocate(f, executor, corners << 2)
    leave(f, target.eq(0), Code.MEMORY)
    f.call(None, "write_out", t.pointer, target.as_pointer(), *strip)
    return target


def _call(f: Function, c: Record, first: Val, index_size: Val, start: Val, per_instance: Val) -> Val:
    """The values of a Call on the stack. first: index of the first vertex, or of the first written-out corner."""
    memory = f.alloca(f"[{_CALL_WORDS} x i32]")
    r = Record(f, memory, Call)
    is_indexed = index_size.ne(0)
    bias = f.select(is_indexed, c.get("index_bias"), 0)
    r.set("start", first)
    r.set("index_bias", bias)
    r.set("base_vertex", f.select(is_indexed, bias, start))
    r.set("prims_per_instance", per_instance)
    r.set("start_instance", c.get("start_instance"))
    r.set("draw_id", c.get("draw_id"))
    return memory
