"""The state that a context hands to the renderer with a draw: plain descriptions of memory, bindings and state.

Everything in a `DrawState` except memory is copied when `Renderer.draw` returns. Memory is named by address; the object that owns it
travels along as `keepalive`. Vertex, index and texture memory is read later, when the front end or the tiles run: check
`Renderer.uses(address, size)` and call `Renderer.flush()` before writing to it.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from backends.device.commands.bound_record import (
    LEVELS,
    STREAMS_OUT,
    TABLES,
    WRITES_MEMORY,
    BoundRecord,
    Hindrance,
    VertexBufferSlot,
    Word,
    note_kept,
    python_cell,
    shader_word,
)
from backends.device.commands.condition import Condition, describe_condition
from backends.device.commands.constant_memory import ConstantMemory, KeptMemory
from backends.device.commands.known_objects import Kind, KnownObjects
from backends.device.commands.numbers import Described, Numbers
from backends.device.commands.values import (
    describe_color,
    describe_planes,
    describe_references,
    describe_scissors,
    describe_stipple,
    describe_viewports,
    describe_windows,
)
from backends.device.commands.words import CLOCK, SequenceOf, WordOf, same_floats, same_value, tick
from backends.device.memory import BoundVertexBuffer, BoundView, Memory
from backends.device.needs import needs_of
from backends.device.residents import Residents
from backends.device.shader import Shader as Shader
from backends.device.stage_state import StageState as StageState
from backends.device.stream_target import StreamTarget
from backends.device.tables import BufferTable
from backends.pipe.limits import MAX_CONSTANT_BUFFERS, MAX_STREAM_OUTPUT_TARGETS
from backends.pipe.state import BlendState, DepthStencilAlphaState, RasterizerState
from linkage.options import IDENTITY
from tgsi.language.facts.enums import Processor
from tgsi.language.facts.stages import LAST_STAGES, MESH_PIPELINE, PIPELINE

if TYPE_CHECKING:
    from backends.pipe.state import ScissorState, VertexElement, ViewportState


_VERT, _FRAG, _TASK, _MESH = (int(stage) for stage in (Processor.VERT, Processor.FRAG, Processor.TASK, Processor.MESH))
_SHORT_PIPELINE = (_VERT, _FRAG)
_FROM_LAST = tuple(int(processor) for processor in reversed(LAST_STAGES))
_VERTICES, _INDICES = "vertices", "indices"


def _same_viewports(viewports: Iterable[ViewportState]) -> Hashable:
    return same_floats([number for v in viewports for number in (*v.scale, *v.translate)])


def _describe_shader(shader: Shader) -> Described:
    needs = needs_of(shader)
    return Described(needs.units | WRITES_MEMORY * needs.effects.writes | STREAMS_OUT * (shader.stream_output is not None))


class DrawState:
    """All state that is bound and that a draw needs. The context owns one, changes its fields, and passes it to every draw.

    Most of it lies in `record`, which generated code reads and changes, too: constant state, shaders, views and samplers as numbers of
    `numbers`. `stage` is indexed by Processor, or by ShaderType, which has the same numbers. The compute stage's entry holds its bindings
    only.

    counters: HWATOMIC of all stages. memory: a new object after each change of buffers, images or counters; None until one is bound.
    has_stages: draws have more stages than vertex and fragment shader, or stream output.
    """

    rasterizer = WordOf(Word.RASTERIZER, RasterizerState())
    blend = WordOf(Word.BLEND, BlendState())
    depth_stencil_alpha = WordOf(Word.DEPTH_STENCIL_ALPHA, DepthStencilAlphaState())
    vertex_elements: WordOf[tuple[VertexElement, ...]] = WordOf(Word.VERTEX_ELEMENTS, ())
    viewports: SequenceOf[ViewportState] = SequenceOf(Word.VIEWPORTS, "num_viewports", _same_viewports, describe_viewports)
    scissors: SequenceOf[ScissorState] = SequenceOf(Word.SCISSORS, "num_scissors", same_value, describe_scissors)
    blend_color: WordOf[tuple[float, ...]] = WordOf(Word.BLEND_COLOR, (0.0, 0.0, 0.0, 0.0), same_floats, describe_color)
    stencil_ref: WordOf[tuple[int, int]] = WordOf(Word.STENCIL_REF, (0, 0), same_value, describe_references)  # front, back
    sample_mask = WordOf(Word.SAMPLE_MASK, 0xFFFFFFFF)
    min_samples = WordOf(Word.MIN_SAMPLES, 0)  # least number of invocations of the fragment shader in a pixel
    sample_locations: WordOf[tuple[int, ...] | None] = WordOf(Word.SAMPLE_LOCATIONS, None)  # bytes of set_sample_locations
    polygon_stipple: WordOf[tuple[int, ...] | None] = WordOf(Word.POLYGON_STIPPLE, None, same_value, describe_stipple)
    window_rectangles: WordOf[tuple[bool, tuple[ScissorState, ...]]] = WordOf(
        Word.WINDOW_RECTANGLES, (False, ()), same_value, describe_windows
    )
    clip_planes: WordOf[tuple[tuple[float, float, float, float], ...]] = WordOf(Word.CLIP_PLANES, (), same_floats, describe_planes)
    condition: WordOf[Condition | None] = WordOf(Word.CONDITION, None, same_value, describe_condition)
    link = WordOf(Word.LINK, IDENTITY)  # assignment of outputs to fragment inputs
    count_samples = WordOf(Word.COUNT_SAMPLES, False)  # an occlusion query is active
    count_statistics = WordOf(Word.COUNT_STATISTICS, False)  # a pipeline statistics query is active

    def __init__(self) -> None:
        self.record = BoundRecord(clock=CLOCK, python=ctypes.addressof(python_cell), are_words_new=1, patch_vertices=3)
        self.put_levels((1.0,) * 4, (1.0,) * 2)
        self.numbers, residents = Numbers(self._place_values), Residents()
        self.stage = tuple(StageState(self, processor, residents) for processor in Processor)
        self.counters = BufferTable()
        for number, stage in enumerate(self.stage):
            addresses = stage.buffers.address, self.counters.address, stage.images.address
            self.record.tables[TABLES * number : TABLES * (number + 1)] = addresses
        self._memory: object | None = None
        self._stream_targets: dict[int, StreamTarget] = {}  # by address of their records: bound targets, and unbound ones until `sweep`
        self.constant_memory, self.kept_memory = ConstantMemory(self.record), KeptMemory(self.record)
        self.known = KnownObjects(self.record, self.kept_memory.keep)
        self._shown_revision = 0  # of native vertex buffers that `_vertex_buffers` shows
        self._vertex_buffers: tuple[BoundVertexBuffer | None, ...] = ()
        self._index_buffer: Memory | None = None
        self._since = dict.fromkeys((_VERTICES, _INDICES), 0)  # number of draws when the buffers were bound
        self._retired: list[object] = []  # buffers that are no longer bound, but that pending draws read

    # -- memory ----------------------------------------------------------------------------------------------------------
    @property
    def memory(self) -> object | None:
        """A new object after each change of buffers, images or counters; None until one is bound."""
        return self._memory

    @memory.setter
    def memory(self, memory: object | None) -> None:
        self._memory, self.record.memory_revision, self.record.are_words_new = memory, tick(), 1

    @property
    def vertex_buffers(self) -> tuple[BoundVertexBuffer | None, ...]:
        """The bound vertex buffers by slot."""
        r = self.record
        if r.are_vertex_buffers_native and self._shown_revision != r.vertex_revision:
            slots = r.vertex_buffers[: r.num_vertex_buffers]
            self._retire(_VERTICES, self._vertex_buffers)
            self._vertex_buffers = tuple(BoundVertexBuffer(v.address, v.size, v.stride, lead=v.lead) if v.address else None for v in slots)
            self._shown_revision = r.vertex_revision
        return self._vertex_buffers

    @vertex_buffers.setter
    def vertex_buffers(self, buffers: tuple[BoundVertexBuffer | None, ...]) -> None:
        r = self.record
        if buffers is self._vertex_buffers and not r.are_vertex_buffers_native:
            return
        slots, nothing = r.vertex_buffers, VertexBufferSlot()
        for index, b in enumerate((*buffers, *[None] * (r.num_vertex_buffers - len(buffers)))):
            slots[index] = VertexBufferSlot(b.address, b.size, b.stride, b.lead) if b is not None else nothing
        self._retire(_VERTICES, self._vertex_buffers)
        self._vertex_buffers = buffers
        r.num_vertex_buffers, r.are_vertex_buffers_native, r.vertex_revision = len(buffers), 0, tick()

    @property
    def index_buffer(self) -> Memory | None:
        """The index buffer of indexed draws; DrawInfo.start counts indices from its address."""
        r = self.record
        if r.is_index_buffer_native:
            return Memory(r.index_address, r.index_bytes) if r.index_address else None
        return self._index_buffer

    @index_buffer.setter
    def index_buffer(self, memory: Memory | None) -> None:
        self._retire(_INDICES, self._index_buffer)
        self._index_buffer, self.record.is_index_buffer_native = memory, 0
        self.record.index_address, self.record.index_bytes = (memory.address, memory.size) if memory is not None else (0, 0)

    @property
    def stream_targets(self) -> tuple[StreamTarget | None, ...]:
        """The targets of stream output by buffer, up to the last bound one."""
        targets = [self._stream_targets[address] if address else None for address in self.record.stream_targets]
        while targets and targets[-1] is None:
            targets.pop()
        return tuple(targets)

    @stream_targets.setter
    def stream_targets(self, targets: tuple[StreamTarget | None, ...]) -> None:
        self._stream_targets |= {ctypes.addressof(target.record): target for target in targets if target is not None}
        for k, target in enumerate((*targets, *[None] * (MAX_STREAM_OUTPUT_TARGETS - len(targets)))):
            self.record.stream_targets[k] = 0 if target is None else ctypes.addressof(target.record)

    def forget_target(self, target: StreamTarget) -> None:
        """Release a target of stream output that is not bound."""
        self.known.forget(target)
        self._stream_targets.pop(ctypes.addressof(target.record), None)

    def put_patch_vertices(self, vertices: int) -> None:
        """Set the number of vertices of a patch for draws whose DrawInfo leaves it 0."""
        self.record.patch_vertices = vertices

    def count_in(self, interval: int) -> None:
        """Count samples in this interval of occlusion queries from now on; 0 stops counting."""
        record, is_wanted = self.record, interval > 0
        if is_wanted is not (record.interval > 0):
            self.count_samples = is_wanted
        record.interval = interval

    def begin_interval(self, interval: int) -> None:
        """Set the latest interval."""
        self.record.latest_interval = interval

    def count_queries(self, change: int) -> None:
        """Add to the number of active occlusion queries."""
        self.record.counting += change

    def pause_counting(self, *, is_paused: bool) -> None:
        """Have Python begin and end occlusion queries while counting is paused."""
        self.record.is_counting_paused = is_paused

    def share_counting(self) -> None:
        """Let generated code begin and end occlusion queries."""
        if not self.record.counting_word:
            number = self.record.counting_word = self.numbers.of(True, same_value)
            self.numbers.holders.append(lambda: {number})

    def put_levels(self, outer: Sequence[float], inner: Sequence[float]) -> None:
        """Set the levels of patches without a control shader, four outer and two inner ones."""
        self.record.tess_levels[:LEVELS] = (*outer, *inner)

    def _retire(self, kind: str, buffers: object) -> None:
        """Keep replaced buffers until pending draws have read them."""
        if self.record.draws != self._since[kind]:
            self._retired.append(buffers)
            note_kept(self.record)
        self._since[kind] = self.record.draws

    def _place_values(self, address: int, mask: int) -> None:
        self.record.values, self.record.values_mask = address, mask

    def sweep(self, living: set[int]) -> None:
        """Forget all known objects, and all values that are neither bound nor listed by number in `living`."""
        self.known.clear()
        self._stream_targets = {address: self._stream_targets[address] for address in self.record.stream_targets if address}
        self.numbers.sweep(living.union(self.record.words))

    def let_go(self) -> None:
        """Release all memory except that of bound objects. No draw is pending."""
        record, bound = self.record, {*self.record.stream_targets}
        self.known.forget_kind(Kind.SAMPLER_VIEW)
        self.known.forget_ended()
        _ = self.vertex_buffers  # those bound by generated code replace Python's
        if record.is_index_buffer_native:
            self._index_buffer = None
        for stage in self.stage:
            stage.let_go()
        others = [weakref.ref(target) for address, target in self._stream_targets.items() if address not in bound]
        self._stream_targets = {address: target for address, target in self._stream_targets.items() if address in bound}
        living = [target for reference in others if (target := reference()) is not None]
        self._stream_targets |= {ctypes.addressof(target.record): target for target in living}
        self.numbers.forget_kind(BoundView, {*record.words})
        self.carried_out()

    def end(self) -> None:
        """Unbind everything and forget all objects. No draw is pending, and none follows."""
        record = self.record
        self.vertex_buffers, self.index_buffer, self.stream_targets = (), None, ()
        record.words[:], record.num_viewports, record.num_scissors, record.are_words_new = [0] * len(record.words), 0, 0, 1
        for stage in self.stage:
            stage.end()
            for index in range(MAX_CONSTANT_BUFFERS):
                stage.put_constants(index, None)
        self.counters.clear()
        self.known.clear()
        self._stream_targets.clear()
        self.numbers.holders.clear()
        self.numbers.sweep(set())
        self.carried_out()

    def forget(self, value: object) -> None:
        """Release a destroyed view: at once if it is not bound and no draw is pending, otherwise in `sweep`."""
        if not self.record.draws:
            self.numbers.forget(value, self.record.words[:])

    def carried_out(self) -> None:
        """Release memory that only pending draws used, now that all of them have been carried out."""
        self.record.draws = 0
        self._since = dict.fromkeys(self._since, 0)
        self._retired.clear()
        self.constant_memory.release()
        self.kept_memory.release()

    def put_targets(self, address: int) -> None:
        """Set the render targets that generated code has bound; 0: the context binds its own."""
        self.record.targets = address

    # -- hindrances ------------------------------------------------------------------------------------------------------
    def hinder(self, reason: Hindrance, is_there: bool) -> None:
        """Set or clear a reason for draws to go through Python."""
        others = self.record.hindrances & ~reason
        self.record.hindrances = others | reason if is_there else others

    @property
    def has_stages(self) -> bool:
        """True if draws have more stages than vertex and fragment shader, or stream output."""
        return bool(self.record.hindrances & Hindrance.STAGES)

    @has_stages.setter
    def has_stages(self, are_there: bool) -> None:
        self.hinder(Hindrance.STAGES, are_there)

    # -- stages ----------------------------------------------------------------------------------------------------------
    @property
    def vertex(self) -> StageState:
        """The vertex stage."""
        return self.stage[_VERT]

    @property
    def fragment(self) -> StageState:
        """The fragment stage."""
        return self.stage[_FRAG]

    @property
    def task(self) -> StageState:
        """The task stage, which only draws of meshes have."""
        return self.stage[_TASK]

    @property
    def mesh(self) -> StageState:
        """The mesh stage. While it has a shader, draws are draws of meshes."""
        return self.stage[_MESH]

    def bind(self, processor: int, shader: Shader | None) -> None:
        """Give a stage another shader; None empties it."""
        record = self.record
        record.words[shader_word(processor)] = 0 if shader is None else self.numbers.of(shader, None, _describe_shader)
        record.are_words_new = 1

    def last_shader(self) -> Shader | None:
        """The shader of the last stage before the rasterizer: the mesh shader while one is bound."""
        for processor in _FROM_LAST:
            if (shader := self.stage[processor].shader) is not None:
                return shader
        return None

    def drawn_stages(self) -> list[StageState]:
        """The stages that a draw goes through, in order; some may lack a shader."""
        if not self.has_stages:
            return [self.stage[processor] for processor in _SHORT_PIPELINE]
        return [self.stage[processor] for processor in (PIPELINE if self.mesh.shader is None else MESH_PIPELINE)]
