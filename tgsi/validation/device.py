"""The device of a validated context: the device that draws, behind checks."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from backends.device.bound import DrawState
from backends.device.commands.bound_record import Hindrance
from backends.device.counters import FlushReason
from backends.device.grid import MeshDraw
from backends.device.interface import Device
from backends.device.shader import Shader
from backends.gallium.resource.resource import Resource
from backends.gallium.resource.view import Surface
from backends.pipe.enums import Clear
from backends.pipe.state import DrawInfo
from tgsi.validation import colors, facts, programs, settings, vertices
from tgsi.validation.drawing import Drawing
from tgsi.validation.effects import Contents, Trials, contents, is_changed
from tgsi.validation.findings import Finding
from tgsi.validation.positions import broken, positions
from tgsi.validation.warning import Place, Reports

if TYPE_CHECKING:
    from backends.gallium.context.context import Context

_STATES = 5
"""Words of a record that are state of a pipeline."""


class ValidatedDevice:
    """The device of a context of ``Screen(validate=True)``. Everything that needs no check goes to the device that draws."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._context: weakref.ref[Context] | None = None
        self.reports = Reports()
        self._seen: set[int] = set()  # combinations whose facts were checked
        self._linted: set[int] = set()  # numbers of shaders
        self._proven: set[tuple[int, ...]] = set()  # combinations with a draw that changed a bit
        self._doubts: dict[tuple[int, ...], tuple[str, str, Place]] = {}  # combinations without one, with text, call and line
        self._cleared: weakref.WeakSet[Resource] = weakref.WeakSet()
        self._gaps: weakref.WeakKeyDictionary[Resource, tuple[str, Place]] = weakref.WeakKeyDictionary()  # targets never cleared
        self._depths: weakref.WeakKeyDictionary[Resource, float] = weakref.WeakKeyDictionary()  # of the latest clear
        self._is_busy = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def watch(self, context: Context) -> None:
        """Check the calls of a context from now on. All its draws go through Python."""
        self._context = found = weakref.ref(context)

        def tell(text: str) -> None:
            if (context := found()) is not None:
                context._report("validation", text)

        self.reports.tell = tell
        context.state.hinder(Hindrance.WATCHED, True)

    @property
    def has_seen(self) -> bool:
        """True if a draw has changed a bit of a target so far."""
        return bool(self._proven)

    # -- calls -----------------------------------------------------------------------------------------------------------
    def draw(self, state: DrawState, info: DrawInfo) -> None:
        """Check a draw, and carry it out."""
        self._checked(Drawing("draw_vbo", self._device, state, info))

    def draw_mesh(self, state: DrawState, draw: MeshDraw) -> Sequence[str]:
        """Check a draw of meshes, and carry it out."""
        return self._checked(Drawing("draw_mesh_tasks", self._device, state, mesh=draw))

    def _checked(self, drawing: Drawing) -> Sequence[str]:
        context = None if self._context is None else self._context()
        if context is None or self._is_busy:
            return drawing.carry_out()
        place, state = self.reports.place(), drawing.state
        key = self._pipeline(state)
        found = list(self._facts(context, drawing, key))
        for item in found:
            self.reports.say(drawing.call, item, place)
        if key in self._proven or any(item.is_cause for item in found) or not self._can_look(context, state):
            return drawing.carry_out()
        self._is_busy = True
        try:
            faults, text = self._watched(context, drawing, key, place)
        finally:
            self._is_busy = False
        if text:
            self.reports.say(drawing.call, Finding("positions", key, text), place)
        return faults

    def clear(self, buffers: int, color: Sequence[int], depth: float, stencil: int) -> None:
        """Check the color of a clear, and carry it out."""
        context = None if self._context is None else self._context()
        if context is not None:
            if (item := colors.cleared(buffers, color, context.targets.cbufs)) is not None:
                self.reports.say("clear", item, self.reports.place())
            self._note_clear(buffers, context.targets.surfaces)
            if buffers & int(Clear.DEPTH) and (zs := context.targets.zsbuf) is not None and (texture := zs.living_texture) is not None:
                self._depths[texture] = depth
        self._device.clear(buffers, color, depth, stencil)

    # -- reads of a picture, before which deferred warnings are issued --------------------------------------------------------
    @property
    def _defers(self) -> bool:
        """True if warnings wait until the program reads the picture."""
        return bool(self._doubts or self._gaps) and not self._is_busy

    @property
    def pending(self) -> bool:
        """True if the device has pending work, or warnings wait for a flush."""
        return self._device.pending or self._defers

    def uses(self, address: int, size: int, *, for_reading: bool = False) -> bool:
        """True if pending work uses memory. If none does and the program reads it, deferred warnings are issued first."""
        is_used = self._device.uses(address, size, for_reading=for_reading)
        if for_reading and self._defers and not is_used:
            self._tell()
        return is_used

    def flush(self, reason: FlushReason = FlushReason.ASKED) -> None:
        """Carry out pending work; then warn of draws without effect, if the program asked for the flush or reads the picture."""
        if self._device.pending or not self._defers:  # no empty flush where `pending` stood for warnings alone
            self._device.flush(reason)
        if not self._is_busy and reason in (FlushReason.ASKED, FlushReason.MEMORY):
            self._tell()

    def close(self) -> None:
        """End the device."""
        self._device.close()
        self._doubts.clear()

    # -- findings --------------------------------------------------------------------------------------------------------
    def _note_clear(self, buffers: int, surfaces: Sequence[Surface | None]) -> None:
        """Remember which textures were cleared."""
        for surface in surfaces:
            if surface is not None and (texture := surface.living_texture) is not None:
                self._cleared.add(texture)

    def _note_gaps(self, before: Contents, call: str, place: Place) -> None:
        """Remember a color buffer that is drawn to, that holds only zeros, and that nothing has cleared."""
        texture, level, _, _, old = before[0]
        if level == 0 and texture not in self._cleared and not texture.plain_format.is_depth_stencil and not old.any():
            self._gaps.setdefault(texture, (call, place))

    def _tell(self) -> None:
        """Issue the deferred warnings, if the program reads a picture."""
        if not self.reports.is_asked():
            return
        for texture, (call, place) in [*self._gaps.items()]:
            if texture not in self._cleared and colors.has_gaps(texture):
                text = f"{texture!r} was never cleared, and pixels that no draw covers hold 0: ctx.clear('COLOR', color=...)"
                self.reports.say(call, Finding("gaps", id(texture), text), place)
        self._gaps.clear()
        doubts, self._doubts = self._doubts, {}
        seen = {key[_STATES:] for key in self._proven}
        for key, (text, call, place) in doubts.items():
            if key[_STATES:] in seen:
                continue  # the same shaders were seen with other state: their objects may be hidden on purpose
            self.reports.say(call, Finding("no effect", key, f"this draw changes no pixel: {text}"), place)

    def _facts(self, context: Context, drawing: Drawing, key: tuple[int, ...]) -> Iterator[Finding]:
        """Findings about bound state. A combination of state is checked once."""
        state, info = drawing.state, drawing.info
        if info is not None:
            yield from vertices.counts(state, info)
            yield from settings.leftovers(state, info)
        if info is not None and state.vertex.shader is None:
            return
        buffers = tuple((b.address, b.size, b.stride) for b in state.vertex_buffers if b is not None)
        index = (0, 0) if state.index_buffer is None else (state.index_buffer.address, state.index_buffer.size)
        memory = tuple(sum(m is not None for m in stage.constants) for stage in state.drawn_stages())
        bound = context.targets.framebuffer, state.viewports, state.scissors, bytes(state.record.words)
        combination = key, id(info), buffers, index, memory, bound
        if hash(combination) in self._seen:
            return
        self._seen.add(hash(combination))
        for stage in state.drawn_stages():
            if stage.shader is not None and stage.shader.serial not in self._linted:
                self._linted.add(stage.shader.serial)
                yield from programs.unwritten(stage.shader)
        if info is not None:
            yield from facts.of_vertices(state, info)
        yield from facts.of_bindings(context, state)

    # -- draws without effect ------------------------------------------------------------------------------------------------
    @staticmethod
    def _pipeline(state: DrawState) -> tuple[int, ...]:
        """The combination that a draw belongs to: its shaders, and the state of the pipeline."""
        words = state.record.words
        return (*words[:_STATES], *(0 if stage.shader is None else stage.shader.serial for stage in state.drawn_stages()))

    @staticmethod
    def _can_look(context: Context, state: DrawState) -> bool:
        """True if a draw can be repeated without side effects: it writes no memory, and no query or render condition depends on it."""
        shaders: list[Shader | None] = [stage.shader for stage in state.drawn_stages()]
        is_counted = state.count_samples or state.count_statistics or state.record.counting or state.condition is not None
        is_meant = state.rasterizer.rasterizer_discard or any(map(programs.stores, shaders)) or bool(context.counting.active)
        return not is_counted and not is_meant and bool(context.targets.surfaces)

    def _watched(self, context: Context, drawing: Drawing, key: tuple[int, ...], place: Place) -> tuple[Sequence[str], str]:
        """Carry out a draw and compare its targets. Returns the faults of mesh programs, and a text about its positions."""
        context.order.synchronize()
        before: Contents | None = contents(context.targets.surfaces)
        faults = drawing.carry_out()
        if not before:
            return faults, ""
        self._device.flush()
        text, size = "", (context.targets.framebuffer.width, context.targets.framebuffer.height)
        is_first = key not in self._doubts
        changed = is_changed(before)
        if is_first and (found := positions(drawing)) is not None:
            text = broken(found)
        if changed:
            self._proven.add(key)
            self._doubts.pop(key, None)
            self._note_gaps(before, drawing.call, place)
            if said := colors.overflow(drawing, context, before):
                self.reports.say(drawing.call, Finding("overflow", key, said), place)
        elif is_first and not text:
            self._doubts[key] = Trials(drawing, before, size, self._depths).reason(), drawing.call, place
        return faults, text
